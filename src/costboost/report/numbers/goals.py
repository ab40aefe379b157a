"""Whether the goal that a classifier was made for is met on the rows of a report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from costboost.decisions import CostSearchCV, OperatingPointClassifier
from costboost.decisions.goals import SLACK, Goal
from costboost.decisions.outcomes import Held
from costboost.report.numbers.answers import Answers
from costboost.report.numbers.outcome import Z


class Reached(NamedTuple):
    """The value of a goal's measure on some rows, NaN where it is not defined."""

    goal: Goal
    value: float
    low: float
    high: float
    """95% interval of the value: Wilson's for a rate, a normal one for a mean cost."""
    met: bool
    by_chance: bool
    """Whether the interval includes values that meet the goal."""


def goal_model(model: Any) -> OperatingPointClassifier | None:
    """The classifier that a goal was set for, maybe inside a search."""
    while isinstance(model, CostSearchCV):
        model = model._fitted()
    return model if isinstance(model, OperatingPointClassifier) else None


def reached(model: Any, rows: Answers) -> Reached | None:
    """What the decisions of a classifier reach of its goal; None if it has none."""
    aiming = goal_model(model)
    if aiming is None:
        return None
    goal = replace(aiming._goal, margin=0.0)
    outcomes = _held(aiming, rows).decided(rows.called[np.newaxis])
    value = float(goal.target.value(outcomes)[0])
    low, high = (float(end[0]) for end in goal.target.bounds(outcomes, Z))
    low, high = max(0.0, low), min(goal.target.most, high)
    met = bool(goal.shortfall(outcomes)[0] <= SLACK * max(_sides(goal)))
    possible = (goal.at_least is None or high >= goal.at_least) and (
        goal.at_most is None or low <= goal.at_most
    )
    return Reached(goal, value, low, high, met, possible)


def _sides(goal: Goal) -> list[float]:
    return [side for side in (goal.at_least, goal.at_most) if side is not None]


def _held(aiming: OperatingPointClassifier, rows: Answers) -> Held:
    """The rows with the costs that the goal was set under."""
    fn, fp = aiming._costs
    cost = rows.cost if np.ndim(fn) or np.ndim(fp) else np.where(rows.positive, fn, fp)
    weight = rows.weight
    fold = np.zeros(weight.size, dtype=np.intp)
    return Held(
        rows.positive, weight, cost.astype(float), fold, float(weight.sum() / (weight**2).sum())
    )
