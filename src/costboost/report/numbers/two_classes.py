"""Predictions of a two-class classifier on held-out rows: mistakes, costs, savings, goals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.checks import check_costs
from costboost.classifiers.limits import cost_limits, decides_by_cost
from costboost.decisions import CostSearchCV, OperatingPointClassifier
from costboost.decisions.goals import Goal
from costboost.decisions.outcomes import ROUNDING, HeldOut
from costboost.metrics.checks import Floats, check_labels, check_weight, some

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Answers:
    """Rows that count, one entry of each array for a row."""

    positive: Flags
    weight: Floats
    fn_cost: Any
    fp_cost: Any
    """What mistakes cost: numbers, or one for every row."""
    score: Floats
    """Higher for the positive class; where `limit` is None, in the order of the decisions."""
    probability: Floats
    limit: Floats | None
    """A row is called positive where it is above C- / (C- + C+); None if costs change nothing."""
    called: Flags
    """Which rows the classifier calls positive."""
    label: Any
    other: Any
    rows: NDArray[np.intp]
    """Their places in the X that was given."""

    @property
    def per_row(self) -> bool:
        """Whether rows have costs of their own."""
        return bool(np.ndim(self.fn_cost) or np.ndim(self.fp_cost))

    @property
    def cost(self) -> Floats:
        """What a mistake on each row costs."""
        return np.asarray(np.where(self.positive, self.fn_cost, self.fp_cost), dtype=np.float64)

    @property
    def blind(self) -> Flags:
        """What the same scores would decide if both mistakes cost the same."""
        return self.deciding > 0.5

    @property
    def deciding(self) -> Floats:
        """What costs are compared with: the limits, or else the probabilities."""
        return self.probability if self.limit is None else self.limit

    def at_stake(self, of_positive: bool) -> float:
        """What it would cost to be wrong on every row of a class."""
        rows = self.positive == of_positive
        return float(self.weight[rows] @ self.cost[rows])

    def factors(self) -> Floats:
        """How much dearer, beside misses, false alarms must become until a row is let go.

        Its odds times fn / fp. The order in which rows are called positive, whatever the costs.
        """
        p = self.deciding
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(p / (1 - p) * (self.fn_cost / np.asarray(self.fp_cost)))


def boosting_of(model: Any) -> BoostingClassifier:
    """The fitted boosting classifier, maybe inside one that chooses its costs or threshold."""
    inner = model
    while isinstance(inner, (CostSearchCV, OperatingPointClassifier)):
        inner = inner._fitted()
    if not isinstance(inner, BoostingClassifier):
        what = type(model).__name__
        around = "" if inner is model else f" around {type(inner).__name__}"
        raise ValueError(
            "the report is on a boosting classifier of costboost, or on a CostSearchCV or "
            f"OperatingPointClassifier around one, got {what}{around}"
        )
    check_is_fitted(inner)
    if len(inner.classes_) > 2:
        raise ValueError(f"the report is for two classes, but the model has {len(inner.classes_)}")
    return inner


def known_labels(y: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """Labels of held-out rows, all of them classes of the model."""
    labels = check_labels("y", y)
    unknown = ~np.isin(labels, classes)
    if unknown.any():
        raise ValueError(
            f"y contains {labels[unknown].tolist()[0]!r}, but the classes of the model are "
            f"{some(classes)}"
        )
    return labels


def ask(model: Any, X: Any, y: Any, fn_cost: Any, fp_cost: Any, sample_weight: Any) -> Answers:
    """Scores, probabilities and decisions on held-out rows; rows of weight 0 are left out."""
    whole, model = model, boosting_of(model)
    labels, classes = known_labels(y, model.classes_), model.classes_
    n = labels.size
    weight = check_weight(sample_weight, n)
    trained = model._trained_costs
    costs = check_costs(
        trained.fn if fn_cost is None else fn_cost, trained.fp if fp_cost is None else fp_cost, n
    )
    label, other = classes[model._positive_index], classes[1 - model._positive_index]
    score = model._towards_second(model.raw_score(X))
    if score.size != n:
        raise ValueError(f"X has {score.size} rows, but y has {n}")
    by_cost = whole is model and decides_by_cost(model)
    rows = np.flatnonzero(weight)
    positive = labels == label
    if not 0 < positive[rows].sum() < rows.size:
        raise ValueError(
            "every row that counts is of one class; a report needs held-out rows of both"
        )
    probability = model._probability(score, model._votes, model.n_iter_)  # one look at X will do
    limit = cost_limits(model, score[rows]) if by_cost else None
    if limit is None:
        called = (whole.predict(X) == label)[rows]
    else:
        called = limit > (costs.threshold[rows] if np.ndim(costs.threshold) else costs.threshold)
    if not by_cost and model._calibrator is not None:
        score = probability  # a calibrator may have turned the order round
    return Answers(
        positive[rows],
        weight[rows],
        costs.fn[rows] if np.ndim(costs.fn) else costs.fn,
        costs.fp[rows] if np.ndim(costs.fp) else costs.fp,
        score[rows],
        probability[rows],
        limit,
        called,
        label,
        other,
        rows,
    )


def staged_decisions(model: Any, X: Any, costs: Any, label: Any) -> Iterator[Flags]:
    """Which rows are called positive after each round; costs are None if they change nothing."""
    boosting = boosting_of(model)
    if hasattr(model, "threshold_"):
        for both in boosting.staged_predict_proba(X):
            yield both[:, boosting._positive_index] > model.threshold_
        return
    for said in boosting.staged_predict(X, *(costs or ())):
        yield said == label


Z = 1.959963984540054
"""Standard errors on either side of a 95% interval."""


class Difference(NamedTuple):
    """Money that one way to decide saves compared with another, and a 95% interval of it."""

    money: float
    low: float
    high: float


class Outcome(NamedTuple):
    """Weights of the rows by truth and decision, and the money that the mistakes cost."""

    hits: float
    misses: float
    alarms: float
    rejects: float
    miss_money: float
    alarm_money: float

    @property
    def cost(self) -> float:
        """What all mistakes cost."""
        return self.miss_money + self.alarm_money

    @property
    def mean_cost(self) -> float:
        """The same for a row."""
        return self.cost / (self.hits + self.misses + self.alarms + self.rejects)

    @property
    def recall(self) -> float:
        """Share of the positive rows that are found."""
        return self.hits / (self.hits + self.misses)

    @property
    def precision(self) -> float | None:
        """Share of the rows called positive that are; None if there are none."""
        called = self.hits + self.alarms
        return self.hits / called if called else None

    @property
    def fpr(self) -> float:
        """Share of the negative rows that are called positive."""
        return self.alarms / (self.alarms + self.rejects)


def outcome(rows: Answers, called: Flags) -> Outcome:
    """Mistakes and money of decisions."""

    def total(where: Flags, values: Floats) -> float:
        return float(values[where].sum())

    missed, alarmed = rows.positive & ~called, ~rows.positive & called
    money = rows.weight * rows.cost
    return Outcome(
        total(rows.positive & called, rows.weight),
        total(missed, rows.weight),
        total(alarmed, rows.weight),
        total(~rows.positive & ~called, rows.weight),
        total(missed, money),
        total(alarmed, money),
    )


def difference(rows: Answers, called: Flags, other: Flags) -> Difference:
    r"""What ``called`` saves compared with ``other``.

    With the saving d_i of each of n rows, their sum S, plus and minus 1.96 standard errors of it:
    sqrt(n s^2), where s^2 is the variance of the d_i. The rows are taken as drawn at random.
    """
    lost = rows.weight * rows.cost
    return interval(lost * (other != rows.positive) - lost * (called != rows.positive))


def interval(saved: Floats) -> Difference:
    """The sum of what each row saves, and its 95% interval."""
    n, total = saved.size, float(saved.sum())
    spread = max(0.0, float((saved**2).sum()) - total**2 / n) * n / max(1, n - 1)
    half = Z * sqrt(spread)
    return Difference(total, total - half, total + half)


def savings(rows: Answers) -> Difference | None:
    """What the classifier's own decisions save, as a share of the cost of the best trivial ones.

    None if there is nothing to save.
    """
    least = outcome(rows, best_trivial(rows)).cost
    saved = difference(rows, rows.called, best_trivial(rows))
    return Difference(*(min(1.0, one / least) for one in saved)) if least else None


def nobody(rows: Answers) -> Flags:
    """Every row is called negative."""
    return np.zeros(rows.positive.size, dtype=bool)


def everybody(rows: Answers) -> Flags:
    """Every row is called positive."""
    return np.ones(rows.positive.size, dtype=bool)


def best_trivial(rows: Answers) -> Flags:
    """The cheaper one of the two decisions that look at no row; of equal ones, all negative."""
    return (everybody if rows.at_stake(False) < rows.at_stake(True) else nobody)(rows)


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
    met = bool(goal.shortfall(outcomes)[0] <= ROUNDING * max(_sides(goal)))
    possible = (goal.at_least is None or high >= goal.at_least) and (
        goal.at_most is None or low <= goal.at_most
    )
    return Reached(goal, value, low, high, met, possible)


def _sides(goal: Goal) -> list[float]:
    return [side for side in (goal.at_least, goal.at_most) if side is not None]


def _held(aiming: OperatingPointClassifier, rows: Answers) -> HeldOut:
    """The rows with the costs that the goal was set under."""
    fn, fp = aiming._costs
    cost = rows.cost if np.ndim(fn) or np.ndim(fp) else np.where(rows.positive, fn, fp)
    weight = rows.weight
    fold = np.zeros(weight.size, dtype=np.intp)
    return HeldOut(
        rows.positive, weight, cost.astype(float), fold, float(weight.sum() / (weight**2).sum())
    )
