"""A sparse matrix is read like the dense one, and is not changed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from containers import NA, numbers, read, stack
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from costboost import OperatingPointClassifier
from costboost.algorithms import CGAdaClassifier

ZEROS = np.array([[0, 1.5, 0, NA], [0, 0, 0, 2], [3, 0, 0, 0], [-1, 0, 0, 1]], dtype=np.float64)


def with_explicit_zeros(kind: Callable[..., Any]) -> Any:
    full = np.ones_like(ZEROS)
    matrix = kind(full)
    rows, columns = matrix.nonzero()
    matrix = kind((ZEROS[rows, columns], (rows, columns)), shape=ZEROS.shape)
    assert matrix.nnz == ZEROS.size
    return matrix


def with_duplicates(kind: Callable[..., Any]) -> Any:
    """A matrix with every entry stored twice, as two halves, unsorted."""
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
    monkeypatch.setattr("costboost._core.tables.table.PREDICTION_CELLS", 3 * ZEROS.shape[1])
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


# ---- index arrays that are damaged ---------------------------------------------------------------

LARGE = np.arange(600.0).reshape(200, 3) % 7


def damaged(format: str, name: str, place: int, value: int) -> Any:
    """A sparse matrix in which one number of an index array was changed afterwards."""
    kinds = {"csr": sparse.csr_array, "csc": sparse.csc_array, "coo": sparse.coo_array}
    matrix = (kinds | {"bsr": sparse.bsr_array})[format](LARGE)
    getattr(matrix, name)[place] = value
    return matrix


@pytest.mark.parametrize("value", [-1, 601, 10**9])
@pytest.mark.parametrize(
    ("format", "name"),
    [(f, name) for f in ("csr", "csc", "bsr") for name in ("indices", "indptr")]
    + [("coo", "row"), ("coo", "col")],
)
def test_numbers_out_of_range_are_refused(format: str, name: str, value: int) -> None:
    for place in (0, 1, -1):
        with pytest.raises(ValueError, match="X is a damaged sparse matrix of shape"):
            read(damaged(format, name, place, value))


@given(st.sampled_from(["csr", "csc", "bsr", "coo"]), st.data())
def test_a_changed_number_is_refused_or_harmless(format: str, data: Any) -> None:
    """Whatever is put into an index array, reading ends in an error or in finite numbers."""
    names = ("row", "col") if format == "coo" else ("indices", "indptr")
    matrix = damaged(format, name := data.draw(st.sampled_from(names)), 0, 0)
    index = getattr(matrix, name)
    place = data.draw(st.integers(0, len(index) - 1))
    index[place] = data.draw(st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 700))
    with suppress(ValueError):
        found = numbers(matrix)
        assert found.shape == LARGE.shape
        assert np.isfinite(found).all()


def test_index_arrays_of_another_length_or_type() -> None:
    for change in ({"indptr": np.arange(3)}, {"indptr": np.arange(201.0)}, {"data": np.ones(3)}):
        matrix = sparse.csr_array(LARGE)
        vars(matrix).update(change)
        with pytest.raises(ValueError, match="damaged sparse matrix"):
            read(matrix)


def test_damaged_rows_of_lists_and_dictionaries() -> None:
    lists = sparse.lil_array(LARGE)
    lists.rows[3][0] = 10**6
    with pytest.raises(ValueError, match=r"exceeds|damaged"):
        read(lists)
    np.testing.assert_array_equal(numbers(sparse.dok_array(LARGE)), LARGE)
    np.testing.assert_array_equal(numbers(sparse.lil_array(LARGE)), LARGE)


def test_damaged_matrices_are_not_cut_into_folds() -> None:
    clf, y = OperatingPointClassifier(CGAdaClassifier(), at_least=0.9), np.arange(200) % 2
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        clf.fit(damaged("coo", "row", 0, 10**9), y)
