"""Results of the papers for many rows: minimisers, Gaussians, effects of costs on decisions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from classifiers.paper_problems import SMOOTHING, classifier, each_seed, ignore_blind, noisy, stages
from scipy.special import logit

ignore_empty = pytest.mark.filterwarnings("ignore:.* added no learner")

COSTS = [(1.0, 1.0), (5.0, 1.0), (1.0, 20.0)]

each_costs = pytest.mark.parametrize("costs", COSTS, ids=str)


# ---- population minimisers -----------------------------------------------------------------------

Population = tuple[np.ndarray, np.ndarray]
FINE: Population = (
    np.array([0.4, 0.01, 0.9, 0.04, 0.7, 0.15]),
    np.array([0.1, 0.3, 0.05, 0.25, 0.1, 0.2]),
)
"""P(y = 1 | x) and P(x) for x = 0, ..., 5."""
COARSE: Population = (np.array([0.3, 0.01, 0.9]), np.array([0.1, 0.8, 0.1]))
"""No cell is so rare that smoothing by 1e-4 shows in it, even at costs of 1 to 20."""

SATURATED = {"estimator": "tree", "max_depth": None}
STUMP = {"estimator": "stump"}
LINKS: dict[str, tuple[str, dict[str, Any], int, Population]] = {
    "AdaBoost": ("AdaBoost", SATURATED, 100, FINE),
    "AdaBoost on stumps": ("AdaBoost", STUMP, 400, FINE),
    "AdaMEC": ("AdaMEC", SATURATED | {"probability": "logistic"}, 100, FINE),
    "CGAda": ("CGAda", SATURATED, 100, FINE),
    "AsymAda": ("AsymAda", SATURATED, 400, FINE),
    "WeightBoost": ("WeightBoost", SATURATED, 400, FINE),
    "AdaBoostReg": ("AdaBoostReg", SATURATED | {"C": 0.0}, 100, FINE),
    "RealBoost": ("RealBoost", SATURATED, 20, FINE),
    "RareBoost": ("RareBoost", STUMP, 400, FINE),
    "GentleBoost": ("GentleBoost", SATURATED, 40, FINE),
    "LogitBoost": ("LogitBoost", SATURATED, 40, FINE),
    "CSRA": ("CSRA", SATURATED, 40, FINE),
    "CSGA": ("CSGA", SATURATED, 80, FINE),
    "CSLB": ("CSLB", SATURATED, 40, FINE),
    "CSAda": ("CSAda", SATURATED, 400, FINE),
    "CSAda on stumps": ("CSAda", STUMP, 400, FINE),
    "AdaDB": ("AdaDB", SATURATED, 400, FINE),
    "CSRealBoost": ("CSRealBoost", {}, 60, COARSE),
    "CSRealBoost on stumps": ("CSRealBoost", STUMP, 400, COARSE),
    "CSLogitBoost": ("CSLogitBoost", SATURATED, 40, FINE),
    "CSLogitBoost by margin": ("CSLogitBoost", SATURATED | {"weighting": "margin"}, 40, FINE),
    "CSLogitBoost on stumps": ("CSLogitBoost", STUMP, 400, FINE),
}
"""Classifier, a learner that can separate all cells, enough rounds for it, and the population."""
COST_CONSISTENT = [
    "AdaMEC", "CGAda", "AsymAda", "CSRA", "CSGA", "CSLB", "CSAda", "AdaDB",
    "CSRealBoost", "CSLogitBoost",
]  # fmt: skip


def fit_population(case: str, costs: tuple[float, float], start: str = "auto") -> Any:
    """Two rows for each x, of either class, with their probabilities as weights."""
    name, options, n_rounds, (probability, mass) = LINKS[case]
    X = np.repeat(np.arange(len(mass)), 2)[:, None].astype(float)
    y = np.tile([1, 0], len(mass))
    weight = np.column_stack([mass * probability, mass * (1 - probability)]).ravel()
    clf = classifier(name)(
        n_estimators=n_rounds,
        fn_cost=costs[0],
        fp_cost=costs[1],
        initial_weights=start,
        **options,
    )
    return clf.fit(X, y, sample_weight=weight)


@ignore_blind
@pytest.mark.parametrize("start", ["auto", "uniform", "cost", "balanced"])
@each_costs
@pytest.mark.parametrize("case", LINKS)
def test_links_invert_the_population_minimisers(
    case: str, costs: tuple[float, float], start: str
) -> None:
    """Nikolaou, eq. 21 and Table 3, and Masnadi, Lemma 2: what F tends to, solved for P.

    Costs and initial weights are taken out again, so that P is that of the population.
    """
    clf = fit_population(case, costs, start)
    probability = LINKS[case][3][0]
    estimate = clf.predict_proba(np.arange(len(probability))[:, None].astype(float))[:, 1]
    np.testing.assert_allclose(logit(estimate), logit(probability), rtol=0, atol=0.05)


@each_costs
@pytest.mark.parametrize("case", COST_CONSISTENT)
def test_cost_consistent_algorithms_decide_as_bayes(case: str, costs: tuple[float, float]) -> None:
    """Nikolaou, section 3.2, and Masnadi, eq. 32: positive where P C+ > (1 - P) C-."""
    clf = fit_population(case, costs)
    probability = LINKS[case][3][0]
    expected = probability * costs[0] > (1 - probability) * costs[1]
    x = np.arange(len(probability))[:, None].astype(float)
    np.testing.assert_array_equal(clf.predict(x), expected)


@pytest.mark.parametrize("cost", [1.5, 3.0])
def test_adac2_counts_the_cost_again_in_every_round(cost: float) -> None:
    """Nikolaou, section 3.2: its F tends to 1/2 logit P + M/2 log(C+/C-), cost-inconsistent.

    Here with one half more at most, because the initial weights carry the cost too.
    """
    X = np.arange(6.0)[:, None]
    probability, mass = FINE
    rows, y = np.repeat(X, 2, axis=0), np.tile([1, 0], 6)
    weight = np.column_stack([mass * probability, mass * (1 - probability)]).ravel()
    clf = classifier("AdaC2")(n_estimators=5, fn_cost=cost, **SATURATED)
    clf.fit(rows, y, sample_weight=weight)
    for t, F in enumerate(clf.staged_decision_function(X), start=1):
        if t >= 4:
            excess = np.average(F - logit(probability) / 2, weights=mass)
            assert t / 2 - 0.3 <= excess / np.log(cost) <= (t + 1) / 2 + 0.3


# ---- Masnadi's Gaussians -------------------------------------------------------------------------

each_ratio = pytest.mark.parametrize("ratio", [2, 5, 10, 20])


def zero_crossing(clf: Any) -> float:
    """Where F changes its sign; the middle one if it does so more than once."""
    grid = np.linspace(-4, 2, 6001)
    positive = clf.decision_function(grid[:, None]) > 0
    crossings = np.flatnonzero(positive[1:] != positive[:-1])
    return float(np.median(grid[crossings]))


@pytest.fixture(scope="module")
def gaussians() -> tuple[np.ndarray, np.ndarray]:
    """N(-1, 1) against N(+1, 1), 10,000 a class: the log-odds at x are 2x."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(-1, 1, 10_000), rng.normal(1, 1, 10_000)])
    return x[:, None], np.repeat([0, 1], 10_000)


