"""The transcriptions of the algorithms: golden vectors, ties, endings, identities of the papers."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from naive_cases import (
    ALL,
    DISCRETE,
    LOGISTIC,
    LOOKUP,
    TREE,
    noisy,
    only_stump,
    scores_by_round,
    with_gaps,
)

GOLDEN = Path(__file__).parent / "golden"
EXPECTED = json.loads((GOLDEN / "expected.json").read_text())
UNIFORM = {"initial_weights": "uniform"}
KEEP = {"negative_step": "keep"}
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "adacost": ("adacost", {"max_cost": 0.5}),
    "adacost_beta2": ("adacost", {"max_cost": 0.5, "beta": "ting"}),
    "csrealboost": ("csrealboost", {"learner": "stump"}),
    "weightboost": ("weightboost", {"beta": 0.5}),
    "adaboostreg": ("adaboostreg", {"C": 1.0, "p": 1.0}),
    "adac2_uniform": ("adac2", UNIFORM),
    "adac1_uniform_keep": ("adac1", UNIFORM | KEEP),
    "adac1_nyga_uniform_keep": ("adac1", UNIFORM | KEEP | {"step": "nyga"}),
    "csada_balanced": ("csada", {"initial_weights": "balanced"}),
    "csrealboost_balanced": ("csrealboost", {"learner": "stump", "initial_weights": "balanced"}),
    "realboost_error": ("realboost", {"criterion": "error"}),
    "cslogitboost_margin": ("cslogitboost", {"weighting": "margin"}),
    "cslogitboost_stump": ("cslogitboost", {"learner": "stump"}),
}

LEARNERS: list[tuple[str, dict[str, Any]]] = [
    *((algorithm, TREE) for algorithm in ALL),
    *((algorithm, LOOKUP) for algorithm in ALL),
    *((algorithm, LOGISTIC) for algorithm in [*DISCRETE, *naive.REAL]),
]
BY_LEARNER = pytest.mark.parametrize(
    ("algorithm", "options"), LEARNERS, ids=lambda v: v if isinstance(v, str) else v["learner"]
)
CASES = [(name, key) for name in EXPECTED for key in EXPECTED[name]["decision_function_train"]]


# ---- golden vectors ------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "key"), CASES)
def test_golden(name: str, key: str) -> None:
    case, rows = EXPECTED[name], np.load(GOLDEN / f"{name}.npz")
    algorithm, options = VARIANTS.get(key, (key, {}))
    model = naive.fit(
        algorithm,
        rows["X"],
        rows["y"],
        case["fn_cost"],
        case["fp_cost"],
        rows["sample_weight"],
        case["n_estimators"],
        **options,
    )
    # The vectors are written with nine decimals; 1 - p was not computed there as exactly as here.
    train, test = case["decision_function_train"][key], case["decision_function_test"][key]
    np.testing.assert_allclose(model.decision_function(rows["X"]), train, rtol=0, atol=5e-9)
    np.testing.assert_allclose(model.decision_function(rows["X_test"]), test, rtol=0, atol=5e-9)


# ---- ties, missing values, weights of 0 ----------------------------------------------------------


def test_ties_go_to_the_first_feature_and_threshold() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0])
    y = np.array([-1.0, 1.0, -1.0, 1.0])  # thresholds 1.5 and 3.5 are wrong once each
    stump = only_stump(naive.fit("adaboost", np.c_[x, x], y, n_estimators=1))
    assert stump == naive.Stump(naive.Split(0, 1.5, True), -1.0, 1.0)


def test_rounding_does_not_settle_a_tie() -> None:
    assert naive.first_of_least([0.3, 0.2 + 1e-13, 0.2]) == 1
    assert naive.first_of_least([0.3, 0.2 + 1e-11, 0.2]) == 2


def test_a_constant_wins_only_when_strictly_better() -> None:
    x = np.array([[1.0], [2.0], [3.0]])
    tied = naive.fit("adaboost", x, np.array([-1.0, 1.0, -1.0]), n_estimators=1)
    assert only_stump(tied).split.threshold == 1.5
    weights = np.array([1.0, 0.5, 1.0])
    better = naive.fit("adaboost", x, np.array([-1.0, 1.0, -1.0]), 1, 1, weights, n_estimators=1)
    assert better.learners == [naive.Constant(-1.0)]


@pytest.mark.parametrize(("label", "goes_right"), [(1.0, True), (-1.0, False)])
def test_missing_rows_go_to_the_better_side(label: float, goes_right: bool) -> None:
    X = np.array([[1.0], [2.0], [3.0], [np.nan]])
    y = np.array([-1.0, -1.0, 1.0, label])
    model = naive.fit("adaboost", X, y, n_estimators=1)
    assert only_stump(model).split == naive.Split(0, 2.5, goes_right)
    assert model.stop_reason == "perfect learner"


def test_unseen_missing_values_go_to_the_heavier_side() -> None:
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array([-1.0, -1.0, 1.0])
    unseen = np.array([[np.nan]])
    assert naive.fit("adaboost", X, y).decision_function(unseen) < 0
    heavy = naive.fit("adaboost", X, y, sample_weight=np.array([1.0, 1.0, 3.0]))
    assert heavy.decision_function(unseen) > 0
    level = naive.fit("adaboost", X, y, sample_weight=np.array([1.0, 1.0, 2.0]))
    assert level.decision_function(unseen) < 0


def test_a_side_that_does_not_matter_is_the_heavier_one() -> None:
    X = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan]])
    y = np.array([-1.0, 1.0, 1.0, -1.0, 1.0])  # one mistake wherever the missing rows go
    assert only_stump(naive.fit("adaboost", X, y)).split == naive.Split(0, 1.5, True)


@pytest.mark.parametrize("algorithm", ["adaboost", "csada", "realboost", "logitboost"])
def test_a_single_value_is_separated_from_missing_at_infinity(algorithm: str) -> None:
    X = np.array([[7.0], [7.0], [np.nan], [np.nan]])
    y = np.array([-1.0, -1.0, 1.0, 1.0])
    model = naive.fit(algorithm, X, y)
    assert only_stump(model).split == naive.Split(0, math.inf, True)
    assert (np.sign(model.decision_function(X)) == y).all()


@pytest.mark.parametrize("algorithm", ALL)
def test_rows_of_weight_zero_take_no_part(algorithm: str) -> None:
    X, y = noisy()
    s = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    some = naive.fit(algorithm, X, y, 3, 1, s, n_estimators=4)
    none = naive.fit(algorithm, X[s > 0], y[s > 0], 3, 1, n_estimators=4)
    np.testing.assert_array_equal(some.decision_function(X), none.decision_function(X))
    assert all(len(w) == len(y) and not w[s == 0].any() for w in some.weights)


# ---- steps and endings ---------------------------------------------------------------------------


def test_three_points_oscillate_under_nygas_adac1() -> None:
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array([-1.0, 1.0, -1.0])
    options = UNIFORM | KEEP | {"step": "nyga"}
    model = naive.fit("adac1", X, y, 3, 1, n_estimators=8, **options)
    np.testing.assert_allclose(model.steps[:5], [0.69, 0.95, 1.81, 1.92, 3.09], atol=0.005)
    wrong = [(np.sign(F) != y).any() for F in model.staged_decision_function(X)]
    assert False in wrong
    assert True in wrong[wrong.index(False) :]


@pytest.mark.parametrize("algorithm", DISCRETE)
def test_a_perfect_learner_ends_the_ensemble(algorithm: str) -> None:
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    model = naive.fit(algorithm, X, y, 2, 1)
    assert model.stop_reason == "perfect learner"
    assert model.errors == [0.0]
    assert math.isfinite(model.steps[0])


def test_the_step_of_a_perfect_learner_is_floored() -> None:
    X, y = np.array([[1.0], [2.0]]), np.array([-1.0, 1.0])
    floored = 0.5 * math.log(1e10)
    for algorithm in ("adaboost", "adac1", "adac2", "adac3"):
        assert naive.fit(algorithm, X, y).steps == [pytest.approx(floored, rel=1e-9)]
    assert naive.fit("adaboostreg", X, y).steps == [50.0]


def test_no_step_no_learner_no_score() -> None:
    X, y = np.zeros((4, 1)), np.array([-1.0, 1.0, -1.0, 1.0])
    for algorithm in ALL:
        if algorithm in ("cslogitboost", "csrealboost", "adaboostreg"):
            continue  # a line and a bin need no split, and mistrust alone makes a step
        model = naive.fit(algorithm, X, y)
        assert model.stop_reason == "no positive step"
        assert model.learners == model.steps == model.weights == []
        assert not model.decision_function(X).any()


def test_stages_end_at_the_score() -> None:
    X, y = noisy()
    for algorithm in ALL:
        model = naive.fit(algorithm, X, y, 3, 1, n_estimators=3)
        stages = model.staged_decision_function(X)
        assert len(stages) == len(model.steps) == len(model.weights)
        np.testing.assert_array_equal(stages[-1], model.decision_function(X))
        np.testing.assert_allclose([w.sum() for w in model.weights], 1)


# ---- identities the papers claim -----------------------------------------------------------------


@pytest.mark.parametrize(
    "algorithm",
    ["adamec", "cgada", "asymada", "csb2", "adac1", "adac2", "adac3", "csada", "adadb"],
)
def test_equal_costs_are_adaboost(algorithm: str) -> None:
    X, y = noisy()
    blind = naive.fit("adaboost", X, y, n_estimators=6)
    model = naive.fit(algorithm, X, y, n_estimators=6)
    np.testing.assert_allclose(model.decision_function(X), blind.decision_function(X), atol=1e-9)


def test_regularisation_can_be_switched_off() -> None:
    X, y = noisy()
    F = naive.fit("adaboost", X, y, n_estimators=6).decision_function(X)
    damped = naive.fit("weightboost", X, y, n_estimators=6, beta=0.0)
    np.testing.assert_allclose(damped.decision_function(X), F, atol=1e-9)
    for options in ({}, {"class_aware": True}, {"p": 2.0}):
        soft = naive.fit("adaboostreg", X, y, n_estimators=6, C=0.0, **options)
        np.testing.assert_allclose(soft.decision_function(X), 2 * F, atol=1e-9)


@pytest.mark.parametrize("class_aware", [False, True])
@pytest.mark.parametrize("p", [1.0, 2.0])
@pytest.mark.parametrize("earlier", [False, True])
def test_slope_of_the_soft_margin_loss(class_aware: bool, p: float, earlier: bool) -> None:
    rng = np.random.default_rng(1)
    _, y = noisy()
    s, w, past = (naive.normalised(rng.uniform(0.5, 1.5, len(y))) for _ in range(3))
    size = 1.7 if earlier else 0.0
    margin, edge = size * rng.choice([-1.0, 1.0], len(y)), rng.choice([-1.0, 1.0], len(y))
    soft = naive.SoftMargin(y, s, margin, size * past, size, w, edge, 30.0, p, class_aware)
    for alpha in (1e-5, 0.3, 2.0):
        rise = soft.terms(alpha + 1e-6).sum() - soft.terms(alpha - 1e-6).sum()
        assert soft.slope(alpha) == pytest.approx(rise / 2e-6, rel=1e-6, abs=1e-8)
    assert soft.slope(0.0) == pytest.approx(soft.slope(1e-9), rel=1e-6)


@pytest.mark.parametrize("algorithm", ALL)
def test_row_costs_that_are_class_costs(algorithm: str) -> None:
    X, y = noisy()
    ones = np.ones(len(y))
    by_class = naive.fit(algorithm, X, y, 3, 0.5, n_estimators=4)
    by_row = naive.fit(algorithm, X, y, 3 * ones, 0.5 * ones, n_estimators=4)
    np.testing.assert_allclose(
        by_row.decision_function(X), by_class.decision_function(X), atol=1e-9
    )


def test_csada_and_adadb_agree_for_row_costs() -> None:
    X, y = noisy()
    rng = np.random.default_rng(2)
    fn, fp = rng.uniform(1, 4, len(y)), rng.uniform(0.5, 2, len(y))
    csada = naive.fit("csada", X, y, fn, fp, n_estimators=4)
    adadb = naive.fit("adadb", X, y, fn, fp, n_estimators=4)
    np.testing.assert_allclose(csada.steps, adadb.steps, atol=1e-9)
    loss = [(np.exp(-np.where(y > 0, fn, fp) * y * F)).sum() for F in scores_by_round(csada, X)]
    assert (np.diff(loss) < 0).all()


@pytest.mark.parametrize("learner", ["stump", "lookup"])
def test_csrealboost_leaves_are_minima_for_row_costs(learner: str) -> None:
    X, y = noisy()
    rng = np.random.default_rng(3)
    fn, fp = rng.uniform(1, 4, len(y)), rng.uniform(0.5, 2, len(y))
    c = np.where(y > 0, fn, fp)
    model = naive.fit(
        "csrealboost", X, y, fn, fp, n_estimators=1, learner=learner, n_bins=4, smoothing=1e-12
    )
    g = model.decision_function(X)
    for value in np.unique(g):
        rows = g == value
        if len(set(y[rows])) == 1:
            continue  # only smoothing holds such a leaf
        slope = (c * y * np.exp(-c * y * g))[rows].sum()
        assert slope == pytest.approx(0, abs=1e-7)


def test_rareboost_is_realboost_with_stumps_but_not_with_trees() -> None:
    X, y = noisy()
    rare = naive.fit("rareboost", X, y, n_estimators=5)
    real = naive.fit("realboost", X, y, n_estimators=5, criterion="error")
    np.testing.assert_array_equal(rare.decision_function(X), real.decision_function(X))
    tree = naive.fit("rareboost", X, y, n_estimators=1, learner="tree", max_depth=2)
    assert len(np.unique(tree.decision_function(X))) == 2


def test_learning_rate_shrinks_the_first_step() -> None:
    X, y = noisy()
    for algorithm in ALL:
        whole = naive.fit(algorithm, X, y, 3, 1, n_estimators=1)
        half = naive.fit(algorithm, X, y, 3, 1, n_estimators=1, learning_rate=0.5)
        np.testing.assert_allclose(half.decision_function(X), whole.decision_function(X) / 2)


def test_lookup_bins() -> None:
    column = np.array([1.0, 2.0, 2.0, 3.0, np.nan])
    np.testing.assert_array_equal(naive.quantile_cuts(column, 4), [1.5, 2.5])
    np.testing.assert_array_equal(naive.bins_of(column, np.array([1.5, 2.5])), [0, 1, 1, 2, 3])
    assert len(naive.quantile_cuts(np.arange(100.0), 16)) == 15


# ---- every learner -------------------------------------------------------------------------------


@BY_LEARNER
def test_a_weight_of_two_is_a_row_written_twice(algorithm: str, options: dict[str, Any]) -> None:
    if algorithm == "adaboostreg":
        options = options | {"C": 0.0}  # a row's mistrust is its own weight's, not its copies'
    X, y, _ = with_gaps(24)
    twice = np.arange(24) % 3 == 0
    again = np.r_[np.arange(24), np.flatnonzero(twice)]
    options = options | {"n_bins": 24}  # quantiles count rows
    weighted = naive.fit(algorithm, X, y, 3, 1, 1.0 + twice, 3, **options)
    written = naive.fit(algorithm, X[again], y[again], 3, 1, None, 3, **options)
    assert weighted.learners
    np.testing.assert_allclose(
        weighted.decision_function(X), written.decision_function(X), atol=1e-9
    )


@BY_LEARNER
def test_learners_of_row_costs_that_are_class_costs(
    algorithm: str, options: dict[str, Any]
) -> None:
    X, y, s = with_gaps(24)
    fn, fp = np.full(24, 3.0), np.full(24, 0.5)
    by_class = naive.fit(algorithm, X, y, 3, 0.5, s, 3, **options)
    by_row = naive.fit(algorithm, X, y, fn, fp, s, 3, **options)
    np.testing.assert_allclose(
        by_row.decision_function(X), by_class.decision_function(X), atol=1e-9
    )


@pytest.mark.parametrize("options", [TREE, LOOKUP, LOGISTIC])
def test_equal_costs_are_the_cost_blind_rule(options: dict[str, Any]) -> None:
    X, y, s = with_gaps()
    families = {
        "adaboost": ["cgada", "asymada", "csb2", "adac1", "adac2", "adac3", "csada", "adadb"],
        "realboost": ["csra", "csrealboost"],
        "gentleboost": ["csga"],
        "logitboost": ["cslb", "cslogitboost"],
    }
    for blind, others in families.items():
        if blind == "logitboost" and options is LOGISTIC:
            continue
        F = naive.fit(blind, X, y, 1, 1, s, 4, **options).decision_function(X)
        assert F.any()
        for other in others:
            model = naive.fit(other, X, y, 1, 1, s, 4, **options)
            np.testing.assert_allclose(model.decision_function(X), F, atol=1e-9)


@pytest.mark.parametrize("options", [TREE, LOOKUP, LOGISTIC])
def test_regularisation_can_be_switched_off_for_every_learner(options: dict[str, Any]) -> None:
    X, y, s = with_gaps()
    F = naive.fit("adaboost", X, y, 1, 1, s, 4, **options).decision_function(X)
    damped = naive.fit("weightboost", X, y, 1, 1, s, 4, beta=0.0, **options)
    np.testing.assert_allclose(damped.decision_function(X), F, atol=1e-9)
    soft = naive.fit("adaboostreg", X, y, 1, 1, s, 4, C=0.0, **options)
    np.testing.assert_allclose(soft.decision_function(X), 2 * F, atol=1e-9)


@pytest.mark.parametrize(
    ("algorithm", "learner"),
    [("logitboost", "logistic"), ("adaboost", "linear"), ("realboost", "linear"), ("csada", "oak")],
)
def test_learners_that_are_not_transcribed(algorithm: str, learner: str) -> None:
    X, y = noisy()
    with pytest.raises(ValueError, match=learner):
        naive.fit(algorithm, X, y, learner=learner)
