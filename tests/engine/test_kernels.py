"""The kernels agree with their slow reference on random inputs, bit for bit."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from engine import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from costboost.engine import _kernels as kernels
from costboost.engine.ensemble import Ensemble, Node

THREADS = [1, 2, 5, 8]
CRITERIA = [kernels.VOTE, kernels.LEAF_ERROR, kernels.EXPONENTIAL, kernels.JOINT]
TYPES = [np.float32, np.float64]
LAYOUTS = ["C", "F", "rows apart", "columns apart", "backwards"]
SAME = settings(deadline=None, derandomize=True, database=None)

# ---- making inputs -------------------------------------------------------------------------------


def column(rng: np.random.Generator, n: int, dtype: Any) -> NDArray[Any]:
    """A column of one of the kinds that binning has to cope with."""
    tiny, huge = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    kinds = [
        lambda: rng.normal(size=n),
        lambda: rng.integers(0, rng.integers(1, 9), n),
        lambda: rng.integers(-400, 400, n),
        lambda: np.where(rng.random(n) < 0.9, 0.0, rng.lognormal(sigma=3, size=n)),
        lambda: np.where(rng.random(n) < 0.5, rng.integers(0, 200, n), rng.normal(90, 60, n)),
        lambda: rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-35, 35, n),
        lambda: np.exp(rng.normal(scale=12, size=n)),
        lambda: tiny * rng.integers(-5, 6, n),
        lambda: 1.0 + np.finfo(dtype).eps * rng.integers(0, 9, n),
        lambda: huge * rng.choice([-1.0, -0.5, 0.5, 1.0], n),
        lambda: rng.choice([-0.0, 0.0, 1.0], n),
        lambda: np.full(n, rng.normal()),
        lambda: np.full(n, np.nan),
        lambda: np.repeat(rng.normal(size=n // 7 + 1), 7)[:n],
        lambda: rng.normal(size=n) ** rng.integers(2, 8),
    ]
    values = np.asarray(kinds[rng.integers(len(kinds))](), dtype=dtype)
    if rng.random() < 0.4:
        values = np.where(rng.random(n) < rng.choice([0.01, 0.3, 0.95]), np.nan, values)
    return values.astype(dtype)


def lay_out(x: NDArray[Any], layout: str) -> NDArray[Any]:
    """The same values in another place in memory."""
    n, d = x.shape
    if layout in {"C", "F"}:
        return np.asarray(x, order=layout)  # type: ignore[call-overload]
    if layout == "rows apart":
        out = np.full((3 * n, d), 77, dtype=x.dtype)[1::3]
    elif layout == "columns apart":
        out = np.full((n, 2 * d), 77, dtype=x.dtype)[:, ::2]
    else:
        out = np.empty_like(x)[::-1, ::-1]
    out[:] = x
    return out


def matrix(rng: np.random.Generator, n: int, d: int, dtype: Any = np.float64) -> NDArray[Any]:
    x = np.column_stack([column(rng, n, dtype) for _ in range(d)])
    return lay_out(x, LAYOUTS[rng.integers(len(LAYOUTS))])


def some_rows(rng: np.random.Generator) -> int:
    return int(rng.choice([1, 2, 3, 7, 40, 300, 700], p=[0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.1]))


def random_split(rng: np.random.Generator, n_features: int) -> Any:
    """Any subset of bins may go left: an ordered split, a set of categories, or a constant."""
    kind = rng.integers(4)
    if kind == 0:
        return kernels.Split(polarity=int(rng.choice([-1, 1])))
    k = int(rng.integers(0, 40))
    left = np.arange(256) <= k if kind < 3 else rng.random(256) < 0.4
    left[255] = rng.random() < 0.5
    return kernels.Split(int(rng.integers(n_features)), k, 1, bool(left[255]), left)


def weights(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Master weights in quanta, of any size whose sum stays in range; halves test the rounding."""
    most = 2.0**60 / n
    kinds = [
        lambda: np.full(n, most),
        lambda: most * rng.random(n),
        lambda: np.minimum(most, 2.0 ** rng.uniform(-1000, 60, n)),
        lambda: rng.integers(0, 9, n) / 2.0,
        lambda: np.where(rng.random(n) < 0.5, 0.0, 1e-308),
    ]
    out: NDArray[np.float64] = kinds[rng.integers(len(kinds))]()
    return out


