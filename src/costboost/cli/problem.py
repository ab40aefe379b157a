"""A file and a few options as a problem: features, labels, costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.cli.columns import KINDS, Column, Label, Layout, as_text, kind_of, named
from costboost.cli.reading import opened
from costboost.cli.trouble import TroubleError, nearest, some, unknown

Cost = float | NDArray[np.float64]


@dataclass(frozen=True)
class Wishes:
    """What the user says of a file."""

    target: str
    positive: str | None = None
    fn_cost: str = "1"
    fp_cost: str = "1"
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    costs_are_features: bool = False
    encoding: str = "utf-8"
    separator: str = ""


@dataclass(frozen=True)
class Rows:
    """Rows to train on or to measure with."""

    X: Any
    y: NDArray[Any]
    fn_cost: Cost
    fp_cost: Cost

    def take(self, rows: NDArray[np.intp]) -> Rows:
        """Some of the rows."""
        fn, fp = (
            cost[rows] if isinstance(cost, np.ndarray) else cost
            for cost in (self.fn_cost, self.fp_cost)
        )
        return Rows(self.X.take(rows), self.y[rows], fn, fp)

    @property
    def costs(self) -> dict[str, Cost]:
        """The costs of rows that have their own; nothing if they are the same for all."""
        both = {"fn_cost": self.fn_cost, "fp_cost": self.fp_cost}
        own = any(np.ndim(cost) for cost in both.values())
        return {k: np.broadcast_to(c, self.y.shape) for k, c in both.items()} if own else {}

    def __len__(self) -> int:
        return int(self.y.size)


@dataclass(frozen=True)
class Problem:
    """A file, read."""

    name: str
    layout: Layout
    rows: Rows
    n_unlabelled: int
    """Rows left out because they have no label."""
    labels: list[Label]
    """The classes of the file, more than two if one is set against the rest."""


def read_problem(path: str, wishes: Wishes) -> Problem:
    """A file as the wishes describe it."""
    with opened(path, wishes.encoding, wishes.separator) as source:
        name = source.raw.name
        if wishes.target not in source.names:
            raise unknown("column", wishes.target, source.names, f" in {name}")
        categorical = named(wishes.categorical, source.names, name)
        table = source.table(dict.fromkeys(categorical, KINDS["category"].type_of_text()))
    costs = [cost_of(text, table.column_names, name) for text in (wishes.fn_cost, wishes.fp_cost)]
    y, labels, labelled = _labels(table.column(wishes.target), wishes.target)
    positive = _positive(wishes, labels)
    layout = Layout(
        _columns(table, wishes, [cost for cost in costs if isinstance(cost, str)], name),
        wishes.target,
        positive,
        len(labels) > 2,
        *costs,
    )
    if not layout.columns:
        raise TroubleError(f"{name} has no column left to learn from")
    n_unlabelled = int((~labelled).sum())
    table = table.filter(labelled) if n_unlabelled else table
    return Problem(name, layout, _rows(table, layout, y, name), n_unlabelled, labels)


def read_rows(path: str, layout: Layout, encoding: str, separator: str) -> Rows:
    """Labelled rows for a model that is there already."""
    with opened(path, encoding, separator) as source:
        name = source.raw.name
        layout.check_columns(source.names, name)
        for column in (layout.target, *layout.cost_columns):
            if column not in source.names:
                raise unknown("column", column, source.names, f" in {name}")
        table = source.table(layout.types_of_text())
    column = table.column(layout.target)
    if isinstance(layout.positive, str):
        column = as_text(column)
    y, labels, labelled = _labels(column, layout.target)
    if layout.positive not in labels:
        raise TroubleError(
            f"{name} has no row of the positive class {layout.positive!r} in {layout.target!r}"
        )
    table = table.filter(labelled) if not labelled.all() else table
    return _rows(table, layout, y, name)


def _rows(table: Any, layout: Layout, y: NDArray[Any], name: str) -> Rows:
    if layout.against_rest:
        y = np.where(y == layout.positive, str(layout.label), layout.rest)
    fn, fp = (costs_of(table, cost, name) for cost in (layout.fn_cost, layout.fp_cost))
    return Rows(layout.features(table, name), y, fn, fp)


# ---- labels --------------------------------------------------------------------------------------


def _labels(column: Any, target: str) -> tuple[NDArray[Any], list[Label], NDArray[np.bool_]]:
    """Labels of the rows that have one, the classes, and which rows these are."""
    from pyarrow import types

    labelled = column.is_valid().to_numpy()
    kept = column.filter(labelled)
    whole = types.is_integer(column.type)
    if types.is_floating(column.type):
        values = kept.to_numpy()
        labelled[labelled] = ~np.isnan(values)
        values = values[~np.isnan(values)]
        whole = bool(np.all(values == np.round(values)))
        y = values.astype(np.int64) if whole else values.astype(str)
    else:
        y = kept.to_numpy() if whole else np.array(as_text(kept).to_pylist(), dtype=str)
    y = y.astype(np.int64) if whole else y
    labels: list[Label] = np.unique(y).tolist()
    if not labels:
        raise TroubleError(f"column {target!r} has no labels, only missing values")
    if len(labels) == 1:
        raise TroubleError(
            f"every row has {labels[0]!r} in column {target!r}: there is nothing to tell"
        )
    return y, labels, labelled


def _positive(wishes: Wishes, labels: list[Label]) -> Label:
    """The class that counts: as the user says, or the greater of two."""
    by_text = {str(label): label for label in labels}
    if wishes.positive is not None:
        if wishes.positive in by_text:
            return by_text[wishes.positive]
        close = nearest(wishes.positive, list(by_text))
        raise TroubleError(
            f"--positive {wishes.positive!r} is no label in column {wishes.target!r}; "
            + (f"did you mean {close!r}?" if close else f"there are: {some(list(by_text))}")
        )
    if len(labels) > 2:
        raise TroubleError(_too_many(wishes.target, labels))
    return labels[1]


def _too_many(target: str, labels: list[Label]) -> str:
    if len(labels) > 50:
        return (
            f"column {target!r} has {len(labels)} different values ({some(labels[:3])}, ...): it "
            "looks like a number or a name, not a class; is --target right?"
        )
    return (
        f"column {target!r} has {len(labels)} classes ({some(labels)}), and two are needed: "
        f"--positive {labels[-1]!r} would set that one against the rest"
    )


# ---- columns and costs ---------------------------------------------------------------------------


def _columns(table: Any, wishes: Wishes, cost_columns: list[str], name: str) -> tuple[Column, ...]:
    known = table.column_names
    left_out = {wishes.target, *named(wishes.drop, known, name)}
    if not wishes.costs_are_features:
        left_out |= set(cost_columns)
    categorical = set(named(wishes.categorical, known, name))
    both = sorted(categorical & left_out)
    if both:
        raise TroubleError(f"column {both[0]!r} is named in --categorical, but is no feature")
    return tuple(
        Column(field.name, _kind(field, categorical))
        for field in table.schema
        if field.name not in left_out
    )


def _kind(field: Any, categorical: set[str]) -> str:
    return "category" if field.name in categorical else kind_of(field.name, field.type)


def cost_of(text: str, names: Sequence[str], where: str) -> float | str:
    """A number, or else the name of a column."""
    try:
        value = float(text)
    except ValueError:
        if text not in names:
            raise unknown("column", text, names, f" in {where} for a cost") from None
        return text
    if not np.isfinite(value) or value <= 0:
        raise TroubleError(f"a cost must be a number above 0, or the name of a column, got {text}")
    return value


def costs_of(table: Any, cost: float | str, where: str) -> Cost:
    """A cost as a number, or one for each row of a table."""
    if not isinstance(cost, str):
        return cost
    column = table.column(cost)
    if kind_of(cost, column.type) != "number":
        raise TroubleError(f"{where}: column {cost!r} holds no costs, but {column.type}")
    seen = Column(cost, "number").seen(column, where)
    values: NDArray[np.float64] = seen.to_numpy()
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any():
        row = int(np.argmax(bad))
        raise TroubleError(
            f"{where}: column {cost!r} has {int(bad.sum())} rows without a cost of at least 0, the "
            f"first is row {row + 1} of the data ({values[row]:g})"
        )
    return values
