"""Outcomes of decision rules on the same held-out rows, and goals that the rules must meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from costboost._core.arrays import Flags
from costboost._core.checks import LARGEST
from costboost._core.wording import amount, stated
from costboost.metrics.checks import Floats, Scored, levels
from costboost.metrics.statistics import wilson_interval

# ---- hits, false alarms and costs ----------------------------------------------------------------


ROUNDING = 1e-12
"""Relative error that sums of weights in another order may have."""


def are_least(costs: Floats) -> Flags:
    """Which costs are the least one, up to rounding errors."""
    least = costs.min()
    return np.asarray(costs <= least * (1 + ROUNDING if least >= 0 else 1 - ROUNDING))


@dataclass(frozen=True)
class Outcomes:
    """Sums over the same rows, with one entry for each decision rule."""

    hits: Floats
    """Weight of the positive rows that are predicted positive."""
    alarms: Floats
    """Weight of the negative rows that are predicted positive."""
    positives: float
    negatives: float
    cost: Floats
    """Total net cost of the errors: beyond the costs of right predictions."""
    squares: Floats
    """Sum of the squared costs of all rows, for the variance."""
    blind: Flags
    """Rules that predict the same class for every row, so that their rates are known exactly."""
    rows_per_weight: float = 1.0
    """Effective number of rows for each unit of weight."""
    right: float | None = None
    """Total cost if every prediction were right; None if right predictions cost nothing."""

    @property
    def weight(self) -> float:
        return self.positives + self.negatives

    @property
    def predicted_positive(self) -> Floats:
        """Weight of the rows that are predicted positive."""
        return self.hits + self.alarms

    @property
    def recall(self) -> Floats:
        return _share(self.hits, self.positives)

    @property
    def fpr(self) -> Floats:
        return _share(self.alarms, self.negatives)

    @property
    def precision(self) -> Floats:
        """Precision; NaN where no row is predicted positive."""
        return _share(self.hits, self.predicted_positive)

    @property
    def mean_cost(self) -> Floats:
        cost = self.cost if self.right is None else self.cost + self.right
        return _share(cost, self.weight)

    def take(self, rules: Any) -> Outcomes:
        """Outcomes of some of the decision rules."""
        each = ("hits", "alarms", "cost", "squares", "blind")
        return replace(self, **{name: getattr(self, name)[rules] for name in each})

    def under(
        self, fn_cost: float, fp_cost: float, right: tuple[float, float] | None = None
    ) -> Outcomes:
        """Outcomes of the same predictions under other net costs and costs of right predictions."""
        misses = self.positives - self.hits
        tp_cost, tn_cost = right or (0.0, 0.0)
        squares = (fn_cost + tp_cost) ** 2 * misses + (fp_cost + tn_cost) ** 2 * self.alarms
        squares += tp_cost**2 * self.hits + tn_cost**2 * (self.negatives - self.alarms)
        return replace(
            self,
            cost=fn_cost * misses + fp_cost * self.alarms,
            squares=squares,
            right=None if right is None else tp_cost * self.positives + tn_cost * self.negatives,
        )

    def measures(self) -> dict[str, Floats]:
        """Values of all measures that a goal can be set for, by the name of the target."""
        return {
            "recall": self.recall,
            "precision": self.precision,
            "fpr": self.fpr,
            "cost": self.mean_cost,
        }


def _share(part: Floats, whole: Floats | float) -> Floats:
    whole = np.broadcast_to(np.asarray(whole, dtype=float), part.shape)
    share: Floats = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return share


@dataclass(frozen=True)
class HeldOut:
    """Held-out rows, each as often as it was held out."""

    positive: Flags
    weight: Floats
    cost: Floats
    """Net cost of an error on each row."""
    fold: NDArray[np.intp]
    rows_per_weight: float = 1.0
    right: Floats | None = None
    """Cost of the right prediction for each row; None if it costs nothing."""

    def take(self, rows: Any) -> HeldOut:
        """Some of the rows, by their positions or a mask."""
        return replace(
            self,
            positive=self.positive[rows],
            weight=self.weight[rows],
            cost=self.cost[rows],
            fold=self.fold[rows],
            right=None if self.right is None else self.right[rows],
        )

    def of_fold(self, fold: int) -> tuple[HeldOut, Flags]:
        """Rows of a fold, and a mask of their positions."""
        here = self.fold == fold
        return self.take(here), here

    @property
    def _beyond(self) -> Floats:
        """Squared cost of an error minus squared cost of the right prediction, for each row."""
        if self.right is None:
            return self.cost**2
        return (self.right + self.cost) ** 2 - self.right**2

    def _if_right(self) -> tuple[float | None, float]:
        """Sums of costs and of squared costs if every prediction were right."""
        if self.right is None:
            return None, 0.0
        return float(self.weight @ self.right), float(self.weight @ self.right**2)

    def decided(self, predicted: Flags) -> Outcomes:
        """Outcomes of predictions; ``predicted`` has a row for each decision rule."""
        of_positive = self.weight * self.positive
        of_negative = self.weight * ~self.positive
        wrong = predicted != self.positive
        right, right_squares = self._if_right()
        return Outcomes(
            predicted @ of_positive,
            predicted @ of_negative,
            float(of_positive.sum()),
            float(of_negative.sum()),
            wrong @ (self.weight * self.cost),
            wrong @ (self.weight * self._beyond) + right_squares,
            np.zeros(len(predicted), dtype=bool),
            self.rows_per_weight,
            right,
        )

    def thresholded(self, score: Floats) -> tuple[Floats, Outcomes]:
        """All distinct thresholds, and the outcomes of each.

        A row is predicted positive if its score is above the threshold. Thresholds lie halfway
        between neighbouring scores; at the first one every row is predicted positive, at the last
        one none.
        """
        by_score = levels(Scored(self.positive, score, self.weight))
        cost = levels(Scored(self.positive, score, self.weight * self.cost))
        squares = levels(Scored(self.positive, score, self.weight * self._beyond))
        right, right_squares = self._if_right()
        blind = np.zeros(len(by_score.score) + 1, dtype=bool)
        blind[[0, -1]] = True
        hits, alarms = _sum_from(by_score.positive), _sum_from(by_score.negative)
        outcomes = Outcomes(
            hits,
            alarms,
            float(hits[0]),
            float(alarms[0]),
            _sum_below(cost.positive) + _sum_from(cost.negative),
            _sum_below(squares.positive) + _sum_from(squares.negative) + right_squares,
            blind,
            self.rows_per_weight,
            right,
        )
        return _between(by_score.score), outcomes

    def above(self, score: Floats, thresholds: Floats) -> Outcomes:
        """Outcomes of predicting the rows positive whose score is above each threshold."""
        _, outcomes = self.thresholded(score)
        return outcomes.take(np.searchsorted(np.unique(score), thresholds, side="right"))


def _sum_from(level: Floats) -> Floats:
    """Sums over each level and all above it; the last entry is 0."""
    return np.append(np.cumsum(level[::-1])[::-1], 0.0)


def _sum_below(level: Floats) -> Floats:
    """Sums over all levels below each; the last entry is the total."""
    return np.append(0.0, np.cumsum(level))


def _between(score: Floats) -> Floats:
    """Thresholds between neighbouring scores: at least the lower one, below the upper one."""
    low, high = score[:-1], score[1:]
    middle = np.maximum(low / 2 + high / 2, low)
    return np.concatenate([[-np.inf], np.where(middle < high, middle, low), [np.inf]])


# ---- measures that goals can be set for ----------------------------------------------------------


@dataclass(frozen=True)
class Target:
    """A measure that a goal can be set for."""

    name: str
    value: Callable[[Outcomes], Floats]
    bounds: Callable[[Outcomes, float], tuple[Floats, Floats]]
    """Lower and upper bound at a number of standard errors."""
    most: float = 1.0
    """Greatest possible value."""


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
        wanted = " and ".join(f"{word} {stated(v)}" for word, v in sides.items() if v is not None)
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
    right = clf.tp_cost != 0 or clf.tn_cost != 0 or getattr(clf.costs, "states_right", False)
    has_gains = target.name == "mean cost" and right
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
        text = ", ".join(f"{name} {amount(value)}" for name, value in found.items())
        return f"{self.what} {amount(self.at[k])}: {text}"

    def is_trivial(self, k: int) -> bool:
        """Whether all held-out rows get the same prediction."""
        positive, weight = self.outcomes.predicted_positive[k], self.outcomes.weight
        return bool(min(positive, weight - positive) <= ROUNDING * weight)

    def _best(self, goal: Goal) -> str:
        k = goal.closest(self.outcomes)
        if k is None:
            return "no row is predicted positive, whatever the training cost"
        name, value = goal.target.name, goal.target.value(self.outcomes)[k]
        reached = f"the best achievable {name} is {amount(value)}"
        if goal.margin:
            low, high = (side[k] for side in goal.target.bounds(self.outcomes, goal.margin))
            reached += f", which the margin makes {amount(low if goal.at_most is None else high)}"
        return f"{reached} ({self.describe(k)})"


@dataclass(frozen=True)
class PointSearch:
    """All points, with the predictions and the model of each."""

    points: Points
    predicted: Callable[[int], Flags]
    """Whether each held-out row is predicted positive at a point."""
    fitted: Callable[[int], Any]
    """Classifier of a point, trained on all rows."""


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