def filled(
    rng: np.random.Generator, n: int, d: int, n_threads: int
) -> tuple[kernels.BinnedRows, reference.BinnedRows]:
    """Random bins and weights, the same in the kernels and in the reference."""
    most = rng.choice([2, 5, 40, 255], d)
    x = np.floor(rng.random((n, d)) * most)
    x[rng.random((n, d)) < rng.choice([0.0, 0.2])] = np.nan
    cuts = np.tile(np.arange(255) + 0.5, (d, 1))
    n_cuts = np.full(d, 254, dtype=np.int32)
    positive = (rng.random(n) < rng.choice([0.0, 0.05, 0.5, 1.0])).astype(np.uint8)
    pair = (
        kernels.BinnedRows(n, int(positive.sum()), d, n_threads),
        reference.BinnedRows(n, int(positive.sum()), d),
    )
    weight = weights(rng, n)
    for rows in pair:
        rows.fill(x, cuts, n_cuts, np.zeros(d, dtype=np.uint8), positive)
        rows.prepare()
        rows.weight[:] = weight
        rows.build()
    return pair


def assert_same_rows(fast: kernels.BinnedRows, slow: reference.BinnedRows) -> None:
    np.testing.assert_array_equal(fast.histogram, slow.histogram)
    assert fast.weight.tobytes() == slow.weight.tobytes()


def assert_same_split(fast: Any, slow: reference.Split) -> None:
    names = ("feature", "bin", "polarity", "missing_left", "quanta")
    assert [getattr(fast, name) for name in names] == [getattr(slow, name) for name in names]
    np.testing.assert_array_equal(fast.left, slow.left)
    assert fast.value == pytest.approx(slow.value, rel=0, abs=1e-14)


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
    """Many rows are mapped by a table, few by bisection; NumPy is the judge of both."""
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


