"""Goals as the command line states them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from costboost.cli.algorithms import make as make_classifier
from costboost.cli.algorithms import named_for_several
from costboost.reading.errors import InputError

if TYPE_CHECKING:
    from costboost.cli.layout import Layout

GOALS = {
    "recall": ("recall", "at_least"),
    "precision": ("precision", "at_least"),
    "fpr": ("fpr", "at_most"),
    "budget": ("cost", "at_most"),
}
"""Option -> target, and the side that the goal is on."""


def chosen(options: Mapping[str, Any], algorithm: str) -> tuple[str, float]:
    """The one goal that is given."""
    if named_for_several(algorithm):
        raise InputError(f"{algorithm} has no threshold to move: a goal needs another algorithm")
    given = [(name, options[name]) for name in GOALS if options[name] is not None]
    if len(given) != 1:
        raise InputError("one goal is needed: --recall, --precision, --fpr or --budget")
    name, value = given[0]
    most = math.inf if name == "budget" else 1
    if not 0 <= value <= most:
        wanted = "at least 0" if name == "budget" else "a share from 0 to 1"
        raise InputError(f"--{name} must be {wanted}, got {value:g}")
    return name, value


def make(
    layout: Layout,
    aim: tuple[str, float],
    margin: float,
    algorithm: str,
    settings: dict[str, Any],
) -> Any:
    """A classifier that will meet the goal, not yet fitted."""
    from costboost.decisions import OperatingPointClassifier

    if layout.several:
        raise InputError(
            f"a goal is one of two classes, but {layout.target!r} has {len(layout.classes)}: "
            f"--positive {layout.classes[-1]!r} would set that one against the rest"
        )
    if layout.cost_columns:
        raise InputError("a goal is met by one threshold for all rows: give costs as numbers")
    goal, value = aim
    target, side = GOALS[goal]
    sides: dict[str, Any] = {side: value}
    return OperatingPointClassifier(
        make_classifier(algorithm, layout, **settings),
        target=target,
        fn_cost=float(layout.fn_cost),
        fp_cost=float(layout.fp_cost),
        margin=margin,
        pos_label=layout.label,
        random_state=settings["seed"],
        **sides,
    )


def describe(model: Any) -> dict[str, Any]:
    """The operating point of a fitted classifier, and what it reaches on held-out rows."""
    at = _point(model)
    ends = [float(end) for end in model.interval_]
    text = (
        f"Goal: {model._goal}. In cross-validation: {model.achieved_:.4g} ({_sure(*ends)}), "
        f"{_where(**at)}."
    )
    interval = None if math.isnan(ends[0]) else ends
    goal = {"target": model.target, "achieved": model.achieved_, "interval": interval, **at}
    return {"goal": goal, "text": text}


def _point(model: Any) -> dict[str, Any]:
    """A threshold, or a cost of training; no threshold where it would lie beyond all rows."""
    if not hasattr(model, "threshold_"):
        return {"trained_fn_cost": model.fn_cost_}
    if math.isfinite(model.threshold_):
        return {"threshold": model.threshold_}
    return {"threshold": None, "calls": "every row" if model.threshold_ < 0 else "no row"}


def _where(calls: str = "", **at: float) -> str:
    """The operating point in words."""
    (name, value), *_ = at.items()
    return f"by calling {calls} positive" if calls else f"at {name.replace('_', ' ')} {value:.4g}"


def _sure(low: float, high: float) -> str:
    """How far off it may be on other rows."""
    if math.isnan(low):
        return "too few folds have such rows for an interval"
    return f"95% interval {low:.4g} to {high:.4g}" if low < high else "the same in every fold"
