"""Curves of cost against skew and cost proportion: area, order, values point by point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import brier_score_loss

from costboost.metrics import (
    area_under_brier_curve,
    brier_curve,
    brier_decomposition,
    cost_curve,
    mean_cost,
    normalized_cost,
)

EITHER = pytest.mark.parametrize("curve", [brier_curve, cost_curve])
FORM = pytest.mark.parametrize("by", ["skew", "cost"])
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


def moved(p: np.ndarray, of: float, to: float) -> np.ndarray:
    """Probabilities that belong to a share of positives, by Bayes' theorem at another."""
    positive, negative = p * to / of, (1 - p) * (1 - to) / (1 - of)
    return positive / (positive + negative)


def share(y: np.ndarray, w: np.ndarray) -> float:
    return float(w[y == 1].sum() / w.sum())


def cost_at(y: np.ndarray, y_pred: np.ndarray, by: str, x: float, w: np.ndarray) -> float:
    """What decisions cost at a point of a curve, by the measures of costs."""
    y_pred = y_pred.astype(int)
    if by == "skew":
        return normalized_cost(y, y_pred, skew=x, sample_weight=w)
    return mean_cost(y, y_pred, fn_cost=2 * (1 - x), fp_cost=2 * x, sample_weight=w)


# ---- what must hold ------------------------------------------------------------------------------


@settings(deadline=None, derandomize=True)
@given(scored())
def test_area_by_cost_is_the_brier_score(rows: Any) -> None:
    y, p, w = rows
    area = area_under_brier_curve(y, p, by="cost", sample_weight=w)
    assert abs(area - brier_score_loss(y, p, sample_weight=w)) <= 1e-12
    assert abs(area_under_brier_curve(y, p, by="cost") - brier_score_loss(y, p)) <= 1e-12


@settings(deadline=None, derandomize=True)
@given(scored(), st.none() | st.floats(0.01, 0.99))
def test_area_by_skew_is_the_brier_score_at_balanced_priors(rows: Any, prior: Any) -> None:
    y, p, w = rows
    there = moved(p, share(y, w) if prior is None else prior, 0.5)
    expected = brier_score_loss(y, there, sample_weight=balanced(y, w))
    area = area_under_brier_curve(y, p, by="skew", prior=prior, sample_weight=w)
    assert abs(area - expected) <= 1e-12
    assert area_under_brier_curve(y, p, prior=prior, sample_weight=w) == area


@FORM
@settings(deadline=None, derandomize=True)
@given(rows=scored())
def test_the_gap_is_the_calibration_part_of_the_brier_score(by: str, rows: Any) -> None:
    y, p, w = rows
    area = area_under_brier_curve(y, p, by=by, sample_weight=w)
    x, q = cost_curve(y, p, by=by, sample_weight=w)
    gap = area - np.sum(np.diff(x) * (q[1:] + q[:-1])) / 2
    if by == "skew":
        p, w = moved(p, share(y, w), 0.5), balanced(y, w)
    assert gap == pytest.approx(brier_decomposition(y, p, sample_weight=w).calibration, abs=1e-9)


def test_area_of_a_million_scores() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(10**6)
    y = (rng.random(10**6) < p).astype(int)
    assert abs(area_under_brier_curve(y, p, by="cost") - ((p - y) ** 2).mean()) <= 1e-12


cost_ratio = st.floats(1 / 200, 200)


@settings(deadline=None, derandomize=True)
@given(scored(), cost_ratio)
def test_at_costs_the_curve_is_the_cost_of_the_decisions_by_them(rows: Any, fn: float) -> None:
    """Deciding by p > fp / (fn + fp): both forms report what these decisions cost."""
    y, p, w = rows
    c = 1 / (1 + fn)
    # A probability at the threshold up to rounding may be on either side of it.
    p = np.where(np.abs(p - c) < 1e-9, 0.0, p)
    y_pred = (p > c).astype(int)
    negative = 1 - share(y, w)
    z = negative / (negative + fn * (1 - negative))
    q = normalized_cost(y, y_pred, fn_cost=fn, sample_weight=w)
    assert at(brier_curve(y, p, sample_weight=w), z) == pytest.approx(q, abs=1e-9)
    cost = 2 * mean_cost(y, y_pred, fn_cost=fn, sample_weight=w) / (fn + 1)
    assert at(brier_curve(y, p, by="cost", sample_weight=w), c) == pytest.approx(cost, abs=1e-9)


