"""Guarantees: goals hold on populations whose rates are known exactly, as often as promised."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from decisions.setting import MEC, X, Y
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit

from costboost import OperatingPointClassifier as OperatingPoint
from costboost import load, save
from costboost.decisions.goals import Goal, HeldOut
from costboost.decisions.operating import (
    betting_pvalues,
    first_passes,
    guarantee_cost,
    guarantee_precision,
    guarantee_rate,
    precision_pvalues,
    rate_pvalues,
    rows_for_cost,
    rows_for_rate,
)

N_DRAWS = 2000
LEVEL = 0.05
MOST_MISSES = LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / N_DRAWS)
"""Share of draws that may miss the goal: the level and three standard errors."""
FN_COST, FP_COST = 3.0, 1.0


class Population(NamedTuple):
    """Distributions of the scores of the two classes."""

    positive: Any
    negative: Any
    share: float = 0.25

    def draw(self, rng: np.random.Generator, n: int) -> tuple[HeldOut, np.ndarray]:
        y = rng.random(n) < self.share
        both = (side.rvs(n, random_state=rng) for side in (self.positive, self.negative))
        cost = np.where(y, FN_COST, FP_COST)
        return HeldOut(y, np.ones(n), cost, np.zeros(n, dtype=np.intp)), np.where(y, *both)

    def value(self, target: str, threshold: Any) -> Any:
        recall, fpr = self.positive.sf(threshold), self.negative.sf(threshold)
        hits, alarms = self.share * recall, (1 - self.share) * fpr
        with np.errstate(invalid="ignore"):
            precision = hits / (hits + alarms)
        cost = FN_COST * (self.share - hits) + FP_COST * alarms
        return {"recall": recall, "fpr": fpr, "precision": precision, "cost": cost}[target]


POPULATIONS = {
    "normal": Population(stats.norm(1.8), stats.norm()),
    "skewed": Population(stats.expon(scale=6), stats.expon()),
    "tied": Population(stats.binom(12, 0.75), stats.binom(12, 0.35)),
}
OF_POPULATION = pytest.mark.parametrize("of", POPULATIONS)


def goal(target: str, guarantee: float = 1 - LEVEL, **sides: float) -> Goal:
    return Goal(target, sides.get("at_least"), sides.get("at_most"), 0.0, guarantee)


# ---- simulations ---------------------------------------------------------------------------------


@OF_POPULATION
@pytest.mark.parametrize("n_rows", [50, 500, 5000])
@pytest.mark.parametrize("target", ["recall", "fpr"])
def test_a_guaranteed_rate_is_missed_as_seldom_as_promised(
    of: str, n_rows: int, target: str
) -> None:
    """At the extreme threshold that is allowed: all others are further on the safe side.

    The k-th lowest of n scores is the quantile at a variable with the beta(k, n - k + 1) law.
    """
    population, rng = POPULATIONS[of], np.random.default_rng(n_rows)
    side = population.positive if target == "recall" else population.negative
    most = first_passes(rate_pvalues(np.arange(n_rows), n_rows, 0.1), LEVEL) - 1
    assert most >= 0
    if target == "recall":  # at most so many positive rows are at or below the threshold
        score = side.ppf(rng.beta(most + 1, n_rows - most, N_DRAWS))
        missed = population.value(target, np.nextafter(score, -np.inf)) < 0.9
    else:  # at most so many negative rows are above it
        score = side.ppf(rng.beta(n_rows - most, most + 1, N_DRAWS))
        missed = population.value(target, score) > 0.1
    assert missed.mean() <= MOST_MISSES
    if of != "tied":
        exact = float(rate_pvalues(most, n_rows, 0.1))
        assert missed.mean() == pytest.approx(exact, abs=4 * np.sqrt(exact / N_DRAWS))


@OF_POPULATION
@pytest.mark.parametrize("n_positives", [50, 500, 5000])
def test_a_fixed_sequence_of_precisions_is_as_safe_as_promised(of: str, n_positives: int) -> None:
    """From counts between the thresholds of a grid, which are multinomial."""
    population, rng = POPULATIONS[of], np.random.default_rng(n_positives)
    grid = np.unique(population.positive.ppf(np.linspace(0.05, 0.9, 40)))[::-1]
    grid = grid[population.value("precision", grid) > 0.4]
    bins = [side.sf(grid) for side in (population.positive, population.negative)]
    joint = np.concatenate(
        [np.diff(bins[0], prepend=0) * population.share,
         np.diff(bins[1], prepend=0) * (1 - population.share)]
    )  # fmt: skip
    n_rows = int(n_positives / population.share)
    counts = rng.multinomial(n_rows, np.append(joint, 1 - joint.sum()), size=N_DRAWS)
    hits = np.cumsum(counts[:, : grid.size], axis=1)
    alarms = np.cumsum(counts[:, grid.size : 2 * grid.size], axis=1)
    true = population.value("precision", grid)  # from high to low
    at_least, order = float(true[2 * grid.size // 3]), np.arange(grid.size // 3, grid.size)
    pvalues = precision_pvalues(hits, hits + alarms, at_least)[:, order]
    passed = np.array([first_passes(row, LEVEL) for row in pvalues])
    lowest = np.append(np.inf, np.minimum.accumulate(true[order]))[passed]
    assert np.mean(lowest < at_least) <= MOST_MISSES
    if n_positives == 5000:
        assert np.mean(passed > 0) > 0.8


@OF_POPULATION
@pytest.mark.parametrize("n_rows", [50, 600])
def test_betting_at_the_bound_seldom_wins(of: str, n_rows: int) -> None:
    """The mean loss is exactly the bound, the worst case of the hypothesis."""
    population, rng = POPULATIONS[of], np.random.default_rng(n_rows)
    threshold = float(population.positive.ppf(0.3))
    missed = population.share * float(population.positive.cdf(threshold))
    alarmed = (1 - population.share) * float(population.negative.sf(threshold))
    u = rng.random((N_DRAWS, n_rows))
    loss = np.where(u < missed, FN_COST, np.where(u < missed + alarmed, FP_COST, 0.0)) / FN_COST
    bound = float(population.value("cost", threshold)) / FN_COST
    assert np.mean(betting_pvalues(loss, bound, LEVEL) <= LEVEL) <= MOST_MISSES
    assert np.mean(betting_pvalues(loss[:200], 3 * bound, LEVEL) <= LEVEL) > 0.5


@OF_POPULATION
@pytest.mark.parametrize(
    ("guarantee", "target", "sides"),
    [
        (guarantee_rate, "recall", {"at_least": 0.8}),
        (guarantee_rate, "recall", {"at_least": 0.6, "at_most": 0.95}),
        (guarantee_precision, "precision", {"at_least": 0.6}),
        (guarantee_cost, "cost", {"at_most": 0.5}),
    ],
)
def test_the_threshold_that_is_taken_meets_the_goal(
    of: str, guarantee: Callable[..., Any], target: str, sides: dict[str, float]
) -> None:
    """From the rows to the choice of the cheapest threshold, with 50 positives on average."""
    population, wanted, n_draws = POPULATIONS[of], goal(target, **sides), 300
    rng = np.random.default_rng(0)
    every, scores = population.draw(rng, 200 * n_draws)
    chosen = []
    for k in range(n_draws):
        rows = slice(200 * k, 200 * (k + 1))
        with contextlib.suppress(ValueError):
            points = guarantee(wanted, every.take(rows), scores[rows], rng.permutation(200))
            chosen.append(points.at[points.choose(wanted)])
    value = population.value(target, np.array(chosen))
    least, most = wanted.range
    missed = np.sum((value < least) | (value > most)) / n_draws
    assert missed <= LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / n_draws)
    assert len(chosen) > n_draws / 10


# ---- bounds --------------------------------------------------------------------------------------


@given(st.integers(1, 300), st.floats(0.01, 0.99), st.data())
def test_binomial_tails(n: int, share: float, data: Any) -> None:
    k = data.draw(st.integers(0, n))
    assert_allclose(rate_pvalues(k, n, share), stats.binom.cdf(k, n, share), 1e-9, 1e-99)
    assert_allclose(precision_pvalues(k, n, share), stats.binom.sf(k - 1, n, share), 1e-9, 1e-99)


def test_tails_at_the_ends() -> None:
    assert_array_equal(rate_pvalues([0, 3, 5], 5, 1.0), [0, 0, 1])
    assert_array_equal(precision_pvalues([0, 0, 2], [0, 4, 4], 0.0), [0, 0, 0])
    assert_array_equal(precision_pvalues([0, 0], [0, 4], 0.5), [1, 1])
    assert_array_equal(rate_pvalues(0, 0, 0.5), 1)
    assert_array_equal(betting_pvalues(np.ones((2, 5)), 1.0, LEVEL), [0, 0])


@settings(max_examples=30)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.floats(0.01, 0.99))
def test_the_capital_of_a_gambler(losses: list[float], bound: float) -> None:
    """Row by row, with the bet made before the row is seen."""
    seen: list[float] = []
    capital = best = 1.0
    mean, squares, variance = 0.5, 0.25, 0.25
    for loss in losses:
        bet = min(np.sqrt(2 * np.log(1 / LEVEL) / (len(losses) * variance)), 0.75 / (1 - bound))
        capital *= 1 + bet * (bound - loss)
        best = max(best, capital)
        seen.append(loss)
        mean = (0.5 + sum(seen)) / (len(seen) + 1)
        squares += (loss - mean) ** 2
        variance = squares / (len(seen) + 1)
    assert betting_pvalues(np.array(losses), bound, LEVEL) == pytest.approx(1 / best, rel=1e-9)


@pytest.mark.parametrize(("share", "level"), [(0.05, 0.05), (0.01, 0.1), (0.5, 0.001), (1, 0.05)])
def test_the_fewest_rows(share: float, level: float) -> None:
    n = rows_for_rate(share, level)
    assert n is not None
    assert rate_pvalues(0, n, share) <= level
    assert n == 1 or rate_pvalues(0, n - 1, share) > level
    enough = rows_for_cost(share, level)
    assert enough is not None
    assert betting_pvalues(np.zeros(enough), share, level) <= level
    assert rows_for_rate(0, level) is rows_for_cost(0, level) is None


def test_a_sequence_ends_at_the_first_failure() -> None:
    assert first_passes(np.array([0.01, 0.05, 0.06, 0.0]), 0.05) == 2
    assert first_passes(np.array([0.01, np.nan]), 0.05) == 1
    assert first_passes(np.array([]), 0.05) == 0


def test_all_safer_thresholds_are_allowed_for_a_rate() -> None:
    held, score = POPULATIONS["tied"].draw(np.random.default_rng(0), 400)
    points = guarantee_rate(goal("recall", at_least=0.8), held, score, np.arange(400))
    n = int(held.positive.sum())
    misses = n - points.outcomes.hits
    assert_array_equal(points.allowed, stats.binom.cdf(misses, n, 0.2) <= LEVEL * (1 + 1e-9))
    assert_array_equal(np.flatnonzero(points.allowed), np.arange(points.allowed.sum()))


@settings(max_examples=20, deadline=None)
@given(st.floats(-5, 5), st.integers(0, 9))
def test_a_cost_that_every_row_has_changes_nothing(fixed: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    held, score = POPULATIONS["normal"].draw(rng, 300)
    order = rng.permutation(300)
    plain = guarantee_cost(goal("cost", at_most=0.6), held, score, order)
    moved = replace(held, right=np.full(300, fixed))
    points = guarantee_cost(goal("cost", at_most=0.6 + fixed), moved, score, order)
    assert_array_equal(points.allowed, plain.allowed)
    assert_allclose(points.outcomes.mean_cost, plain.outcomes.mean_cost + fixed)


def test_a_wider_span_of_costs_is_harder() -> None:
    held, score = POPULATIONS["normal"].draw(np.random.default_rng(0), 400)
    wanted, order = goal("cost", at_most=0.5), np.arange(400)
    near = guarantee_cost(wanted, held, score, order)
    assert near.allowed is not None
    with pytest.raises(ValueError, match=r"is not proven by|needs at least"):
        guarantee_cost(wanted, held, score, order, (0.0, 300.0))


# ---- the classifier ------------------------------------------------------------------------------


def test_the_classifier_is_not_trained_on_the_held_out_rows() -> None:
    ((train, held),) = ShuffleSplit(1, test_size=0.5, random_state=3).split(X)
    clf = OperatingPoint(MEC, at_least=0.8, guarantee=0.9, cv=[(train, held)]).fit(X, Y)
    alone = MEC.fit(X[train], Y[train])
    assert clf.estimator_.ensemble_ == alone.ensemble_
    called = alone.predict_proba(X[held])[:, 1] > clf.threshold_
    misses, n = np.sum(~called & (Y[held] == 1)), np.sum(Y[held] == 1)
    assert stats.binom.cdf(misses, n, 0.2) <= 0.1
    assert clf.achieved_ == clf.measures_["recall"] == 1 - misses / n
    assert clf.interval_ == (0.8, 1.0)
    assert_array_equal(clf.predict(X) == 1, alone.predict_proba(X)[:, 1] > clf.threshold_)


@pytest.mark.parametrize(
    "sides",
    [
        {"at_least": 0.8},
        {"target": "fpr", "at_most": 0.2},
        {"target": "precision", "at_least": 0.3},
        {"target": "cost", "at_most": 0.8, "fn_cost": 2.0},
        {"target": "cost", "at_most": -0.1, "fn_cost": 1.0, "tp_cost": -1.0, "tn_cost": -0.5},
    ],
    ids=str,
)
def test_a_share_is_held_out_and_all_is_saved(sides: dict[str, Any], tmp_path: Any) -> None:
    clf = OperatingPoint(MEC, guarantee=0.9, cv=0.5, random_state=0, **sides).fit(X, Y)
    again = OperatingPoint(MEC, guarantee=0.9, cv=0.5, random_state=0, **sides).fit(X, Y)
    assert clf.threshold_ == again.threshold_
    save(clf, tmp_path / "model.zip")
    loaded = load(tmp_path / "model.zip")
    assert loaded.guarantee == 0.9
    assert_array_equal(loaded.predict(X), clf.predict(X))
    if sides.get("target") == "cost":
        with pytest.raises(ValueError, match="guaranteed under the costs of fit alone"):
            loaded.predict(X, fn_cost=9)
    else:
        assert_array_equal(loaded.predict(X, fn_cost=9), clf.predict(X, fn_cost=9))


def test_a_guarantee_costs_something() -> None:
    plain, sure = (
        OperatingPoint(LogisticRegression(), at_least=0.8, cv=cv, guarantee=guarantee)
        for cv, guarantee in (([(np.arange(300), np.arange(300, 600))], None), (None, 0.95))
    )
    plain.fit(X, Y)
    sure.set_params(cv=plain.cv).fit(X, Y)
    assert sure.threshold_ < plain.threshold_
    assert sure.cost_ > plain.cost_


def test_a_fitted_classifier_has_all_rows_held_out() -> None:
    model = LogisticRegression().fit(X[:200], Y[:200])
    clf = OperatingPoint(FrozenEstimator(model), at_least=0.8, guarantee=0.95)
    clf.fit(X[200:], Y[200:])
    p = model.predict_proba(X[200:])[:, 1]
    assert clf.achieved_ == np.mean(p[Y[200:] == 1] > clf.threshold_)
    assert clf._points.outcomes.positives == Y[200:].sum()


def test_other_costs_choose_among_the_points_that_are_guaranteed() -> None:
    clf = OperatingPoint(LogisticRegression(), at_least=0.8, guarantee=0.9, random_state=0)
    clf.fit(X, Y)
    found = np.flatnonzero(clf._points.allowed)
    least = clf.cv_results_["threshold"][found].max()
    score = clf.predict_proba(X)[:, 1]
    assert_array_equal(clf.predict(X, fn_cost=1e-9), score > least)


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"guarantee": 0}, "guarantee must be a confidence between 0 and 1, such as 0.95, got 0"),
        ({"guarantee": 95}, "guarantee must be a confidence between 0 and 1"),
        ({"guarantee": "high"}, "guarantee must be a confidence between 0 and 1"),
        ({"margin": 1}, "margin=1 and guarantee=0.95 are two ways"),
        ({"cv": 5}, "cv=5 makes folds, .* pass a share of the rows to be held out, such as cv=0.3"),
        ({"cv": ShuffleSplit(2)}, "makes folds"),
        ({"cv": 1.5}, "cv must be a share of the rows between 0 and 1, got 1.5"),
        ({"cv": 0.001}, "cv holds out rows of one class only"),
        ({"method": "refit"}, "a guarantee is for a threshold"),
        (
            {"target": "precision", "at_least": 0.5, "at_most": 0.9},
            "a guarantee for a precision is for at_least alone",
        ),
        ({"at_least": 1}, "cannot be guaranteed by any number of rows"),
        (
            {"at_least": 0.99},
            r"a recall of at least 0.99, guaranteed with 95% confidence, needs at least 299 "
            r"held-out positive rows, but there are \d\d;",
        ),
        (
            {"target": "fpr", "at_least": None, "at_most": 0.001},
            "needs at least 2995 held-out negative rows, but there are",
        ),
        (
            {"target": "precision", "at_least": 0.99},
            "needs at least 374 held-out rows, but there are 200",
        ),
        (
            {"target": "cost", "at_least": None, "at_most": 0.001},
            r"needs at least \d{4} held-out rows, but there are 200",
        ),
        (
            {"target": "precision", "at_least": 0.9},
            r"is not proven by the 160 rows that test it: the best precision is 0\.\d+ \(thres",
        ),
        (
            {"target": "cost", "at_least": None, "at_most": 0.1, "fn_cost": 3},
            "is not proven by the 160 rows that test it: the best mean cost is",
        ),
        ({"at_least": 0.7, "at_most": 0.71}, "since the range is too narrow; widen it or hold out"),
    ],
    ids=str,
)
def test_guarantees_that_cannot_be_given(options: dict[str, Any], message: str) -> None:
    given_options = {"at_least": 0.8, "guarantee": 0.95, "random_state": 0, **options}
    clf = OperatingPoint(MEC, **given_options)
    with pytest.raises(ValueError, match=message):
        clf.fit(X, Y)


def test_weights_must_be_the_same() -> None:
    clf = OperatingPoint(MEC, at_least=0.8, guarantee=0.9, random_state=0)
    weight = np.where(np.arange(len(Y)) % 3, 2.0, 0.0)
    kept = np.flatnonzero(weight)
    even = clf.fit(X, Y, sample_weight=weight)
    assert even._points.outcomes.weight == round(kept.size / 3)
    with pytest.raises(ValueError, match="sample_weight must be the same for all rows whose"):
        clf.fit(X, Y, sample_weight=np.arange(1.0, len(Y) + 1))
