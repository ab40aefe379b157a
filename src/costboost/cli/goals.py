"""Goals as the command line states them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from costboost.cli.algorithms import algorithm as find
from costboost.cli.algorithms import for_several
from costboost.cli.algorithms import make as make_classifier
from costboost.cli.layout import Layout
from costboost.cli.trouble import TroubleError

GOALS = {
    "recall": ("recall", "at_least"),
    "precision": ("precision", "at_least"),
    "fpr": ("fpr", "at_most"),
    "budget": ("cost", "at_most"),
}
"""Option -> target, and the side that the goal is on."""


def chosen(options: Mapping[str, Any], algorithm: str) -> tuple[str, float]:
    """The one goal that is given."""
    if for_several(find(algorithm)):
        raise TroubleError(f"{algorithm} has no threshold to move: a goal needs another algorithm")
    given = [(name, options[name]) for name in GOALS if options[name] is not None]
    if len(given) != 1:
        raise TroubleError("one goal is needed: --recall, --precision, --fpr or --budget")
    return given[0]


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
        raise TroubleError(
            f"a goal is one of two classes, but {layout.target!r} has {len(layout.classes)}: "
            f"--positive {layout.classes[-1]!r} would set that one against the rest"
        )
    if layout.cost_columns:
        raise TroubleError("a goal is met by one threshold for all rows: give costs as numbers")
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
    low, high = model.interval_
    at = {"threshold": model.threshold_} if hasattr(model, "threshold_") else {}
    if not at:
        at = {"trained_fn_cost": model.fn_cost_}
    where = " and ".join(f"{key.replace('_', ' ')} {value:.4g}" for key, value in at.items())
    text = (
        f"Goal: {model._goal}. In cross-validation: {model.achieved_:.4g} (95% interval "
        f"{low:.4g} to {high:.4g}), at {where}."
    )
    goal = {"target": model.target, "achieved": model.achieved_, "interval": [low, high], **at}
    return {"goal": goal, "text": text}