def test_true_probabilities_of_rare_positives_are_nearly_the_best() -> None:
    """One row in ten is positive, a miss costs 10: what is drawn is what the decisions cost."""
    rng = np.random.default_rng(0)
    p = 1 / (1 + np.exp(3.0 - 1.5 * rng.normal(size=100_000)))
    y = (rng.random(p.size) < p).astype(int)
    options = {"fn_cost": 10, "fp_cost": 1}
    z = (y == 0).mean() / ((y == 0).mean() + 10 * y.mean())
    cost = normalized_cost(y, (p > 1 / 11).astype(int), **options)
    assert at(brier_curve(y, p), z) == pytest.approx(cost, abs=1e-12)
    x, least = cost_curve(y, p)
    assert cost - np.interp(z, x, least) < 0.002
    z, q = brier_curve(y, p)
    assert np.all(q <= np.minimum(z, 1 - z) + 0.005)  # no worse than predicting one class


@settings(deadline=None, derandomize=True)
@given(scored(), probability)
def test_brier_curve_is_the_cost_of_its_decisions(rows: Any, x: float) -> None:
    y, p, w = rows
    assume(np.all(np.abs(p - x) > 1e-9) or x in (0, 1))
    expected = cost_at(y, p > x, "cost", x, w)
    assert at(brier_curve(y, p, by="cost", sample_weight=w), x) == pytest.approx(expected, abs=1e-9)
    for own in p:  # on the jumps, where interpolation would hide a wrong side
        there = cost_at(y, p > own, "cost", own, w)
        found = at(brier_curve(y, p, by="cost", sample_weight=w), own)
        assert found == pytest.approx(there, abs=1e-12)
        plain = at(brier_curve(y, p, prior=0.5, sample_weight=w), own)
        assert plain == pytest.approx(cost_at(y, p > own, "skew", own, w), abs=1e-12)


@FORM
@settings(deadline=None, derandomize=True)
@given(rows=scored(), x=probability)
def test_cost_curve_is_the_least_over_thresholds(by: str, rows: Any, x: float) -> None:
    y, p, w = rows
    least = min(cost_at(y, p > threshold, by, x, w) for threshold in np.append(p, -1))
    assert_allclose(at(cost_curve(y, p, by=by, sample_weight=w), x), least, atol=1e-9)


@FORM
@settings(deadline=None, derandomize=True)
@given(rows=scored(), prior=st.none() | st.floats(0.01, 0.99))
def test_cost_curve_is_never_above_the_brier_curve(by: str, rows: Any, prior: Any) -> None:
    y, p, w = rows
    x, q = brier_curve(y, p, by=by, prior=prior, sample_weight=w)
    points, least = cost_curve(y, p, by=by, sample_weight=w)
    assert np.all(np.interp(x, points, least) <= q + 1e-12)


@settings(deadline=None, derandomize=True)
@given(scored(), st.floats(0.01, 0.99))
def test_a_prior_moves_probabilities_to_the_rows(rows: Any, prior: float) -> None:
    y, p, w = rows
    there = moved(p, prior, share(y, w))
    area = area_under_brier_curve(y, p, by="cost", prior=prior, sample_weight=w)
    assert area == pytest.approx(brier_score_loss(y, there, sample_weight=w), abs=1e-9)


def test_both_forms_agree_for_balanced_classes() -> None:
    y, p = [0, 1, 1, 0], [0.1, 0.8, 0.6, 0.7]
    assert_array_equal(brier_curve(y, p, by="cost"), brier_curve(y, p, by="skew"))
    assert_array_equal(cost_curve(y, p, by="cost"), cost_curve(y, p, by="skew"))


# ---- costs of rows -------------------------------------------------------------------------------


@st.composite
def priced(draw: Any) -> tuple[np.ndarray, ...]:
    """Rows with costs of their own, some of them 0."""
    y, p, w = draw(scored())
    costs = draw(arrays(np.float64, (2, len(y)), elements=st.floats(0.01, 100) | st.just(0.0)))
    costs[:, -2:] += 0.5  # the last two are of either class
    return (y, p, w, *costs)