def beside_float32(rng: np.random.Generator, n: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Single precision values, and thresholds on them or less than one of their ulps away."""
    value = np.asarray(rng.choice([-1, 1], n) * 2.0 ** rng.uniform(-40, 40, n), dtype=np.float32)
    away = rng.choice([-np.inf, 0.0, np.inf], n)
    exact = value.astype(np.float64)
    close = np.where(away == 0, exact, np.nextafter(exact, away))
    halfway = exact + np.spacing(value).astype(np.float64) * rng.uniform(-1, 1, n)
    return value, np.where(rng.random(n) < 0.5, close, halfway)


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


def test_values_that_lie_askew_in_memory_are_read_right_or_refused() -> None:
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


# ---- histograms ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(80))
def test_histograms(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d, n_threads = some_rows(rng), int(rng.integers(1, 21)), THREADS[seed % 4]
    fast, slow = filled(rng, n, d, n_threads)
    assert_same_rows(fast, slow)
    np.testing.assert_array_equal(fast.count(), slow.count())
    for positives, negatives in ((True, False), (False, True), (False, False), (True, True)):
        fast.weight[:] = slow.weight[:] = weights(rng, n)
        for rows in (fast, slow):
            rows.build(positives, negatives)
        assert_same_rows(fast, slow)


@pytest.mark.parametrize("width", range(1, 18))
def test_last_tile_of_every_width(width: int) -> None:
    rng = np.random.default_rng(width)
    fast, slow = filled(rng, 100, width, 2)
    assert_same_rows(fast, slow)
    split = random_split(rng, width)
    for rows in (fast, slow):
        rows.reweigh_side(split, (0.3, 0.7), (True, False), (True, True))
    assert_same_rows(fast, slow)


@pytest.mark.parametrize("n", [4095, 4096, 4097, 9000])
def test_more_rows_than_a_block(n: int) -> None:
    rng = np.random.default_rng(n)
    for n_threads in THREADS:
        fast, slow = filled(rng, n, 3, n_threads)
        assert_same_rows(fast, slow)
        split = random_split(rng, 3)
        for rows in (fast, slow):
            rows.reweigh_side(split, (0.3, 0.7), (True, False), (True, True))
        assert_same_rows(fast, slow)


@pytest.mark.parametrize("seed", range(80))
def test_reweighing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d, n_threads = min(some_rows(rng), 300), int(rng.integers(1, 21)), THREADS[seed % 4]
    fast, slow = filled(rng, n, d, n_threads)
    for _ in range(5):
        split = random_split(rng, d)
        ratios = np.exp(-rng.exponential(rng.choice([0.1, 3, 300]), 4)).tolist()
        flags = (rng.random(4) < 0.5).tolist()
        for rows in (fast, slow):
            rows.reweigh_side(split, ratios[:2], flags[:2], flags[2:])
        assert_same_rows(fast, slow)
        for rows in (fast, slow):
            rows.reweigh_all(split, ratios, flags[:2])
        assert_same_rows(fast, slow)
        order = rng.permutation(n).astype(np.uint32)
        begin, end = np.sort(rng.integers(0, n + 1, 2)).tolist()
        for rows in (fast, slow):
            rows.reweigh_rows(order, begin, end, ratios[3])
            rows.build()
        assert_same_rows(fast, slow)


@pytest.mark.parametrize("n_threads", THREADS)
@pytest.mark.parametrize("d", [1, 5, 8, 11])
def test_incremental_histogram_never_drifts(n_threads: int, d: int) -> None:
    """After hundreds of rounds it is still the one built anew."""
    rng = np.random.default_rng(100 * d + n_threads)
    n = 250
    rows, _ = filled(rng, n, d, n_threads)
    rows.weight[:] = 2.0**58 / n * rng.random(n)
    rows.build()
    for t in range(300):
        split = random_split(rng, d)
        ratios = np.exp(rng.uniform(-3, 3, 2))
        if rows.weight.sum() * ratios.max() > 2.0**61:
            ratios = np.minimum(ratios, 1 / ratios)
        rows.reweigh_side(split, ratios, rng.random(2) < 0.5, rng.random(2) < 0.7)
        if t % 20 == 0:
            incremental = rows.histogram.copy()
            rows.build()
            np.testing.assert_array_equal(incremental, rows.histogram)
    incremental = rows.histogram.copy()
    expected = np.zeros_like(incremental)
    quanta = np.rint(rows.weight).astype(np.int64)
    for z, part in enumerate((slice(rows.n_positive), slice(rows.n_positive, None))):
        for f in range(d):
            np.add.at(expected[z, f], rows.column(f)[part], quanta[part])
    np.testing.assert_array_equal(incremental, expected)


def test_halves_round_to_even() -> None:
    rows, _ = filled(np.random.default_rng(0), 7, 1, 1)
    rows.weight[:] = [0.5, 1.5, 2.5, 3.5, 0.49999999999999994, 4503599627370497.5, 2.0**60]
    rows.build()
    assert rows.histogram.sum() == 0 + 2 + 2 + 4 + 0 + 4503599627370498 + 2**60


# ---- nodes of trees ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(80))
def test_nodes(seed: int) -> None:
    """Partitions of any run of rows, and the histograms of what they give."""
    rng = np.random.default_rng(seed)
    n, d, n_threads = some_rows(rng), int(rng.integers(1, 21)), THREADS[seed % 4]
    fast, slow = filled(rng, n, d, n_threads)
    p = fast.n_positive
    order = np.concatenate([rng.permutation(p), p + rng.permutation(n - p)]).astype(np.uint32)
    orders = (order, order.copy())
    bounds = [*np.sort(rng.integers(0, p + 1, 2)), *np.sort(rng.integers(p, n + 1, 2))]
    for _ in range(3):
        split = random_split(rng, d)
        middles = [
            [
                rows.partition(split, a, b, order, np.empty(n, dtype=np.uint32))
                for a, b in (bounds[:2], bounds[2:])
            ]
            for rows, order in zip((fast, slow), orders, strict=True)
        ]
        assert middles[0] == middles[1]
        np.testing.assert_array_equal(*orders)
        for counting in (False, True):
            found = [rng.integers(0, 9, (2, d, 256)) for _ in orders]
            for rows, order, histogram in zip((fast, slow), orders, found, strict=True):
                rows.build_node(order, bounds, histogram, counting, n_threads)
            np.testing.assert_array_equal(*found)
        assert_same_rows(fast, slow)
        left, right = middles[0]
        bounds = (
            [bounds[0], left, bounds[2], right]
            if rng.random() < 0.5
            else [left, bounds[1], right, bounds[3]]
        )


def random_shape(rng: np.random.Generator, n_inner: int) -> NDArray[np.int32]:
    """Children of the inner nodes of a random binary tree, leaves as ~number."""
    child = np.full(2 * n_inner, -1, dtype=np.int32)
    free = [0, 1]
    for node in range(1, n_inner):
        slot = free.pop(int(rng.integers(len(free))))
        child[slot] = node
        free += [2 * node, 2 * node + 1]
    for leaf, slot in enumerate(sorted(free)):
        child[slot] = ~leaf
    return child


@pytest.mark.parametrize("seed", range(40))
def test_leaves(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d, n_inner = some_rows(rng), int(rng.integers(1, 21)), int(rng.integers(1, 12))
    fast, slow = filled(rng, n, d, THREADS[seed % 4])
    given_tree = (
        rng.integers(0, d, n_inner).astype(np.int32),
        random_shape(rng, n_inner),
        (rng.random((n_inner, 256)) < 0.5).astype(np.uint8),
    )
    np.testing.assert_array_equal(fast.leaves(*given_tree), slow.leaves(*given_tree))


@pytest.mark.parametrize("seed", range(60))
def test_staged_sums(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d, n_rounds = some_rows(rng), int(rng.integers(1, 21)), int(rng.integers(0, 12))
    if seed == 0:
        n = 5000
    fast, slow = filled(rng, n, d, THREADS[seed % 4])
    splits = [random_split(rng, d) for _ in range(n_rounds)]
    lefts = [split.left for split in splits]
    if lefts:
        lefts[0][:] = rng.choice([0, 1])
    stumps = (
        np.array([split.feature for split in splits], dtype=np.int32),
        np.array(lefts, dtype=np.uint8).reshape(n_rounds, 256),
        rng.choice([-1.0, 1.0, 0.1, 0.25, -0.3], (n_rounds, 2)),
        rng.choice([0.0, 0.1, 1.0, -1.0], n_rounds),
    )
    for row_limit in (None, rng.choice([0.5, 1.0, 2.0], n)):
        for amount in (None, rng.integers(0, 2**40, n)):
            np.testing.assert_array_equal(
                fast.sum_staged(*stumps, row_limit, amount),
                slow.sum_staged(*stumps, row_limit, amount),
            )


# ---- search --------------------------------------------------------------------------------------


def random_search(rng: np.random.Generator, d: int, most_bins: int) -> dict[str, Any]:
    """Histograms as training makes them: every feature has the same class totals."""
    n = int(rng.choice([1, 2, 4, 12, 60]))
    n_bins = rng.integers(1, most_bins + 1, d).astype(np.int32)
    quanta = {
        "few": lambda: rng.integers(1, 3, n),
        "some 0": lambda: rng.integers(0, 2, n),
        "all 0": lambda: np.zeros(n, dtype=np.int64),
        "many": lambda: rng.integers(1, 2**58 // n, n),
        "any": lambda: (2.0 ** rng.uniform(0, 57, n)).astype(np.int64) // n,
    }
    kind = rng.choice(list(quanta), p=[0.5, 0.1, 0.05, 0.2, 0.15])
    amount = quanta[kind]()
    label = rng.integers(0, 2, n) if rng.random() < 0.9 else np.full(n, rng.integers(2))
    histogram, counts = np.zeros((2, 2, d, 256), dtype=np.int64)
    missing = rng.choice([0.0, 0.3, 1.0], d, p=[0.5, 0.4, 0.1])
    for f in range(d):
        bins = rng.integers(0, n_bins[f], n)
        bins = np.where((rng.random(n) < missing[f]) & (amount > 0), 255, bins)
        if f and rng.random() < 0.3:  # a copy of another feature ties with it everywhere
            n_bins[f], histogram[:, f], counts[:, f] = n_bins[0], histogram[:, 0], counts[:, 0]
            continue
        np.add.at(histogram, (1 - label, f, bins), amount)
        np.add.at(counts, (1 - label, f, bins), 1)
    units = rng.choice(
        [1.0, 0.5, 2.0**-58, 1e-300, 1e-10, 0.0], 2, p=[0.5, 0.2, 0.1, 0.1, 0.05, 0.05]
    )
    relative = bool(rng.random() < 0.5)
    if not relative:  # a node's units are shares of more than the node has
        units = np.exp(-rng.exponential(size=2)) / (3 * max(1, int(histogram[:, 0].sum())))
    return {
        "histogram": histogram,
        "unit_positive": float(units[0]),
        "unit_negative": float(units[1]),
        "n_bins": n_bins,
        "categorical": (rng.random(d) < 0.3).astype(np.uint8),
        "counts": counts if rng.random() < 0.5 else None,
        "min_samples_leaf": int(rng.choice([1, 2, 3, 10])),
        "criterion": int(rng.choice(CRITERIA)),
        "smoothing": float(rng.choice([0.0, 1e-4, 0.1])),
        "relative": relative,
    }


@pytest.mark.parametrize("seed", range(60))
def test_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for k in range(50):
        task = random_search(rng, int(rng.integers(1, 7)), 6 if k else 255)
        slow = reference.search(**task)
        if slow.value == math.inf:
            continue  # no candidate: see test_no_leaf_is_smaller_than_allowed
        assert_same_split(kernels.search(**task, n_threads=1), slow)


@pytest.mark.parametrize("seed", range(10))
def test_search_by_many_threads(seed: int) -> None:
    """Features are divided among threads, but of equals the first still wins."""
    rng = np.random.default_rng(seed)
    task = random_search(rng, int(rng.integers(64, 400)), 4)
    slow = reference.search(**task)
    for n_threads in THREADS:
        if slow.value < math.inf:
            assert_same_split(kernels.search(**task, n_threads=n_threads), slow)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_search_finds_the_first_of_equals(criterion: int) -> None:
    """Feature 1 and 2 are the same, and bins 1 and 2 split them equally well."""
    histogram = np.zeros((2, 3, 256), dtype=np.int64)
    histogram[0, 1, [0, 1, 3]] = histogram[0, 2, [0, 1, 3]] = [1, 1, 8]
    histogram[1, 1, [0, 1, 3]] = histogram[1, 2, [0, 1, 3]] = [5, 5, 0]
    histogram[:, 0, 0] = [10, 10]
    split = kernels.search(
        histogram, 1.0, 1.0, np.full(3, 4, dtype=np.int32), np.zeros(3, dtype=np.uint8),
        None, 1, criterion, 0.0, True, 1,
    )  # fmt: skip
    assert (split.feature, split.bin, split.polarity) == (1, 1, 1)
    assert split.quanta == (2, 8, 10, 0)


@pytest.mark.parametrize("label", [1, -1])
def test_constants_win_only_when_strictly_better(label: int) -> None:
    histogram = np.zeros((2, 1, 256), dtype=np.int64)
    histogram[0 if label == 1 else 1, 0, :3] = [5, 0, 5]
    histogram[1 if label == 1 else 0, 0, :3] = [0, 2, 0]
    task = (1.0, 1.0, np.array([3], dtype=np.int32), np.zeros(1, dtype=np.uint8), None, 1, 0, 0.0)
    split = kernels.search(histogram, *task, True, 1)
    assert (split.feature, split.polarity, split.value) == (-1, label, 2 / 12)
    assert split.quanta == ((0, 10, 0, 2) if label == 1 else (0, 2, 0, 10))
    assert not split.left.any()
    histogram[:, 0, :4] = np.roll(histogram[:, 0, :4], 1, axis=1)  # now bin 0 is empty
    task = (*task[:2], np.array([4], dtype=np.int32), *task[3:])
    split = kernels.search(histogram, *task, True, 1)
    assert (split.feature, split.bin, split.polarity) == (0, 0, label)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_no_leaf_is_smaller_than_allowed(criterion: int) -> None:
    """Where no split leaves enough rows on both sides there is none, whatever the criterion."""
    histogram = np.zeros((2, 2, 256), dtype=np.int64)
    histogram[:, :, :3] = [[[4, 1, 0], [0, 1, 4]], [[0, 2, 3], [3, 2, 0]]]
    split = kernels.search(
        histogram, 0.1, 0.1, np.full(2, 3, dtype=np.int32), np.zeros(2, dtype=np.uint8),
        histogram, 6, criterion, 0.0, False, 1,
    )  # fmt: skip
    assert split.feature == -1


@pytest.mark.parametrize("criterion", CRITERIA)
def test_missing_rows_without_weight_leave_no_small_leaf(criterion: int) -> None:
    """They follow the heavier side; then they must not be counted on the other."""
    histogram = np.zeros((2, 1, 256), dtype=np.int64)
    counts = histogram.copy()
    histogram[:, 0, :2] = [[50, 1], [2, 10]]
    counts[:, 0, :2] = [[9, 1], [9, 1]]
    counts[0, 0, 255] = 30
    task = (0.01, 0.01, np.array([2], dtype=np.int32), np.zeros(1, dtype=np.uint8))
    split = kernels.search(histogram, *task, counts, 5, criterion, 0.0, False, 1)
    if split.feature >= 0 and split.value < math.inf:
        left = sum(split.rows_left(counts))
        assert min(left, counts.sum() - left) >= 5


def test_the_value_of_a_split_can_be_set() -> None:
    split = kernels.Split(2, 3, -1, True, np.arange(256) <= 3)
    assert split.value == math.inf
    split.value = 0.25
    assert split.value == 0.25
    left = np.arange(256) <= 3
    assert (split.feature, split.bin, split.polarity, split.missing_left) == (2, 3, -1, True)
    np.testing.assert_array_equal(split.left, left)
    with pytest.raises(TypeError):
        split.value = "small"  # type: ignore[assignment]


def test_split_measures_itself() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        d = int(rng.integers(1, 5))
        histogram = rng.integers(0, 2**40, (2, d, 256))
        split = random_split(rng, d)
        f, left = max(split.feature, 0), split.left.astype(bool)
        p, q = histogram[:, f, left].sum(axis=1)
        assert split.rows_left(histogram) == (p, q)
        rest = histogram[:, f, ~left].sum(axis=1)
        assert split.measure(histogram).quanta == (p, rest[0], q, rest[1])


# ---- prediction ----------------------------------------------------------------------------------


def random_tree(
    rng: np.random.Generator, n_inner: int, categorical: NDArray[Any], thresholds: NDArray[Any]
) -> list[Node]:
    child = random_shape(rng, n_inner) if n_inner else np.array([~0])
    place = {0: 0}
    nodes: list[Node] = [Node()]
    for k in range(n_inner):  # parents come before their children
        f = int(rng.integers(categorical.size))
        nodes[place[k]] = Node(
            feature=f,
            threshold=np.nan if categorical[f] else float(rng.choice(thresholds)),
            left=len(nodes),
            missing_left=bool(rng.random() < 0.5),
            goes_left=(rng.random(256) < 0.5).astype(np.uint8) if categorical[f] else None,
        )
        for c in child[2 * k : 2 * k + 2]:
            if c >= 0:
                place[int(c)] = len(nodes)
            nodes.append(Node())
    return [n if n.feature >= 0 else Node(value=float(rng.normal())) for n in nodes]


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("dtype", TYPES)
def test_predict(seed: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    n, d = some_rows(rng), int(rng.integers(1, 12))
    if seed == 0:
        n = 1100
    x = matrix(rng, n, d, dtype)
    categorical = rng.random(d) < 0.3
    for j in np.flatnonzero(categorical):
        x[:, j] = rng.choice([-1, 0, 1, 2, 100, 254, 255, 300, np.nan], n)
    seen = x[np.isfinite(x)].astype(np.float64)
    thresholds = np.concatenate([seen, np.nextafter(seen, 0.0), [0.0, np.inf, 1e300, -1e300]])
    stumps = seed % 2 == 0
    n_trees = int(rng.choice([1, 3, 30])) if n > 100 else int(rng.choice([1, 20, 200]))
    ensemble = Ensemble.from_trees(
        random_tree(rng, int(rng.integers(0, 2 if stumps else 9)), categorical, thresholds)
        for _ in range(n_trees)
    )
    first, last = np.sort(rng.integers(0, n_trees + 1, 2)).tolist()
    for a, b in ((0, n_trees), (first, last)):
        slow = np.zeros(n)
        reference.predict(x, ensemble, a, b, stumps, slow)
        for n_threads in THREADS:
            for collapsed in {stumps, False}:
                fast = np.zeros(n)
                kernels.predict(x, ensemble, a, b, collapsed, fast, n_threads)
                assert fast.tobytes() == (slow + 0.0).tobytes()


@pytest.mark.parametrize("n_stumps", [3, 24, 25, 200])
def test_prediction_in_single_precision_never_crosses_a_threshold(n_stumps: int) -> None:
    """Up to 24 thresholds a feature are compared with one by one, more are searched."""
    rng = np.random.default_rng(n_stumps)
    for _ in range(20):
        value, threshold = beside_float32(rng, n_stumps)
        ensemble = Ensemble.from_trees(
            [Node(0, float(t), 1, True), Node(value=-1.0), Node(value=1.0)] for t in threshold
        )
        exact = np.sign(value.astype(np.float64)[:, np.newaxis] - threshold)
        expected = np.where(exact > 0, 1.0, -1.0).sum(axis=1)
        for stumps in (True, False):
            score = np.zeros(n_stumps)
            kernels.predict(value[:, np.newaxis], ensemble, 0, n_stumps, stumps, score, 1)
            np.testing.assert_array_equal(score, expected)


def test_prediction_adds_to_the_score() -> None:
    ensemble = Ensemble.from_trees([[Node(value=0.5)]])
    score = np.array([1.0, 2.0])
    kernels.predict(np.zeros((2, 1)), ensemble, 0, 1, True, score, 1)
    assert score.tolist() == [1.5, 2.5]
    kernels.predict(np.zeros((0, 1)), ensemble, 0, 1, True, np.zeros(0), 1)


# ---- threads -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_threads", THREADS)
def test_many_rows_by_many_threads(n_threads: int) -> None:
    """So many rows that every kernel cuts them into chunks; NumPy is the judge."""
    rng = np.random.default_rng(1)
    n, d = 70_000, 11
    x = rng.integers(0, 200, (n, d)).astype(np.float32)
    x[rng.random((n, d)) < 0.1] = np.nan
    cuts = np.tile(np.arange(255) + 0.5, (d, 1))
    positive = (rng.random(n) < 0.3).astype(np.uint8)
    place = np.argsort(1 - positive, kind="stable")
    rows = kernels.BinnedRows(n, int(positive.sum()), d, n_threads)
    rows.fill(x, cuts, np.full(d, 254, dtype=np.int32), np.zeros(d, dtype=np.uint8), positive)
    expected = np.nan_to_num(x[place], nan=255).astype(np.uint8)
    for f in range(d):
        np.testing.assert_array_equal(rows.column(f), expected[:, f])

    def sums(amount: NDArray[np.int64]) -> NDArray[np.int64]:
        out = np.zeros((2, d, 256), dtype=np.int64)
        for z, part in enumerate((slice(rows.n_positive), slice(rows.n_positive, None))):
            for f in range(d):
                np.add.at(out[z, f], expected[part, f], amount[part])
        return out

    rows.prepare()
    np.testing.assert_array_equal(rows.count(), sums(np.ones(n, dtype=np.int64)))
    weight = 2.0 ** rng.uniform(-5, 40, n)
    rows.weight[:] = weight
    rows.build()
    np.testing.assert_array_equal(rows.histogram, sums(np.rint(weight).astype(np.int64)))
    left = (np.arange(256) <= 60).astype(np.uint8)
    split = kernels.Split(9, 60, 1, False, left)
    goes_left = left[expected[:, 9]] == 1
    of_class = np.arange(n) >= rows.n_positive
    rows.reweigh_side(split, (0.3, 1.7), (True, False), (True, True))
    weight[goes_left & ~of_class] *= 0.3
    weight[~goes_left & of_class] *= 1.7
    rows.reweigh_all(split, (1.1, 0.9, 1.2, 0.8), (False, True))
    weight[of_class] *= np.where(goes_left, 1.2, 0.8)[of_class]
    assert rows.weight.tobytes() == weight.tobytes()
    quanta = np.rint(weight).astype(np.int64)
    rows.build(False, True)
    np.testing.assert_array_equal(rows.histogram, sums(quanta))
    order = np.arange(n, dtype=np.uint32)
    node = np.empty((2, d, 256), dtype=np.int64)
    rows.build_node(order, (0, rows.n_positive, rows.n_positive, n), node, False, n_threads)
    np.testing.assert_array_equal(node, rows.histogram)

    leaf = rows.leaves(
        np.array([9], dtype=np.int32), np.array([~0, ~1], dtype=np.int32), left[np.newaxis]
    )
    np.testing.assert_array_equal(leaf, ~goes_left)
    above = rows.sum_staged(
        np.array([9, 9], dtype=np.int32), np.stack([left, 1 - left]),
        np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([1.0, 3.0]), None, quanta,
    )  # fmt: skip
    right = [int(quanta[~goes_left & (of_class == z)].sum()) for z in (False, True)]
    assert above.tolist() == [right, right]


@pytest.mark.parametrize("stumps", [True, False])
@pytest.mark.parametrize("dtype", TYPES)
def test_many_rows_are_predicted_by_many_threads(stumps: bool, dtype: Any) -> None:
    rng = np.random.default_rng(4)
    x = lay_out(rng.normal(size=(9001, 3)).astype(dtype), "F")
    tests = rng.normal(size=40)
    ensemble = Ensemble.from_trees(
        [Node(k % 3, float(t), 1, True), Node(value=-float(t)), Node(value=0.3)]
        for k, t in enumerate(tests)
    )
    votes = ensemble.value.reshape(-1, 3)
    expected = sum(
        np.where(x[:, k % 3].astype(np.float64) <= t, votes[k, 1], votes[k, 2])
        for k, t in enumerate(tests)
    )
    for n_threads in THREADS:
        score = np.zeros(9001)
        kernels.predict(x, ensemble, 0, 40, stumps, score, n_threads)
        assert score.tobytes() == expected.tobytes()


def test_callers_from_many_threads_do_not_disturb_each_other() -> None:
    def work(seed: int) -> bytes:
        rng = np.random.default_rng(seed)
        n, d = 20_000, 9
        x = rng.normal(size=(n, d))
        cuts, n_cuts = kernels.find_cuts(x, None, 255, 3)
        positive = (rng.random(n) < 0.4).astype(np.uint8)
        rows = kernels.BinnedRows(n, int(positive.sum()), d, 3)
        rows.fill(x, cuts, n_cuts, np.zeros(d, dtype=np.uint8), positive)
        rows.prepare()
        rows.weight[:] = 2.0**40
        rows.build()
        for _ in range(10):
            split = random_split(rng, d)
            rows.reweigh_side(split, rng.random(2), (True, False), (True, True))
        return rows.bytes.tobytes() + rows.histogram.tobytes() + cuts.tobytes()

    serial = [work(seed) for seed in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert list(pool.map(work, range(8))) == serial


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_threads_of_its_own() -> None:
    code = """
import os, numpy as np
from costboost.engine import _kernels as kernels
x = np.random.default_rng(0).normal(size=(40_000, 33))
expected = kernels.find_cuts(x, None, 255, 4)[0].tobytes()
child = os.fork()
same = kernels.find_cuts(x, None, 255, 4)[0].tobytes() == expected
if child == 0:
    os._exit(0 if same else 7)
assert same and os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=60)


