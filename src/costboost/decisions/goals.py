"""Goals for a measure, and the search for the operating point that meets one at least cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.special import stdtrit
from sklearn.base import clone

from costboost.checks import LARGEST
from costboost.decisions.folds import (
    FoldedData,
    positive_score,
    predicted_positive,
)
from costboost.decisions.outcomes import ROUNDING, Flags, HeldOut, Outcomes, are_least
from costboost.decisions.wrapping import check_grid, clone_for_costs, has_cost_parameters
from costboost.metrics.checks import Floats
from costboost.metrics.statistics import wilson_interval


@dataclass(frozen=True)
class Target:
    """A measure that a goal can be set for."""

    name: str
    value: Callable[[Outcomes], Floats]
    bounds: Callable[[Outcomes, float], tuple[Floats, Floats]]
    """Lower and upper bound at a number of standard errors."""
    most: float = 1.0
    """Greatest possible value."""


# ---- measures that goals can be set for ----------------------------------------------------------


def _rate_bounds(
    value: Callable[[Outcomes], Floats], of: Callable[[Outcomes], float]
) -> Callable[[Outcomes, float], tuple[Floats, Floats]]:
    """Bounds of a rate, which is known exactly where every row gets the same prediction."""

    def bounds(outcomes: Outcomes, z: float) -> tuple[Floats, Floats]:
        rate = value(outcomes)
        low, high = wilson_interval(rate, of(outcomes) * outcomes.rows_per_weight, z)
        return np.where(outcomes.blind, rate, low), np.where(outcomes.blind, rate, high)

    return bounds


def _precision_bounds(outcomes: Outcomes, z: float) -> tuple[Floats, Floats]:
    return wilson_interval(
        outcomes.precision, outcomes.predicted_positive * outcomes.rows_per_weight, z
    )


def _cost_bounds(outcomes: Outcomes, z: float) -> tuple[Floats, Floats]:
    mean, weight = outcomes.mean_cost, outcomes.weight
    variance = np.maximum(outcomes.squares / weight - mean**2, 0.0)
    error = np.sqrt(variance / (weight * outcomes.rows_per_weight))
    return mean - z * error, mean + z * error


def _recall(outcomes: Outcomes) -> Floats:
    return outcomes.recall


def _fpr(outcomes: Outcomes) -> Floats:
    return outcomes.fpr


TARGETS = {
    "recall": Target("recall", _recall, _rate_bounds(_recall, lambda outcomes: outcomes.positives)),
    "precision": Target("precision", lambda outcomes: outcomes.precision, _precision_bounds),
    "fpr": Target("false positive rate", _fpr, _rate_bounds(_fpr, lambda each: each.negatives)),
    "cost": Target("mean cost", lambda outcomes: outcomes.mean_cost, _cost_bounds, np.inf),
}
"""Measures by the values of the parameter ``target``."""


# ---- goals ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Goal:
    """A range for a measure, to be met by a margin in standard errors."""

    name: str
    """Key of `TARGETS`."""
    at_least: float | None
    at_most: float | None
    margin: float = 0.0
    guarantee: float | None = None
    """Confidence with which the goal has to hold on the population, or None."""

    @property
    def level(self) -> float:
        """Probability with which a guaranteed goal may be missed."""
        return 1.0 if self.guarantee is None else 1 - self.guarantee

    @property
    def target(self) -> Target:
        return TARGETS[self.name]

    def __str__(self) -> str:
        sides = {"at least": self.at_least, "at most": self.at_most}
        wanted = " and ".join(f"{word} {v:g}" for word, v in sides.items() if v is not None)
        behind = f", by a margin of {self.margin:g} standard errors" if self.margin else ""
        if self.guarantee is not None:
            behind = f", guaranteed with {100 * self.guarantee:g}% confidence"
        return f"a {self.target.name} of {wanted}{behind}"

    @property
    def range(self) -> tuple[float, float]:
        """Least and greatest value that meet the goal."""
        least = 0.0 if self.at_least is None else self.at_least
        return least, self.target.most if self.at_most is None else self.at_most

    def shortfall(self, outcomes: Outcomes) -> Floats:
        """Distance to the goal; not above 0 where it is met, infinite where it is undefined."""
        low, high = self.target.bounds(outcomes, self.margin)
        missing = np.full(low.shape, -np.inf)
        if self.at_least is not None:
            missing = np.maximum(missing, self.at_least - low)
        if self.at_most is not None:
            missing = np.maximum(missing, high - self.at_most)
        return np.where(np.isnan(missing), np.inf, missing)

    def cheapest(self, outcomes: Outcomes) -> int | None:
        """Index of the cheapest point that meets the goal, or None; of equal ones, that by most."""
        missing = self.shortfall(outcomes)
        scale = max(abs(side) for side in (self.at_least, self.at_most) if side is not None)
        return self.cheapest_of(missing <= ROUNDING * scale, outcomes)

    def cheapest_of(self, allowed: Flags, outcomes: Outcomes) -> int | None:
        """Index of the cheapest point that is allowed, or None; of equal ones, that by most."""
        good = np.flatnonzero(allowed)
        if good.size == 0:
            return None
        cost = outcomes.cost[good]
        cheap = good[are_least(cost)]
        return int(cheap[np.argmin(self.shortfall(outcomes)[cheap])])

    def closest(self, outcomes: Outcomes) -> int | None:
        """Index of the point that misses the goal by least, the cheapest of them, or None."""
        missing = self.shortfall(outcomes)
        least = missing.min()
        if not np.isfinite(least):
            return None
        near = np.flatnonzero(missing == least)
        return int(near[np.argmin(outcomes.cost[near])])


def check_goal(clf: Any) -> Goal:
    """Validate the parameters of a classifier that state its goal."""
    if not isinstance(clf.target, str) or clf.target not in TARGETS:
        words = ", ".join(map(repr, TARGETS))
        raise ValueError(f"target must be one of {words}, got {clf.target!r}")
    target = TARGETS[clf.target]
    if clf.at_least is None and clf.at_most is None:
        usual = "at_least" if clf.target in ("recall", "precision") else "at_most"
        raise ValueError(f"there is no goal: state what {clf.target} has to be, by {usual}=...")
    if clf.target == "cost" and clf.at_least is not None:
        raise ValueError(
            "a cost of at least so much is no goal: state a budget, target='cost' with at_most=..."
        )
    least, most = (_side(clf, name, target) for name in ("at_least", "at_most"))
    goal = Goal(clf.target, least, most, _margin(clf.margin), _guarantee(clf))
    if goal.at_least is not None and goal.at_most is not None and goal.at_least > goal.at_most:
        raise ValueError(
            f"contradictory goal: no {target.name} is at least {goal.at_least:g} and at most "
            f"{goal.at_most:g}"
        )
    return goal


def _side(clf: Any, name: str, target: Target) -> float | None:
    value = getattr(clf, name)
    if value is None:
        return None
    has_gains = target.name == "mean cost" and (clf.tp_cost != 0 or clf.tn_cost != 0)
    least = -np.inf if has_gains else 0
    if not _is_number(value) or not least <= value <= target.most:
        extent = "at least 0" if np.isinf(target.most) else f"from 0 to {target.most:g}"
        raise ValueError(f"{name} must be {extent} for a {target.name}, got {value!r}")
    return float(value)


MOST_MARGIN = 1e6
"""Standard errors; bounds have long been those of the measure itself."""


def _margin(value: Any) -> float:
    if not _is_number(value) or not 0 <= value <= MOST_MARGIN:
        raise ValueError(f"margin must be a number from 0 to {MOST_MARGIN:,.0f}, got {value!r}")
    return float(value)


def _guarantee(clf: Any) -> float | None:
    value = clf.guarantee
    if value is None:
        return None
    if not _is_number(value) or not 0 < value < 1:
        raise ValueError(
            f"guarantee must be a confidence between 0 and 1, such as 0.95, got {value!r}"
        )
    if clf.margin:
        raise ValueError(
            f"margin={clf.margin!r} and guarantee={value!r} are two ways to make a goal hold on "
            "new rows: pass one of them"
        )
    if clf.target == "precision" and clf.at_most is not None:
        raise ValueError("a guarantee for a precision is for at_least alone; leave out at_most")
    return float(value)


def _is_number(value: Any) -> bool:
    is_real = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    return is_real and bool(abs(value) <= LARGEST)


# ---- operating points ----------------------------------------------------------------------------

RATIOS = np.geomspace(1e-3, 1e3, 19)
"""Default ratios of the training costs that are tried."""
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Points:
    """Thresholds or training costs, and their outcomes on the held-out rows."""

    what: str
    """Name of the quantity that distinguishes them, for messages."""
    at: Floats
    outcomes: Outcomes
    allowed: Flags | None = None
    """Points that meet the goal with the confidence of a guarantee; None without one."""

    def choose(self, goal: Goal) -> int:
        """Index of the cheapest point that meets the goal; ValueError if there is none."""
        if self.allowed is None:
            chosen = goal.cheapest(self.outcomes)
        else:
            chosen = goal.cheapest_of(self.allowed, self.outcomes)
        if chosen is None:
            raise ValueError(f"{goal} cannot be met on the held-out rows: {self._best(goal)}")
        return chosen

    def describe(self, k: int) -> str:
        """Description of a point for a message."""
        found = {name: values[k] for name, values in self.outcomes.measures().items()}
        text = ", ".join(f"{name} {value:.4g}" for name, value in found.items())
        return f"{self.what} {self.at[k]:.4g}: {text}"

    def is_trivial(self, k: int) -> bool:
        """Whether all held-out rows get the same prediction."""
        positive, weight = self.outcomes.predicted_positive[k], self.outcomes.weight
        return bool(min(positive, weight - positive) <= ROUNDING * weight)

    def _best(self, goal: Goal) -> str:
        k = goal.closest(self.outcomes)
        if k is None:
            return "no row is predicted positive, whatever the training cost"
        name, value = goal.target.name, goal.target.value(self.outcomes)[k]
        reached = f"the best achievable {name} is {value:.4g}"
        if goal.margin:
            low, high = (side[k] for side in goal.target.bounds(self.outcomes, goal.margin))
            reached += f", which the margin makes {low if goal.at_most is None else high:.4g}"
        return f"{reached} ({self.describe(k)})"


@dataclass(frozen=True)
class PointSearch:
    """All points, with the predictions and the model of each."""

    points: Points
    predicted: Callable[[int], Flags]
    """Whether each held-out row is predicted positive at a point."""
    fitted: Callable[[int], Any]
    """Classifier of a point, trained on all rows."""


def search_thresholds(clf: Any, data: FoldedData) -> PointSearch:
    """Try every threshold on the scores of held-out rows."""
    (score,) = data.out_of_fold([clf.estimator], positive_score, clf.n_jobs)
    thresholds, outcomes = data.held.thresholded(score)
    return PointSearch(
        Points("threshold", thresholds, outcomes),
        lambda k: score > thresholds[k],
        lambda k: data.fitted(clone(clf.estimator)),
    )


def search_training_costs(clf: Any, data: FoldedData) -> PointSearch:
    """Try a classifier for each training cost, with its own decision."""
    data.refuse_dominance()
    grid = check_grid(clf.fn_costs, np.append(RATIOS * data.fp_cost, data.fn_cost))
    data = data.without_costs()

    def model(k: int) -> Any:
        return clone_for_costs(clf.estimator, float(grid[k]), data.fp_cost, data.stated)

    models = [model(k) for k in range(grid.size)]
    predicted = data.out_of_fold(models, predicted_positive, clf.n_jobs)
    points = Points("training fn_cost", grid, data.held.decided(predicted))
    return PointSearch(points, lambda k: np.asarray(predicted[k]), lambda k: data.fitted(model(k)))


SEARCHES: dict[str, Callable[[Any, FoldedData], PointSearch]] = {
    "threshold": search_thresholds,
    "refit": search_training_costs,
}
"""Searches by the values of the parameter ``method``."""


def check_method(clf: Any) -> str:
    """Validate the parameter ``method``, and replace "auto" by the search to be made."""
    if clf.method not in ("auto", *SEARCHES):
        words = ", ".join(map(repr, ("auto", *SEARCHES)))
        raise ValueError(f"method must be one of {words}, got {clf.method!r}")
    scores = any(hasattr(clf.estimator, name) for name in ("predict_proba", "decision_function"))
    method = clf.method
    if method == "auto":
        method = "threshold" if scores else "refit"
    lacks = None
    if method == "threshold" and not scores:
        lacks = "neither predict_proba nor decision_function, so that it has no threshold to move"
    if method == "refit" and not has_cost_parameters(clf.estimator):
        lacks = "no fn_cost and fp_cost, so that it cannot be trained for other costs"
    if lacks:
        raise ValueError(f"{type(clf.estimator).__name__} has {lacks}")
    if method == "refit" and clf.guarantee is not None:
        raise ValueError(
            "a guarantee is for a threshold: take method='threshold' and a classifier with "
            "predict_proba or decision_function"
        )
    return str(method)


# ---- values over the folds -----------------------------------------------------------------------


def fold_values(held: HeldOut, predicted: Flags, target: Target) -> Floats:
    """Value of the target in each fold, NaN where it is not defined."""
    values = []
    for fold in range(int(held.fold.max()) + 1):
        part, here = held.of_fold(fold)
        values.append(target.value(part.decided(predicted[None, here]))[0])
    return np.array(values)


def interval(middle: float, values: Floats, most: float, least: float = 0.0) -> tuple[float, float]:
    """Student's t interval of a mean over folds, centred at ``middle`` and cut to [least, most]."""
    known = values[~np.isnan(values)]
    if known.size < 2:
        return np.nan, np.nan
    t = stdtrit(known.size - 1, (1 + CONFIDENCE) / 2)
    half = t * known.std(ddof=1) / np.sqrt(known.size)
    return float(max(middle - half, least)), float(min(middle + half, most))
