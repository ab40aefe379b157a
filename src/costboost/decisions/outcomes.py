"""What comes of several ways to decide: hits, false alarms and their price on held-out rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from costboost.metrics.checks import Floats, Scored
from costboost.metrics.curves import levels

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Outcomes:
    """Sums over the same rows, one entry for each way to decide."""

    hits: Floats
    """Weight of the positive rows that are called positive."""
    alarms: Floats
    """Weight of the negative rows that are called positive."""
    positives: float
    negatives: float
    cost: Floats
    """What the mistakes cost, all together."""
    squares: Floats
    """The same with each cost squared, for the spread."""
    blind: Flags
    """Ways that do not look at the row, so that one of the two rates is 0 or 1 for certain."""
    rows_per_weight: float = 1.0
    """How many rows of equal weight tell as much as a unit of weight."""

    @property
    def weight(self) -> float:
        return self.positives + self.negatives

    @property
    def called(self) -> Floats:
        """Weight of the rows called positive."""
        return self.hits + self.alarms

    @property
    def recall(self) -> Floats:
        return _share(self.hits, self.positives)

    @property
    def fpr(self) -> Floats:
        return _share(self.alarms, self.negatives)

    @property
    def precision(self) -> Floats:
        """NaN where no row is called positive."""
        return _share(self.hits, self.called)

    @property
    def mean_cost(self) -> Floats:
        return _share(self.cost, self.weight)

    def under(self, fn_cost: float, fp_cost: float) -> Outcomes:
        """The same decisions under other costs."""
        misses = self.positives - self.hits
        return replace(
            self,
            cost=fn_cost * misses + fp_cost * self.alarms,
            squares=fn_cost**2 * misses + fp_cost**2 * self.alarms,
        )

    def measures(self) -> dict[str, Floats]:
        """All that a goal can be set for, by the name of the target."""
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
class Held:
    """Rows that were held out, each as often as it was."""

    positive: Flags
    weight: Floats
    cost: Floats
    """What a mistake on the row costs."""
    fold: NDArray[np.intp]
    rows_per_weight: float = 1.0

    def of_fold(self, fold: int) -> tuple[Held, Flags]:
        """The rows of a fold, and where they are."""
        here = self.fold == fold
        part = replace(
            self,
            positive=self.positive[here],
            weight=self.weight[here],
            cost=self.cost[here],
            fold=self.fold[here],
        )
        return part, here

    def decided(self, called: Flags) -> Outcomes:
        """Outcomes of decisions, one line of them for each way to decide."""
        of_positive = self.weight * self.positive
        of_negative = self.weight * ~self.positive
        wrong = called != self.positive
        return Outcomes(
            called @ of_positive,
            called @ of_negative,
            float(of_positive.sum()),
            float(of_negative.sum()),
            wrong @ (self.weight * self.cost),
            wrong @ (self.weight * self.cost**2),
            np.zeros(len(called), dtype=bool),
            self.rows_per_weight,
        )

    def thresholded(self, score: Floats) -> tuple[Floats, Outcomes]:
        """Every threshold that makes a difference, and what comes of it.

        A row is called positive if its score is above the threshold. The thresholds lie halfway
        between neighbouring scores; the first one calls every row positive, the last one none.
        """
        by_score = levels(Scored(self.positive, score, self.weight))
        money = levels(Scored(self.positive, score, self.weight * self.cost))
        squares = levels(Scored(self.positive, score, self.weight * self.cost**2))
        blind = np.zeros(len(by_score.score) + 1, dtype=bool)
        blind[[0, -1]] = True
        hits, alarms = _from(by_score.positive), _from(by_score.negative)
        outcomes = Outcomes(
            hits,
            alarms,
            float(hits[0]),
            float(alarms[0]),
            _below(money.positive) + _from(money.negative),
            _below(squares.positive) + _from(squares.negative),
            blind,
            self.rows_per_weight,
        )
        return _between(by_score.score), outcomes


def _from(level: Floats) -> Floats:
    """Sum over each level and all above it, and nothing at the end."""
    return np.append(np.cumsum(level[::-1])[::-1], 0.0)


def _below(level: Floats) -> Floats:
    """Sum over all levels below each, and everything at the end."""
    return np.append(0.0, np.cumsum(level))


def _between(score: Floats) -> Floats:
    """Numbers that part neighbouring scores: not below the lower one, below the upper one."""
    low, high = score[:-1], score[1:]
    middle = np.maximum(low / 2 + high / 2, low)
    return np.concatenate([[-np.inf], np.where(middle < high, middle, low), [np.inf]])