# ---- what the binding refuses --------------------------------------------------------------------


def test_binding_checks_shapes() -> None:
    for shape in ((0, 0, 1), (3, 4, 1), (3, -1, 1), (3, 1, 0)):
        with pytest.raises(ValueError, match="at least one row"):
            kernels.BinnedRows(*shape)
    rows = kernels.BinnedRows(3, 1, 2)
    x, cuts = np.zeros((3, 2)), np.zeros((2, 255))
    n_cuts, flags = np.zeros(2, dtype=np.int32), np.zeros(2, dtype=np.uint8)
    positive = np.array([1, 0, 0], dtype=np.uint8)
    rows.fill(x, cuts, n_cuts, flags, positive)
    wrong = [
        (x[:2], cuts, n_cuts, flags, positive),
        (x[:, :1], cuts, n_cuts, flags, positive),
        (x, cuts[:, :9].copy(), n_cuts, flags, positive),
        (x, cuts, n_cuts[:1], flags, positive),
        (x, cuts, n_cuts, flags[:1], positive),
        (x, cuts, n_cuts, flags, positive[:2]),
        (x, cuts, n_cuts, flags, positive, 1),
    ]
    for arguments in wrong:
        with pytest.raises(ValueError, match="shapes do not belong together"):
            rows.fill(*arguments)
    with pytest.raises(ValueError, match="256 entries"):
        kernels.Split(0, 0, 1, False, np.zeros(255))
    with pytest.raises(ValueError, match="one score a row"):
        kernels.predict(x, Ensemble.from_trees([[Node()]]), 0, 1, True, np.zeros(2), 1)
