"""Identities between algorithms, and changes of a problem that must not change the model.

Every claim is tested on random problems: ties, missing values, sample weights, costs from 0.01 to
100. Where a claim holds only as long as no two learners are equally good, each row weighs an amount
of its own ("own" weights), so that there is nothing to draw.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import costboost

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* ignores costs"),
    pytest.mark.filterwarnings("ignore:.* added no learner"),
]

Options = dict[str, Any]

BLIND: dict[str, tuple[str, Options]] = {
    "AdaBoost": ("AdaBoost", {}),
    "RealBoost": ("RealBoost", {}),
    "RealBoost by error": ("RealBoost", {"criterion": "error"}),
    "RareBoost": ("RareBoost", {}),
    "GentleBoost": ("GentleBoost", {}),
    "LogitBoost": ("LogitBoost", {}),
    "WeightBoost": ("WeightBoost", {}),
    "AdaBoostReg": ("AdaBoostReg", {}),
    "AdaBoostReg class-aware": ("AdaBoostReg", {"class_aware": True, "p": 2.0}),
}
COST_SENSITIVE: dict[str, tuple[str, Options]] = {
    "AdaMEC": ("AdaMEC", {}),
    "AdaMEC logistic": ("AdaMEC", {"probability": "logistic"}),
    "CGAda": ("CGAda", {}),
    "AsymAda": ("AsymAda", {}),
    "CSB0": ("CSB0", {}),
    "CSB1": ("CSB1", {}),
    "CSB2": ("CSB2", {}),
    "AdaC1": ("AdaC1", {}),
    "AdaC1 of Nyga": ("AdaC1", {"step": "nyga"}),
    "AdaC2": ("AdaC2", {}),
    "AdaC3": ("AdaC3", {}),
    "AdaCost": ("AdaCost", {}),
    "AdaCost of Ting": ("AdaCost", {"beta": "ting", "max_cost": 1.0}),
    "CSAda": ("CSAda", {}),
    "AdaDB": ("AdaDB", {}),
    "CSRA": ("CSRA", {}),
    "CSGA": ("CSGA", {}),
    "CSLB": ("CSLB", {}),
    "CSRealBoost": ("CSRealBoost", {}),
    "CSLogitBoost": ("CSLogitBoost", {}),
    "CSLogitBoost by margin": ("CSLogitBoost", {"weighting": "margin"}),
}
MODELS = BLIND | COST_SENSITIVE
IN_UNITS_OF_COST = {"CSAda", "AdaDB", "CSRealBoost", "CSLogitBoost"}
"""Their F is a log-odds divided by a cost."""
MARGIN = "CSLogitBoost by margin"
NYGA = "AdaC1 of Nyga"
BY_ERROR = {"RealBoost by error", "RareBoost"}
"""Where a class is the heavier one on both sides of two splits, both have the same error."""


def mild(cost: Any) -> Any:
    """Costs that are at most ten times another."""
    return cost**0.25


def mild_and_large(cost: Any) -> Any:
    return 16 * mild(cost)


TAMED = {NYGA: mild, MARGIN: mild_and_large}
"""Nyga's AdaC1 takes ever larger steps (his Figure 2.3), so that at heavy costs all weight is soon
on one row and the rest are draws. The weights p(1 - p), p = 1 / (1 + e^(-2F)), of the other one
take F as it is, in units of 1 / cost: at low costs they are 0 but for rounding.
"""

LEARNERS: dict[str, Options] = {
    "stump": {"estimator": "stump"},
    "tree": {"estimator": "tree", "max_depth": 2},
    "lookup": {"estimator": "lookup", "max_bins": 4},
    "linear": {"estimator": "linear"},
}
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


def classifier(name: str) -> Any:
    return getattr(costboost, name + "Classifier")


def rounds(max_examples: int) -> Any:
    return settings(
        max_examples=max_examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def each(pairs: list[tuple[str, str]]) -> Any:
    names = [f"{model}-{learner}" for model, learner in pairs]
    return pytest.mark.parametrize(("model", "learner"), pairs, ids=names)


# ---- random problems -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A training set, its costs, and how to fit."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    costs: Options
    options: Options

    def fit(self, model: str, learner: str = "stump", **options: Any) -> Any:
        name, own = MODELS[model]
        clf = classifier(name)(**self.options | LEARNERS[learner] | own | options)
        X = np.nan_to_num(self.X, nan=1.0) if learner == "linear" else self.X
        tame = TAMED.get(model)
        costs = self.costs if tame is None else {key: tame(c) for key, c in self.costs.items()}
        return clf.fit(X, self.y, sample_weight=self.weight, **costs)

    def take(self, rows: np.ndarray) -> Case:
        """Rows in another order, fewer of them, or some more than once."""
        costs = {key: c[rows] if np.ndim(c) else c for key, c in self.costs.items()}
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, X=self.X[rows], y=self.y[rows], weight=weight, costs=costs)

    def milder(self) -> Case:
        """Costs at which no row loses all of its weight."""
        return replace(self, costs={key: mild(c) for key, c in self.costs.items()})

    def times(self, factor: float) -> Case:
        """The same problem with costs in another unit."""
        return replace(self, costs={key: factor * c for key, c in self.costs.items()})


@st.composite
def cases(
    draw: Any,
    weights: tuple[str, ...] = ("none", "counts", "own"),
    costs: tuple[str, ...] = ("whole", "class", "row"),
    most_rounds: int = 6,
) -> Case:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 40)), draw(st.integers(1, 4))
    levels = draw(st.sampled_from([2, 3, 6, 12, 100]))
    X = rng.integers(0, levels, (n, d)) / 4
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.0, 0.1, 0.5]))] = np.nan
    X[:2, 0] = 0, levels / 4  # something to tell rows by
    y = ((np.nan_to_num(X[:, 0]) > levels / 8) ^ (rng.random(n) < 0.3)).astype(int)
    y[:2] = 1, 0
    options = {
        "n_estimators": draw(st.integers(1, most_rounds)),
        "learning_rate": draw(st.sampled_from([1.0, 1.0, 0.5])),
        "initial_weights": draw(st.sampled_from(["auto", "auto", "uniform", "cost", "balanced"])),
        "negative_step": draw(st.sampled_from(["stop", "keep"])),
    }
    weight = _weights(draw(st.sampled_from(weights)), n, rng)
    return Case(X, y, weight, _costs(draw(st.sampled_from(costs)), n, rng), options)


def _weights(kind: str, n: int, rng: np.random.Generator) -> np.ndarray | None:
    if kind == "none":
        return None
    weight = rng.uniform(0.2, 2.0, n)
    if kind == "counts":
        weight = rng.integers(0, 4, n).astype(float)
        weight[:2] = np.maximum(weight[:2], 1.0)  # a row of either class stays
    return weight


def _costs(kind: str, n: int, rng: np.random.Generator) -> Options:
    if kind == "whole":
        fn, fp = rng.integers(1, 7, 2).tolist()
    elif kind == "class":
        fn, fp = (10 ** rng.uniform(-2, 2, 2)).tolist()
    else:
        fn, fp = 10 ** rng.uniform(-2, 2, (2, n))
    return {"fn_cost": fn, "fp_cost": fp}


# ---- what it means to be the same ----------------------------------------------------------------


def stages(clf: Any, X: np.ndarray) -> np.ndarray:
    if clf.estimator == "linear":
        X = np.nan_to_num(X, nan=1.0)
    return np.array(list(clf.staged_decision_function(X)))


def same_scores(
    one: Any, other: Any, X: np.ndarray, times: float = 1.0, atol: float = 1e-9, Z: Any = None
) -> None:
    """F of one on X, times a factor, is F of the other on X (or on Z), after every round.

    The score of an ensemble without learners is a sign: it has no unit. One that has ended keeps
    its score: where a loss neither falls nor rises, rounding may grant one more round of nothing.
    """
    if one.n_iter_ == other.n_iter_ == 0:
        times = np.sign(times)
    ours, theirs = times * stages(one, X), stages(other, X if Z is None else Z)
    n = max(len(ours), len(theirs))
    ours, theirs = (np.pad(F, ((0, n - len(F)), (0, 0)), "edge") for F in (ours, theirs))
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=atol)


def same_answers(one: Any, other: Any, X: np.ndarray, atol: float = 1e-9) -> None:
    """The same probabilities, and the same decisions wherever the score is not 0."""
    if one.estimator == "linear":
        X = np.nan_to_num(X, nan=1.0)
    probability = one.predict_proba(X)
    np.testing.assert_allclose(probability, other.predict_proba(X), rtol=0, atol=atol)
    decided = np.abs(one.decision_function(X)) > 1e-9
    np.testing.assert_array_equal(one.predict(X)[decided], other.predict(X)[decided])


def same(one: Any, other: Any, X: np.ndarray) -> None:
    same_scores(one, other, X)
    same_answers(one, other, X)


# ---- equal costs ---------------------------------------------------------------------------------

TWINS = {
    "AdaMEC": "AdaBoost",
    "AdaMEC logistic": "AdaBoost",
    "CGAda": "AdaBoost",
    "AsymAda": "AdaBoost",
    "CSB2": "AdaBoost",
    "AdaC1": "AdaBoost",
    "AdaC1 of Nyga": "AdaBoost",
    "AdaC2": "AdaBoost",
    "AdaC3": "AdaBoost",
    "CSRA": "RealBoost",
    "CSGA": "GentleBoost",
    "CSLB": "LogitBoost",
}
JOINT_TWINS = {"CSAda": "AdaBoost", "AdaDB": "AdaBoost"}
COST_TWINS = {"CSRealBoost": "RealBoost", "CSLogitBoost": "LogitBoost"}


def equal_costs(case: Case, cost: float, per_row: bool) -> Case:
    value = np.full(len(case.y), cost) if per_row else cost
    return replace(case, costs={"fn_cost": value, "fp_cost": value})


each_equal_cost = given(case=cases(), cost=st.sampled_from([1.0, 3.0, 0.25]), per_row=st.booleans())


@pytest.mark.parametrize("learner", ["stump", "tree"])
@pytest.mark.parametrize("model", TWINS)
@rounds(20)
@each_equal_cost
def test_equal_costs_are_the_twin(
    model: str, learner: str, case: Case, cost: float, per_row: bool
) -> None:
    """Nikolaou, section 2.3: all but CSB0, CSB1 and AdaCost reduce to AdaBoost; Nyga's CSRA, CSGA
    and CSLB to the algorithms they extend."""
    case = equal_costs(case, cost, per_row)
    same_scores(case.fit(model, learner), case.fit(TWINS[model], learner), case.X)


@pytest.mark.parametrize("model", COST_TWINS)
@rounds(20)
@each_equal_cost
def test_equal_costs_are_the_unit_of_the_score(
    model: str, case: Case, cost: float, per_row: bool
) -> None:
    """Masnadi and Vasconcelos, section 4: the twin at equal costs, with F in units of 1/cost."""
    case = equal_costs(case, cost, per_row)
    same_scores(case.fit(model), case.fit(COST_TWINS[model]), case.X, times=cost)


@pytest.mark.parametrize("per_row", [False, True], ids=["class costs", "row costs"])
@rounds(20)
@given(case=cases())
def test_costs_of_one_make_cslogitboost_by_margin_logitboost(per_row: bool, case: Case) -> None:
    """Masnadi and Vasconcelos, eq. 55: where gamma = 1 and eta = 0, both probabilities are one."""
    case = equal_costs(case, 1.0, per_row)
    clf = case.fit("CSLogitBoost", weighting="margin")
    same(clf, case.fit("LogitBoost"), case.X)


@pytest.mark.parametrize("learner", ["stump", "tree"])
@pytest.mark.parametrize("model", JOINT_TWINS)
@rounds(20)
@given(case=cases(weights=("own",)), cost=st.sampled_from([1.0, 3.0, 0.25]), per_row=st.booleans())
def test_equal_costs_make_csada_adaboost(
    model: str, learner: str, case: Case, cost: float, per_row: bool
) -> None:
    """Masnadi and Vasconcelos after Theorem 3: it "reduces to the latter when C1 = C2 = 1".

    To 1e-7: mistakes are floored at 1e-10 of each class, AdaBoost's at 1e-10 of all rows. The same
    floor would decide draws, so there are none.
    """
    case = equal_costs(case, cost, per_row)
    one, other = case.fit(model, learner), case.fit("AdaBoost", learner)
    same_scores(one, other, case.X, times=cost, atol=1e-7)


@rounds(30)
@given(case=cases())
def test_adamec_decides_as_adaboost_at_equal_costs(case: Case) -> None:
    """Nikolaou, eq. 9: at equal costs the rule of least expected cost is the sign of F."""
    even = equal_costs(case, 3.0, per_row=False)
    one, other = even.fit("AdaMEC"), even.fit("AdaBoost")
    decided = np.abs(other.decision_function(case.X)) > 1e-9
    np.testing.assert_array_equal(one.predict(case.X)[decided], other.predict(case.X)[decided])


@rounds(30)
@given(case=cases())
def test_adamec_trains_as_adaboost_at_any_costs(case: Case) -> None:
    """Ting 2000: only the decision knows the costs."""
    same_scores(case.fit("AdaMEC"), case.fit("AdaBoost"), case.X)


# ---- one algorithm in the clothes of another -----------------------------------------------------


@rounds(100)
@given(case=cases())
def test_rareboost_is_realboost_on_stumps(case: Case) -> None:
    """Nyga, Proposition 3."""
    rare, real = case.fit("RareBoost"), case.fit("RealBoost by error")
    np.testing.assert_array_equal(stages(rare, case.X), stages(real, case.X))
    np.testing.assert_array_equal(rare.predict_proba(case.X), real.predict_proba(case.X))


@pytest.mark.parametrize("learner", ["stump", "tree"])
@pytest.mark.parametrize("costs", ["whole", "halves", "class", "row"])
def test_adadb_is_csada(costs: str, learner: str) -> None:
    """Landesa-Vazquez and Alba-Castro 2013: the same loss, so the same steps, to 1e-6."""

    @rounds(30)
    @given(case=cases(weights=("own",), costs=("whole" if costs == "halves" else costs,)))
    def agree(case: Case) -> None:
        case = case.times(0.5) if costs == "halves" else case
        csada, adadb = case.fit("CSAda", learner), case.fit("AdaDB", learner)
        assert csada.n_iter_ == adadb.n_iter_
        np.testing.assert_allclose(
            adadb.estimator_weights_, csada.estimator_weights_, rtol=1e-6, atol=1e-6
        )
        np.testing.assert_allclose(
            stages(adadb, case.X), stages(csada, case.X), rtol=1e-6, atol=1e-6
        )

    agree()


@pytest.mark.parametrize("learner", ["stump", "tree"])
@rounds(30)
@given(case=cases())
def test_weightboost_without_damping_is_adaboost(learner: str, case: Case) -> None:
    """Nyga, Algorithm 17 at beta = 0."""
    clf = case.fit("WeightBoost", learner, beta=0.0)
    same(clf, case.fit("AdaBoost", learner), case.X)


@pytest.mark.parametrize("learner", ["stump", "tree"])
@pytest.mark.parametrize("model", ["AdaBoostReg", "AdaBoostReg class-aware"])
@rounds(20)
@given(case=cases())
def test_adaboostreg_without_mistrust_is_adaboost_doubled(
    model: str, learner: str, case: Case
) -> None:
    """Nyga, eq. 2.81 at C = 0: the exponential loss of half the margin.

    A perfect learner has no step that is best: AdaBoost's is floored, the other one's is 50.
    """
    soft, hard = case.fit(model, learner, C=0.0), case.fit("AdaBoost", learner)
    n = int((hard.estimator_errors_ > 1e-9).sum())
    assert soft.n_iter_ == hard.n_iter_
    np.testing.assert_allclose(
        stages(soft, case.X)[:n], 2 * stages(hard, case.X)[:n], rtol=0, atol=1e-8
    )


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
    """The same swap by `pos_label`: the score stays, being that of `classes_[1]`."""
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
    and of a row written twice each has had half. Every value has a bin of its own here, because
    quantiles are those of the rows as they are written.
    """
    assert case.weight is not None
    rows = np.repeat(np.arange(len(case.y)), case.weight.astype(int))
    written = replace(case.take(rows), weight=None)
    one, other = (each.fit(model, learner, max_bins=254) for each in (case, written))
    same(one, other, case.X)


@each(ALL)
@rounds(6)
@given(case=cases(weights=("counts", "own")), factor=st.sampled_from([8.0, 3.0, 1e-3]))
def test_weights_times_a_constant(model: str, learner: str, case: Case, factor: float) -> None:
    assert case.weight is not None
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
