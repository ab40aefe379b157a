"""Audits depend on the functions of a rule: altered rules fail, names and flags have no effect."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest

import costboost
from costboost._core.rules import discrete, newton, real, score_weighted
from costboost._core.rules.discrete import (
    confidence,
    cost_confidence,
    exponential,
    exponential_in_cost,
)
from costboost._core.rules.real import half_log_odds, mean_label
from costboost._core.rules.record import COST, COST_LOGISTIC, LOGISTIC_TILTED, UNIFORM
from costboost_lab.theory import audit

RULES = [
    discrete.ADABOOST, discrete.ADACOST, discrete.CSB2, discrete.ADAC1, discrete.ADAC2,
    discrete.CSADA, discrete.ADAMEC, discrete.ASYMADA, real.GENTLEBOOST, real.CSRA,
    real.CSREALBOOST, newton.CSLB, newton.CSLOGITBOOST, score_weighted.weightboost(0.5),
    score_weighted.adaboost_reg(1.0, 1.0, False),
]  # fmt: skip


def alignments(rule: Any) -> list[str]:
    return list(audit(rule).evidence["fgd_consistent"].measured["alignments"])


# ---- names and claims ----------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_names_and_flags_have_no_effect(rule: Any) -> None:
    """`cost_blind` and `costs_in_rounds` are declarations, not functions."""
    renamed = replace(
        rule,
        name="another name",
        cost_blind=not rule.cost_blind,
        costs_in_rounds=not rule.costs_in_rounds,
    )
    assert audit(renamed).verdicts == audit(rule).verdicts


def test_declared_attributes_have_no_effect() -> None:
    class WrongClassifier(costboost.algorithms.CSB2Classifier):
        """CSB2 with wrong declarations."""

        fgd_consistent: ClassVar[bool] = True
        cost_consistent: ClassVar[bool] = True
        asymmetry_preserving: ClassVar[bool] = False

    assert audit(WrongClassifier).verdicts == (False, False, True)


def test_an_audit_is_repeatable_and_reads_parameters() -> None:
    assert audit(costboost.algorithms.AdaC1Classifier) == audit(discrete.ADAC1)
    assert audit(costboost.algorithms.AdaCostClassifier(beta="ting")).name == "AdaCost(beta2)"
    assert audit(costboost.algorithms.CGAdaClassifier(fn_cost=7)).fn_cost == 2.0


# ---- descent -------------------------------------------------------------------------------------


def test_alignments_of_steps_and_weights() -> None:
    assert alignments(discrete.ADAC2) == ["after"]
    assert alignments(discrete.ASYMADA) == ["before"]
    assert alignments(real.CSRA) == ["before"]
    assert alignments(discrete.CGADA) == ["before", "after"]


def test_a_step_of_the_other_alignment_is_accepted() -> None:
    """Nikolaou's AsymAda, whose step has one factor more, and AdaC2 with AdaBoost's step."""
    assert alignments(replace(discrete.ASYMADA, step=cost_confidence)) == ["after"]
    assert alignments(replace(discrete.ADAC2, step=confidence)) == ["before"]


def test_an_alignment_must_hold_in_all_rounds() -> None:
    def changing(cells: Any) -> float:
        heavy = cells.dot(cells.positive.astype(float)) > 0.7
        return cost_confidence(cells) if heavy else confidence(cells)

    found = audit(replace(discrete.ADAC2, step=changing))
    assert not found.fgd_consistent
    gaps = found.evidence["fgd_consistent"].measured["gaps"]
    assert all(gap > 1e-3 for gap in gaps.values())


@pytest.mark.parametrize(
    "rule",
    [
        replace(discrete.ADABOOST, step=lambda cells: 0.99 * confidence(cells)),
        replace(discrete.ADABOOST, step=cost_confidence),
        replace(discrete.CGADA, update=exponential_in_cost),
        replace(real.REALBOOST, leaf=lambda p, q, e: 0.99 * half_log_odds(p, q, e)),
        replace(real.GENTLEBOOST, leaf=lambda p, q, e: 1.01 * mean_label(p, q, e)),
        replace(real.CSREALBOOST, leaf=half_log_odds),
        replace(real.RAREBOOST, leaf_of_many=lambda p, q, e: np.sign(p - q)),
        replace(newton.LOGITBOOST, first_step=lambda rows: 0.49),
        replace(newton.CSLOGITBOOST, weight_of_twice_score=True),
    ],
)
def test_a_slightly_wrong_step_is_detected(rule: Any) -> None:
    assert not audit(rule).fgd_consistent


def test_leaf_values_are_compared_with_the_implied_loss() -> None:
    """Twice the usual leaf values are right for the loss of an update with half the rate."""
    doubled = replace(
        real.REALBOOST,
        leaf=lambda p, q, e: 2 * half_log_odds(p, q, e),
        update=lambda cells, step: np.exp(-step * cells.margin / 2),
    )
    assert audit(doubled).fgd_consistent


def test_weights_that_do_not_fall_with_the_margin() -> None:
    found = audit(replace(discrete.ADABOOST, update=lambda cells, step: np.ones_like(cells.margin)))
    assert not found.fgd_consistent
    assert "do not fall as the margin grows" in found.evidence["fgd_consistent"].because


def test_weights_that_do_not_depend_on_steps() -> None:
    """Every mistake doubles the weight, however large the step."""
    rule = replace(
        discrete.ADABOOST, update=lambda cells, step: np.where(cells.margin < 0, 2.0, 1.0)
    )
    example = audit(rule).evidence["fgd_consistent"].counter_example
    mistakes = [np.sum(np.array(path) < 0) for path in example["outcomes"]]
    assert mistakes[0] != mistakes[1]
    np.testing.assert_allclose(
        example["weights"][0] / example["weights"][1], 2.0 ** (mistakes[0] - mistakes[1])
    )


def test_costs_that_are_too_far_apart_are_an_error() -> None:
    with pytest.raises(ValueError, match="take costs that are less far apart"):
        audit(costboost.algorithms.AdaC1Classifier(step="nyga"), 1e6, 1)


# ---- decisions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        (replace(discrete.ADABOOST, start=COST), True),
        (replace(discrete.CGADA, start=UNIFORM), False),
        (replace(discrete.CGADA, decides_by_cost=True), True),
        (replace(discrete.CGADA, decides_by_cost=True, link=LOGISTIC_TILTED), False),
        (replace(discrete.ADABOOST, decides_by_cost=True), True),
        (replace(discrete.CSADA, decides_by_cost=True), True),
        (replace(discrete.CSADA, decides_by_cost=True, link=LOGISTIC_TILTED), False),
        (replace(discrete.ADABOOST, decides_by_cost=True, link=COST_LOGISTIC), False),
        (replace(discrete.CSADA, focus=discrete.ADABOOST.focus), False),
        (replace(newton.CSLB, logit=newton.LOGITBOOST.logit), False),
    ],
)
def test_decisions_are_the_librarys_own(rule: Any, holds: bool) -> None:
    assert audit(rule).cost_consistent is holds


@pytest.mark.parametrize("costs", [(2.0, 1.0), (1.0, 5.0)])
def test_thresholds_are_those_of_table_3(costs: tuple[float, float]) -> None:
    fn, fp = costs
    expected = {
        costboost.algorithms.AdaBoostClassifier: 0.5,
        costboost.algorithms.CGAdaClassifier: fp / (fp + fn),
        costboost.algorithms.CSAdaClassifier: fp / (fp + fn),
        costboost.algorithms.AdaC2Classifier: fp**6 / (fp**6 + fn**6),
        costboost.algorithms.AdaC3Classifier: fp**6 / (fp**6 + fn**6),
    }
    for cls, threshold in expected.items():
        measured = audit(cls, fn, fp).evidence["cost_consistent"].measured
        assert measured["threshold"] == pytest.approx(threshold, rel=1e-9)


def test_calibration_helps_where_the_score_rises_with_the_probability() -> None:
    assert audit(costboost.algorithms.AdaBoostClassifier(calibration="platt")).cost_consistent
    assert audit(costboost.algorithms.AdaC2Classifier(calibration="isotonic")).cost_consistent
    found = audit(costboost.algorithms.CSB2Classifier(calibration="platt"))
    assert not found.cost_consistent
    assert "no calibrator" in found.evidence["cost_consistent"].because


def test_initial_weights_can_violate_cost_consistency() -> None:
    assert not audit(
        costboost.algorithms.AdaC1Classifier(initial_weights="uniform")
    ).cost_consistent
    assert not audit(
        costboost.algorithms.CSAdaClassifier(initial_weights="balanced")
    ).cost_consistent
    assert audit(costboost.algorithms.CGAdaClassifier(initial_weights="cost")).cost_consistent


# ---- asymmetry -----------------------------------------------------------------------------------


def test_asymmetry_swaps_where_the_cost_is_in_the_exponent() -> None:
    assert not audit(replace(discrete.ADABOOST, update=exponential_in_cost)).asymmetry_preserving
    assert audit(replace(discrete.ADAC1, update=exponential)).asymmetry_preserving


def test_a_rule_that_favours_the_less_costly_class_is_detected() -> None:
    rule = replace(
        discrete.ADABOOST, update=lambda cells, step: exponential(cells, step) / cells.cost
    )
    assert not audit(rule, 2, 1).asymmetry_preserving
    forgetful = replace(
        discrete.CSB0, update=lambda cells, step: 1 / np.where(cells.margin < 0, cells.cost, 1.0)
    )
    assert not audit(forgetful, 2, 1).asymmetry_preserving


def test_adacost_swaps_by_negative_steps_only() -> None:
    for algorithm in (
        costboost.algorithms.AdaCostClassifier,
        costboost.algorithms.AdaCostClassifier(beta="ting"),
        costboost.algorithms.AdaCostClassifier(max_cost=1.0),
        costboost.algorithms.AdaCostClassifier(max_cost=0.01),
    ):
        finding = audit(algorithm).evidence["asymmetry_preserving"]
        assert finding.measured["positive_steps"] >= 2 - 1e-12
        assert finding.measured["least_ratio"] < 1
        assert max(finding.counter_example["steps"]) < 0


def test_mistrust_by_class_can_swap() -> None:
    assert audit(costboost.algorithms.AdaBoostRegClassifier).asymmetry_preserving
    assert not audit(
        costboost.algorithms.AdaBoostRegClassifier(class_aware=True)
    ).asymmetry_preserving
