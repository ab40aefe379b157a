"""Votes chosen together with their steps: no bound may exclude the best one."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from engine import reference
from engine.inputs import search
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

TIE = 1e-12
ROUNDING = 1e-14
THREADS = [1, 2, 8]
SAME = settings(deadline=None, derandomize=True, database=None)
Floats = NDArray[np.float64]

# ---- losses of all candidates, by bisection -----------------------------------------------------


def least_losses(total: Floats, wrong: Floats, cost: Floats) -> Floats:
    """The loss of every vote at its best step; ``wrong`` has a row for each class."""
    floor = 1e-10
    rate = cost / cost.max()
    with np.errstate(divide="ignore"):
        m = np.maximum(wrong, floor * total[:, None])
        up = np.log(m) + np.log(rate)[:, None]
        down = np.log(np.maximum(total[:, None] - m, 0)) + np.log(rate)[:, None]

    def gap(x: Floats) -> Floats:
        rising, falling = (side + sign * rate[:, None] * x for side, sign in ((up, 1), (down, -1)))
        with np.errstate(invalid="ignore"):
            return np.logaddexp(*rising) - np.logaddexp(*falling)

    low, high = np.zeros(m.shape[1]), np.ones(m.shape[1])
    pays = gap(low) < 0
    while (short := pays & (gap(high) < 0)).any():
        high[short] *= 2
    for _ in range(110):
        middle = (low + high) / 2
        below = gap(middle) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    exponents = np.concatenate([up + rate[:, None] * low, down - rate[:, None] * low])
    exponents -= np.tile(np.log(rate), 2)[:, None]
    return np.where(pays, np.exp(exponents).sum(axis=0), total.sum())


def all_losses(task: dict[str, Any]) -> tuple[Floats, tuple[float, float]]:
    """Losses of all votes, by feature, threshold, polarity and side of the missing; constants."""
    histogram, n_bins = task["histogram"], task["n_bins"]
    unit = np.array([task["unit_positive"], task["unit_negative"]])
    unit = unit / (unit @ histogram[:, 0].sum(axis=1))
    total = unit * histogram[:, 0].sum(axis=1)
    present = histogram[:, :, :255]
    left = present.cumsum(axis=2)[:, :, :-1]
    missing = histogram[:, :, 255, None]
    left = np.stack([left, left + missing], axis=-1)  # class, feature, threshold, side
    right = histogram[:, 0].sum(axis=1)[:, None, None, None] - left
    # polarity 1: the left votes negative
    wrong = np.stack([np.stack([left[0], right[1]]), np.stack([right[0], left[1]])], axis=3)
    wrong = unit[:, None, None, None, None] * wrong
    cost = np.array([task["cost_positive"], task["cost_negative"]])
    loss = least_losses(total, wrong.reshape(2, -1), cost).reshape(wrong.shape[1:])
    inside = np.arange(254) < n_bins[:, None] - 1
    loss = np.where(inside[:, :, None, None], loss, np.inf)
    rest = present.sum(axis=2)[:, :, None] - present.cumsum(axis=2)[:, :, :-1]
    may_join = (missing.sum(axis=0) > 0) & (rest.sum(axis=0) > 0)
    loss[..., 1] = np.where(may_join[:, :, None], loss[..., 1], np.inf)
    constant = least_losses(total, np.array([[0, total[0]], [total[1], 0]]), cost)
    return loss, (float(constant[0]), float(constant[1]))


def assert_best(task: dict[str, Any]) -> Any:
    """The split found is the first within TIE of the least of all."""
    losses, constant = all_losses(task)
    least = min(losses.min(), *constant)
    split = search(**task, n_threads=1)
    assert split.value == pytest.approx(least, rel=0, abs=TIE + ROUNDING)
    by_candidate = losses.min(axis=-1)
    if split.feature < 0:
        assert by_candidate.min() > least + TIE - ROUNDING
        assert constant[0 if split.polarity == 1 else 1] <= least + TIE + ROUNDING
        return split
    place = split.feature, split.bin, (1 - split.polarity) // 2
    value = by_candidate[place]
    assert split.value == pytest.approx(value, rel=0, abs=ROUNDING)
    assert value <= least + TIE + ROUNDING
    before = by_candidate.ravel()[: np.ravel_multi_index(place, by_candidate.shape)]
    assert before.min(initial=np.inf) > least + TIE - ROUNDING
    if np.isfinite(losses[place]).all() and abs(np.subtract(*losses[place])) > TIE + ROUNDING:
        assert split.missing_left == (losses[place].argmin() == 1)
    return split


# ---- histograms ----------------------------------------------------------------------------------


def spread(rng: np.random.Generator, amount: int, share: Floats) -> NDArray[np.int64]:
    """The amount divided among bins, exactly."""
    quanta = np.floor(amount * (share / share.sum())).astype(np.int64)
    quanta[rng.integers(quanta.size)] += amount - quanta.sum()
    return quanta


def histogram_of(rng: np.random.Generator, d: int, most_bins: int, kind: str) -> dict[str, Any]:
    n_bins = rng.integers(2, most_bins + 1, d).astype(np.int32)
    scale = 2.0 ** rng.integers(20, 57)
    rare = 10.0 ** rng.uniform(-6, 0) if kind == "rare" else 1.0
    totals = np.maximum(np.rint(scale * np.array([rare, 1.0])), 1).astype(np.int64)
    if rng.random() < 0.5:
        totals = totals[::-1]
    histogram = np.zeros((2, d, 256), dtype=np.int64)
    for f in range(d):
        place = np.append(np.arange(n_bins[f]), 255)
        for z in (0, 1):
            shift = 1.5 * z if kind != "noise" else 0.0
            at = 4 * (np.arange(n_bins[f]) + 0.5) / n_bins[f] - 2
            share = np.exp(-((at - shift) ** 2)) * rng.gamma(0.7, size=at.size) + 1e-12
            if kind == "perfect" and rng.random() < 0.7:
                share = share * ((at > 0.3) == z) + 1e-300
            missing = rng.choice([0.0, 0.1, 3.0]) * share.mean()
            amount = spread(rng, int(totals[z]), np.append(share, missing))
            histogram[z, f, place] = amount
        if kind == "near ties" and f:
            n_bins[f], histogram[:, f] = n_bins[0], histogram[:, 0]
            a, b = rng.integers(0, n_bins[f], 2)
            z = rng.integers(2)
            size = totals[z] * 10.0 ** rng.choice([-20.0, -13.0, -12.0, -11.0, -9.0])
            moved = min(int(size), int(histogram[z, f, a]))
            histogram[z, f, a] -= moved
            histogram[z, f, b] += moved
    ratio = 10.0 ** rng.uniform(-6, 6)
    return {
        "histogram": histogram,
        "unit_positive": 10.0 ** rng.uniform(-3, 3),
        "unit_negative": 10.0 ** rng.uniform(-3, 3),
        "n_bins": n_bins,
        "categorical": np.zeros(d, dtype=np.uint8),
        "counts": None,
        "min_samples_leaf": 1,
        "criterion": reference.JOINT,
        "smoothing": 0.0,
        "relative": True,
        "cost_positive": ratio * (scale := 10.0 ** rng.uniform(-3, 3)),
        "cost_negative": scale,
    }


KINDS = ["noise", "shifted", "perfect", "rare", "near ties"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_frontier_never_excludes_the_best_vote(kind: str) -> None:
    rng = np.random.default_rng(KINDS.index(kind))
    features = set()
    for k in range(28):
        task = histogram_of(rng, int(rng.integers(1, 4)), 255 if k % 4 == 0 else 30, kind)
        features.add(assert_best(task).feature)
    assert len(features) > 1


@given(seed=st.integers(0, 2**32), kind=st.sampled_from(KINDS), most_bins=st.integers(2, 9))
@settings(SAME, max_examples=80)
def test_any_histogram(seed: int, kind: str, most_bins: int) -> None:
    assert_best(histogram_of(np.random.default_rng(seed), 2, most_bins, kind))


@pytest.mark.parametrize("ratio", [1e-300, 1e-100, 1e-30, 1e30, 1e100, 1e300])
def test_costs_of_any_ratio(ratio: float) -> None:
    """Steps are so long that nothing is ruled out."""
    rng = np.random.default_rng(0)
    for kind in KINDS:
        task = histogram_of(rng, 2, 12, kind) | {"cost_positive": ratio, "cost_negative": 1.0}
        slow = reference.search(**task)
        fast = search(**task, n_threads=1)
        assert math.isfinite(fast.value)
        assert fast.value == pytest.approx(slow.value, rel=0, abs=TIE + ROUNDING)
        assert (fast.feature, fast.bin, fast.polarity) == (slow.feature, slow.bin, slow.polarity)


# ---- the reference, candidate by candidate -------------------------------------------------------


def small_task(rng: np.random.Generator) -> dict[str, Any]:
    """Few rows of whole quanta: full of ties, with missing values, categories and row counts."""
    n, d = int(rng.choice([1, 2, 5, 12, 30])), int(rng.integers(1, 5))
    n_bins = rng.integers(1, 7, d).astype(np.int32)
    amount = rng.integers(1, 4, n) if rng.random() < 0.5 else rng.integers(1, 2**50, n)
    label = rng.integers(0, 2, n) if rng.random() < 0.9 else np.full(n, rng.integers(2))
    histogram, counts = np.zeros((2, 2, d, 256), dtype=np.int64)
    for f in range(d):
        bins = np.where(rng.random(n) < rng.choice([0.0, 0.3]), 255, rng.integers(0, n_bins[f], n))
        if f and rng.random() < 0.3:
            n_bins[f], histogram[:, f], counts[:, f] = n_bins[0], histogram[:, 0], counts[:, 0]
            continue
        np.add.at(histogram, (1 - label, f, bins), amount)
        np.add.at(counts, (1 - label, f, bins), 1)
    relative = bool(rng.random() < 0.7)
    unit = 10.0 ** rng.uniform(-2, 2, 2) if relative else np.full(2, 0.5 / amount.sum())
    return {
        "histogram": histogram,
        "unit_positive": float(unit[0]),
        "unit_negative": float(unit[1]),
        "n_bins": n_bins,
        "categorical": (rng.random(d) < 0.4).astype(np.uint8),
        "counts": counts if rng.random() < 0.5 else None,
        "min_samples_leaf": int(rng.choice([1, 2, 3, 10])),
        "criterion": reference.JOINT,
        "smoothing": 0.0,
        "relative": relative,
        "cost_positive": float(rng.choice([1.0, 3.0, 1e-6, 1e6, 1e3])),
        "cost_negative": float(rng.choice([1.0, 0.2, 40.0])),
    }


@pytest.mark.parametrize("seed", range(10))
def test_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    constants = 0
    for _ in range(40):
        task = small_task(rng)
        slow, fast = reference.search(**task), search(**task, n_threads=1)
        names = ("feature", "bin", "polarity", "missing_left", "quanta")
        assert [getattr(fast, k) for k in names] == [getattr(slow, k) for k in names]
        np.testing.assert_array_equal(fast.left, slow.left)
        assert fast.value == pytest.approx(slow.value, rel=0, abs=ROUNDING)
        constants += fast.feature < 0
    assert 0 < constants < 40


@pytest.mark.parametrize("n_threads", THREADS)
def test_search_by_many_threads(n_threads: int) -> None:
    rng = np.random.default_rng(3)
    for kind in KINDS:
        task = histogram_of(rng, 200, 6, kind)
        task["histogram"][:, 150:] = task["histogram"][:, :50]  # of equals the first wins
        task["n_bins"][150:] = task["n_bins"][:50]
        alone, several = (search(**task, n_threads=k) for k in (1, n_threads))
        assert alone.feature < 150
        assert alone.value.hex() == several.value.hex()
        names = ("feature", "bin", "polarity", "missing_left", "quanta")
        assert [getattr(alone, k) for k in names] == [getattr(several, k) for k in names]


@pytest.mark.parametrize("seed", range(6))
def test_categories_are_the_best_of_all_partitions(seed: int) -> None:
    """For any step, categories are separated by their share of positives."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        task = histogram_of(rng, 1, 7, "noise") | {"categorical": np.ones(1, dtype=np.uint8)}
        task["histogram"][:, :, 255] = 0
        histogram, n = task["histogram"][:, 0], int(task["n_bins"][0])
        unit = np.array([task["unit_positive"], task["unit_negative"]])
        unit = unit / (unit @ histogram.sum(axis=1))
        total = unit * histogram.sum(axis=1)
        sets = np.array(list(product([False, True], repeat=n)))
        left = unit[:, None] * (histogram[:, :n] @ sets.T)
        wrong = np.stack([left[0], total[1] - left[1]])
        cost = np.array([task["cost_positive"], task["cost_negative"]])
        least = least_losses(total, wrong, cost).min()
        assert search(**task, n_threads=1).value == pytest.approx(least, rel=0, abs=TIE)


