"""Batches of a file that is read more than once, for which memory need not suffice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.app.cli.layouts import Layout
from costboost.app.cli.options import check_cost_columns
from costboost.app.cli.problems import named_columns, read_costs
from costboost.app.monitoring.batches import Batch
from costboost.app.reading.columns import KINDS, as_text
from costboost.app.reading.errors import unknown
from costboost.app.reading.formats import open_table
from costboost.app.reading.sources import ReadOptions
from costboost.decisions.actions import ActionClassifier, costs_of

TWICE = "the file is read twice, which standard input cannot be: write it to a file first"


def file_batches(
    path: str,
    layout: Layout,
    labels: str | None,
    options: ReadOptions,
    acting: ActionClassifier | None = None,
) -> Callable[[], Iterator[Batch]]:
    """Function that iterates over the rows of a file in batches.

    ``acting`` is a model of actions, which have costs of their own.
    """

    def batches() -> Iterator[Batch]:
        import pyarrow as pa

        with open_table(path, options) as source:
            layout.check_columns(source.names, source.name)
            check_cost_columns(layout.cost_columns, source.names, source.name)
            if labels is not None and labels not in source.names:
                raise unknown("column", labels, source.names, f" in {source.name}")
            types, keep, n_rows = layout.text_types(), (), 0
            types.pop(layout.target, None)
            if labels is not None:
                keep = (labels,)  # type: ignore[assignment]
                types[labels] = KINDS["category" if layout.text_labels else "number"].text_type()
            for part in source.batches(types, keep):
                table = pa.Table.from_batches([part])
                numbers = np.arange(n_rows + 1, n_rows + table.num_rows + 1)
                n_rows += table.num_rows
                known = None if labels is None else table.column(labels).is_valid().to_numpy()
                for one in _monitored_batches(table, layout, labels, known, source.name, numbers):
                    yield one if acting is None else _acting(one, layout, acting)

    return batches


def _monitored_batches(
    table: Any,
    layout: Layout,
    labels: str | None,
    known: NDArray[np.bool_] | None,
    name: str,
    numbers: NDArray[np.intp],
) -> Iterator[Batch]:
    """Rows with labels, and rows without."""
    if labels is None or known is None:
        yield Batch(layout.features(table, name), None, _costs(table, layout, name, numbers))
        return
    for there in (known, ~known):
        if there.any():
            part = table.filter(there)
            y = _labels(part.column(labels), layout) if there is known else None
            costs = _costs(part, layout, name, numbers[there])
            yield Batch(layout.features(part, name), y, costs)


def _acting(batch: Batch, layout: Layout, clf: ActionClassifier) -> Batch:
    """Rows for a model of actions, with its costs in place of those of the classes."""
    columns = named_columns(layout, batch.costs)
    return batch._replace(costs={}, actions=costs_of(clf).filled(columns))


def _costs(table: Any, layout: Layout, name: str, numbers: NDArray[np.intp]) -> dict[str, Any]:
    return dict(read_costs(table, layout, name, numbers))


def _labels(column: Any, layout: Layout) -> NDArray[Any]:
    """Labels as the model has them."""
    if layout.text_labels:
        y = np.array([text.strip() for text in as_text(column).to_pylist()], dtype=object)
    else:
        y = np.asarray(column.to_numpy(), dtype=np.float64).astype(np.int64)
    if layout.against_rest:
        return np.where(y == layout.positive, str(layout.label), layout.rest)
    return y
