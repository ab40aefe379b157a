"""Subsets of binned rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from containers import read
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from costboost._core.engine.binning import BinnedData, Binning, positives_first


def bins_of(rows: Any) -> Any:
    return np.column_stack([rows.column(j) for j in range(rows.n_features)])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 40))
def test_taken_rows_keep_their_bins(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 19))
    positive, other = random.integers(0, 2, (2, n)).astype(np.uint8)
    rows = random.choice(n, random.integers(1, n + 1), replace=False)
    table = read(X)
    data = BinnedData(table, Binning(table, 8, None, 1), positive, 1)
    every = np.empty((n, 19), dtype=np.uint8)
    every[positives_first(np.arange(n), positive)] = bins_of(data.binned)
    taken = data.take(rows, other[rows], 1)
    assert taken.n_positive == other[rows].sum()
    assert_array_equal(bins_of(taken), every[positives_first(rows, other[rows])])


def test_rows_may_have_numbers_of_their_own() -> None:
    X = np.arange(12.0)[:, None]
    numbers = np.array([1, 4, 5, 9])
    table, positive = read(X[numbers]), np.array([0, 1, 0, 1], dtype=np.uint8)
    data = BinnedData(table, Binning(table, 8, None, 1), positive, 1, numbers)
    taken = data.take(np.array([9, 1]), np.array([0, 0], dtype=np.uint8), 1)
    assert bins_of(taken).ravel().tolist() == [3, 0]


def test_all_rows_share_the_bytes() -> None:
    table, positive = read(np.arange(8.0)[:, None]), np.array([0, 1] * 4, dtype=np.uint8)
    data = BinnedData(table, Binning(table, 8, None, 1), positive, 1)
    assert np.shares_memory(data.take(None, positive, 1).bytes, data.binned.bytes)
    assert not np.shares_memory(data.take(None, 1 - positive, 1).bytes, data.binned.bytes)


def test_bad_row_numbers_are_refused() -> None:
    table, positive = read(np.arange(8.0)[:, None]), np.array([0, 1] * 4, dtype=np.uint8)
    rows = BinnedData(table, Binning(table, 8, None, 1), positive, 1).binned
    for order in ([8], [-1], []):
        with pytest.raises(ValueError, match="numbered from 0 to 7"):
            rows.take(np.array(order, dtype=np.int64), 0, 1)
    with pytest.raises(ValueError, match="as many rows"):
        type(rows)(7, 0, 1, 1, rows.bytes)
