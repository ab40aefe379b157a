"""Tables of costs, truth x action, as users give them: a frame or a dict of dicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.backends.dask.blocks import is_collection
from costboost._core.backends.dask.collections import in_memory
from costboost._core.checks import Floats, quoted, real_numbers, some
from costboost._core.costs.ranges import check_bounds, interval_of, is_distribution

FORMS = (
    "a number, the name of a column of X, an array with one cost for each row, a range (low, high) "
    "or a frozen distribution of scipy.stats"
)


Entries = tuple[tuple[Any, ...], ...]


def check_table(
    costs: Any, classes: NDArray[Any] | None = None, actions: Sequence[str] | None = None
) -> tuple[tuple[Any, ...], tuple[str, ...], Entries]:
    """Validate a table and sort it by the classes and actions, if they are given; all three."""
    given = _rows_of(costs)
    if classes is None:
        classes = np.array(list(given), dtype=object)
    known = classes.tolist()
    unknown = [truth for truth in given if truth not in known]
    if unknown:
        raise ValueError(
            f"costs has a row for {unknown[0]!r}, which is none of the classes {some(classes)}; "
            "rows are what is true, columns what is done"
        )
    missing = [truth for truth in known if truth not in given]
    if missing:
        raise ValueError(
            f"costs has no row for the class {missing[0]!r}; it needs a row for each of the "
            f"classes {some(classes)}"
        )
    names = _action_names(given, actions)
    cells = tuple(
        tuple(_checked_cell(given[truth][name], truth, name) for name in names) for truth in known
    )
    return tuple(known), names, cells


def _rows_of(costs: Any) -> dict[Any, dict[Any, Any]]:
    """The table as a dict of dicts; each row has a cell for each action."""
    if hasattr(costs, "iterrows") and hasattr(costs, "index"):
        for names, what in ((list(costs.index), "rows"), (list(costs.columns), "columns")):
            twice = [name for k, name in enumerate(names) if name in names[:k]]
            if twice:
                raise ValueError(f"costs has two {what} named {twice[0]!r}; each may occur once")
        values = costs.to_numpy(dtype=object)
        columns = list(costs.columns)
        return {
            truth: dict(zip(columns, row, strict=True))
            for truth, row in zip(costs.index.tolist(), values, strict=True)
        }
    if not isinstance(costs, Mapping) or not all(isinstance(r, Mapping) for r in costs.values()):
        raise ValueError(
            "costs must be a pandas frame or a dict of dicts: a row for each true class, a column "
            f'for each action, such as {{"fraud": {{"block": 0, "allow": 100}}, "honest": '
            f'{{"block": 5, "allow": 0}}}}, got {quoted(costs)}'
        )
    every = list(dict.fromkeys(name for row in costs.values() for name in row))
    for truth, row in costs.items():
        for name in every:
            if name not in row:
                raise ValueError(
                    f"costs has no cell for the action {name!r} where {truth!r} is true; give "
                    f"{FORMS}"
                )
    return {truth: dict(row) for truth, row in costs.items()}


def _action_names(
    given: Mapping[Any, Mapping[Any, Any]], actions: Sequence[str] | None
) -> tuple[str, ...]:
    names = list(next(iter(given.values()), ()))
    odd = [name for name in names if not isinstance(name, str) or not name]
    if odd:
        raise ValueError(f"actions, the columns of costs, must be named by texts, got {odd[0]!r}")
    if len(names) < 2:
        raise ValueError(f"costs must have at least two actions (columns), got {len(names)}")
    if actions is None:
        return tuple(names)
    for name in names:
        if name not in actions:
            raise ValueError(
                f"costs has the action {name!r}, which is none of {', '.join(actions)}"
            )
    for name in actions:
        if name not in names:
            raise ValueError(f"costs has no column for the action {name!r}")
    return tuple(actions)


def _checked_cell(cell: Any, truth: Any, action: str) -> Any:
    """A cell in a plain form: a number, a text, an array, a range or a distribution."""
    where = f"the cost of {action!r} where {truth!r} is true"
    if is_distribution(cell):
        interval_of(cell, where)
        return cell
    if isinstance(cell, tuple):
        if len(cell) != 2:
            raise ValueError(f"{where} must be a range (low, high), got {quoted(cell)}")
        low, high = (_checked_number(one, where) for one in cell)
        if not isinstance(low, str) and not isinstance(high, str):
            check_bounds(np.asarray(low), np.asarray(high), where)
        return low, high
    return _checked_number(cell, where)


def _checked_number(cell: Any, where: str) -> Any:
    """A finite number, a text, or an array of finite numbers."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, (Real, np.number)) and not isinstance(cell, (bool, np.bool_)):
        if not np.isfinite(float(cell)):
            raise ValueError(f"{where} must be finite, got {cell}; no cell may be missing")
        return float(cell)
    try:
        values = real_numbers(cell)
    except ValueError as error:
        raise ValueError(f"{where} must be {FORMS}, got {quoted(cell)}") from error
    if cell is None or values.ndim != 1:
        raise ValueError(f"{where} must be {FORMS}, got {quoted(cell)}")
    _refuse_not_finite(values, where)
    return values


def _refuse_not_finite(values: Floats, where: str) -> None:
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise ValueError(f"{where} must be finite, got {values[bad[0]]} in row {bad[0]}")


def column_of(X: Any, name: str) -> Floats:
    """Values of a column of X that an entry refers to."""
    names = list(getattr(X, "column_names", getattr(X, "columns", ())))
    if name not in names:
        reason = (
            f"columns are {some(np.array(names, dtype=object))}" if names else "it has no names"
        )
        raise ValueError(
            f"costs refers to the column {name!r}, which X does not have: {reason}. A text in a "
            "cell is the name of a column of X"
        )
    column = X[name] if hasattr(X, "columns") and not hasattr(X, "column_names") else X.column(name)
    try:
        (column,) = in_memory(column) if is_collection(column) else (column.to_numpy(),)
        values = real_numbers(column)
    except ValueError as error:
        raise ValueError(f"column {name!r}, which costs refers to: {error}") from error
    _refuse_not_finite(values, f"column {name!r}, which costs refers to,")
    return values
