"""``goal``: a classifier that meets a goal."""

from __future__ import annotations

import math
from typing import Any

from costboost._core.wording import amount
from costboost.app.cli.estimators import make_classifier
from costboost.app.cli.given import Given
from costboost.app.cli.training import train_and_show
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError
from costboost.decisions import OperatingPointClassifier
from costboost.decisions.operating import goal_of

GOALS = {
    "recall": ("recall", "at_least"),
    "precision": ("precision", "at_least"),
    "fpr": ("fpr", "at_most"),
    "budget": ("cost", "at_most"),
}
"""Option -> target and bound of `OperatingPointClassifier`."""


def run(given: Given) -> None:
    train_and_show(given, lambda layout: make_goal_classifier(given, layout), describe_goal)


def make_goal_classifier(given: Given, layout: DataLayout) -> OperatingPointClassifier:
    """An unfitted classifier that will meet the goal."""
    if layout.multiclass:
        raise InputError(
            f"a goal is one of two classes, but {layout.target!r} has {len(layout.classes)}: "
            f"--positive {layout.classes[-1]!r} would set that one against the rest"
        )
    ((target, bound), value), *_ = (
        (GOALS[name], given[name]) for name in GOALS if given[name] is not None
    )
    return OperatingPointClassifier(
        make_classifier(given, given.algorithm, layout),
        target=target,
        **layout.constant_costs,
        pos_label=layout.label,
        random_state=given.seed,
        margin=given.margin,
        guarantee=given.guarantee,
        **{bound: value},
    )


def describe_goal(model: Any) -> dict[str, Any]:
    """The operating point of a fitted classifier, and what it reaches on rows held out."""
    point = _operating_point(model)
    ends = [float(end) for end in model.interval_]
    where, sure = "In cross-validation", f" ({_interval_text(*ends)})"
    if model.guarantee is not None:
        where, sure = "On the rows held out for it", ""
    text = (
        f"Goal: {goal_of(model)}. {where}: {amount(model.achieved_)}{sure}, {_point_text(**point)}."
    )
    interval = None if not all(map(math.isfinite, ends)) else ends
    goal = {"target": model.target, "achieved": model.achieved_, "interval": interval, **point}
    if model.guarantee is not None:
        goal["guarantee"] = model.guarantee
    return {"goal": goal, "text": text}


def _operating_point(model: Any) -> dict[str, Any]:
    """The threshold, None if it lies beyond the scores of all rows; or the cost in training."""
    if not hasattr(model, "threshold_"):
        return {"trained_fn_cost": model.fn_cost_}
    if math.isfinite(model.threshold_):
        return {"threshold": model.threshold_}
    return {"threshold": None, "calls": "every row" if model.threshold_ < 0 else "no row"}


def _point_text(calls: str = "", **point: float) -> str:
    (name, value), *_ = point.items()
    if calls:
        return f"by predicting {calls} positive"
    return f"at {name.replace('_', ' ')} {amount(value)}"


def _interval_text(low: float, high: float) -> str:
    if math.isnan(low):
        return "too few folds have such rows for an interval"
    return (
        f"95% interval {amount(low)} to {amount(high)}" if low < high else "the same in every fold"
    )
