"""Tables of costs, truth x action: reviewers, validation, costs of rows, ranges of costs.

A range (low, high) contains the true cost; its mean is the middle. A frozen distribution of
scipy.stats has its own mean, and its range is the central 95% interval. Costs of different cells
vary independently, and within a cell those of all rows have one unknown value or their own: no
decision depends on which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.backends.dask.blocks import is_collection
from costboost._core.backends.dask.collections import in_memory
from costboost._core.checks import Floats, check_finite, quoted, real_numbers, some
from costboost._core.costs import expected

REVIEW = "review"
"""Action of a reviewer whose action is not named."""
RATES = ("recall", "specificity")
ROUNDING = 1e-6
"""How far the rates of a reviewer may be from adding up to 1."""
COVERAGE = 0.95
"""Probability of the central interval that stands for a distribution."""


# ---- uncertain costs -----------------------------------------------------------------------------


class Interval(NamedTuple):
    """Mean and range of a cost: numbers, or arrays with one for each row."""

    mean: Any
    low: Any
    high: Any


def is_distribution(cell: Any) -> bool:
    """Whether a cell is a frozen distribution of scipy.stats."""
    return all(hasattr(cell, name) for name in ("dist", "args", "kwds", "interval", "mean"))


def interval_of(cell: Any, where: str) -> Interval:
    """Mean and range of a number, an array or a distribution."""
    if not is_distribution(cell):
        return Interval(cell, cell, cell)
    mean = float(cell.mean())
    low, high = (float(end) for end in cell.interval(COVERAGE))
    if not np.all(np.isfinite([mean, low, high])):
        raise ValueError(
            f"{where} is a distribution whose mean or central {COVERAGE:.0%} interval is not "
            f"finite: mean {mean:g}, from {low:g} to {high:g}; take another one, or a range"
        )
    return Interval(mean, low, high)


def check_bounds(low: Floats, high: Floats, where: str) -> Interval:
    """Mean and range, whose low end must not be above the high end."""
    low, high = np.broadcast_arrays(low, high)
    wrong = np.flatnonzero(np.atleast_1d(low > high))
    if wrong.size:
        a, b = np.atleast_1d(low)[wrong[0]], np.atleast_1d(high)[wrong[0]]
        row = f" in row {wrong[0]}" if low.ndim else ""
        raise ValueError(f"{where} must be a range from low to high, got {a:g} to {b:g}{row}")
    return Interval(low / 2 + high / 2, low, high)


def uncertain_cost(name: str, cost: Any) -> Interval | None:
    """Mean and range of a cost that is a pair (low, high) or a distribution; None for others."""
    if is_distribution(cost):
        return interval_of(cost, name)
    if not isinstance(cost, tuple) or len(cost) != 2:
        return None
    low, high = (check_finite(name, end) for end in cost)
    return check_bounds(low, high, name)


def worst_differences(parts: Floats, low: Floats, high: Floats) -> Floats:
    """Greatest cost of action a minus that of action b over the ranges, for each truth.

    Parameters
    ----------
    parts : array of shape (1 or n_rows, n_classes, n_actions, n_actions)
        How often each cell (last dimension) is paid for each action.
    low, high : arrays of shape (1 or n_rows, n_classes, n_actions)

    Returns
    -------
    array of shape (1 or n_rows, n_classes, n_actions, n_actions)
    """
    k, m = low.shape[1:]
    worst = np.zeros((max(len(parts), len(low)), k, m, m))
    for a in range(m):
        for b in range(m):
            factor = parts[:, :, a] - parts[:, :, b]
            for j in np.flatnonzero(np.any(factor != 0, axis=(0, 1))):
                own = factor[:, :, j]
                worst[:, :, a, b] += np.maximum(own * low[:, :, j], own * high[:, :, j])
    return worst


Reviewers = dict[int, Floats]
"""For the index of each review action, P(class stated by the reviewer | true class)."""


def check_reviewers(
    reviewer: Any, actions: Sequence[str], classes: NDArray[Any], positive: Any
) -> Reviewers:
    """Validate the error rates of reviewers; None stands for no reviewers."""
    if reviewer is None:
        return {}
    if not isinstance(reviewer, Mapping) or not reviewer:
        raise ValueError(
            'reviewer must be a dict such as {"recall": 0.9, "specificity": 0.95}, or a dict of '
            f"review actions with such a dict or a confusion table each, got {quoted(reviewer)}"
        )
    by_action = {REVIEW: reviewer} if set(reviewer) <= set(RATES) else reviewer
    found: Reviewers = {}
    for action, rates in by_action.items():
        if action not in actions:
            raise ValueError(
                f"reviewer is for the action {action!r}, which is none of {', '.join(actions)}"
                + ("" if by_action is reviewer else f'; name it: {{"{actions[-1]}": {{...}}}}')
            )
        found[list(actions).index(action)] = _confusion(rates, action, classes, positive)
    if len(found) == len(actions):
        raise ValueError("reviewer leaves no action to take after a review; add one to costs")
    return found


def _confusion(rates: Any, action: str, classes: NDArray[Any], positive: Any) -> Floats:
    if isinstance(rates, Mapping) and set(rates) == set(RATES):
        if len(classes) != 2:
            raise ValueError(
                f"recall and specificity of a reviewer are rates of two classes, but there are "
                f"{len(classes)}; give a confusion table, {{true class: {{stated class: rate}}}}"
            )
        recall, specificity = (_rate(rates[name], f"{name} of {action!r}") for name in RATES)
        own = np.where(classes == positive, recall, specificity)
        return np.array([[own[0], 1 - own[0]], [1 - own[1], own[1]]])
    if hasattr(rates, "to_dict") and hasattr(rates, "index"):
        rates = rates.to_dict(orient="index")
    known = classes.tolist()
    rows = rates.values() if isinstance(rates, Mapping) else ()
    if (
        not isinstance(rates, Mapping)
        or set(rates) != set(known)
        or any(not isinstance(row, Mapping) or not set(row) <= set(known) for row in rows)
    ):
        raise ValueError(
            f'reviewer of {action!r} must be {{"recall": ..., "specificity": ...}} or a table '
            f"{{true class: {{stated class: rate}}}} for the classes {some(classes)}, got "
            f"{quoted(rates)}"
        )
    table = np.array(
        [[_rate(rates[t].get(s, 0.0), f"rate of {action!r}") for s in known] for t in known]
    )
    for truth, total in zip(known, table.sum(axis=1).tolist(), strict=True):
        if abs(total - 1) > ROUNDING:
            raise ValueError(
                f"the rates of {action!r} where {truth!r} is true must add up to 1, got {total:g}"
            )
    return table


def _rate(value: Any, what: str) -> float:
    is_number = isinstance(value, (Real, np.number)) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= 1:
        raise ValueError(f"the {what} must be a rate from 0 to 1, got {value!r}")
    return float(value)


# ---- tables of costs -----------------------------------------------------------------------------

FORMS = (
    "a number, the name of a column of X, an array with one cost for each row, a range (low, high) "
    "or a frozen distribution of scipy.stats"
)


class ActionTable(NamedTuple):
    """Costs of actions (columns) for each true class (rows), as the user gives them."""

    classes: tuple[Any, ...]
    actions: tuple[str, ...]
    cells: tuple[tuple[Any, ...], ...]

    def as_dict(self) -> dict[Any, dict[str, Any]]:
        """The table as a dict of dicts."""
        return {
            truth: dict(zip(self.actions, row, strict=True))
            for truth, row in zip(self.classes, self.cells, strict=True)
        }

    def filled(self, columns: Mapping[str, Any]) -> dict[Any, dict[str, Any]]:
        """The table as a dict of dicts, with these columns in place of their names."""

        def value(cell: Any) -> Any:
            if isinstance(cell, tuple):
                return tuple(map(value, cell))
            return columns.get(cell, cell) if isinstance(cell, str) else cell

        return {
            truth: {action: value(cell) for action, cell in row.items()}
            for truth, row in self.as_dict().items()
        }

    @property
    def columns(self) -> list[str]:
        """Names of the columns of X that cells refer to."""
        cells = [cell for row in self.cells for cell in row]
        parts = [part for cell in cells for part in (cell if isinstance(cell, tuple) else (cell,))]
        return list(dict.fromkeys(part for part in parts if isinstance(part, str)))


def check_table(
    costs: Any, classes: NDArray[Any], actions: Sequence[str] | None = None
) -> ActionTable:
    """Validate a table and sort it by the classes, and by the actions if they are given."""
    given = _rows_of(costs)
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
    return ActionTable(tuple(known), names, cells)


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


def refuse_identical(table: ActionTable, reviewers: Reviewers) -> None:
    """Raise ValueError if two actions have the same costs whatever is true."""
    for a, b in combinations(range(len(table.actions)), 2):
        both = (reviewers.get(a), reviewers.get(b))
        if (both[0] is None) != (both[1] is None) or (
            both[0] is not None and not np.array_equal(both[0], both[1])  # type: ignore[arg-type]
        ):
            continue
        if all(_equal(row[a], row[b]) for row in table.cells):
            raise ValueError(
                f"the actions {table.actions[a]!r} and {table.actions[b]!r} have the same costs "
                "whatever is true, so that nothing distinguishes them; leave one of them out"
            )


def _equal(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple):
        return all(_equal(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other))
    if is_distribution(one):
        return bool(_key(one) == _key(other))
    return bool(one == other)


def _key(distribution: Any) -> Any:
    return distribution.dist.name, distribution.args, distribution.kwds


# ---- costs of rows -------------------------------------------------------------------------------


@dataclass(frozen=True)
class RowCosts:
    """Costs, truth x action, of all rows (first dimension 1) or of each row.

    ``parts[:, t, a, j]`` is how often the cell (t, j) is paid if action a is taken where t is
    true: once for j = a, and at the rates of the reviewer for the actions that follow a review.
    """

    mean: Floats
    low: Floats
    high: Floats
    parts: Floats | None

    @property
    def table(self) -> Floats:
        """Mean costs with those after a review: (classes, actions), or one such table a row."""
        found = self.mean
        if self.parts is not None:
            found = np.einsum("ntaj,ntj->nta", *_same_length(self.parts, self.mean))
        return found[0] if len(found) == 1 else np.ascontiguousarray(found)

    def expected(self, probability: Floats) -> Floats:
        """Expected cost of each action for each row, by the mean costs."""
        return expected(probability, self.table)

    @property
    def is_certain(self) -> bool:
        """Whether no cost is a range or a distribution."""
        return bool(np.all(self.low == self.high))

    def worst_differences(self) -> Floats:
        """Greatest cost of action a minus that of action b within the ranges, for each truth."""
        k, m = self.mean.shape[1:]
        parts = self.parts
        if parts is None:
            parts = np.broadcast_to(np.eye(m), (1, k, m, m))
        return worst_differences(parts, self.low, self.high)


def _same_length(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Arrays of which one may have the length 1, repeated to the length of the other."""
    n = max(len(a), len(b))
    return np.broadcast_to(a, (n, *a.shape[1:])), np.broadcast_to(b, (n, *b.shape[1:]))


