"""Outcomes of predictions for two classes: counts, costs, savings with intervals, goals."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from costboost.decisions import OperatingPointClassifier
from costboost.decisions.goals import Goal
from costboost.decisions.operating import costs_of, goal_of
from costboost.decisions.outcomes import ROUNDING, HeldOut
from costboost.decisions.wrapping import layers
from costboost.metrics.checks import Floats
from costboost.report.numbers.two_classes import Flags, TwoClassPredictions

Z = 1.959963984540054
"""Half width of a 95% interval in standard errors."""


class Difference(NamedTuple):
    """Amount that one decision rule saves compared with another, and its 95% interval."""

    money: float
    low: float
    high: float


class Outcome(NamedTuple):
    """Weights of the rows by true and predicted class, and the costs of the errors."""

    hits: float
    misses: float
    alarms: float
    rejects: float
    miss_money: float
    alarm_money: float
    right_money: float = 0.0
    """Cost of right predictions for all rows, which the costs of the errors are net of."""

    @property
    def cost(self) -> float:
        """Total cost."""
        return self.net_cost + self.right_money

    @property
    def net_cost(self) -> float:
        """Total cost of the errors."""
        return self.miss_money + self.alarm_money

    @property
    def mean_cost(self) -> float:
        """Mean cost of a row."""
        return self.cost / (self.hits + self.misses + self.alarms + self.rejects)

    @property
    def recall(self) -> float:
        """Share of the positive rows that are predicted positive."""
        return self.hits / (self.hits + self.misses)

    @property
    def precision(self) -> float | None:
        """Share of the rows predicted positive that are positive; None if there are none."""
        predicted = self.hits + self.alarms
        return self.hits / predicted if predicted else None

    @property
    def fpr(self) -> float:
        """Share of the negative rows that are predicted positive."""
        return self.alarms / (self.alarms + self.rejects)


def outcome(rows: TwoClassPredictions, predicted: Flags) -> Outcome:
    """Count the errors of predictions, and add up their costs."""

    def total(where: Flags, values: Floats) -> float:
        return float(values[where].sum())

    missed, alarmed = rows.positive & ~predicted, ~rows.positive & predicted
    money = rows.weight * rows.cost
    return Outcome(
        total(rows.positive & predicted, rows.weight),
        total(missed, rows.weight),
        total(alarmed, rows.weight),
        total(~rows.positive & ~predicted, rows.weight),
        total(missed, money),
        total(alarmed, money),
        rows.right_cost,
    )


def difference(rows: TwoClassPredictions, predicted: Flags, other: Flags) -> Difference:
    r"""Amount that the predictions ``predicted`` save compared with ``other``.

    The interval is the sum of the savings d_i of n rows plus and minus 1.96 standard errors
    sqrt(n s^2), where s^2 is the variance of the d_i. Rows are treated as a random sample.
    """
    lost = rows.weight * rows.cost
    return interval(lost * (other != rows.positive) - lost * (predicted != rows.positive))


def interval(saved: Floats) -> Difference:
    """Sum of the savings of the rows, and its 95% interval."""
    n, total = saved.size, float(saved.sum())
    spread = max(0.0, float((saved**2).sum()) - total**2 / n) * n / max(1, n - 1)
    half = Z * sqrt(spread)
    return Difference(total, total - half, total + half)


def savings(rows: TwoClassPredictions) -> Difference | None:
    """Savings of the predictions as a share of the cost of the best constant prediction.

    Costs are counted from that of the best prediction for every row. None if the best constant
    prediction costs nothing.
    """
    least = outcome(rows, best_trivial(rows)).net_cost - rows.least_cost
    saved = difference(rows, rows.predicted, best_trivial(rows))
    return Difference(*(min(1.0, one / least) for one in saved)) if least else None


def all_negative(rows: TwoClassPredictions) -> Flags:
    """Predict every row negative."""
    return np.zeros(rows.positive.size, dtype=bool)


def all_positive(rows: TwoClassPredictions) -> Flags:
    """Predict every row positive."""
    return np.ones(rows.positive.size, dtype=bool)


def best_trivial(rows: TwoClassPredictions) -> Flags:
    """The cheaper one of the two constant predictions; of equal ones, all negative."""
    if rows.cost_of_class(False) < rows.cost_of_class(True):
        return all_positive(rows)
    return all_negative(rows)


class GoalResult(NamedTuple):
    """Value of the measure of a goal on some rows, NaN if it is not defined."""

    goal: Goal
    value: float
    low: float
    high: float
    """95% interval of the value: Wilson's for a rate, a normal one for a mean cost."""
    met: bool
    by_chance: bool
    """Whether the interval includes values that meet the goal."""


def goal_model(model: Any) -> OperatingPointClassifier | None:
    """The outermost classifier that has a goal, or None."""
    found = (one for one in layers(model) if isinstance(one, OperatingPointClassifier))
    return next(found, None)


def goal_result(model: Any, rows: TwoClassPredictions) -> GoalResult | None:
    """Compare the predictions of a classifier with its goal; None if it has none."""
    aiming = goal_model(model)
    if aiming is None:
        return None
    goal = replace(goal_of(aiming), margin=0.0)
    outcomes = _held(aiming, rows).decided(rows.predicted[np.newaxis])
    value = float(goal.target.value(outcomes)[0])
    low, high = (float(end[0]) for end in goal.target.bounds(outcomes, Z))
    low, high = max(0.0, low), min(goal.target.most, high)
    met = bool(goal.shortfall(outcomes)[0] <= ROUNDING * max(_limits(goal)))
    possible = (goal.at_least is None or high >= goal.at_least) and (
        goal.at_most is None or low <= goal.at_most
    )
    return GoalResult(goal, value, low, high, met, possible)


def _limits(goal: Goal) -> list[float]:
    return [side for side in (goal.at_least, goal.at_most) if side is not None]


def _held(aiming: OperatingPointClassifier, rows: TwoClassPredictions) -> HeldOut:
    """The rows with the costs under which the goal was set."""
    fn, fp = costs_of(aiming)
    cost = rows.cost if np.ndim(fn) or np.ndim(fp) else np.where(rows.positive, fn, fp)
    weight = rows.weight
    fold = np.zeros(weight.size, dtype=np.intp)
    return HeldOut(
        rows.positive, weight, cost.astype(float), fold, float(weight.sum() / (weight**2).sum())
    )
