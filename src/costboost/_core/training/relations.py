"""Checks of parameters against the rule and the weak learner that they are for."""

from __future__ import annotations

from costboost._core.model.constraints import Constraints, check_constraints, is_monotonic
from costboost._core.parameters.boosting import BoostingParameters
from costboost._core.parameters.estimators import DRAWING, DRAWING_CUTS, any_of
from costboost._core.rules.multinomial import MultinomialRule
from costboost._core.rules.record import NewtonRule, Rule, SeveralRule

UNUSED = {"splitter": "best", "max_features": None, "subsample": 1, "l2_regularization": 0}
"""Parameters of the learners that draw, and the values at which they have no effect."""


def check_learner(parameters: BoostingParameters, rule: Rule | SeveralRule, learner: str) -> None:
    """Raise a ValueError if the rule cannot boost the weak learner."""
    if learner not in rule.learners:
        others = ", ".join(repr(name) for name in rule.learners if name != "wrapped")
        what = "a scikit-learn classifier" if learner == "wrapped" else f"estimator={learner!r}"
        raise ValueError(f"{rule.name} cannot boost {what}; take one of {others}")
    if parameters.resample and learner != "wrapped":
        raise ValueError(
            "resample=True is for scikit-learn estimators that take no sample_weight; the built-in "
            f"{learner} learner takes weights: leave it out"
        )
    check_randomised(parameters, rule, learner)
    check_constrained(parameters, rule, learner)


def check_randomised(
    parameters: BoostingParameters, rule: Rule | SeveralRule, learner: str
) -> None:
    """Raise a ValueError if rows or features are drawn, or leaves shrunk, where they cannot be."""
    what = "a scikit-learn classifier" if learner == "wrapped" else f"estimator={learner!r}"
    for name, usual in UNUSED.items():
        value = getattr(parameters, name)
        having = DRAWING_CUTS if name == "splitter" else DRAWING
        if value != usual and learner not in having:
            raise ValueError(
                f"{name}={value!r} has no effect on {what}; take estimator={any_of(having)}, or "
                f"leave {name} at its default"
            )
    if parameters.l2_regularization and not isinstance(rule, (NewtonRule, MultinomialRule)):
        raise ValueError(
            f"l2_regularization={parameters.l2_regularization!r} is for boosting by Newton steps, "
            f"as in LogitBoostClassifier and CostBoostClassifier, but {rule.name} has no leaves "
            "that are means of a regression; leave it at 0"
        )


def check_constrained(
    parameters: BoostingParameters, rule: Rule | SeveralRule, learner: str
) -> None:
    """Raise a ValueError if the weak learner or the rule cannot keep to the constraints."""
    check_constraints(parameters.monotonic_cst, parameters.interaction_cst)
    monotonic, interaction = is_monotonic(parameters.monotonic_cst), parameters.interaction_cst
    names = ["monotonic_cst"] * monotonic + ["interaction_cst"] * (interaction is not None)
    if names and learner not in DRAWING:
        what = "a scikit-learn classifier" if learner == "wrapped" else f"estimator={learner!r}"
        raise ValueError(
            f"{names[0]} is not possible for {what}; take estimator={any_of(DRAWING)}, or "
            f"leave {names[0]} out"
        )
    if monotonic and parameters.negative_step == "keep":
        raise ValueError(
            "monotonic_cst is not possible with negative_step='keep': a negative step reverses the "
            "direction of a weak learner; take negative_step='stop'"
        )
    if monotonic and getattr(rule, "combine", None) is not None:
        raise ValueError(
            f"monotonic_cst is not possible for {rule.name}, whose score is not a sum of weak "
            "learners: one that rises may lower it; take AdaBoostClassifier or CostBoostClassifier"
        )


def refuse_directions(constraints: Constraints, n_classes: int) -> None:
    """Raise a ValueError if features have directions and there are several classes."""
    if constraints.directions is not None:
        raise ValueError(
            f"monotonic_cst is for two classes, but y has {n_classes}: a feature that raises the "
            "score of one class against the rest may still lower its probability. Leave it out, or "
            "fit a classifier of the class of interest against the rest"
        )
