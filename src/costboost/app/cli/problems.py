"""Files as learning problems: features, labels and costs, with notes on what looks wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.costs import LEAST_COST
from costboost._core.names import COST_NAMES
from costboost._core.wording import percent
from costboost.app.cli import output
from costboost.app.cli.layouts import (
    ClassCosts,
    Layout,
    class_costs,
    known_categories,
    unnamed_note,
)
from costboost.app.cli.options import ProblemOptions, check_cost_columns, cost_or_column
from costboost.app.inspection import (
    Finding,
    Labels,
    count_unseen,
    inspect_costs,
    inspect_features,
    read_labels,
)
from costboost.app.reading.columns import KINDS, Column, as_text, is_text, kind_of, select_names
from costboost.app.reading.errors import InputError, one_line, some, unknown
from costboost.app.reading.formats import open_table
from costboost.app.reading.partitions import PartitionedFeatures, Partitions, open_rows
from costboost.app.reading.sources import Format, ReadOptions

Cost = float | NDArray[np.float64]


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
        on_cluster = isinstance(self.X, PartitionedFeatures)
        return self.X.collection() if on_cluster else self.X

    @property
    def row_costs(self) -> dict[str, Cost]:
        """All costs for every row, or nothing if costs are constant."""
        if not any(np.ndim(cost) for cost in self.costs.values()):
            return {}
        return {k: np.broadcast_to(c, self.y.shape) for k, c in self.costs.items()}

    def __len__(self) -> int:
        return int(self.y.size)


@dataclass(frozen=True)
class TrainingData:
    """A file that was read to train on."""

    name: str
    layout: Layout
    rows: LabelledRows
    notes: Sequence[str] = ()
    """Notes on how the file was read."""
    named_categories: frozenset[str] = frozenset()
    """Columns named with --categorical."""


def read_training_data(path: str, options: ProblemOptions, client: Any = None) -> TrainingData:
    """Read a file to train on; kinds of columns and classes are inferred from it.

    With a client of a Dask cluster, labels and costs of rows are read, and features stay there.
    """
    with open_rows(path, options.reading, client) as source:
        name = source.name
        if options.target not in source.names:
            raise unknown("column", options.target, source.names, f" in {name}")
        categorical = select_names(options.categorical, source.names, name)
        dropped = select_names(options.drop, source.names, name)
        needed = {options.target, *options.cost_texts, *_named(options.groups)}
        text = dict.fromkeys(categorical, KINDS["category"].text_type())
        table, schema = _read_table(source, text, set(dropped) - needed, needed)
    labels = read_labels(table.column(options.target), options.target)
    costs = class_costs(options, labels.classes)
    layout = _infer_layout(schema, options, costs, set(dropped), name)
    notes = list(_reading_notes(options, labels, costs.unnamed))
    rows = _labelled_rows(source, table, schema, layout, labels, options.groups)
    return TrainingData(name, layout, rows, notes, frozenset(categorical))


def read_rows(path: str, layout: Layout, options: ReadOptions, client: Any = None) -> LabelledRows:
    """Read labelled rows for a model that has been trained."""
    with open_rows(path, options, client) as source:
        name = source.name
        layout.check_columns(source.names, name)
        if layout.target not in source.names:
            raise unknown("column", layout.target, source.names, f" in {name}")
        check_cost_columns(layout.cost_columns, source.names, name)
        needed = {layout.target, *layout.cost_columns}
        without = set(source.names) - needed - {one.name for one in layout.columns}
        table, schema = _read_table(source, layout.text_types(), without, needed)
    column = table.column(layout.target)
    labels = read_labels(as_text(column) if layout.text_labels else column, layout.target)
    if layout.multiclass:
        _check_known(labels, layout, name)
    elif layout.positive not in labels.classes:
        raise InputError(
            f"{name} has no row of the positive class {layout.positive!r} in {layout.target!r}, "
            f"but {some([repr(label) for label in labels.classes])}"
        )
    return _labelled_rows(source, table, schema, layout, labels)


def _read_table(
    source: Format | Partitions, types: dict[str, Any], without: set[str], needed: set[str]
) -> tuple[Any, Any]:
    """A table with all columns except those left out, and its schema.

    Of files on a cluster, the table has only the columns that are needed in memory.
    """
    if isinstance(source, Partitions):
        schema = source.infer_types(types, without)
        return source.table(_fields(schema, needed)), schema
    table = source.table(types, without)
    return table, table.schema


def _fields(schema: Any, names: Collection[str]) -> Any:
    """The fields of a schema with these names."""
    import pyarrow as pa

    return pa.schema([field for field in schema if field.name in names])


def read_features(path: str, layout: Layout, options: ReadOptions) -> Any:
    """Read the features of a file for a model that has been trained."""
    return read_features_and_costs(path, layout, options)[0]


def read_features_and_costs(
    path: str, layout: Layout, options: ReadOptions
) -> tuple[Any, Callable[[int], dict[str, Cost]]]:
    """Read features, and return them with a function: the costs of a row, the first being 1."""
    with open_table(path, options) as source:
        layout.check_columns(source.names, source.name)
        needed = {one.name for one in layout.columns} | set(layout.cost_columns)
        table = source.table(layout.text_types(), set(source.names) - needed)
        names = source.names

    def costs(row: int) -> dict[str, Cost]:
        check_cost_columns(layout.cost_columns, names, source.name)
        return read_costs(table.slice(row - 1, 1), layout, source.name, range(row, row + 1))

    return layout.features(table, source.name), costs


def _check_known(labels: Labels, layout: Layout, name: str) -> None:
    """Raise an InputError if there are labels that the model does not have."""
    for label in labels.classes:
        if label not in layout.classes:
            where = f" in the model, but {name} has rows of it in column {layout.target!r}"
            raise unknown("class", str(label), [str(one) for one in layout.classes], where)


def _named(column: str | None) -> list[str]:
    """The name of a column as a list; empty if there is none."""
    return [] if column is None else [column]


def _labelled_rows(
    source: Format | Partitions,
    table: Any,
    schema: Any,
    layout: Layout,
    labels: Labels,
    groups: str | None = None,
) -> LabelledRows:
    """The rows of a table that have a label."""
    name, y, numbers = source.name, labels.y, np.flatnonzero(labels.labelled)
    table = table.filter(labels.labelled) if not labels.labelled.all() else table
    if layout.against_rest:
        y = np.where(y == layout.positive, str(layout.label), layout.rest)
    costs = read_costs(table, layout, name, numbers + 1)
    of_group = None if groups is None else _groups(table.column(groups), groups, name)
    if isinstance(source, Partitions):
        read = _fields(schema, {one.name for one in layout.columns})
        features = PartitionedFeatures(source, layout.columns, read, numbers)
        return LabelledRows(features, y, costs, of_group)
    return LabelledRows(layout.features(table, name), y, costs, of_group)


def _groups(column: Any, groups: str, where: str) -> NDArray[Any]:
    """Numbers of the groups in a column; an InputError if there is one only, or none for a row."""
    if column.null_count:
        raise InputError(
            f"{where}: {output.plural(column.null_count, 'row')} of {len(column):,} without a "
            f"value in column {groups!r}, which --groups names"
        )
    codes: NDArray[Any] = column.combine_chunks().dictionary_encode().indices.to_numpy()
    if not codes.any():
        raise InputError(f"{where}: column {groups!r} has one group only: leave out --groups")
    return codes


# ---- columns and costs ---------------------------------------------------------------------------


def _infer_layout(
    schema: Any, options: ProblemOptions, costs: ClassCosts, dropped: set[str], name: str
) -> Layout:
    texts = [getattr(costs, name) for name in COST_NAMES]
    fn, fp, tp, tn = (None if one is None else cost_or_column(one, costs.gains) for one in texts)
    assert fn is not None
    assert fp is not None
    cost_columns = [cost for cost in (fn, fp, tp, tn) if isinstance(cost, str)]
    check_cost_columns(cost_columns, schema.names, name)
    columns = _features(schema, options, cost_columns, dropped, name)
    if not columns:
        raise InputError(f"{name} has no column left to learn from")
    return Layout(
        columns,
        options.target,
        costs.positive,
        costs.against_rest,
        fn,
        fp,
        costs.classes,
        costs.matrix,
        tp,
        tn,
    )


def _features(
    schema: Any, options: ProblemOptions, cost_columns: list[str], dropped: set[str], name: str
) -> tuple[Column, ...]:
    left_out = {options.target, *dropped, *_named(options.groups)}
    if not options.costs_are_features:
        left_out |= set(cost_columns)
    categorical = set(select_names(options.categorical, [*schema.names, *dropped], name))
    both = sorted(categorical & left_out)
    if both:
        raise InputError(f"column {both[0]!r} is named in --categorical, but is no feature")
    return tuple(
        Column(one.name, "category" if one.name in categorical else kind_of(one.name, one.type))
        for one in schema
        if one.name not in left_out
    )


def read_costs(
    table: Any, layout: Layout, where: str, numbers: range | NDArray[np.intp]
) -> dict[str, Cost]:
    """The costs of two classes by name: numbers, or the values in columns of a table.

    ``numbers`` are the row numbers in the file ``where``, for messages; the first row is 1.
    """
    return {
        name: _read_cost(table, cost, where, numbers, layout.gains)
        for name, cost in layout.cells.items()
    }


def _read_cost(
    table: Any, cost: float | str, where: str, numbers: range | NDArray[np.intp], gains: bool
) -> Cost:
    if not isinstance(cost, str):
        return cost
    values = cost_values(table.column(cost), cost, where)
    bad = ~np.isfinite(values) if gains else ~(np.isfinite(values) & (values > 0))
    if bad.any():
        first, count = int(np.argmax(bad)), int(bad.sum())
        found = "missing" if np.isnan(values[first]) else f"{values[first]:g}"
        which = "cost" if gains else "cost above 0"
        advice = "" if gains else "; a tiny cost stands for almost none"
        raise InputError(
            f"{where}: {count:,} of {len(numbers):,} rows have no {which} in column {cost!r}, "
            f"the first is row {numbers[first]:,} ({found}){advice}"
        )
    return values


def named_columns(layout: Layout, costs: Mapping[str, Any]) -> dict[str, Any]:
    """Those costs of outcomes that are columns, by the names of the columns."""
    cells = layout.cells
    named = {cells[name]: values for name, values in costs.items() if name in cells}
    return {name: values for name, values in named.items() if isinstance(name, str)}


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


# ---- notes ---------------------------------------------------------------------------------------

ADVICE = {
    "determines_target": " (--drop {column!r})",
    "identifier": "; consider --drop {column!r}",
    "rare_categories": "; group them, or consider --drop {column!r}",
    "decimal_comma": "; --decimal , reads them as numbers",
    "missing_codes": "; if that stands for a missing value, leave it empty; if the numbers are "
    "names, give --categorical {column!r}",
    "costs_swapped": "; are --fn-cost and --fp-cost swapped?",
    "frequent_positive": "; if the rare class is the one that matters, name it with --positive",
}
"""Code of a finding -> what follows its message, with options in place of parameters."""
NO_COSTS = {
    False: "; give --fn-cost and --fp-cost",
    True: "; give --cost-matrix FILE for the cost of each mistake, or --positive LABEL to set one "
    "class against the rest",
}
"""Advice if all mistakes cost 1, for two costs and for a cost matrix."""
MANY_UNSEEN = 0.5
"""Share of the rows from which a column is probably another one, or spelt differently."""


def _reading_notes(options: ProblemOptions, labels: Labels, unnamed: bool) -> Iterator[str]:
    n_unlabelled = int((~labels.labelled).sum())
    if n_unlabelled:
        rows = "1 row has" if n_unlabelled == 1 else f"{n_unlabelled:,} rows have"
        yield f"{rows} no label, left out"
    if unnamed:
        yield unnamed_note(str(options.cost_matrix), labels.classes)


def data_notes(data: TrainingData, need_costs: bool = True) -> Iterator[str]:
    """Notes on costs and columns, from the findings of `costboost.inspection`.

    There is at most one on each column, and none if the features are on a cluster. That costs are
    missing is noted only if they are needed.
    """
    layout, rows = data.layout, data.rows
    costs = layout.cost_parameters(rows.positive_net)
    label = {} if layout.multiclass else {"pos_label": layout.label}
    for finding in inspect_costs(rows.y, **label, **costs):
        if need_costs or finding.code != "no_costs":
            yield _note(finding, layout.multiclass)
    features = {column.name for column in layout.columns}
    apart = [name for name in dict.fromkeys(layout.cost_columns) if name not in features]
    if apart:
        yield (
            f"{_listed(apart)} a cost and not a feature, since a cost may be known only with the "
            "outcome; --costs-are-features makes it one"
        )
    if isinstance(rows.X, PartitionedFeatures):
        return
    useless: dict[str, list[str]] = {"empty": [], "constant": []}
    for column in inspect_features(layout.columns, rows.X, rows.y, data.named_categories):
        for finding in column.findings[:1]:
            if finding.code in useless:
                useless[finding.code].append(column.name)
            else:
                yield _note(finding, layout.multiclass)
    for names, what in zip(useless.values(), ("empty", "the same in every row"), strict=True):
        if names:
            yield f"{_listed(names)} {what}: nothing can be learnt there"


def _note(finding: Finding, multiclass: bool) -> str:
    if finding.code == "no_costs":
        return finding.message + NO_COSTS[multiclass]
    if finding.code in ADVICE:
        return finding.message + ADVICE[finding.code].format(column=finding.column)
    text = str(finding)
    return text.replace("give fn_cost", "give --fn-cost").replace("give fp_cost", "give --fp-cost")


def _listed(names: list[str]) -> str:
    quoted = some([repr(name) for name in names])
    return f"column {quoted} is" if len(names) == 1 else f"{len(names)} columns ({quoted}) are"


@dataclass
class UnseenCategories:
    """Counts categories that are taken as missing because training had no rows of them."""

    model: Any
    layout: Layout
    counts: Counter[str] = field(default_factory=Counter)
    n_rows: int = 0

    def add(self, X: Any) -> None:
        """Count those of some rows."""
        self.n_rows += X.num_rows
        known = known_categories(self.model, self.layout)
        on_cluster = isinstance(X, PartitionedFeatures)
        for found in X.collected(count_in, known) if on_cluster else [count_in(X, known)]:
            self.counts.update(found)

    def print_notes(self) -> None:
        """Print a note for each column, or a warning if it is most of the rows."""
        for column, n in self.counts.items():
            share = n / self.n_rows
            text = (
                f"column {column!r}: {output.plural(n, 'value')} in {self.n_rows:,} rows "
                f"({percent(share)}) never seen in training, counted as missing"
            )
            if share > MANY_UNSEEN:
                output.warning(f"{text}; is it the same column, spelt as in training?")
            else:
                output.note(text)


def count_in(X: Any, known: dict[str, list[str]]) -> Counter[str]:
    """Rows with an unseen category by column, given the known categories of columns."""
    counts = {name: count_unseen(X.column(name), labels) for name, labels in known.items()}
    return Counter({name: n for name, n in counts.items() if n})


def print_unseen(model: Any, layout: Layout, X: Any) -> None:
    """Print notes on categories of X that training had no rows of."""
    unseen = UnseenCategories(model, layout)
    unseen.add(X)
    unseen.print_notes()
