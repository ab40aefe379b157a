"""Outcomes by sorting against outcomes by counting, and the goals set for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import precision_score, recall_score

from costboost.decisions.goals import TARGETS, Goal, HeldOut, fold_values, interval
from costboost.metrics import mean_cost


@st.composite
def scored(draw: Any) -> tuple[HeldOut, np.ndarray]:
    """Few rows, many ties: both classes, weights, costs of rows."""
    n = draw(st.integers(2, 25))
    positive = draw(hnp.arrays(bool, n))
    assume(0 < positive.sum() < n)
    amounts = st.sampled_from([0.5, 1.0, 2.0, 7.0])
    weight, cost = (draw(hnp.arrays(float, n, elements=amounts)) for _ in range(2))
    scores = st.sampled_from([0.0, 5e-324, 0.1, 0.25, np.nextafter(0.25, 1), 0.5, 1.0])
    score = draw(hnp.arrays(float, n, elements=scores))
    fold = draw(hnp.arrays(np.intp, n, elements=st.integers(0, 2)))
    return HeldOut(positive, weight, cost, fold), score


# ---- outcomes ------------------------------------------------------------------------------------


@given(scored())
def test_every_threshold_is_there_once(rows: tuple[HeldOut, np.ndarray]) -> None:
    held, score = rows
    thresholds, _ = held.thresholded(score)
    assert thresholds[0] == -np.inf
    assert thresholds[-1] == np.inf
    answers = {tuple(score > t) for t in thresholds}
    assert len(answers) == len(thresholds) == len(np.unique(score)) + 1
    assert np.all(np.diff(thresholds) > 0)


@given(scored())
def test_thresholds_agree_with_counting(rows: tuple[HeldOut, np.ndarray]) -> None:
    held, score = rows
    thresholds, found = held.thresholded(score)
    counted = held.decided(score[None] > thresholds[:, None])
    for name in ("hits", "alarms", "positives", "negatives", "cost", "squares"):
        assert_allclose(getattr(found, name), getattr(counted, name), atol=1e-12)
    assert_array_equal(np.flatnonzero(found.blind), [0, len(thresholds) - 1])


@given(scored())
def test_measures_are_those_of_scikit_learn(rows: tuple[HeldOut, np.ndarray]) -> None:
    held, score = rows
    called = score > 0.25
    found = held.decided(called[None])
    y, weight = held.positive, held.weight
    assert_allclose(found.recall, recall_score(y, called, sample_weight=weight))
    assert_allclose(found.fpr, recall_score(~y, called, sample_weight=weight))
    if called.any():
        assert_allclose(found.precision, precision_score(y, called, sample_weight=weight))
    else:
        assert np.isnan(found.precision)
    cost = mean_cost(y, called, fn_cost=held.cost, fp_cost=held.cost, sample_weight=weight)
    assert_allclose(found.mean_cost, cost)


@given(scored(), st.floats(0.1, 50), st.floats(0.1, 50))
def test_other_costs_are_the_costs_counted_anew(
    rows: tuple[HeldOut, np.ndarray], fn_cost: float, fp_cost: float
) -> None:
    held, score = rows
    other = replace(held, cost=np.where(held.positive, fn_cost, fp_cost))
    changed = held.thresholded(score)[1].under(fn_cost, fp_cost)
    anew = other.thresholded(score)[1]
    assert_allclose(changed.cost, anew.cost, atol=1e-9)
    assert_allclose(changed.squares, anew.squares, atol=1e-9)


# ---- goals ---------------------------------------------------------------------------------------


@st.composite
def goals(draw: Any, margin: Any) -> Goal:
    target = draw(st.sampled_from(sorted(TARGETS)))
    side = st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 0.9, 1.0])
    least, most = (draw(st.none() | side) for _ in range(2))
    assume(least is not None or most is not None)
    assume(least is None or most is None or least <= most)
    return Goal(target, least, most, draw(margin))


@given(scored(), goals(st.just(0.0)))
def test_the_cheapest_that_meets_the_goal(rows: tuple[HeldOut, np.ndarray], goal: Goal) -> None:
    """By trying all thresholds one after the other."""
    held, score = rows
    thresholds, outcomes = held.thresholded(score)
    meeting = []
    for k, t in enumerate(thresholds):
        value = float(goal.target.value(held.decided((score > t)[None]))[0])
        low = goal.at_least is None or value >= goal.at_least - 1e-12
        high = goal.at_most is None or value <= goal.at_most + 1e-12
        if not np.isnan(value) and low and high:
            wrong = (score > t) != held.positive
            meeting.append((float(held.weight @ (wrong * held.cost)), k))
    chosen = goal.cheapest(outcomes)
    if not meeting:
        assert chosen is None
    else:
        assert chosen in {k for _, k in meeting}
        assert outcomes.cost[chosen] == pytest.approx(min(meeting)[0], abs=1e-12)


@given(scored(), goals(st.just(0.0)))
def test_the_closest_is_the_best_value(rows: tuple[HeldOut, np.ndarray], goal: Goal) -> None:
    held, score = rows
    outcomes = held.thresholded(score)[1]
    if goal.cheapest(outcomes) is not None:
        return
    k = goal.closest(outcomes)
    values = goal.target.value(outcomes)
    assert k is not None
    if goal.at_most is None:
        assert values[k] == np.nanmax(values)
    elif goal.at_least is None:
        assert values[k] == np.nanmin(values)


@settings(max_examples=50)
@given(scored(), goals(st.floats(0.1, 4)))
def test_a_margin_requires_more(rows: tuple[HeldOut, np.ndarray], goal: Goal) -> None:
    held, score = rows
    outcomes = held.thresholded(score)[1]
    value = goal.target.value(outcomes)
    low, high = goal.target.bounds(outcomes, goal.margin)
    known = ~np.isnan(value)
    assert np.all(low[known] <= value[known] + 1e-12)
    assert np.all(high[known] >= value[known] - 1e-12)
    without = replace(goal, margin=0.0)
    assert np.all(without.shortfall(outcomes) <= goal.shortfall(outcomes) + 1e-12)


def test_wilson_bounds() -> None:
    """9 of 10, at 1.96 standard errors: the textbook's interval."""
    positive = np.arange(20) < 10
    held = HeldOut(positive, np.ones(20), np.ones(20), np.zeros(20, dtype=np.intp))
    called = positive.copy()
    called[0] = False
    low, high = TARGETS["recall"].bounds(held.decided(called[None]), 1.96)
    assert_allclose([low[0], high[0]], [0.5958, 0.9821], atol=1e-4)


