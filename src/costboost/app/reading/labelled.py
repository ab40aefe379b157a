"""Rows of a file as features, labels and costs, whole or in batches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Flags
from costboost._core.caching import cached_property
from costboost._core.costs import LEAST_COST
from costboost._core.names import COST_NAMES
from costboost.app.inspection.labels import Labels, read_labels
from costboost.app.reading.columns import (
    KINDS,
    as_text,
    check_cost_columns,
    is_text,
    kind_of,
    n_bytes,
)
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError, one_line, some, unknown
from costboost.app.reading.format import Format
from costboost.app.reading.partitioned_features import PartitionedFeatures
from costboost.app.reading.table_source import TableSource

Cost = float | NDArray[np.float64]
Numbers = range | NDArray[np.intp]

# ---- rows that have labels -----------------------------------------------------------------------


@dataclass(frozen=True)
class LabelledRows:
    """Features, labels and costs."""

    X: Any
    y: NDArray[Any]
    costs: Mapping[str, Cost]
    """Costs of two classes: of mistakes, and of right predictions if they are stated."""
    groups: NDArray[Any] | None = None
    """Labels of groups of rows that are held out together."""

    def take(self, rows: NDArray[np.intp]) -> LabelledRows:
        """The rows with these numbers."""
        costs = {k: c[rows] if isinstance(c, np.ndarray) else c for k, c in self.costs.items()}
        groups = None if self.groups is None else self.groups[rows]
        return LabelledRows(self.X.take(rows), self.y[rows], costs, groups)

    @property
    def net(self) -> dict[str, Any]:
        """Costs of mistakes beyond those of right predictions."""
        fn, fp, tp, tn = (self.costs.get(name, 0.0) for name in COST_NAMES)
        return {"fn_cost": fn - tp, "fp_cost": fp - tn}

    @property
    def positive_net(self) -> dict[str, Any]:
        """Net costs above 0: those that are not are replaced by next to nothing."""
        if "tp_cost" not in self.costs:
            return dict(self.costs)
        net = self.net
        largest = max(float(np.max(cost)) for cost in net.values())
        least = LEAST_COST * largest if largest > 0 else 1.0
        raised = {name: np.maximum(cost, least) for name, cost in net.items()}
        return {name: cost if np.ndim(cost) else float(cost) for name, cost in raised.items()}

    @property
    def training_X(self) -> Any:  # noqa: N802, features are X
        """The features as `fit` takes them: in memory, or as a Dask collection."""
        return self.X.collection() if isinstance(self.X, PartitionedFeatures) else self.X

    @property
    def row_costs(self) -> dict[str, Cost]:
        """All costs for every row, or nothing if costs are constant."""
        if not any(np.ndim(cost) for cost in self.costs.values()):
            return {}
        return {k: np.broadcast_to(c, self.y.shape) for k, c in self.costs.items()}

    def __len__(self) -> int:
        return int(self.y.size)


# ---- rows of a file ------------------------------------------------------------------------------


@dataclass(frozen=True)
class RowsRead:
    """Columns of rows of a file, of which a model takes features and costs."""

    table: Any
    layout: DataLayout
    where: str
    """The file, for messages."""
    numbers: Numbers
    """Numbers of the rows in the file; the first is 1."""
    names: Sequence[str]
    """All columns of the file, for messages."""

    @cached_property
    def X(self) -> Any:  # noqa: N802, features are X
        """The features as the model takes them."""
        return self.layout.features(self.table, self.where)

    @cached_property
    def costs(self) -> dict[str, Cost]:
        """The costs of two classes by name: numbers, or the values in columns."""
        check_cost_columns(self.layout.cost_columns, self.names, self.where)
        return {name: self._cost(cost) for name, cost in self.layout.cells.items()}

    def filter(self, rows: Flags) -> RowsRead:
        """Some of the rows."""
        numbers = np.asarray(self.numbers)[rows]
        return replace(self, table=self.table.filter(rows), numbers=numbers)

    def row(self, number: int) -> RowsRead:
        """The row with a number in the file."""
        place = self.numbers.index(number)  # type: ignore[union-attr]
        return replace(self, table=self.table.slice(place, 1), numbers=self.numbers[place:][:1])

    def labels(self, column: str) -> NDArray[Any]:
        """The labels in a column without missing values, as the model has them."""
        values = self.table.column(column)
        if self.layout.text_labels:
            y = np.array([text.strip() for text in as_text(values).to_pylist()], dtype=object)
        else:
            y = np.asarray(values.to_numpy(), dtype=np.float64).astype(np.int64)
        return against_rest(y, self.layout)

    def _cost(self, cost: float | str) -> Cost:
        if not isinstance(cost, str):
            return cost
        values = cost_values(self.table.column(cost), cost, self.where)
        gains = self.layout.gains
        bad = ~np.isfinite(values) if gains else ~(np.isfinite(values) & (values > 0))
        if bad.any():
            first, count = int(np.argmax(bad)), int(bad.sum())
            value = "missing" if np.isnan(values[first]) else f"{values[first]:g}"
            which = "cost" if gains else "cost above 0"
            advice = "" if gains else "; a tiny cost stands for almost none"
            raise InputError(
                f"{self.where}: {count:,} of {len(self.numbers):,} rows have no {which} in column "
                f"{cost!r}, the first is row {self.numbers[first]:,} ({value}){advice}"
            )
        return values


def against_rest(y: NDArray[Any], layout: DataLayout) -> NDArray[Any]:
    """Labels of two classes, if all but one are one class in the model."""
    if not layout.against_rest:
        return y
    return np.where(y == layout.positive, str(layout.label), layout.rest)


def read(
    source: Format,
    layout: DataLayout,
    *,
    labels: str | None = None,
    types: Mapping[str, Any] | None = None,
    verbatim: Sequence[str] = (),
    together: bool = False,
    n_before: int = 0,
) -> Iterator[RowsRead]:
    """Rows of an open file in batches, with the columns that a model needs.

    Parameters
    ----------
    source : Format
        The file.
    layout : DataLayout
        Of the model.
    labels : str, default=None
        A column of labels, some of which may be missing.
    types : mapping of str to DataType, default=None
        Further columns, with the types that their text is parsed as.
    verbatim : sequence of str, default=()
        Further columns, which stay text if the file is text.
    together : bool, default=False
        Whether all rows are one batch.
    n_before : int, default=0
        Rows of the file before these, for their numbers.
    """
    import pyarrow as pa

    check(source, layout)
    needed = layout.text_types()
    needed.pop(layout.target, None)
    text = dict.fromkeys(verbatim, KINDS["category"].text_type())
    needed = text | dict(types or {}) | needed
    if labels is not None:
        if labels not in source.names:
            raise unknown("column", labels, source.names, f" in {source.name}")
        verbatim = (*verbatim, labels)
        needed[labels] = KINDS["category" if layout.text_labels else "number"].text_type()
    batches = source.batches(needed, verbatim)
    parts: Iterable[list[Any]] = ([batch] for batch in batches)
    if together:
        parts = filter(None, [list(kept_within_memory(batches, source))])
    for part in parts:
        table = pa.Table.from_batches(part)
        first, n_before = n_before + 1, n_before + table.num_rows
        yield RowsRead(table, layout, source.name, range(first, n_before + 1), source.names)


def kept_within_memory(batches: Iterator[Any], source: Format) -> Iterator[Any]:
    """Batches that stay in memory together; an InputError if a packed file takes too much."""
    budget = source.source.budget()
    for batch in batches:
        if source.is_packed:
            budget.spend(n_bytes(batch))
        yield batch


def check(source: TableSource, layout: DataLayout, costs: bool = True) -> None:
    """Raise an InputError if a file lacks columns of features, or of costs."""
    layout.check_columns(source.names, source.name)
    if costs:
        check_cost_columns(layout.cost_columns, source.names, source.name)


def read_whole(source: Format, layout: DataLayout) -> RowsRead:
    """All rows of an open file at once, without labels."""
    check(source, layout, costs=False)
    needed = {*layout.feature_names, *layout.cost_columns}
    table = source.table(layout.text_types(), set(source.names) - needed)
    return RowsRead(table, layout, source.name, range(1, table.num_rows + 1), source.names)


def read_labelled(source: TableSource, layout: DataLayout) -> LabelledRows:
    """All rows with a label of a file, for a model that has been trained."""
    check(source, layout)
    name, target = source.name, layout.target
    if target not in source.names:
        raise unknown("column", target, source.names, f" in {name}")
    needed = {target, *layout.cost_columns}
    without = set(source.names) - needed - set(layout.feature_names)
    table, schema = source.inferred(layout.text_types(), without, needed)
    column = table.column(target)
    labels = read_labels(as_text(column) if layout.text_labels else column, target)
    if layout.multiclass:
        for label in [label for label in labels.classes if label not in layout.classes]:
            where = f" in the model, but {name} has rows of it in column {target!r}"
            raise unknown("class", str(label), [str(known) for known in layout.classes], where)
    elif layout.positive not in labels.classes:
        raise InputError(
            f"{name} has no row of the positive class {layout.positive!r} in {target!r}, "
            f"but {some([repr(label) for label in labels.classes])}"
        )
    return labelled_rows(source, table, schema, layout, labels)


def labelled_rows(
    source: TableSource,
    table: Any,
    schema: Any,
    layout: DataLayout,
    labels: Labels,
    groups: str | None = None,
) -> LabelledRows:
    """The rows of a table that have a label, with features of the whole ``schema``."""
    numbers = np.flatnonzero(labels.labelled)
    table = table.filter(labels.labelled) if not labels.labelled.all() else table
    costs = RowsRead(table, layout, source.name, numbers + 1, source.names).costs
    of_group = None if groups is None else _groups(table.column(groups), groups, source.name)
    X = source.features(layout.columns, table, schema, numbers)
    return LabelledRows(X, against_rest(labels.y, layout), costs, of_group)


def _groups(column: Any, groups: str, where: str) -> NDArray[Any]:
    """Numbers of the groups in a column; an InputError if there is one only, or none for a row."""
    if column.null_count:
        rows = "1 row" if column.null_count == 1 else f"{column.null_count:,} rows"
        raise InputError(
            f"{where}: {rows} of {len(column):,} without a value in column {groups!r}, which "
            "--groups names"
        )
    codes: NDArray[Any] = column.combine_chunks().dictionary_encode().indices.to_numpy()
    if not codes.any():
        raise InputError(f"{where}: column {groups!r} has one group only: leave out --groups")
    return codes


def cost_values(column: Any, name: str, where: str) -> NDArray[np.float64]:
    """A column of costs as numbers; text must be numbers, as in a column that is repeated."""
    import pyarrow as pa

    what = f"{where}: column {name!r} holds no costs, but"
    if kind_of(name, column.type) != "number" and not is_text(column.type):
        raise InputError(f"{what} {column.type}")
    try:
        values: NDArray[np.float64] = KINDS["number"].to_feature(column).to_numpy()
    except pa.ArrowInvalid as error:
        text = re.search("'.*'", one_line(str(error)))
        raise InputError(f"{what} text such as {text[0]}" if text else f"{what} text") from error
    return values
