"""Sparse matrices whose index arrays are checked: SciPy's own code reads and writes by them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

COMPRESSED = ("csr", "csc", "bsr")


def checked_sparse(X: Any) -> Any:
    """X itself, or as COO if it is in a format without index arrays; a ValueError if damaged.

    SciPy trusts index arrays that were set after construction: one number out of range makes its
    conversions read or write outside of the arrays.
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
    """Faults of index arrays: rows of columns in CSR, columns of rows in CSC, blocks in BSR."""
    high, wide = X.blocksize if X.format == "bsr" else (1, 1)
    lines, across = X.shape[0] // high, X.shape[1] // wide
    if X.format == "csc":
        lines, across = across, lines
    ends, n_values = X.indptr, min(len(X.indices), len(X.data))
    if len(ends) != lines + 1:
        yield f"indptr has {len(ends)} entries instead of {lines + 1}"
    yield from _out_of_range("indptr", ends, n_values + 1)
    if ends[0] != 0 or np.any(ends[1:] < ends[:-1]):
        yield "indptr does not rise from 0"
    yield from _out_of_range("indices", X.indices[: ends[-1]], across)


def _out_of_range(what: str, index: Any, n: int) -> Iterator[str]:
    if not isinstance(index, np.ndarray) or index.dtype.kind not in "iu" or index.ndim != 1:
        yield f"{what} must be an array of whole numbers"
    elif index.size and (index.min() < 0 or index.max() >= n):
        yield f"{what} must be from 0 to {n - 1}, but are from {index.min()} to {index.max()}"