def test_answers_that_do_not_look_at_the_row_are_certain() -> None:
    held = HeldOut(np.array([True, False]), np.ones(2), np.ones(2), np.zeros(2, dtype=np.intp))
    outcomes = held.thresholded(np.array([0.7, 0.3]))[1]
    low, _ = TARGETS["recall"].bounds(outcomes, 3.0)
    assert low[0] == 1.0
    assert low[1] < 0.5


# ---- folds ---------------------------------------------------------------------------------------


def test_fold_values_and_their_interval() -> None:
    positive = np.array([True, True, True, True, False, False, False])
    called = np.array([True, False, True, True, True, False, False])
    fold = np.array([0, 0, 1, 1, 1, 2, 2])
    held = HeldOut(positive, np.ones(7), np.ones(7), fold)
    values = fold_values(held, called, TARGETS["recall"])
    assert_array_equal(values, [0.5, 1.0, np.nan])
    half = 12.7062 * np.std([0.5, 1.0], ddof=1) / np.sqrt(2)  # Student's t for 1 degree of freedom
    assert_allclose(interval(0.75, values, 100.0), [max(0, 0.75 - half), 0.75 + half], rtol=1e-5)
    assert interval(0.75, values, 1.0)[1] == 1.0
    assert np.isnan(interval(0.75, values[:1], 1.0)).all()