def costs_of_rows(table: ActionTable, reviewers: Reviewers, X: Any, n_rows: int) -> RowCosts:
    """The costs of the rows of X."""
    columns = {name: _column(X, name) for name in table.columns}
    found = [
        [
            _interval(cell, columns, n_rows, f"the cost of {action!r} where {truth!r} is true")
            for action, cell in zip(table.actions, row, strict=True)
        ]
        for truth, row in zip(table.classes, table.cells, strict=True)
    ]
    mean, low, high = (
        np.stack(
            [np.stack(np.broadcast_arrays(*side), axis=-1) for side in _sides(found, k)], axis=-2
        )
        for k in range(3)
    )
    return RowCosts(mean, low, high, _parts(mean, reviewers))


def _sides(found: list[list[Interval]], k: int) -> list[list[Floats]]:
    """Means, low or high ends of all cells as arrays of one length, 1 or the number of rows."""
    rows = [[np.atleast_1d(cell[k]) for cell in row] for row in found]
    n = max(cell.size for row in rows for cell in row)
    return [[np.broadcast_to(cell, (n,)) for cell in row] for row in rows]


def _interval(cell: Any, columns: Mapping[str, Floats], n_rows: int, where: str) -> Interval:
    def values(part: Any) -> Any:
        found = columns[part] if isinstance(part, str) else part
        if np.ndim(found) and len(found) != n_rows:
            raise ValueError(
                f"{where} is an array of {len(found)} costs, but X has {n_rows} rows; pass the "
                "costs of these rows, such as predict(X, costs=...)"
            )
        return found

    if isinstance(cell, tuple):
        low, high = (np.asarray(values(part), dtype=float) for part in cell)
        return check_bounds(low, high, where)
    return interval_of(values(cell), where)


def _column(X: Any, name: str) -> Floats:
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


def _parts(mean: Floats, reviewers: Reviewers) -> Floats | None:
    """How often each cell is paid for each action; None without reviewers.

    After a review the row has the action that is cheapest if the reviewer is right, by mean costs.
    """
    if not reviewers:
        return None
    k, m = mean.shape[1:]
    others = np.array([a for a in range(m) if a not in reviewers])
    correct = others[mean[:, :, others].argmin(axis=2)]
    if np.all(correct == correct[0]):
        correct = correct[:1]
    parts = np.broadcast_to(np.eye(m), (len(correct), k, m, m)).copy()
    rows = np.arange(len(correct))
    for action, rates in reviewers.items():
        for truth in range(k):
            for stated in range(k):
                parts[rows, truth, action, correct[:, stated]] += rates[truth, stated]
    return parts
