"""Batches of a file that is read more than once, for which memory need not suffice."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from costboost.app.cli.given import Given
from costboost.app.monitoring.batches import Batch
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError
from costboost.app.reading.formats import open_table
from costboost.app.reading.labelled import RowsRead, read
from costboost.decisions.actions import ActionClassifier, costs_of


def file_batches(
    given: Given,
    layout: DataLayout,
    labels: str | None = None,
    acting: ActionClassifier | None = None,
) -> Callable[[], Iterator[Batch]]:
    """Function that iterates over the rows of DATA in batches, those with labels apart.

    ``acting`` is a model of actions, which have costs of their own.
    """
    if given.data == "-":
        raise InputError(
            "the file is read twice, which standard input cannot be: write it to a file first"
        )

    def batches() -> Iterator[Batch]:
        with open_table(given.data, given.reading) as source:
            for rows in read(source, layout, labels=labels):
                for part in (rows,) if labels is None else _parts(rows, labels):
                    yield _batch(part, labels, acting)

    return batches


def _parts(rows: RowsRead, labels: str) -> Iterator[RowsRead]:
    """Rows with labels, and rows without."""
    known = rows.table.column(labels).is_valid().to_numpy()
    for which in (known, ~known):
        if which.any():
            yield rows.filter(which)


def _batch(rows: RowsRead, labels: str | None, acting: ActionClassifier | None) -> Batch:
    labelled = labels is not None and not rows.table.column(labels).null_count
    y = rows.labels(labels) if labels is not None and labelled else None
    if acting is None:
        return Batch(rows.X, y, rows.costs)
    costs = costs_of(acting).filled(rows.layout.named_columns(rows.costs))
    return Batch(rows.X, y, actions=costs)