@each_ratio
def test_cslogitboost_finds_the_boundary_of_the_gaussians(
    ratio: int, gaussians: tuple[np.ndarray, np.ndarray]
) -> None:
    """Masnadi, section 5.1: the boundary of least cost is at -log(C+ / C-) / 2."""
    clf = classifier("CSLogitBoost")(n_estimators=8, fn_cost=ratio).fit(*gaussians)
    assert zero_crossing(clf) == pytest.approx(-np.log(ratio) / 2, abs=0.05)


@each_ratio
def test_csrealboost_finds_the_boundary_of_the_gaussians(
    ratio: int, gaussians: tuple[np.ndarray, np.ndarray]
) -> None:
    """The boundary of least cost is found with histograms, whose bins are fine enough."""
    clf = classifier("CSRealBoost")(n_estimators=3, max_bins=64, fn_cost=ratio).fit(*gaussians)
    assert zero_crossing(clf) == pytest.approx(-np.log(ratio) / 2, abs=0.15)


# ---- what costs do -------------------------------------------------------------------------------

COST_BLIND_TWIN = {
    "CGAda": "AdaBoost",
    "AsymAda": "AdaBoost",
    "AdaMEC": "AdaBoost",
    "CSB0": "AdaBoost",
    "CSB1": "AdaBoost",
    "CSB2": "AdaBoost",
    "AdaC1": "AdaBoost",
    "AdaC2": "AdaBoost",
    "AdaC3": "AdaBoost",
    "AdaCost": "AdaBoost",
    "CSAda": "AdaBoost",
    "AdaDB": "AdaBoost",
    "CSRA": "RealBoost",
    "CSGA": "GentleBoost",
    "CSLB": "LogitBoost",
    "CSRealBoost": "RealBoost",
    "CSLogitBoost": "LogitBoost",
}


@each_seed
@pytest.mark.parametrize("name", COST_BLIND_TWIN)
def test_costs_raise_the_recall_of_a_rare_class(name: str, seed: int) -> None:
    """Nyga, section 3.3: every cost-sensitive algorithm finds more of the rare class on fresh rows
    than the one it was made from, all of them on stumps."""
    X, y, _ = noisy(seed, n=600, share=0.1)
    fresh, fresh_y, _ = noisy(seed + 50, n=4000, share=0.1)
    sensitive = classifier(name)(n_estimators=30, fn_cost=5, **STUMP).fit(X, y)
    blind = classifier(COST_BLIND_TWIN[name])(n_estimators=30).fit(X, y)
    found, found_blind = (clf.predict(fresh)[fresh_y == 1].mean() for clf in (sensitive, blind))
    assert found > found_blind


