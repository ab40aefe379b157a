"""Samples, cuts and bins of the kernels, held to the slow reference."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from engine import reference
from engine.inputs import LAYOUTS, THREADS, TYPES, beside_float32, lay_out, matrix, some_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from costboost._core.engine import _kernels as kernels

SAME = settings(deadline=None, derandomize=True, database=None)


# ---- making inputs -------------------------------------------------------------------------------


def assert_same_cuts(fast: Any, slow: Any) -> None:
    np.testing.assert_array_equal(fast[1], slow[1])
    np.testing.assert_array_equal(fast[0], slow[0])


# ---- sampling ------------------------------------------------------------------------------------


def test_sample() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        n_total = int(rng.integers(1, 3000))
        first = int(rng.integers(0, 2**40)) if rng.random() < 0.5 else 0
        wanted = int(rng.integers(0, 2 * n_total))
        np.testing.assert_array_equal(
            kernels.sample_rows(first, n_total, n_total, wanted),
            reference.sample_rows(first, n_total, n_total, wanted),
        )


def test_sample_does_not_depend_on_how_rows_are_cut_up() -> None:
    n = 100_000
    whole = kernels.sample_rows(0, n, n, 5_000)
    ends = [0, 1, 17, 40_000, 40_000, 99_999, n]
    parts = [a + kernels.sample_rows(a, b - a, n, 5_000) for a, b in pairwise(ends)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert 4_700 < whole.size < 5_300
    halves = np.histogram(whole, bins=10, range=(0, n))[0]
    assert halves.min() > 400


def test_sample_of_more_rows_than_there_are_is_all() -> None:
    for wanted in (10, 11, 1000):
        np.testing.assert_array_equal(kernels.sample_rows(5, 10, 10, wanted), np.arange(10))


# ---- cuts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize("dtype", TYPES)
def test_cuts(seed: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    n, d = some_rows(rng), int(rng.integers(1, 21))
    x = matrix(rng, n, d, dtype)
    for max_bins in (255, int(rng.integers(2, 60))):
        rows = None
        if rng.random() < 0.5:
            rows = np.sort(rng.choice(n, rng.integers(1, n + 1), replace=False)).astype(np.int64)
        slow = reference.find_cuts(x, rows, max_bins)
        for n_threads in THREADS:
            assert_same_cuts(kernels.find_cuts(x, rows, max_bins, n_threads), slow)


@pytest.mark.parametrize("dtype", TYPES)
def test_cuts_of_many_rows(dtype: Any) -> None:
    """From 2048 keys on they are sorted by radix."""
    rng = np.random.default_rng(11)
    for n in (2047, 2048, 5000):
        x = matrix(rng, n, 14, dtype)
        assert_same_cuts(kernels.find_cuts(x, None, 255, 2), reference.find_cuts(x, None, 255))


NUMBERS = hnp.arrays(
    st.sampled_from([np.dtype(np.float32), np.dtype(np.float64)]),
    st.tuples(st.integers(1, 40), st.just(1)),
    elements=st.floats(allow_infinity=False, width=32),
)


@given(x=NUMBERS, max_bins=st.integers(2, 12))
@settings(SAME, max_examples=400)
def test_cuts_lie_between_neighbouring_values(x: NDArray[Any], max_bins: int) -> None:
    fast = kernels.find_cuts(x, None, max_bins, 1)
    assert_same_cuts(fast, reference.find_cuts(x, None, max_bins))
    cuts = fast[0][0, : fast[1][0]]
    values = np.unique(x[~np.isnan(x)].astype(np.float64))
    assert np.all(np.diff(cuts) > 0)
    assert cuts.size <= max_bins - 1
    if values.size == 1:
        assert cuts.tolist() == [np.inf] * bool(np.isnan(x).any())
        return
    below = np.searchsorted(values, cuts, side="right") - 1
    assert np.all((below >= 0) & (below < values.size - 1))
    assert np.all((values[below] <= cuts) & (cuts < values[below + 1]))
    assert np.unique(below).size == cuts.size
    if values.size <= max_bins:
        assert cuts.size == max(values.size - 1, 0)


@given(
    low=st.floats(allow_nan=False, allow_infinity=False),
    high=st.floats(allow_nan=False, allow_infinity=False),
)
@settings(SAME, max_examples=400)
def test_one_cut(low: float, high: float) -> None:
    x = np.array([[low], [high]])
    cuts, n_cuts = kernels.find_cuts(x, None, 255, 1)
    if low == high:
        assert n_cuts[0] == 0
        return
    low, high = min(low, high), max(low, high)
    assert n_cuts[0] == 1
    assert low <= cuts[0, 0] < high
    middle = low / 2 + high / 2
    assert cuts[0, 0] == pytest.approx(middle, rel=1e-9, abs=1e-320 + 1e-9 * (high / 2 - low / 2))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n_values", [2, 3, 100, 254, 255])
def test_up_to_255_values_have_every_midpoint(dtype: Any, n_values: int) -> None:
    """However many rows there are, and though the rarest value occurs once, outside the sample."""
    rng = np.random.default_rng(n_values)
    values = np.sort(rng.choice(10_000, n_values, replace=False)).astype(dtype)
    n = 4000
    sample = kernels.sample_rows(0, n, n, 200)
    x = rng.choice(values[1:-1] if n_values > 3 else values[:1], (n, 3)).astype(dtype)
    outside = np.setdiff1d(np.arange(n), sample)
    for j in range(3):
        x[rng.choice(outside, n_values, replace=False), j] = values
    for layout in LAYOUTS:
        cuts, n_cuts = kernels.find_cuts(lay_out(x, layout), sample, 255, 2)
        assert n_cuts.tolist() == [n_values - 1] * 3
        middle = (values[1:].astype(float) + values[:-1]) / 2
        np.testing.assert_array_equal(cuts[:, : n_values - 1], np.tile(middle, (3, 1)))


def test_a_missing_value_outside_the_sample_is_noticed() -> None:
    n = 4000
    sample = kernels.sample_rows(0, n, n, 100)
    x = np.ones((n, 2))
    x[np.setdiff1d(np.arange(n), sample)[7], 1] = np.nan
    cuts, n_cuts = kernels.find_cuts(x, sample, 255, 1)
    assert n_cuts.tolist() == [0, 1]
    assert cuts[1, 0] == np.inf


def test_column_without_values_has_no_cut() -> None:
    cuts, n_cuts = kernels.find_cuts(np.full((9, 2), np.nan), None, 255, 1)
    assert n_cuts.tolist() == [0, 0]
    assert np.all(np.isinf(cuts))


@pytest.mark.parametrize("zeros", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("max_bins", [16, 64, 255])
def test_tail_behind_many_zeros_is_resolved(zeros: float, max_bins: int) -> None:
    """Zeros take one bin, and the tail shares all the others evenly."""
    rng = np.random.default_rng(3)
    n = 40_000
    x = np.where(rng.random(n) < zeros, 0.0, rng.lognormal(sigma=4, size=n))[:, np.newaxis]
    cuts, n_cuts = kernels.find_cuts(x, None, max_bins, 1)
    tail = x[x > 0]
    bins = np.bincount(np.searchsorted(cuts[0, : n_cuts[0]], tail), minlength=n_cuts[0] + 1)
    assert bins[0] == 0
    assert n_cuts[0] == max_bins - 1
    assert bins[1:].max() <= 1.5 * tail.size / (max_bins - 1) + 1
    assert bins[1:].min() >= 0.5 * tail.size / (max_bins - 1) - 1


def test_quantile_bins_are_even() -> None:
    x = np.random.default_rng(5).normal(size=(50_000, 1))
    cuts, n_cuts = kernels.find_cuts(x, None, 255, 1)
    assert n_cuts[0] == 254
    bins = np.bincount(np.searchsorted(cuts[0, :254], x[:, 0]))
    assert bins.min() >= 190
    assert bins.max() <= 200


# ---- bins ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("dtype", TYPES)
def test_bins(seed: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    n, d = some_rows(rng), int(rng.integers(1, 21))
    x = matrix(rng, n, d, dtype)
    cuts, n_cuts = reference.find_cuts(x, None, int(rng.choice([2, 9, 255])))
    categorical = (rng.random(d) < 0.2).astype(np.uint8)
    for j in np.flatnonzero(categorical):
        x[:, j] = rng.integers(-1, 9, n)
        n_cuts[j] = rng.integers(0, 9)
    positive = (rng.random(n) < rng.choice([0.0, 0.1, 0.5, 1.0])).astype(np.uint8)
    slow = reference.BinnedRows(n, int(positive.sum()), d)
    slow.fill(x, cuts, n_cuts, categorical, positive)
    for n_threads in THREADS:
        whole = kernels.BinnedRows(n, int(positive.sum()), d, n_threads)
        whole.fill(x, cuts, n_cuts, categorical, positive)
        pieces = kernels.BinnedRows(n, int(positive.sum()), d, n_threads)
        ends = np.unique([0, *rng.integers(0, d + 1, 3), d])
        for a, b in pairwise(ends):
            pieces.fill(
                x[:, a:b], cuts[a:b].copy(), n_cuts[a:b], categorical[a:b], positive, int(a)
            )
        for j in range(d):
            np.testing.assert_array_equal(whole.column(j), slow.column(j))
            np.testing.assert_array_equal(pieces.column(j), slow.column(j))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("dtype", TYPES)
def test_table_and_bisection_give_the_same_bins(seed: int, dtype: Any) -> None:
    """Many rows are mapped by a table, few by bisection; both agree with NumPy."""
    rng = np.random.default_rng(seed)
    n, d = 6000, 14
    x = matrix(rng, n, d, dtype)
    cuts, n_cuts = kernels.find_cuts(x, None, int(rng.choice([5, 255])), 2)
    if seed % 2:  # values other than those the cuts were made for, on the cuts and beside them
        for j in np.flatnonzero(n_cuts):
            near = rng.choice(cuts[j, : n_cuts[j]], n)
            side = rng.choice([-np.inf, 0.0, np.inf], n)
            with np.errstate(over="ignore"):
                near = near.astype(dtype)
                x[:, j] = np.where(side == 0, near, np.nextafter(near, side.astype(dtype)))
    x[~np.isfinite(x)] = np.nan
    ordered = np.zeros(d, dtype=np.uint8)
    positive = (rng.random(n) < 0.3).astype(np.uint8)
    place = np.argsort(1 - positive, kind="stable")
    many = kernels.BinnedRows(n, int(positive.sum()), d, 2)
    many.fill(x, cuts, n_cuts, ordered, positive)
    bisected = np.empty((n, d), dtype=np.uint8)
    for begin in range(0, n, 1500):
        few = kernels.BinnedRows(1500, 0, d)
        few.fill(x[begin : begin + 1500], cuts, n_cuts, ordered, np.zeros(1500, dtype=np.uint8))
        bisected[begin : begin + 1500] = np.column_stack([few.column(j) for j in range(d)])
    for j in range(d):
        values = x[:, j].astype(np.float64)
        expected = np.searchsorted(cuts[j, : n_cuts[j]], values)
        expected[np.isnan(values)] = kernels.MISSING
        np.testing.assert_array_equal(bisected[:, j], expected)
        np.testing.assert_array_equal(many.column(j), expected[place])


@pytest.mark.parametrize("n", [200, 4000])
def test_single_precision_never_crosses_a_threshold(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(10):
        value, threshold = beside_float32(rng, n)
        known = np.unique(threshold)[:: n // 200]
        cuts = np.full((1, 255), np.inf)
        cuts[0, : known.size] = known
        rows = kernels.BinnedRows(n, 0, 1)
        rows.fill(
            value[:, np.newaxis],
            cuts,
            np.array([known.size], dtype=np.int32),
            np.zeros(1, dtype=np.uint8),
            np.zeros(n, dtype=np.uint8),
        )
        expected = np.searchsorted(known, value.astype(np.float64))
        np.testing.assert_array_equal(rows.column(0), expected)


def test_thresholds_beyond_single_precision() -> None:
    """Cuts from float64 values meet float32 rows."""
    known = np.array([-1e300, -3.5e38, -1e-60, 1e-60, 3.5e38, 1e300])
    value = np.array([-3e38, -1e-45, 0.0, 1e-45, 3e38], dtype=np.float32)
    cuts = np.full((1, 255), np.inf)
    cuts[0, : known.size] = known
    for repeats in (1, 1000):
        x = np.repeat(value, repeats)[:, np.newaxis]
        rows = kernels.BinnedRows(len(x), 0, 1)
        rows.fill(
            x,
            cuts,
            np.array([known.size], dtype=np.int32),
            np.zeros(1, dtype=np.uint8),
            np.zeros(len(x), dtype=np.uint8),
        )
        np.testing.assert_array_equal(
            rows.column(0), np.searchsorted(known, x[:, 0].astype(np.float64))
        )


def test_unaligned_values_are_read_correctly_or_refused() -> None:
    """Fields of a packed record are strided by something other than a multiple of their size."""
    records = np.zeros(50, dtype=[("x", np.float64, (3,)), ("id", np.int32)])
    records["x"] = np.random.default_rng(0).normal(size=(50, 3))
    x = records["x"]
    expected = kernels.find_cuts(x.copy(), None, 255, 1)
    try:
        found = kernels.find_cuts(x, None, 255, 1)
    except ValueError:
        return
    assert_same_cuts(found, expected)
