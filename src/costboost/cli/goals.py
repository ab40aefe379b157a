"""Goals of ``costboost goal``, such as a recall of at least 0.95."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from costboost.cli.algorithms import is_multiclass_name, make_classifier
from costboost.reading.errors import InputError

if TYPE_CHECKING:
    from costboost.cli.layouts import Layout

GOALS = {
    "recall": ("recall", "at_least"),
    "precision": ("precision", "at_least"),
    "fpr": ("fpr", "at_most"),
    "budget": ("cost", "at_most"),
}
"""Option -> target and bound of `OperatingPointClassifier`."""


def given_goal(options: Mapping[str, Any], algorithm: str) -> tuple[str, float]:
    """The option that states the goal, and its value."""
    if is_multiclass_name(algorithm):
        raise InputError(f"{algorithm} has no threshold to move: a goal needs another algorithm")
    given = [(name, options[name]) for name in GOALS if options[name] is not None]
    if len(given) != 1:
        raise InputError("one goal is needed: --recall, --precision, --fpr or --budget")
    name, value = given[0]
    upper = math.inf if name == "budget" else 1
    if not 0 <= value <= upper:
        expected = "at least 0" if name == "budget" else "a share from 0 to 1"
        raise InputError(f"--{name} must be {expected}, got {value:g}")
    return name, value


def make_goal_classifier(
    layout: Layout,
    name: str,
    value: float,
    margin: float,
    algorithm: str,
    settings: dict[str, Any],
) -> Any:
    """An unfitted classifier that will meet the goal."""
    from costboost.decisions import OperatingPointClassifier

    if layout.multiclass:
        raise InputError(
            f"a goal is one of two classes, but {layout.target!r} has {len(layout.classes)}: "
            f"--positive {layout.classes[-1]!r} would set that one against the rest"
        )
    if layout.cost_columns:
        raise InputError("a goal is met by one threshold for all rows: give costs as numbers")
    target, bound = GOALS[name]
    bounds: dict[str, Any] = {bound: value}
    return OperatingPointClassifier(
        make_classifier(algorithm, layout, **settings),
        target=target,
        fn_cost=float(layout.fn_cost),
        fp_cost=float(layout.fp_cost),
        margin=margin,
        pos_label=layout.label,
        random_state=settings["seed"],
        **bounds,
    )


def describe_goal(model: Any) -> dict[str, Any]:
    """The operating point of a fitted classifier, and what it reaches in cross-validation."""
    point = _operating_point(model)
    ends = [float(end) for end in model.interval_]
    text = (
        f"Goal: {model._goal}. In cross-validation: {model.achieved_:.4g} "
        f"({_interval_text(*ends)}), {_point_text(**point)}."
    )
    interval = None if math.isnan(ends[0]) else ends
    goal = {"target": model.target, "achieved": model.achieved_, "interval": interval, **point}
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
    return f"at {name.replace('_', ' ')} {value:.4g}"


def _interval_text(low: float, high: float) -> str:
    if math.isnan(low):
        return "too few folds have such rows for an interval"
    return f"95% interval {low:.4g} to {high:.4g}" if low < high else "the same in every fold"
