"""Features of the rows of many files, which stay on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from costboost.app.reading.columns import Column, to_features
from costboost.app.reading.options import ReadOptions
from costboost.app.reading.parts import Part, read_conformed

if TYPE_CHECKING:
    from costboost.app.reading.partitions import Partitions


@dataclass(frozen=True)
class PartitionedFeatures:
    """Features of rows in partitions, which stay on the workers."""

    partitions: Partitions
    columns: tuple[Column, ...]
    schema: Any
    """Types of the features as they are read."""
    rows: NDArray[np.intp]
    """Numbers of the rows, which increase; other rows are left out."""

    def take(self, rows: Any) -> PartitionedFeatures:
        """Some of the rows, by their numbers among these; the numbers must increase."""
        return replace(self, rows=self.rows[rows])

    @property
    def num_rows(self) -> int:
        """Number of rows."""
        return int(self.rows.size)

    def collection(self) -> Any:
        """The features as a Dask data frame."""
        import dask.dataframe as dd

        parts, masks = zip(*((part, mask) for part, mask, _ in self._parts()), strict=True)
        empty = to_features(self.columns, self.schema.empty_table(), "")
        return dd.from_map(  # type: ignore[no-untyped-call]
            read_frame,
            parts,
            masks,
            options=self.partitions.options,
            schema=self.schema,
            columns=self.columns,
            meta=_to_pandas(empty),
        )

    def in_memory(self) -> Any:
        """The features as a table of pyarrow."""
        import pyarrow as pa

        return pa.concat_tables(self.collected(_unchanged, None)).unify_dictionaries()

    def collected(
        self, function: Callable[..., Any], shared: Any, *divided: NDArray[Any] | Any
    ) -> list[Any]:
        """Results of ``function(features, shared, *divided)`` for each part, in order.

        ``shared`` is sent to each worker once. Of an array in ``divided``, which has a value for
        each row, a part is given its own values.
        """
        kept = self.partitions.sent_to_all(shared)
        calls = (
            (part, mask, self.partitions.options, self.schema, self.columns, function, kept, values)
            for part, mask, values in self._parts(*divided)
        )
        return list(self.partitions.collected(apply_to_features, calls))

    def _parts(self, *divided: Any) -> Iterator[tuple[Part, NDArray[np.uint8], list[Any]]]:
        """Parts with rows among these, which rows, and their values of the given arrays."""
        end = 0
        for part in self.partitions.parts:
            begin, end = end, end + int(part.n_rows or 0)
            first, last = np.searchsorted(self.rows, (begin, end))
            if first < last:
                mask = np.zeros(end - begin, dtype=bool)
                mask[self.rows[first:last] - begin] = True
                values = [
                    each[first:last] if isinstance(each, np.ndarray) else each for each in divided
                ]
                yield part, np.packbits(mask), values


def collected(X: Any, function: Callable[..., Any], shared: Any, *divided: Any) -> list[Any]:
    """Results of ``function(features, shared, *divided)``: of each part, or of all in memory."""
    if isinstance(X, PartitionedFeatures):
        return X.collected(function, shared, *divided)
    return [function(X, shared, *divided)]


def read_features(
    part: Part, mask: NDArray[np.uint8], options: ReadOptions, schema: Any, columns: Any
) -> Any:
    """Features of the rows of a part that the packed mask selects."""
    table = read_conformed(part, options, schema)
    which = np.unpackbits(mask, count=table.num_rows).astype(bool)
    table = table if which.all() else table.filter(which)
    return to_features(columns, table, part.path)


def read_frame(part: Part, mask: NDArray[np.uint8], **how: Any) -> Any:
    """Features of selected rows of a part, as a pandas data frame."""
    return _to_pandas(read_features(part, mask, **how))


def apply_to_features(
    part: Part,
    mask: NDArray[np.uint8],
    options: ReadOptions,
    schema: Any,
    columns: Any,
    function: Callable[..., Any],
    shared: Any,
    values: Sequence[Any],
) -> Any:
    """A function of the features of selected rows of a part."""
    return function(read_features(part, mask, options, schema, columns), shared, *values)


def _unchanged(X: Any, _: None) -> Any:
    return X


def _to_pandas(features: Any) -> Any:
    return features.unify_dictionaries().to_pandas()
