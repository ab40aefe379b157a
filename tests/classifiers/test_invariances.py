"""Invariance to units of costs, names of classes, weights for copies and order of rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from classifiers.identical import (
    COST_SENSITIVE,
    MARGIN,
    MODELS,
    NYGA,
    Case,
    Options,
    cases,
    rounds,
    same,
    same_answers,
    same_scores,
    stages,
)
from hypothesis import example, given
from hypothesis import strategies as st

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* ignores costs"),
    pytest.mark.filterwarnings("ignore:.* added no learner"),
]

IN_UNITS_OF_COST = {"CSAda", "AdaDB", "CSRealBoost", "CSLogitBoost"}
"""Their F is a log-odds divided by a cost."""

BY_ERROR = {"RealBoost by error", "RareBoost"}
"""Where a class is the heavier one on both sides of two splits, both have the same error."""

STUMPS = [(model, "stump") for model in MODELS]
TREES = [(model, "tree") for model in MODELS]
OWN = [
    ("CSRealBoost", "lookup"),
    ("CSLogitBoost", "linear"),
    (MARGIN, "linear"),
]
"""The learners of Masnadi and Vasconcelos."""
ALL = STUMPS + TREES + OWN
REPEATABLE = [pair for pair in ALL if not pair[0].startswith("AdaBoostReg")]
SENSITIVE = [pair for pair in ALL if pair[0] in COST_SENSITIVE]


def each(pairs: list[tuple[str, str]]) -> Any:
    names = [f"{model}-{learner}" for model, learner in pairs]
    return pytest.mark.parametrize(("model", "learner"), pairs, ids=names)


# ---- costs ---------------------------------------------------------------------------------------


@each([pair for pair in SENSITIVE if pair[0] != MARGIN])
@rounds(12)
@given(case=cases(), factor=st.sampled_from([4.0, 3.0, 0.1, 77.7]))
def test_costs_times_a_constant(model: str, learner: str, case: Case, factor: float) -> None:
    """Costs are a currency: only their ratios count. F may be measured in it."""
    plain, scaled = case.fit(model, learner), case.times(factor).fit(model, learner)
    unit = factor if model in IN_UNITS_OF_COST else 1.0
    same_scores(scaled, plain, case.X, times=unit)
    same_answers(scaled, plain, case.X)


@each(SENSITIVE)
@rounds(12)
@given(case=cases(costs=("whole", "class")), both=st.booleans())
def test_row_costs_that_are_class_costs(model: str, learner: str, case: Case, both: bool) -> None:
    """Costs written out for every row, in one array or two, are the class costs they repeat."""
    ones = np.ones(len(case.y))
    written = {key: ones * c if both or key == "fn_cost" else c for key, c in case.costs.items()}
    same(replace(case, costs=written).fit(model, learner), case.fit(model, learner), case.X)


def case_of_rows(X: Any, y: Any, weight: Any, fn: Any, fp: Any, n_estimators: int) -> Case:
    costs = {"fn_cost": np.array(fn), "fp_cost": np.array(fp)}
    options = {"n_estimators": n_estimators}
    return Case(np.array(X), np.array(y), np.array(weight), costs, options)


WRONG_AND_DEAR = case_of_rows(
    [[0.0], [0.5], [0.0], [0.0], [0.0], [0.25]],
    [1, 0, 0, 0, 0, 1],
    [0.7, 0.56, 0.79, 1.94, 0.65, 1.41],
    [0.0117, 0.041, 1.53, 0.0108, 0.0574, 0.213],
    [4.18, 0.0113, 0.711, 2.82, 84.5, 39.9],
    3,
)
PURE_AND_CHEAP = case_of_rows(
    [[0.0], [0.5]], [1, 0], [2.0, 1.0], [0.0122, 0.0335], [70.9, 0.0291], 1
)
WEIGHTLESS_CLASS = case_of_rows(
    [[0.0], [0.75], [0.5], [0.5]],
    [1, 0, 1, 0],
    [1.0, 1.0, 0.0, 1.0],
    [0.0344, 0.41, 0.0651, 0.112],
    [10.0, 0.132, 0.872, 83.7],
    2,
)
WEIGHTLESS_MISSING = case_of_rows(
    [
        [0.0, 0.25, np.nan, 0.25],
        [0.75, 0.25, 0.25, 0.25],
        [np.nan, 0.5, 0.0, 0.25],
        [0.25, 0.5, 0.5, 0.0],
    ],
    [1, 0, 1, 0],
    [1.0, 1.0, 3.0, 3.0],
    [0.655, 1.44, 76.2, 0.127],
    [37.9, 0.28, 0.177, 33.5],
    4,
)


@each([pair for pair in SENSITIVE if pair[0] in IN_UNITS_OF_COST])
@rounds(25)
@given(case=cases(costs=("row",)))
@example(case=WRONG_AND_DEAR)
@example(case=PURE_AND_CHEAP)
@example(case=WEIGHTLESS_CLASS)
@example(case=WEIGHTLESS_MISSING)
def test_any_row_costs_give_finite_scores(model: str, learner: str, case: Case) -> None:
    """Costs stand in exponents here, and may differ by 10,000 between two rows of a class: the
    weights overflow or vanish, the scores must not."""
    clf = case.fit(model, learner)
    X = np.nan_to_num(case.X, nan=1.0) if learner == "linear" else case.X
    assert np.isfinite(stages(clf, X)).all()
    assert np.isfinite(clf.predict_proba(X)).all()
    assert np.isfinite(clf.estimator_weights_).all()


# ---- classes -------------------------------------------------------------------------------------


def swapped_costs(case: Case) -> Options:
    return {"fn_cost": case.costs["fp_cost"], "fp_cost": case.costs["fn_cost"]}


def undrawn(case: Case, learner: str) -> Case:
    """The case such that the learner has nothing to draw and nothing to be sure of.

    A tree's leaf whose rows have lost all weight, as happens at heavy costs, votes for the negative
    class. A line is unbounded, and where p is within 1e-10 of 1 the rounding of 1 - p shows: every
    row comes once more, less heavy and of the other class.
    """
    if learner != "linear":
        return case if learner == "stump" else case.milder()
    both = case.milder().take(np.tile(np.arange(len(case.y)), 2))
    weight = np.repeat([1.0, 0.3], len(case.y)) * both.weight
    return replace(both, y=np.r_[case.y, 1 - case.y], weight=weight)


SWAPPABLE = [pair for pair in ALL if pair != ("RareBoost", "tree")]
"""A leaf that had a step of its own is a draw in the next round."""


@each(SWAPPABLE)
@rounds(12)
@given(case=cases(weights=("own",)))
def test_swapping_classes_and_costs(model: str, learner: str, case: Case) -> None:
    """Every formula treats the classes alike: F changes its sign, probabilities their columns."""
    case = undrawn(case, learner)
    swapped = replace(case, y=1 - case.y, costs=swapped_costs(case))
    one, other = case.fit(model, learner), swapped.fit(model, learner)
    same_scores(one, other, case.X, times=-1.0)
    X = np.nan_to_num(case.X, nan=1.0) if learner == "linear" else case.X
    probability = other.predict_proba(X)[:, ::-1]
    np.testing.assert_allclose(one.predict_proba(X), probability, rtol=0, atol=1e-9)


@each(SWAPPABLE)
@rounds(6)
@given(case=cases(weights=("own",)))
def test_naming_the_other_class_positive(model: str, learner: str, case: Case) -> None:
    """Swapping classes by `pos_label` keeps the score, which is that of `classes_[1]`."""
    case = undrawn(case, learner)
    other = replace(case, costs=swapped_costs(case)).fit(model, learner, pos_label=0)
    same(other, case.fit(model, learner), case.X)


# ---- weights -------------------------------------------------------------------------------------


@each(REPEATABLE)
@rounds(12)
@given(case=cases(weights=("counts",)))
def test_whole_weights_are_repeated_rows(model: str, learner: str, case: Case) -> None:
    """A weight of 2 is a row written twice, a weight of 0 a row left out.

    Not so for AdaBoost_Reg (but at C = 0): it mistrusts a row by the weight that one row has had,
    and of a row written twice each has had half.
    """
    assert case.weight is not None
    rows = np.repeat(np.arange(len(case.y)), case.weight.astype(int))
    written = replace(case.take(rows), weight=None)
    one, other = (each.fit(model, learner) for each in (case, written))
    same(one, other, case.X)


@each(ALL)
@rounds(6)
@given(case=cases(weights=("counts", "own")), factor=st.sampled_from([8.0, 3.0, 1e-3]))
def test_weights_times_a_constant(model: str, learner: str, case: Case, factor: float) -> None:
    """Nothing changes if bins are exact; quantiles of whole weights are those of so many rows."""
    assert case.weight is not None
    if learner == "lookup":  # which has four bins
        case = replace(case, X=np.clip(np.round(case.X), -1, 2))
    scaled = replace(case, weight=factor * case.weight)
    same(scaled.fit(model, learner), case.fit(model, learner), case.X)


# ---- rows and columns ----------------------------------------------------------------------------


@each(ALL)
@rounds(6)
@given(case=cases(), seed=st.integers(0, 99))
def test_order_of_the_rows(model: str, learner: str, case: Case, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(case.y))
    same(case.take(order).fit(model, learner), case.fit(model, learner), case.X)


@each([pair for pair in ALL if pair[0] not in BY_ERROR | {NYGA}])
@rounds(6)
@given(case=cases(weights=("own",)), seed=st.integers(0, 99))
def test_order_of_the_columns(model: str, learner: str, case: Case, seed: int) -> None:
    """Without draws, which the first column wins (and the error of a side's majority has many)."""
    case = case.milder()
    order = np.random.default_rng(seed).permutation(case.X.shape[1])
    Z = case.X[:, order]
    one = replace(case, X=Z).fit(model, learner)
    same_scores(one, case.fit(model, learner), Z, Z=case.X)


INCREASING: dict[str, Any] = {
    "line": lambda x: 3 * x - 7,
    "cube": lambda x: (x - 1) ** 3,
    "exponential": lambda x: np.exp(x / 4),
    "logarithm": lambda x: np.log1p(x),
    "ranks": lambda x: np.where(np.isnan(x), np.nan, np.searchsorted(np.unique(x), x)),
}


@each([pair for pair in ALL if pair[1] != "linear"])
@rounds(6)
@given(case=cases(), bend=st.sampled_from(sorted(INCREASING)))
def test_increasing_transforms(model: str, learner: str, case: Case, bend: str) -> None:
    """Thresholds see only the order of the values; between those of training they are midpoints."""
    Z = np.array([INCREASING[bend](column) for column in case.X.T]).T
    one, other = replace(case, X=Z).fit(model, learner), case.fit(model, learner)
    trained = np.ones(len(case.y), bool) if case.weight is None else case.weight > 0
    same_scores(one, other, Z[trained], Z=case.X[trained])
