"""Checks of a warm start: whether a plan can go on with an earlier model."""

from __future__ import annotations

from typing import Any

from costboost._core.training.plan import Plan


def check_continued(earlier: Any, plan: Plan, n_features: int | None) -> None:
    """Raise a ValueError if a warm start cannot continue a fitted model with this plan."""
    for member in earlier.members:
        _check_member(member, plan, n_features)


def _check_member(earlier: Any, plan: Plan, n_features: int | None) -> None:
    """Raise the ValueError of `check_continued` for one ensemble."""
    if not earlier.n_iter or (plan.traits.averages and plan.members):
        return
    if plan.learner != earlier.learner:
        raise ValueError(
            f"warm_start goes on with the same weak learner, but estimator was {earlier.learner} "
            f"and is {plan.learner} now; refit with warm_start=False"
        )
    if n_features is not None and n_features != earlier.n_features_in:
        raise ValueError(
            f"warm_start goes on with the same data, but X has {n_features} features instead "
            f"of {earlier.n_features_in}; refit with warm_start=False"
        )
    if plan.parameters.n_estimators < earlier.n_iter:
        raise ValueError(
            f"n_estimators={plan.parameters.n_estimators} must be at least the {earlier.n_iter} "
            "rounds already there when warm_start=True"
        )
    held_out = earlier.held_out or 0.0
    if plan.share_held_out != held_out:
        raise ValueError(
            "warm_start goes on with the same rows, but calibration held out a share of "
            f"{held_out:g} of them and is to hold out {plan.share_held_out:g} now; "
            "refit with warm_start=False"
        )


def check_same_constraints(earlier: Any, plan: Plan) -> None:
    """Raise a ValueError if a warm start would continue a model of other constraints."""
    if not earlier.n_iter or (plan.traits.averages and plan.members):
        return
    if earlier.constraints != plan.constraints:
        raise ValueError(
            "warm_start goes on with the same monotonic_cst and interaction_cst, but they are "
            "others now; refit with warm_start=False"
        )
