"""SciPy sparse matrices as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from costboost._core.tables.labels import Labels
from costboost._core.tables.numbers import check_no_infinity
from costboost._core.tables.table import Array, Coders, RowBlocks, Table

COMPRESSED = ("csr", "csc", "bsr")


def checked_sparse(X: Any) -> Any:
    """Validate the index arrays of a sparse matrix; formats without them are converted to COO.

    SciPy does not check index arrays that were set after construction: with an index out of range
    its conversions read or write outside of the arrays.
    """
    if X.format not in (*COMPRESSED, "coo"):
        X = X.tocoo()
    if X.ndim != 2:
        return X
    for fault in _faults_of_coo(X) if X.format == "coo" else _faults_of_compressed(X):
        raise ValueError(
            f"X is a damaged sparse matrix of shape {X.shape} in {X.format.upper()} format: {fault}"
        )
    return X


def _faults_of_coo(X: Any) -> Iterator[str]:
    for name, index, n in (("row", X.row, X.shape[0]), ("column", X.col, X.shape[1])):
        if len(index) != len(X.data):
            yield f"it has {len(index)} {name} numbers for {len(X.data)} values"
        yield from _out_of_range(f"its {name} numbers", index, n)


def _faults_of_compressed(X: Any) -> Iterator[str]:
    """Errors in the index arrays of a CSR, CSC or BSR matrix, as text."""
    high, wide = X.blocksize if X.format == "bsr" else (1, 1)
    n_major, n_minor = X.shape[0] // high, X.shape[1] // wide
    if X.format == "csc":
        n_major, n_minor = n_minor, n_major
    ends, n_values = X.indptr, min(len(X.indices), len(X.data))
    if len(ends) != n_major + 1:
        yield f"indptr has {len(ends)} entries instead of {n_major + 1}"
    yield from _out_of_range("indptr", ends, n_values + 1)
    if ends[0] != 0 or np.any(ends[1:] < ends[:-1]):
        yield "indptr does not rise from 0"
    yield from _out_of_range("indices", X.indices[: ends[-1]], n_minor)


def _out_of_range(what: str, index: Any, n: int) -> Iterator[str]:
    if not isinstance(index, np.ndarray) or index.dtype.kind not in "iu" or index.ndim != 1:
        yield f"{what} must be an array of whole numbers"
    elif index.size and (index.min() < 0 or index.max() >= n):
        yield f"{what} must be from 0 to {n - 1}, but are from {index.min()} to {index.max()}"


class SparseTable(Table):
    """A SciPy sparse matrix; absent entries are zeros."""

    def __init__(self, X: Any) -> None:
        super().__init__(X)
        self._columns: Any = None

    def column(self, j: int) -> Array:
        if self._columns is None:
            self._columns = self.X.tocsc(copy=not self.X.has_canonical_format)
            self._columns.sum_duplicates()
        columns = self._columns
        entries = slice(columns.indptr[j], columns.indptr[j + 1])
        values = np.zeros(self.n_rows, dtype=columns.dtype)
        values[columns.indices[entries]] = columns.data[entries]
        return values

    def labels(self, j: int) -> Labels:
        return Labels.of(self.column(j))

    def refuse_infinite(self) -> None:
        check_no_infinity(self.X.data)

    def repeated_blocks(self, coders: Coders) -> Callable[[], RowBlocks]:
        """Blocks that are converted on each iteration: together they would be the dense matrix."""
        return lambda: self.row_blocks(coders)

    def take(self, rows: Any) -> Table:
        return SparseTable(self.X.tocsr()[rows])
