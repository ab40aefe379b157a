"""A file to train on: the layout of its columns is inferred from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from costboost.app.cli.costs import layout_for_classes
from costboost.app.cli.given import Given
from costboost.app.inspection.labels import read_labels
from costboost.app.reading.columns import (
    KINDS,
    Column,
    check_cost_columns,
    kind_of,
    select_names,
)
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError, unknown
from costboost.app.reading.labelled import LabelledRows, labelled_rows
from costboost.app.reading.partitions import open_rows


@dataclass(frozen=True)
class TrainingData:
    """A file that was read to train on."""

    name: str
    layout: DataLayout
    rows: LabelledRows
    notes: Sequence[str] = ()
    """Notes on how the file was read."""
    named_categories: frozenset[str] = frozenset()
    """Columns named with --categorical."""


def read_training_data(given: Given, client: Any = None) -> TrainingData:
    """Read a file to train on; kinds of columns and classes are inferred from it.

    With a client of a Dask cluster, labels and costs of rows are read, and features stay there.
    """
    with open_rows(given.data, given.reading, client) as source:
        name, target, groups = source.name, given.target, given.groups
        if target not in source.names:
            raise unknown("column", target, source.names, f" in {name}")
        categorical = select_names(given.categorical, source.names, name)
        dropped = set(select_names(given.drop, source.names, name))
        needed = {target, *given.costs.outcomes.values(), *([] if groups is None else [groups])}
        text = dict.fromkeys(categorical, KINDS["category"].text_type())
        table, schema = source.inferred(text, dropped - needed, needed)
        labels = read_labels(table.column(target), target)
        layout, notes = layout_for_classes(given, labels.classes)
        check_cost_columns(layout.cells.values(), schema.names, name)
        layout = replace(layout, columns=_features(schema, given, layout, dropped, name))
        rows = labelled_rows(source, table, schema, layout, labels, groups)
    n_unlabelled = int((~labels.labelled).sum())
    if n_unlabelled:
        left_out = "1 row has" if n_unlabelled == 1 else f"{n_unlabelled:,} rows have"
        notes = [f"{left_out} no label, left out", *notes]
    return TrainingData(name, layout, rows, notes, frozenset(categorical))


def _features(
    schema: Any, given: Given, layout: DataLayout, dropped: set[str], name: str
) -> tuple[Column, ...]:
    left_out = {given.target, given.groups, *dropped}
    if not given.costs_are_features:
        left_out |= set(layout.cost_columns)
    categorical = set(select_names(given.categorical, [*schema.names, *dropped], name))
    both = sorted(categorical & left_out)
    if both:
        raise InputError(f"column {both[0]!r} is named in --categorical, but is no feature")
    columns = tuple(
        Column(
            field.name, "category" if field.name in categorical else kind_of(field.name, field.type)
        )
        for field in schema
        if field.name not in left_out
    )
    if not columns:
        raise InputError(f"{name} has no column left to learn from")
    return columns
