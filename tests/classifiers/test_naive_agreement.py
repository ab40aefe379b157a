"""The engine against the naive transcription of the papers, to 1e-9, on random problems.

Two programs that add the same numbers in different orders may differ in the last bit, so a draw
between two learners is decided alike only if both define it. They do for stumps: a difference
within 1e-12 is a draw. A tree's leaf has no such margin, so trees are compared on weights
without draws: each row weighs an amount of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import naive
import numpy as np
import pytest
from classifiers.identical import rounds
from hypothesis import example, given
from hypothesis import strategies as st

from costboost import algorithms as cb

OF_NAME: dict[str, Any] = {
    **{entry.name.lower(): entry.cls for entry in cb.REGISTRY.values()},
    "aec": cb.CSBoostClassifier,
}
NEWTON = naive.NEWTON
CLASSIFIERS = {
    name: OF_NAME[name]
    for name in (*naive.DISCRETE, *naive.JOINT, *naive.UNEVEN, *naive.REGULARISED)
}
EXACT = ("adaboost", "cgada", "adamec")
REAL = {name: OF_NAME[name] for name in (*naive.REAL, *NEWTON)}
NO_STEP = 1e-12  # a step that would be 0 without rounding

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* ignores costs"),
    pytest.mark.filterwarnings("ignore:.* added no learner"),
]


@dataclass
class Draw:
    """A training set, rows to score, and how to fit."""

    X: np.ndarray
    y: np.ndarray
    fresh: np.ndarray
    weight: np.ndarray | None
    costs: dict[str, Any]
    options: dict[str, Any]


@st.composite
def draws(
    draw: Any,
    weights: tuple[str, ...] | None = None,
    missing: bool = True,
    most_levels: int = 40,
) -> Draw:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.sampled_from([2, 3, 5, 8, 13, 30, 60, 150]) | st.integers(2, 150))
    d = draw(st.integers(1, 12))
    levels = draw(st.sampled_from([1, 2, 3, 6, 12]) if n > 30 else st.integers(1, most_levels))
    X = rng.choice(_quarters(rng, levels), (n, d))
    # Midpoints of quarters are exact, so fresh rows may lie on a threshold, where it shows which
    # side they belong to.
    fresh = np.vstack([X, _quarters(rng, (20, d)), _quarters(rng, (20, d)) / 2])
    if missing:
        share = draw(st.sampled_from([0.0, 0.0, 0.1, 0.6]))
        X[rng.random((n, d)) < share] = np.nan
        fresh[rng.random(fresh.shape) < 0.1] = np.nan
    noise = draw(st.sampled_from([0.1, 0.3, 0.5]))
    y = np.where((np.nan_to_num(X[:, 0]) > 0) ^ (rng.random(n) < noise), 1, -1)
    y[0], y[1] = 1, -1
    options = {
        "n_estimators": draw(st.integers(1, 6)),
        "learning_rate": draw(st.sampled_from([1.0, 0.5, 0.1, 1.7])),
        "initial_weights": draw(st.sampled_from(["auto", "uniform", "cost", "balanced"])),
        "negative_step": draw(st.sampled_from(["stop", "keep"])),
        "min_samples_leaf": draw(st.sampled_from([1, 1, 1, 2, 7])),
    }
    kinds = weights or ("none", "counts", "own", "some zero")
    weight = _weights(draw(st.sampled_from(kinds)), n, rng)
    return Draw(X, y, fresh, weight, _costs(draw, n, rng), options)


def _quarters(rng: np.random.Generator, size: Any) -> np.ndarray:
    return rng.integers(-60, 60, size) / 4


def _weights(kind: str, n: int, rng: np.random.Generator) -> np.ndarray | None:
    if kind == "none":
        return None
    weight = rng.uniform(0.2, 2.0, n)
    if kind == "counts":
        weight = rng.integers(0, 4, n).astype(float)
    if kind == "some zero":
        weight[rng.random(n) < 0.3] = 0
    weight[:2] = np.maximum(weight[:2], 1.0)  # a row of either class stays
    return weight


def _costs(draw: Any, n: int, rng: np.random.Generator) -> dict[str, Any]:
    kind = draw(st.sampled_from(["equal", "whole", "class", "row", "one of them by row"]))
    if kind == "equal":
        return {}
    if kind == "whole":
        fn, fp = rng.integers(1, 7, 2).tolist()
    elif kind == "class":
        fn, fp = (10 ** rng.uniform(-2, 2, 2)).tolist()
    else:
        fn, fp = 10 ** rng.uniform(-2, 2, (2, n))
        fp = 3.0 if kind == "one of them by row" else fp
    return {"fn_cost": fn, "fp_cost": fp}


def compare(algorithm: str, case: Draw, learner: str = "stump", **shape: Any) -> int:
    """Fit both, compare everything; the number of rounds compared."""
    clf = (CLASSIFIERS | REAL)[algorithm](estimator=learner, **case.options, **shape)
    clf.fit(case.X, case.y, sample_weight=case.weight, **case.costs)
    judge = naive.fit(
        algorithm,
        case.X,
        case.y,
        sample_weight=case.weight,
        learner=learner,
        **case.costs,
        **case.options,
        **shape,
    )
    n = _real_rounds(clf.estimator_weights_)
    assert n == _real_rounds(judge.steps)
    np.testing.assert_allclose(
        clf.estimator_weights_[:n], judge.steps[:n], rtol=1e-9, atol=tolerance(case)
    )
    if algorithm in CLASSIFIERS:
        errors = clf.estimator_errors_[:n]
        np.testing.assert_allclose(errors, judge.errors[:n], rtol=0, atol=1e-9)
    for rows in (case.X, case.fresh):
        stages = list(clf.staged_raw_score(rows))[:n]
        expected = judge.staged_decision_function(rows)[:n]
        assert len(stages) == len(expected) == n
        for ours, theirs in zip(stages, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=tolerance(case))
        if n:
            score = clf.raw_score(rows)
            np.testing.assert_allclose(score, expected[-1], rtol=1e-9, atol=tolerance(case))
    return n


def tolerance(case: Draw) -> float:
    """Tolerance of steps and scores: 1e-9, and more where costs are far apart.

    Weights are whole numbers of quanta. A sum that is 1e-9 of the greatest one has nine digits
    left, and a step is the logarithm of such a sum.
    """
    costs = np.concatenate([np.ravel(cost) for cost in case.costs.values()] or [np.ones(1)])
    ratio = float(costs.max() / costs.min())
    return 1e-9 * max(1.0, case.options.get("learning_rate", 1.0)) * np.sqrt(ratio)


def _real_rounds(steps: Any) -> int:
    """Number of rounds before the first step that is 0 up to rounding."""
    none = np.flatnonzero(np.abs(np.asarray(steps)) < NO_STEP)
    return int(none[0]) if none.size else len(steps)


def test_every_algorithm_for_two_classes_is_compared() -> None:
    compared = {*CLASSIFIERS.values(), *REAL.values()}
    assert compared == {cls for cls in cb.CLASSES if cls.rule_of_several is None}


@pytest.mark.parametrize("algorithm", CLASSIFIERS)
@rounds(120)
@given(case=draws())
def test_stumps(algorithm: str, case: Draw) -> None:
    compare(algorithm, case)


@pytest.mark.parametrize("algorithm", REAL)
@rounds(90)
@given(case=draws(weights=("own", "some zero")))
def test_leaf_stumps(algorithm: str, case: Draw) -> None:
    """On weights without draws: smoothed losses of different leaves may meet within rounding."""
    compare(algorithm, case)


@pytest.mark.parametrize("algorithm", CLASSIFIERS)
@rounds(80)
@given(
    case=draws(weights=("own", "some zero")),
    max_depth=st.sampled_from([None, 1, 2, 3, 5]),
    max_leaf_nodes=st.sampled_from([None, 2, 3, 5, 9]),
)
def test_trees(
    algorithm: str, case: Draw, max_depth: int | None, max_leaf_nodes: int | None
) -> None:
    compare(algorithm, case, "tree", max_depth=max_depth, max_leaf_nodes=max_leaf_nodes)


@pytest.mark.parametrize("algorithm", REAL)
@rounds(50)
@given(
    case=draws(weights=("own", "some zero")),
    max_depth=st.sampled_from([None, 1, 2, 3]),
    max_leaf_nodes=st.sampled_from([None, 2, 3, 5]),
)
def test_trees_with_values(
    algorithm: str, case: Draw, max_depth: int | None, max_leaf_nodes: int | None
) -> None:
    compare(algorithm, case, "tree", max_depth=max_depth, max_leaf_nodes=max_leaf_nodes)


@pytest.mark.parametrize("algorithm", [*CLASSIFIERS, *REAL])
@rounds(40)
@given(case=draws(weights=("own", "some zero"), most_levels=12))
def test_lookup(algorithm: str, case: Draw) -> None:
    """On features with no more values than bins: both programs cut them alike."""
    compare(algorithm, case, "lookup")


@pytest.mark.parametrize("algorithm", [a for a in (*CLASSIFIERS, *REAL) if a not in NEWTON])
@rounds(40)
@given(case=draws(weights=("own", "some zero")))
def test_logistic(algorithm: str, case: Draw) -> None:
    """Off the thresholds: on two values they lie in the middle but for rounding."""
    case.fresh += 0.01
    compare(algorithm, case, "logistic")


@pytest.mark.parametrize("algorithm", NEWTON)
@rounds(100)
@given(case=draws(missing=False, weights=("own", "some zero")))
def test_linear(algorithm: str, case: Draw) -> None:
    compare(algorithm, case, "linear")


@rounds(60)
@given(case=draws(missing=False, weights=("own",)), learner=st.sampled_from(["linear", "stump"]))
def test_weighting_by_margin(case: Draw, learner: str) -> None:
    compare("cslogitboost", case, learner, weighting="margin")


@rounds(60)
@given(case=draws(weights=("own",)), learner=st.sampled_from(["stump", "tree"]))
def test_learners_on_the_slope(case: Draw, learner: str) -> None:
    shape = {"max_depth": 2} if learner == "tree" else {}
    compare("adauboost", case, learner, learner_weights="slope", **shape)


@pytest.mark.parametrize("algorithm", ["realboost", "rareboost", "csra", "csrealboost"])
@rounds(60)
@given(
    case=draws(weights=("own", "some zero"), most_levels=12),
    learner=st.sampled_from(["stump", "tree", "lookup"]),
    smoothing=st.sampled_from([1e-12, 1e-6, 0.01, 0.3, 1]),
)
def test_smoothing(algorithm: str, case: Draw, learner: str, smoothing: float) -> None:
    shape = {"max_depth": 2} if learner == "tree" else {}
    compare(algorithm, case, learner, smoothing=smoothing, **shape)


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [("adac1", {}), ("adac3", {}), ("adacost", {}), ("adacost", {"beta": "ting"})],
)
@rounds(100)
@given(case=draws(weights=("own",)), max_cost=st.sampled_from([0.01, 0.3, 1.0, 1.1, 3.0, None]))
def test_greatest_cost(
    algorithm: str, options: dict[str, str], case: Draw, max_cost: float | None
) -> None:
    for name, cost in case.costs.items():
        case.costs[name] = cost**0.25  # an exponent of hundreds leaves weight on one row only
    compare(algorithm, case, max_cost=max_cost, **options)


@rounds(60)
@given(case=draws(weights=("own",)), max_cost=st.sampled_from(["auto", 1.0, None]))
def test_greatest_cost_with_the_step_of_nyga(case: Draw, max_cost: float | str | None) -> None:
    for name, cost in case.costs.items():
        case.costs[name] = cost**0.25
    compare("adac1", case, step="nyga", max_cost=max_cost)


@rounds(60)
@given(case=draws(weights=("own",)))
def test_class_aware_regularisation(case: Draw) -> None:
    compare("adaboostreg", case, class_aware=True)


@rounds(200)
@given(seed=st.integers(0, 2**32 - 1), exponent=st.integers(0, 3))
@example(seed=0, exponent=0)
def test_draws_between_dyadic_weights(seed: int, exponent: int) -> None:
    """Weights that both programs add exactly: every draw of the first round is a true draw."""
    rng = np.random.default_rng(seed)
    n = int(2 ** rng.integers(1, 6))
    X = rng.integers(0, 3, (n, 4)).astype(float)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    y[:2] = 1, -1
    case = Draw(X, y, X, None, {"fn_cost": 2.0**exponent, "fp_cost": 1.0}, {"n_estimators": 1})
    clf = cb.CGAdaClassifier(n_estimators=1).fit(X, y, fn_cost=2.0**exponent)
    judge = naive.fit("cgada", X, y, 2.0**exponent, 1.0, n_estimators=1)
    if not judge.steps:
        assert clf.n_iter_ == 0
        return
    learner = judge.learners[0]
    root = clf.ensemble_.tree(0)[0]
    if isinstance(learner, naive.Constant):
        assert root.feature < 0
    else:
        assert (root.feature, root.threshold) == (learner.split.feature, learner.split.threshold)
    compare("cgada", case)


@pytest.mark.parametrize("algorithm", CLASSIFIERS)
def test_many_rounds(algorithm: str) -> None:
    """No drift: a hundred rounds of incremental histograms are still exact."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 9, (150, 4)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] / 4 + rng.normal(0, 3, 150) > 9, 1, -1)
    weight = rng.uniform(0.5, 1.5, 150)
    case = Draw(X, y, X[::-1], weight, {"fn_cost": 7.0, "fp_cost": 1.0}, {"n_estimators": 100})
    assert compare(algorithm, case) >= (100 if algorithm in EXACT else 1)


def test_most_values_that_are_binned_exactly() -> None:
    rng = np.random.default_rng(4)
    X = rng.permutation(np.repeat(np.arange(255.0), 2))[:, None] / 8
    y = np.where(np.sin(X[:, 0] / 3) + rng.normal(0, 0.5, len(X)) > 0, 1, -1)
    weight = rng.uniform(0.5, 1.5, len(X))
    case = Draw(X, y, X + 0.01, weight, {}, {"n_estimators": 8})
    assert compare("adaboost", case) == 8
