"""The search for splits, held to the slow reference."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from engine import reference
from engine.inputs import (
    THREADS,
    random_split,
    search,
)

from costboost._core.engine import _kernels as kernels

CRITERIA = [reference.VOTE, reference.LEAF_ERROR, reference.EXPONENTIAL, reference.JOINT]


# ---- making inputs -------------------------------------------------------------------------------


def assert_same_split(fast: Any, slow: reference.Split) -> None:
    names = ("feature", "bin", "polarity", "missing_left", "quanta")
    assert [getattr(fast, name) for name in names] == [getattr(slow, name) for name in names]
    np.testing.assert_array_equal(fast.left, slow.left)
    assert fast.value == pytest.approx(slow.value, rel=1e-14, abs=1e-14)


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
        assert_same_split(search(**task, n_threads=1), slow)


@pytest.mark.parametrize("seed", range(30))
def test_search_among_drawn_cuts(seed: int) -> None:
    """One threshold of each feature competes, or one cut between its categories in order."""
    rng = np.random.default_rng(seed)
    for k in range(50):
        task = random_search(rng, int(rng.integers(1, 7)), 6 if k else 255)
        task["criterion"] = int(rng.choice([*CRITERIA, reference.SQUARES]))
        task["relative"] = task["relative"] and task["criterion"] != reference.SQUARES
        draw = int(rng.integers(2**63)), 0, True
        slow = reference.search(**task, draw=draw)
        fast = search(**task, n_threads=1, draw=draw)
        if slow.value == math.inf:
            assert fast.feature == -1
        else:
            assert_same_split(fast, slow)


@pytest.mark.parametrize("seed", range(10))
def test_search_by_many_threads(seed: int) -> None:
    """Features are divided among threads, but of equals the first still wins."""
    rng = np.random.default_rng(seed)
    task = random_search(rng, int(rng.integers(64, 400)), 4)
    slow = reference.search(**task)
    for n_threads in THREADS:
        if slow.value < math.inf:
            assert_same_split(search(**task, n_threads=n_threads), slow)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_search_finds_the_first_of_equals(criterion: int) -> None:
    """Feature 1 and 2 are the same, and bins 1 and 2 split them equally well."""
    histogram = np.zeros((2, 3, 256), dtype=np.int64)
    histogram[0, 1, [0, 1, 3]] = histogram[0, 2, [0, 1, 3]] = [1, 1, 8]
    histogram[1, 1, [0, 1, 3]] = histogram[1, 2, [0, 1, 3]] = [5, 5, 0]
    histogram[:, 0, 0] = [10, 10]
    split = search(
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
    split = search(histogram, *task, True, 1)
    assert (split.feature, split.polarity, split.value) == (-1, label, 2 / 12)
    assert split.quanta == ((0, 10, 0, 2) if label == 1 else (0, 2, 0, 10))
    assert not split.left.any()
    histogram[:, 0, :4] = np.roll(histogram[:, 0, :4], 1, axis=1)  # now bin 0 is empty
    task = (*task[:2], np.array([4], dtype=np.int32), *task[3:])
    split = search(histogram, *task, True, 1)
    assert (split.feature, split.bin, split.polarity) == (0, 0, label)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_no_leaf_is_smaller_than_allowed(criterion: int) -> None:
    """Where no split leaves enough rows on both sides there is none, whatever the criterion."""
    histogram = np.zeros((2, 2, 256), dtype=np.int64)
    histogram[:, :, :3] = [[[4, 1, 0], [0, 1, 4]], [[0, 2, 3], [3, 2, 0]]]
    split = search(
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
    split = search(histogram, *task, counts, 5, criterion, 0.0, False, 1)
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


def test_measured_splits() -> None:
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