@settings(deadline=None, derandomize=True)
@given(priced(), st.floats(0.1, 10))
def test_with_costs_of_rows_it_is_the_cost_of_their_own_decisions(rows: Any, factor: float) -> None:
    """At the costs given and with one of them multiplied by any factor."""
    y, p, w, fn, fp = rows
    given_costs = {"fn_cost": fn, "fp_cost": fp}
    there = {"fn_cost": factor * fn, "fp_cost": fp}
    gain, loss = p * factor * fn, (1 - p) * fp
    assume(np.all((np.abs(gain - loss) > 1e-6 * (gain + loss)) | (gain * loss == 0)))
    y_pred = (gain > loss).astype(int)
    mean_fn, mean_fp = (np.average(c[y == k], weights=w[y == k]) for k, c in ((1, fn), (0, fp)))
    mean_fn *= factor
    part = share(y, w)
    z = (1 - part) * mean_fp / ((1 - part) * mean_fp + part * mean_fn)
    q = normalized_cost(y, y_pred, **there, sample_weight=w)
    assert at(brier_curve(y, p, **given_costs, sample_weight=w), z) == pytest.approx(q, abs=1e-6)
    cost = 2 * mean_cost(y, y_pred, **there, sample_weight=w) / (mean_fn + mean_fp)
    by_cost = brier_curve(y, p, by="cost", **given_costs, sample_weight=w)
    assert at(by_cost, mean_fp / (mean_fn + mean_fp)) == pytest.approx(cost, abs=1e-6)


@FORM
@settings(deadline=None, derandomize=True)
@given(rows=priced())
def test_the_envelope_is_below_with_costs_of_rows(by: str, rows: Any) -> None:
    y, p, w, fn, fp = rows
    options = {"by": by, "fn_cost": fn, "fp_cost": fp, "sample_weight": w}
    x, q = brier_curve(y, p, **options)
    points, least = cost_curve(y, p, **options)
    assert np.all(np.interp(x, points, least) <= q + 1e-12)


def test_rounding_of_costs_does_not_break_ties_above_the_envelope() -> None:
    y = np.append(np.zeros(31, dtype=int), 1)
    p, w, cost = np.zeros(32), np.ones(32), np.full(32, 0.25)
    p[[29, 31]], w[27:29], cost[30:] = 0.5, (2, 56), 0.75
    options = {"fn_cost": cost, "fp_cost": cost, "sample_weight": w}
    x, q = brier_curve(y, p, **options)
    points, least = cost_curve(y, p, **options)
    assert np.all(np.interp(x, points, least) <= q + 1e-12)


def test_costs_of_classes_change_nothing() -> None:
    y, p = [0, 1, 1, 0, 0], [0.1, 0.8, 0.6, 0.7, 0.2]
    for curve in (brier_curve, cost_curve):
        plain = curve(y, p)
        assert_array_equal(plain, curve(y, p, fn_cost=7, fp_cost=0.5))
        assert_allclose(plain, curve(y, p, fn_cost=[7.0] * 5, fp_cost=2), atol=1e-12)


# ---- both curves ---------------------------------------------------------------------------------


@EITHER
@FORM
@settings(deadline=None, derandomize=True)
@given(rows=scored())
def test_from_zero_to_one_and_never_back(curve: Any, by: str, rows: Any) -> None:
    y, p, w = rows
    z, q = curve(y, p, by=by, sample_weight=w)
    assert (z[0], z[-1], q[-1]) == (0, 1, 0)
    assert np.all(np.diff(z) >= 0)
    assert np.all((q >= 0) & (q <= (1 if by == "skew" else 2)))


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
    for p, expected in ((0.0, [1, 0]), (1.0, [0, 1])):
        z, q = brier_curve([0, 1, 1], [p] * 3)
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
    with pytest.raises(ValueError, match="by must be 'skew' or 'cost', got 'costs'"):
        curve([0, 1], [0.1, 0.2], by="costs")
    with pytest.raises(ValueError, match="fn_cost must be one number or one for each of the 2"):
        curve([0, 1], [0.1, 0.2], fn_cost=[1, 2, 3])
    with pytest.raises(ValueError, match="fn_cost is zero for every row of its class"):
        curve([0, 1], [0.1, 0.2], fn_cost=[1, 0])


@pytest.mark.parametrize("prior", [0, 1, 1.5, np.nan, [0.5]])
def test_bad_priors(prior: Any) -> None:
    with pytest.raises(ValueError, match="prior must be a number between 0 and 1"):
        brier_curve([0, 1], [0.1, 0.2], prior=prior)


def test_scores_are_not_probabilities() -> None:
    with pytest.raises(ValueError, match=r"from 0 to 1, got 1.5; calibrate"):
        brier_curve([0, 1], [0.1, 1.5])
    z, _ = cost_curve([0, 1], [-3, 1.5])
    assert_array_equal(z, [0, 1])
    with pytest.raises(ValueError, match=r"with costs of rows, must be probabilities .* got -3"):
        cost_curve([0, 1], [-3, 1.5], fn_cost=[1, 2])
