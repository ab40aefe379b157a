"""Hits, false alarms and costs of several decision rules on the same held-out rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.metrics.checks import Floats, Scored, levels

Flags = NDArray[np.bool_]

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
