"""Algorithms that must be one another: at equal costs, or in each other's clothes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from classifiers.identical import Case, cases, rounds, same, same_scores, stages
from hypothesis import given
from hypothesis import strategies as st

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* ignores costs"),
    pytest.mark.filterwarnings("ignore:.* added no learner"),
]

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
    """Nikolaou, eq. 9: at equal costs the rule of least expected cost is the sign of F.

    The logistic probability takes out what the start has put into F, so that it must be uniform.
    """
    even = equal_costs(case, 3.0, per_row=False)
    if even.options["initial_weights"] == "balanced":  # which the probabilities take out again
        even.options["initial_weights"] = "uniform"
    one, other = even.fit("AdaMEC"), even.fit("AdaBoost")
    decided = np.abs(other.decision_function(case.X)) > 1e-9
    np.testing.assert_array_equal(one.predict(case.X)[decided], other.predict(case.X)[decided])
    one, other = (
        even.fit(name, initial_weights="uniform") for name in ("AdaMEC logistic", "AdaBoost")
    )
    decided = np.abs(other.decision_function(case.X)) > 1e-9
    np.testing.assert_array_equal(one.predict(case.X)[decided], other.predict(case.X)[decided])


@rounds(30)
@given(case=cases())
def test_adamec_trains_as_adaboost_at_any_costs(case: Case) -> None:
    """Ting 2000: costs are used only in the decision."""
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
