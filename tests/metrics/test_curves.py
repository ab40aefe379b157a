"""Curves of cost against skew: their area, their order, and their values point by point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import brier_score_loss

from costboost.metrics import (
    area_under_brier_curve,
    brier_curve,
    cost_curve,
    normalized_cost,
)

EITHER = pytest.mark.parametrize("curve", [brier_curve, cost_curve])
probability = st.floats(0, 1) | st.sampled_from([0.0, 0.25, 0.5, 1.0])
weight = st.integers(1, 4) | st.floats(1e-3, 1e3)


@st.composite
def scored(draw: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels of both classes, probabilities with ties, and weights."""
    rows = draw(st.lists(st.tuples(st.integers(0, 1), probability, weight), max_size=40))
    rows += [(0, draw(probability), draw(weight)), (1, draw(probability), draw(weight))]
    y, p, w = zip(*rows, strict=True)
    return np.array(y), np.array(p), np.array(w, dtype=float)


def at(curve: tuple[np.ndarray, np.ndarray], z: float) -> float:
    """Value of a curve at z; where it jumps, that of the right."""
    x, q = curve
    right = int(np.searchsorted(x, z, side="right"))
    if right == len(x):
        return float(q[-1])
    share = (z - x[right - 1]) / (x[right] - x[right - 1])
    return float(q[right - 1] + share * (q[right] - q[right - 1]))