@each_seed
def test_csb_and_adac2_call_nearly_everything_positive(seed: int) -> None:
    """Nikolaou, section 5, and Nyga, Figure 3.6: counting the cost in every round saturates.

    CGAda, AsymAda and CSAda count it once.
    """
    X, y, _ = noisy(seed, n=600)
    called = {
        name: classifier(name)(n_estimators=150, fn_cost=3).fit(X, y).predict(X).mean()
        for name in ("CSB0", "CSB1", "CSB2", "AdaC2", "AdaC3", "CGAda", "AsymAda", "CSAda")
    }
    assert y.mean() < 0.31
    assert min(called[name] for name in ("CSB0", "CSB1", "CSB2", "AdaC2", "AdaC3")) > 0.7
    assert max(called[name] for name in ("CGAda", "AsymAda", "CSAda")) < 0.5


@ignore_empty
@pytest.mark.parametrize("share", [0.2, 0.3, 0.5])
@each_seed
def test_adacost_stalls_at_a_cost_of_one(seed: int, share: float) -> None:
    """Nyga, section 2.3: correct predictions of the costly class have beta 0, training stalls.

    With costs of at most 1/2 it trains.
    """
    X, y, _ = noisy(seed, n=600, share=share)
    stuck, going = (
        classifier("AdaCost")(n_estimators=30, fn_cost=5, max_cost=most).fit(X, y)
        for most in (1.0, 0.5)
    )
    assert stuck.n_iter_ == 0
    assert going.n_iter_ == 30


@pytest.mark.parametrize("name", ["CSAda", "AdaDB", "CSRealBoost", "CSLogitBoost"])
def test_scores_shrink_as_exponential_costs_grow(name: str) -> None:
    """Nyga after eq. 2.69: "with increasing costs c the ensemble output converges to 0"."""
    X, y, _ = noisy()
    sizes = [
        np.abs(classifier(name)(n_estimators=20, fn_cost=c).fit(X, y).decision_function(X)).max()
        for c in (1, 10, 100, 1000)
    ]
    assert (np.diff(sizes) < 0).all()
    assert sizes[-1] < sizes[0] / 20


@pytest.mark.parametrize("costs", [(1e6, 1.0), (1.0, 1e6)], ids=str)
@pytest.mark.parametrize(
    "name", [name for name, twin in COST_BLIND_TWIN.items() if twin == "AdaBoost"]
)
def test_costs_do_not_bias_what_can_be_told_apart(name: str, costs: tuple[float, float]) -> None:
    """Nyga, section 3.3: two points of different classes stay apart, however high the costs."""
    X, y = np.array([[1.0], [2.0]]), np.array([0, 1])
    clf = classifier(name)(fn_cost=costs[0], fp_cost=costs[1]).fit(X, y)
    np.testing.assert_array_equal(clf.predict(X), y)


# ---- what an ensemble is -------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ["stump", "tree"])
@each_seed
def test_adaboost_is_a_product_of_experts(seed: int, estimator: str) -> None:
    """Nikolaou, Theorem 2: each learner is an expert that is right with probability 1 - error."""
    X, y, weight = noisy(seed)
    clf = classifier("AdaBoost")(n_estimators=25, estimator=estimator)
    clf.fit(X, y, sample_weight=weight)
    scores = np.array(stages(clf, X))
    votes = np.diff(scores, axis=0) > 0
    error = clf.estimator_errors_[:, None]
    positive = np.where(votes, 1 - error, error).prod(axis=0)
    negative = np.where(votes, error, 1 - error).prod(axis=0)
    np.testing.assert_allclose(
        clf.predict_proba(X)[:, 1], positive / (positive + negative), rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("name", ["GentleBoost", "CSGA"])
@each_seed
def test_gentle_updates_are_at_most_one(seed: int, name: str) -> None:
    """Nyga, section 2.2: "the update to the ensemble now falls into [-1, 1]"."""
    X, y, _ = noisy(seed)
    clf = classifier(name)(n_estimators=40, estimator="tree", max_depth=None).fit(X, y)
    updates = np.abs(np.diff(np.array(stages(clf, X)), axis=0))
    assert updates.max() <= 1 + 1e-9
    assert updates.max() > 0.9


def test_rareboost_on_trees_has_one_step_for_each_vote() -> None:
    """Nyga, Algorithm 15: rows called negative share a step, though they be in two leaves.

    Five rows of seven are negative, in both leaves most of them.
    """
    X = np.array([[0.0], [0.0], [0.0], [0.0], [1.0], [1.0], [1.0]])
    y = np.array([1, 0, 0, 0, 1, 0, 0])
    clf = classifier("RareBoost")(estimator="tree", n_estimators=1).fit(X, y)
    step = np.log((5 / 7 + SMOOTHING) / (2 / 7 + SMOOTHING)) / 2
    np.testing.assert_allclose(clf.decision_function(X), -step, rtol=0, atol=1e-9)
