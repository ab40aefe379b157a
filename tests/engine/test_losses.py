"""Splits by the losses of real-valued leaves and of regressions, against the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from engine import reference

from costboost.engine import _kernels as kernels

LEAVES = [kernels.SQUARED, kernels.COST_EXPONENTIAL]


def filled(rng: np.random.Generator, n: int, d: int, n_threads: int) -> tuple[Any, Any]:
    """The same binned rows, fast and slow."""
    x = rng.integers(0, 9, (n, d)).astype(float)
    x[rng.random((n, d)) < 0.1] = np.nan
    positive = (rng.random(n) < 0.4).astype(np.uint8)
    cuts, n_cuts = kernels.find_cuts(x, None, 255, 1)
    pair = []
    for kind in (kernels.BinnedRows, reference.BinnedRows):
        rows = kind(n, int(positive.sum()), d, n_threads)
        rows.fill(x, cuts, n_cuts, np.zeros(d, dtype=np.uint8), positive)
        pair.append(rows)
    pair[0].prepare()
    return pair[0], pair[1]


def task(rng: np.random.Generator, criterion: int, regression: bool) -> dict[str, Any]:
    """Sums over rows of which every feature sees all; units that make the weights sum to 1."""
    n, d = int(rng.integers(2, 40)), int(rng.integers(1, 6))
    n_bins = rng.integers(1, 7, d).astype(np.int32)
    amount = rng.integers(1, 2**40, (2, n))
    if regression:
        amount[0] -= 2**39
    else:
        amount[0, rng.random(n) < 0.5] = 0
        amount[1, amount[0] > 0] = 0
    histogram, counts = np.zeros((2, 2, d, 256), dtype=np.int64)
    for f in range(d):
        bins = np.where(rng.random(n) < 0.2, 255, rng.integers(0, n_bins[f], n))
        for z in (0, 1):
            np.add.at(histogram, (z, f, bins), amount[z])
        np.add.at(counts, (0, f, bins), 1)
    total = float(amount[1].sum() if regression else amount.sum())
    return {
        "histogram": histogram,
        "unit_positive": 1 / total,
        "unit_negative": 1 / total,
        "n_bins": n_bins,
        "categorical": (rng.random(d) < 0.4).astype(np.uint8),
        "counts": counts if rng.random() < 0.4 else None,
        "min_samples_leaf": int(rng.choice([1, 2, 5])),
        "criterion": criterion,
        "smoothing": 1e-4,
        "relative": False,
        "cost_positive": float(rng.choice([0.3, 1.0, 7.0])),
        "cost_negative": float(rng.choice([0.5, 1.0, 4.0])),
    }


@pytest.mark.parametrize("criterion", [*LEAVES, kernels.SQUARES])
def test_search(criterion: int) -> None:
    rng = np.random.default_rng(criterion)
    compared = 0
    for _ in range(800):
        one = task(rng, criterion, criterion == kernels.SQUARES)
        slow = reference.search(**one)
        fast = kernels.search(**one, n_threads=1)
        names = ("feature", "bin", "missing_left", "quanta")
        assert [getattr(fast, k) for k in names] == [getattr(slow, k) for k in names]
        if slow.feature >= 0:
            compared += 1
            np.testing.assert_array_equal(fast.left, slow.left)
            assert fast.value == pytest.approx(slow.value, rel=1e-12, abs=1e-13)
    assert compared > 400


@pytest.mark.parametrize("criterion", [kernels.LEAF_ERROR, kernels.EXPONENTIAL, *LEAVES])
def test_leaf_loss(criterion: int) -> None:
    rng = np.random.default_rng(criterion)
    for _ in range(500):
        options = (criterion, float(rng.choice([1e-4, 0.1])), *rng.uniform(0.1, 9, 2).tolist())
        p, q = (rng.random(2) * rng.integers(0, 2, 2)).tolist()
        expected = reference.leaf_loss(*options, p, q)
        assert kernels.leaf_loss(*options, p, q) == pytest.approx(expected, rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("d", range(1, 18))
def test_pairs(d: int) -> None:
    rng = np.random.default_rng(d)
    for n_threads in (1, 2, 5):
        n = int(rng.integers(1, 60))
        fast, slow = filled(rng, n, d, n_threads)
        response, weight = rng.integers(-(2**30), 2**30, n) / 3, rng.integers(0, 2**30, n) / 7
        order = rng.permutation(n).astype(np.uint32)
        bounds = np.sort(rng.integers(0, n + 1, 4)).tolist()
        for rows, limits in ((None, None), (order, bounds)):
            found, expected = np.ones((2, 2, d, 256), dtype=np.int64)
            fast.build_pairs(response, weight, rows, limits, found, n_threads)
            slow.build_pairs(response, weight, rows, limits, expected)
            np.testing.assert_array_equal(found, expected)


def test_pairs_of_many_rows_by_many_threads() -> None:
    rng = np.random.default_rng(0)
    n, d = 40_000, 11
    fast, _ = filled(rng, n, d, 5)
    response, weight = rng.normal(0, 1e6, n), rng.uniform(0, 1e6, n)
    expected = np.zeros((2, d, 256), dtype=np.int64)
    for f in range(d):
        for z, values in enumerate((response, weight)):
            np.add.at(expected[z, f], fast.column(f), np.rint(values).astype(np.int64))
    for n_threads in (1, 2, 5):
        found = np.empty_like(expected)
        fast.build_pairs(response, weight, None, None, found, n_threads)
        np.testing.assert_array_equal(found, expected)


def test_sides() -> None:
    rng = np.random.default_rng(1)
    splits = [kernels.Split(f, left=rng.integers(0, 2, 256)) for f in (4, -1, 0)]
    feature, left = kernels.sides(splits)
    assert feature.tolist() == [4, -1, 0]
    for row, split in zip(left, splits, strict=True):
        np.testing.assert_array_equal(row, split.left)
