"""A sparse matrix is read as the dense one would be, and is not changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from containers import NA, numbers, read, stack
from scipy import sparse

ZEROS = np.array([[0, 1.5, 0, NA], [0, 0, 0, 2], [3, 0, 0, 0], [-1, 0, 0, 1]], dtype=np.float64)


def with_explicit_zeros(kind: Callable[..., Any]) -> Any:
    full = np.ones_like(ZEROS)
    matrix = kind(full)
    rows, columns = matrix.nonzero()
    matrix = kind((ZEROS[rows, columns], (rows, columns)), shape=ZEROS.shape)
    assert matrix.nnz == ZEROS.size
    return matrix


def with_duplicates(kind: Callable[..., Any]) -> Any:
    """Every entry is there twice, as two halves, in no order."""
    base = kind(ZEROS)
    halves = type(base)(
        (
            np.concatenate([[v / 4, v * 3 / 4] for v in base.data]),
            np.repeat(base.indices, 2),
            2 * base.indptr,
        ),
        shape=base.shape,
    )
    halves.has_sorted_indices = False
    assert halves.nnz == 2 * base.nnz
    return halves


SPARSE: dict[str, Callable[[], Any]] = {
    "csr": lambda: sparse.csr_matrix(ZEROS),
    "csc": lambda: sparse.csc_matrix(ZEROS),
    "coo": lambda: sparse.coo_matrix(ZEROS),
    "csr array": lambda: sparse.csr_array(ZEROS),
    "csc array": lambda: sparse.csc_array(ZEROS),
    "csr, explicit zeros": lambda: with_explicit_zeros(sparse.csr_matrix),
    "csc, explicit zeros": lambda: with_explicit_zeros(sparse.csc_matrix),
    "csr, duplicates": lambda: with_duplicates(sparse.csr_matrix),
    "csc, duplicates": lambda: with_duplicates(sparse.csc_matrix),
    "csr, single precision": lambda: sparse.csr_matrix(ZEROS.astype(np.float32)),
}


@pytest.mark.parametrize("name", SPARSE)
def test_a_sparse_matrix_is_read_as_the_dense_one_and_left_alone(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("costboost.tables.table.PREDICTION_CELLS", 3 * ZEROS.shape[1])
    matrix = SPARSE[name]()
    before = matrix.copy()
    np.testing.assert_array_equal(numbers(matrix), ZEROS)
    table = read(matrix)
    nothing: list[Any] = [None] * 4
    order = np.array([3, 3, 0])
    np.testing.assert_array_equal(stack(table.take(order), nothing), ZEROS[order])
    np.testing.assert_array_equal(stack(table.take(slice(1, 3)), nothing), ZEROS[1:3])
    assert matrix.nnz == before.nnz, "the caller's matrix was changed"
    np.testing.assert_array_equal(matrix.data, before.data)


@pytest.mark.parametrize("name", SPARSE)
def test_categories_of_a_sparse_matrix_are_those_of_the_dense_one(name: str) -> None:
    found = numbers(SPARSE[name](), [0, 3])
    np.testing.assert_array_equal(found, numbers(ZEROS, [0, 3]))
    np.testing.assert_array_equal(found[:, 0], [1, 1, 2, 0])