def test_equal_costs_are_the_error() -> None:
    """exp(-alpha y h) at its best step is 2 sqrt(error (1 - error)): the vote of least error."""
    rng, compared = np.random.default_rng(5), 0
    for _ in range(40):
        task = histogram_of(rng, 3, 20, "noise") | {"cost_positive": 2.0, "cost_negative": 2.0}
        joint = search(**task, n_threads=1)
        vote = search(**(task | {"criterion": reference.VOTE}), n_threads=1)
        if vote.value > 1e-3:  # or LEAST_WRONG of a class would be seen
            expected = 2 * math.sqrt(vote.value * (1 - vote.value))
            assert joint.value == pytest.approx(expected, rel=1e-6)
            compared += 1
    assert compared > 20


def test_a_perfect_vote_has_a_finite_step() -> None:
    """Without errors, LEAST_WRONG of both classes is assumed to be wrong."""
    histogram = np.zeros((2, 1, 256), dtype=np.int64)
    histogram[0, 0, 1], histogram[1, 0, 0] = 30, 50
    split = search(
        histogram, 1.0, 1.0, np.array([2], dtype=np.int32), np.zeros(1, dtype=np.uint8),
        None, 1, reference.JOINT, 0.0, True, 1, 1.0, 1.0,
    )  # fmt: skip
    assert (split.feature, split.bin, split.polarity) == (0, 0, 1)
    assert split.value == pytest.approx(2 * math.sqrt(1e-10 * (1 - 1e-10)), rel=1e-12)


def test_a_vote_that_never_pays_has_the_loss_of_none() -> None:
    histogram = np.zeros((2, 1, 256), dtype=np.int64)
    histogram[:, 0, :2] = [[5, 5], [5, 5]]
    split = search(
        histogram, 1.0, 1.0, np.array([2], dtype=np.int32), np.zeros(1, dtype=np.uint8),
        None, 1, reference.JOINT, 0.0, True, 1, 1.0, 1.0,
    )  # fmt: skip
    assert split.value == 1.0
    assert (split.feature, split.bin, split.polarity) == (0, 0, 1)
