"""A file and a few options as a problem: features, labels, costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.cli.cost_options import check_cost_columns, cost_or_column
from costboost.cli.labels import Stakes, check_known, stakes, unnamed
from costboost.cli.layout import Layout
from costboost.cli.wishes import Wishes
from costboost.inspection.labels import Labels, read_labels
from costboost.reading.columns import KINDS, Column, Label, as_text, is_text, kind_of, select_names
from costboost.reading.errors import InputError, one_line, some, unknown
from costboost.reading.sources import ReadOptions
from costboost.reading.tables import open_table

Cost = float | NDArray[np.float64]


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
    labels: list[Label]
    """The classes of the file, more than two if one is set against the rest."""
    notes: Sequence[str] = ()
    """What the user should know of how the file was read."""
    named_categories: frozenset[str] = frozenset()
    """Columns of which the user says that they hold names."""


def read_problem(path: str, wishes: Wishes) -> Problem:
    """A file as the wishes describe it."""
    with open_table(path, wishes.reading) as source:
        name = source.name
        if wishes.target not in source.names:
            raise unknown("column", wishes.target, source.names, f" in {name}")
        categorical = select_names(wishes.categorical, source.names, name)
        dropped = select_names(wishes.drop, source.names, name)
        without = set(dropped) - {wishes.target, wishes.fn_cost, wishes.fp_cost}
        text = dict.fromkeys(categorical, KINDS["category"].text_type())
        table = source.table(text, without)
    found = read_labels(table.column(wishes.target), wishes.target)
    counts = stakes(wishes, found.classes)
    layout = _layout(table, wishes, counts, set(dropped), name)
    notes = list(_notes(wishes, found.classes, counts.unnamed, int((~found.labelled).sum())))
    rows = _rows(table, layout, found, name)
    return Problem(name, layout, rows, found.classes, notes, frozenset(categorical))


def _layout(table: Any, wishes: Wishes, counts: Stakes, dropped: set[str], name: str) -> Layout:
    fn, fp = cost_or_column(counts.fn_cost), cost_or_column(counts.fp_cost)
    of_rows = [cost for cost in (fn, fp) if isinstance(cost, str)]
    check_cost_columns(of_rows, table.column_names, name)
    columns = _columns(table, wishes, of_rows, dropped, name)
    if not columns:
        raise InputError(f"{name} has no column left to learn from")
    return Layout(
        columns,
        wishes.target,
        counts.positive,
        counts.against_rest,
        fn,
        fp,
        counts.classes,
        counts.matrix,
    )


def _notes(wishes: Wishes, labels: list[Label], by_order: bool, n_unlabelled: int) -> Iterator[str]:
    if n_unlabelled:
        rows = "1 row has" if n_unlabelled == 1 else f"{n_unlabelled:,} rows have"
        yield f"{rows} no label, left out"
    if by_order:
        yield unnamed(str(wishes.cost_matrix), labels)


def read_rows(path: str, layout: Layout, options: ReadOptions) -> Rows:
    """Labelled rows for a model that is there already."""
    with open_table(path, options) as source:
        name = source.name
        layout.check_columns(source.names, name)
        if layout.target not in source.names:
            raise unknown("column", layout.target, source.names, f" in {name}")
        check_cost_columns(layout.cost_columns, source.names, name)
        needed = {one.name for one in layout.columns} | {layout.target, *layout.cost_columns}
        table = source.table(layout.text_types(), set(source.names) - needed)
    column = table.column(layout.target)
    labels = read_labels(as_text(column) if layout.text_labels else column, layout.target)
    if layout.several:
        check_known(labels, layout.classes, layout.target, name)
    elif layout.positive not in labels.classes:
        raise InputError(
            f"{name} has no row of the positive class {layout.positive!r} in {layout.target!r}, "
            f"but {some([repr(label) for label in labels.classes])}"
        )
    return _rows(table, layout, labels, name)


def _rows(table: Any, layout: Layout, labels: Labels, name: str) -> Rows:
    """The labelled rows of a table."""
    y, numbers = labels.y, np.flatnonzero(labels.labelled) + 1
    table = table.filter(labels.labelled) if not labels.labelled.all() else table
    if layout.against_rest:
        y = np.where(y == layout.positive, str(layout.label), layout.rest)
    fn, fp = (costs_of(table, cost, name, numbers) for cost in (layout.fn_cost, layout.fp_cost))
    return Rows(layout.features(table, name), y, fn, fp)


# ---- columns and costs ---------------------------------------------------------------------------


def _columns(
    table: Any, wishes: Wishes, cost_columns: list[str], dropped: set[str], name: str
) -> tuple[Column, ...]:
    left_out = {wishes.target, *dropped}
    if not wishes.costs_are_features:
        left_out |= set(cost_columns)
    categorical = set(select_names(wishes.categorical, [*table.column_names, *dropped], name))
    both = sorted(categorical & left_out)
    if both:
        raise InputError(f"column {both[0]!r} is named in --categorical, but is no feature")
    return tuple(
        Column(field.name, _kind(field, categorical))
        for field in table.schema
        if field.name not in left_out
    )


def _kind(field: Any, categorical: set[str]) -> str:
    return "category" if field.name in categorical else kind_of(field.name, field.type)


def costs_of(table: Any, cost: float | str, where: str, numbers: range | NDArray[np.intp]) -> Cost:
    """A cost as a number, or one for each row of a table.

    ``numbers`` are those of the rows in the file, for messages; the first row is 1.
    """
    if not isinstance(cost, str):
        return cost
    values = _cost_values(table.column(cost), cost, where)
    bad = ~(np.isfinite(values) & (values > 0))
    if bad.any():
        first, count = int(np.argmax(bad)), int(bad.sum())
        found = "missing" if np.isnan(values[first]) else f"{values[first]:g}"
        raise InputError(
            f"{where}: {count:,} of {len(numbers):,} rows have no cost above 0 in column {cost!r}, "
            f"the first is row {numbers[first]:,} ({found}); a tiny cost stands for almost none"
        )
    return values


def _cost_values(column: Any, name: str, where: str) -> NDArray[np.float64]:
    """A column of costs as numbers; text must be numbers, as in a column that is repeated."""
    import pyarrow as pa

    what = f"{where}: column {name!r} holds no costs, but {column.type}"
    if kind_of(name, column.type) != "number" and not is_text(column.type):
        raise InputError(what)
    try:
        values: NDArray[np.float64] = KINDS["number"].to_feature(column).to_numpy()
    except pa.ArrowInvalid as error:
        raise InputError(f"{what}: {one_line(str(error))}") from error
    return values
