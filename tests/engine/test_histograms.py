"""Histograms of rows and of nodes, held to the slow reference."""

from __future__ import annotations

import numpy as np
import pytest
from engine import reference
from engine.inputs import THREADS, random_shape, random_split, some_rows
from numpy.typing import NDArray

from costboost._core.engine import _kernels as kernels

# ---- making inputs -------------------------------------------------------------------------------


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
            fast.build_node((orders[0], bounds), found[0], counting, n_threads)
            slow.build_node(orders[1], bounds, found[1], counting, n_threads)
            np.testing.assert_array_equal(*found)
        assert_same_rows(fast, slow)
        left, right = middles[0]
        bounds = (
            [bounds[0], left, bounds[2], right]
            if rng.random() < 0.5
            else [left, bounds[1], right, bounds[3]]
        )


@pytest.mark.parametrize("seed", range(40))
def test_leaves(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d, n_inner = some_rows(rng), int(rng.integers(1, 21)), int(rng.integers(1, 12))
    fast, slow = filled(rng, n, d, THREADS[seed % 4])
    feature = rng.integers(0, d, n_inner).astype(np.int32)
    child = random_shape(rng, n_inner)
    left = (rng.random((n_inner, 256)) < 0.5).astype(np.uint8)
    found = fast.leaves(splits_of(feature, left), child)
    np.testing.assert_array_equal(found, slow.leaves(feature, child, left))


def splits_of(feature: NDArray[np.int32], left: NDArray[np.uint8]) -> kernels.Splits:
    pairs = zip(feature.tolist(), left, strict=True)
    return kernels.Splits([kernels.Split(f, 0, 1, False, bins) for f, bins in pairs])


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
                fast.sum_staged(splits_of(*stumps[:2]), *stumps[2:], row_limit, amount),
                slow.sum_staged(*stumps, row_limit, amount),
            )