def balanced(y: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Weights with which either class weighs one half."""
    sums = np.array([w[y == 0].sum(), w[y == 1].sum()])
    return w / (2 * sums[y])


# ---- what must hold ------------------------------------------------------------------------------


@settings(deadline=None, derandomize=True)
@given(scored())
def test_area_is_the_brier_score_at_balanced_priors(rows: Any) -> None:
    y, p, w = rows
    expected = brier_score_loss(y, p, sample_weight=balanced(y, w))
    assert abs(area_under_brier_curve(y, p, sample_weight=w) - expected) <= 1e-12
    plain = brier_score_loss(y, p, sample_weight=balanced(y, np.ones(len(y))))
    assert abs(area_under_brier_curve(y, p) - plain) <= 1e-12


def test_area_of_a_million_scores() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(10**6)
    y = (rng.random(10**6) < p).astype(int)
    expected = ((1 - p[y == 1]) ** 2).mean() / 2 + (p[y == 0] ** 2).mean() / 2
    assert abs(area_under_brier_curve(y, p) - expected) <= 1e-12


@settings(deadline=None, derandomize=True)
@given(scored(), probability)
def test_brier_curve_is_the_cost_at_that_threshold(rows: Any, z: float) -> None:
    y, p, w = rows
    expected = normalized_cost(y, (p > z).astype(int), skew=z, sample_weight=w)
    assert_allclose(at(brier_curve(y, p, sample_weight=w), z), expected, atol=1e-9)
    for own in p:  # on the jumps, where interpolation would hide a wrong side
        there = normalized_cost(y, (p > own).astype(int), skew=own, sample_weight=w)
        assert_allclose(at(brier_curve(y, p, sample_weight=w), own), there, atol=1e-12)


@settings(deadline=None, derandomize=True)
@given(scored(), probability)
def test_cost_curve_is_the_least_over_thresholds(rows: Any, z: float) -> None:
    y, p, w = rows
    least = min(
        normalized_cost(y, (p > threshold).astype(int), skew=z, sample_weight=w)
        for threshold in np.append(p, -1)
    )
    assert_allclose(at(cost_curve(y, p, sample_weight=w), z), least, atol=1e-9)


@settings(deadline=None, derandomize=True)
@given(scored())
def test_cost_curve_is_never_above_the_brier_curve(rows: Any) -> None:
    y, p, w = rows
    z, q = brier_curve(y, p, sample_weight=w)
    x, least = cost_curve(y, p, sample_weight=w)
    assert np.all(np.interp(z, x, least) <= q + 1e-12)


@EITHER
@settings(deadline=None, derandomize=True)
@given(rows=scored())
def test_from_zero_to_one_and_never_back(curve: Any, rows: Any) -> None:
    y, p, w = rows
    z, q = curve(y, p, sample_weight=w)
    assert (z[0], z[-1], q[-1]) == (0, 1, 0)
    assert np.all(np.diff(z) >= 0)
    assert np.all((q >= 0) & (q <= 1))


@settings(deadline=None, derandomize=True)
@given(scored(), arrays(np.int64, 60, elements=st.integers(1, 3)))
def test_a_weight_of_two_is_a_row_twice(rows: Any, counts: np.ndarray) -> None:
    y, p, _ = rows
    counts = counts[: len(y)]
    for curve in (brier_curve, cost_curve):
        weighted = curve(y, p, sample_weight=counts)
        repeated = curve(np.repeat(y, counts), np.repeat(p, counts))
        assert_allclose(weighted, repeated, atol=1e-12)


@settings(deadline=None, derandomize=True)
@given(scored())
def test_cost_curve_is_a_concave_function_of_the_order(rows: Any) -> None:
    y, p, w = rows
    z, q = cost_curve(y, p, sample_weight=w)
    assert np.all(np.diff(z) > 0)
    slopes = np.diff(q) / np.diff(z)
    assert np.all(np.diff(slopes) <= 1e-6)
    ranks = np.unique(p, return_inverse=True)[1]
    assert_array_equal(cost_curve(y, 8 * ranks - 3, sample_weight=w), (z, q))


# ---- by hand -------------------------------------------------------------------------------------


def test_the_trivial_classifiers_are_the_diagonals() -> None:
    for said, expected in ((0.0, [1, 0]), (1.0, [0, 1])):
        z, q = brier_curve([0, 1, 1], [said] * 3)
        inner = z < 1
        assert_array_equal(z[inner][[0]], [0])
        assert at((z, q), 0.25) == pytest.approx(np.interp(0.25, [0, 1], expected))
        assert q[-1] == 0


def test_perfect_scores_cost_nothing() -> None:
    for curve in (brier_curve, cost_curve):
        z, q = curve([0, 0, 1], [0, 0, 1])
        assert_array_equal(np.unique(z), [0, 1])
        assert not q.any()


def test_reversed_scores_cost_as_much_as_no_scores() -> None:
    z, q = cost_curve([0, 1], [0.9, 0.1])
    assert_array_equal(z, [0, 0.5, 1])
    assert_array_equal(q, [0, 0.5, 0])


def test_pos_label_names_the_class_that_scores_speak_for() -> None:
    names = np.array(["good", "bad"])[[0, 1, 1, 0]]
    z, q = brier_curve(names, [0.1, 0.8, 0.6, 0.7], pos_label="bad")
    assert_array_equal((z, q), brier_curve([0, 1, 1, 0], [0.1, 0.8, 0.6, 0.7]))


def test_rows_of_weight_zero_take_no_part() -> None:
    z, q = brier_curve([0, 1, 1], [0.2, 0.8, 0.1], sample_weight=[1, 1, 0])
    assert_array_equal((z, q), brier_curve([0, 1], [0.2, 0.8]))


# ---- bad input -----------------------------------------------------------------------------------


@EITHER
def test_bad_input(curve: Any) -> None:
    with pytest.raises(ValueError, match="every row that counts is positive"):
        curve([1, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match="every row that counts is negative"):
        curve([0, 1], [0.1, 0.2], sample_weight=[1, 0])
    with pytest.raises(ValueError, match="must be finite, got nan in row 1"):
        curve([0, 1], [0.1, np.nan])
    with pytest.raises(ValueError, match=r"shape \(2, 2\); of the two columns"):
        curve([0, 1], [[0.1, 0.9], [0.2, 0.8]])
    with pytest.raises(ValueError, match=r"y_true has 2 rows, but y_.* has 3"):
        curve([0, 1], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="y_true has 3 classes, 0, 1, 2; this measure is for two"):
        curve([0, 1, 2], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="pos_label is 7, but the classes are 0, 1"):
        curve([0, 1], [0.1, 0.2], pos_label=7)
    with pytest.raises(ValueError, match="sample_weight must be finite and not negative"):
        curve([0, 1], [0.1, 0.2], sample_weight=[1, -1])


def test_scores_are_not_probabilities() -> None:
    with pytest.raises(ValueError, match=r"from 0 to 1, got 1.5; calibrate"):
        brier_curve([0, 1], [0.1, 1.5])
    z, _ = cost_curve([0, 1], [-3, 1.5])
    assert_array_equal(z, [0, 1])
