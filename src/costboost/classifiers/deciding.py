"""From scores to probabilities and decisions, for a rule and the start its training had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from costboost.calibration import Calibrator
from costboost.cells import Floats
from costboost.rules import Costs, Rule, Scale, Start

BISECTIONS = 80
SURE = 800.0
"""A logit that is a probability of 0 or 1."""
DIGITS = 12
"""Of a certainty; further ones depend on the order in which votes are added up."""
DRAW = 1e-12
"""Scores this little above the limit are on it, and a row on the limit is called negative."""
LEAST = float(np.nextafter(0.0, 1.0))
"""The least number above 0."""


def signed(value: Floats, above: NDArray[np.bool_]) -> Floats:
    """Values that are above 0 exactly where they should be.

    They are changed only at a draw that goes to the upper side, and where rounding errors of the
    value and of the decision disagree.
    """
    return np.where(above, np.maximum(value, LEAST), np.minimum(value, 0.0))


@dataclass(frozen=True)
class Deciding:
    """How scores are read.

    ``votes`` in the methods is the sum of the sizes of the steps, ``n_added`` the number of rounds.
    Without any round, the share of the positives is all that is known.
    """

    rule: Rule
    start: Start
    own_start: bool
    """Whether the start is the rule's own, which sees the costs as the rule scales them."""
    prior: float
    n_rounds: int
    """Rounds asked for."""
    trained: Costs
    """Costs of training, averaged over rows."""
    calibrator: Calibrator | None = None
    """What certainties mean, where that was learnt."""

    @property
    def by_cost(self) -> bool:
        """Whether probabilities decide, so that costs can be changed after training."""
        return self.rule.decides_by_cost or self.calibrator is not None

    def has_limits(self, costs: Costs) -> bool:
        """Whether a limit of the score, the same for all rows, says which are called positive.

        With a calibrator, that is so for costs of classes, unless a higher score means less.
        """
        if self.calibrator is None:
            return True
        return self._rises and np.ndim(costs.threshold) == 0

    @cached_property
    def _rises(self) -> bool:
        """Whether a higher score never means a lower probability."""
        if self.calibrator is None:
            return True
        worst, best = self.calibrator.probability(np.array([0.0, 1.0]))
        return bool(worst <= best)

    def certainty(self, score: Floats, votes: Any, n_added: int) -> Floats:
        """The score as a number from 0 to 1, which a calibrator turns into a probability.

        The share of the steps that vote +1, or 1 / (1 + exp(-2F)) for real-valued learners, with
        (C+ + C-) F instead of 2F where the score is measured in 1 / cost.
        """
        if n_added == 0:
            return np.full(score.shape, self.prior)
        if self.rule.votes:
            share = np.clip((score / votes + 1) / 2, 0.0, 1.0)
        else:
            share = expit(self.slope * score)
        return np.asarray(np.round(share, DIGITS))

    @property
    def slope(self) -> float:
        """What a score is multiplied by to be log-odds."""
        return self.trained.fn + self.trained.fp if self.rule.scores_per_cost else 2.0

    def probability(self, score: Floats, costs: Costs, votes: Any, n_added: int) -> Floats:
        """P(y = +1 | x) after so many rounds."""
        if n_added == 0:
            return np.full(score.shape, self.prior)
        if self.calibrator is not None:
            return self.calibrator.probability(self.certainty(score, votes, n_added))
        return self.rule.link.probability(score, self._scale(costs, votes, n_added))

    def positive(self, score: Floats, costs: Costs, votes: Any, n_added: int) -> NDArray[np.bool_]:
        """Which rows are called positive after so many rounds."""
        if not self.by_cost:
            return score > 0
        if self.calibrator is not None or n_added == 0:
            return np.asarray(self.probability(score, costs, votes, n_added) > costs.threshold)
        limit, of_row = self._limit(costs, n_added)
        size = votes if self.rule.link.in_votes else 1.0
        called: NDArray[np.bool_] = score > size * limit * of_row
        return called

    def distance(self, costs: Costs) -> Callable[[Floats, Any, int], Floats]:
        """A function of (score, votes, n_added): how far scores are beyond the decision threshold.

        That is the score at which both decisions cost the same. The distance is finite, and above 0
        where a row is called positive (up to rounding errors, see `signed`). Where all scores lead
        to the same decision, a finite threshold that hardly any score reaches stands for the
        infinite one. Without any round, it is the share of the positives minus the threshold.
        """
        calibrated = None if self.calibrator is None else self._calibrated_limit(costs)
        in_votes = self.rule.link.in_votes if self.calibrator is None else self.rule.votes

        def beyond(score: Floats, votes: Any, n_added: int) -> Floats:
            if not self.by_cost:
                return score
            if n_added == 0:
                return np.asarray(np.full(score.shape, self.prior) - costs.threshold)
            limit = self._link_limit(costs, n_added) if calibrated is None else calibrated
            sign = 1.0 if self._rises else -1.0
            return np.asarray(sign * score - (votes if in_votes else 1.0) * limit)

        return beyond

    def _link_limit(self, costs: Costs, n_added: int) -> Any:
        """Threshold of the score for votes of size 1, of an ensemble that is not calibrated."""
        limit, of_row = self._limit(costs, n_added)
        return np.clip(limit * of_row, -SURE, SURE)

    def _calibrated_limit(self, costs: Costs) -> Any:
        """Threshold of the score, or of minus the score where low scores speak for the positive
        class, for votes of size 1; one for each row if costs differ from row to row."""
        levels, place = np.unique(costs.threshold, return_inverse=True)
        sign = 1.0 if self._rises else -1.0
        high = np.full(levels.size, 2.0 if self.rule.votes else SURE / self.slope)

        def called(score: Floats) -> NDArray[np.bool_]:
            return np.asarray(self.probability(sign * score, costs, 1.0, 1) > levels)

        limit = np.clip(bisected(called, high), -high, high)[place]
        return limit.reshape(np.shape(costs.threshold))

    def limits(self, costs: Costs, steps: Floats) -> tuple[Floats, Floats | None]:
        """The score above which a row is called positive after each round, and each row's share."""
        if not self.by_cost:
            return np.zeros(len(steps)), None
        if self.calibrator is not None:
            return self._calibrated_limits(costs, steps), None
        size = np.ones(len(steps))
        if self.rule.link.in_votes:
            size = np.array(list(accumulate(np.abs(steps).tolist())))
        limit, of_row = self._limit(costs, len(steps))
        return size * limit, np.ascontiguousarray(of_row) if np.ndim(of_row) else None

    def _calibrated_limits(self, costs: Costs, steps: Floats) -> Floats:
        """Scores above which rows are called positive after each round, where `has_limits`."""
        votes = np.cumsum(np.abs(steps))
        high = 2 * votes if self.rule.votes else np.full(len(steps), SURE / self.slope)
        return bisected(lambda score: self.positive(score, costs, votes, 1), high)

    def _limit(self, costs: Costs, n_added: int) -> tuple[float, Any]:
        """Score, for votes of size 1, at which both decisions cost the same; each row's share."""
        at = self.rule.link.score(costs.threshold, self._scale(costs, 1.0, n_added)) + DRAW
        return (1.0, at) if np.ndim(at) else (float(at), 1.0)

    def _scale(self, costs: Costs, votes: Any, n_added: int) -> Scale:
        ratio = self.trained.log_ratio
        share = self.n_rounds if self.own_start and self.rule.spreads_costs else 1
        tilt = self.start.tilt(ratio / share, self.prior)
        return Scale(costs, tilt + self.rule.drift(ratio, n_added, self.n_rounds), votes)


def bisected(called: Callable[[Floats], NDArray[np.bool_]], high: Floats) -> Floats:
    """The greatest scores from -high to high that are not called positive.

    -inf where all scores are called positive, inf where none is.
    """
    low = -high
    always, ever = called(low), called(high)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        above = called(middle)
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.where(always, -np.inf, np.where(ever, low, np.inf))
