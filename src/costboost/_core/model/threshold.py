"""Decisions between two classes: the score is compared with a threshold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, expit
from costboost._core.caching import cached_property
from costboost._core.calibration.base import Calibrator
from costboost._core.model.log_odds import LEAST
from costboost._core.model.prevalence import reweighted
from costboost._core.rules.record import NetCosts, Rule, Scale, Start

BISECTIONS = 80
BITS = 62
"""Number of bisections of [0, 1] after which the bounds are neighbouring floats."""
SURE = 800.0
"""A logit at which the probability is 0 or 1 in double precision."""
DIGITS = 12
"""Decimal digits of a certainty; further digits depend on the order of summation."""
DRAW = 1e-12
"""A score within this distance above the threshold counts as a tie, which is predicted negative."""


def signed(value: Floats, above: NDArray[np.bool_]) -> Floats:
    """Values whose sign agrees with a decision: positive exactly where ``above`` is true.

    Values change only at ties, and where rounding errors of value and decision disagree.
    """
    return np.where(above, np.maximum(value, LEAST), np.minimum(value, 0.0))


@dataclass(frozen=True)
class DecisionRule:
    """Probabilities and decisions from the scores of an ensemble.

    In the methods, ``votes`` is the sum of the absolute steps and ``n_added`` the number of rounds.
    Before the first round, the probability is the share of positives in the training rows.
    """

    rule: Rule
    start: Start
    own_start: bool
    """Whether the initial weights are the rule's own, computed from the costs as it scales them."""
    prior: float
    """Weighted share of positives in the training rows."""
    n_rounds: int
    """Maximum number of rounds."""
    costs: NetCosts
    """Training costs, averaged over rows."""
    calibrator: Calibrator | None = None
    """Maps certainties to probabilities; None if the classifier is not calibrated."""
    odds_factor: float = 1.0
    """Factor of the odds of the positive class, if probabilities refer to another prevalence than
    that of the training rows."""

    @property
    def by_cost(self) -> bool:
        """Whether decisions compare probabilities with costs, which can change after training."""
        return self.rule.decides_by_cost or self.calibrator is not None

    def has_limits(self, costs: NetCosts) -> bool:
        """Whether one score threshold, common to all rows, separates the two decisions.

        With a calibrator this holds for class costs if the calibrator is not decreasing.
        """
        if self.calibrator is None:
            return True
        return self._rises and np.ndim(costs.threshold) == 0

    @cached_property
    def _rises(self) -> bool:
        """Whether the probability does not decrease with the score."""
        if self.calibrator is None:
            return True
        worst, best = self.calibrator.probability(np.array([0.0, 1.0]))
        return bool(worst <= best)

    def certainty(self, score: Floats, votes: Any, n_added: int) -> Floats:
        """The score mapped to [0, 1], the input of the calibrator.

        It is the share of the steps whose learner votes +1, or 1 / (1 + exp(-2F)) for real-valued
        learners, with (C+ + C-) F instead of 2F where the score is measured in 1 / cost.
        """
        if n_added == 0:
            return np.full(score.shape, self.prior)
        if self.rule.votes:
            share = np.clip((score / votes + 1) / 2, 0.0, 1.0)
        else:
            share = expit(self.slope * score)
        certainty: Floats = np.round(share, DIGITS)
        return certainty

    @property
    def slope(self) -> float:
        """Factor that turns a score into log-odds."""
        return self.costs.fn + self.costs.fp if self.rule.scores_per_cost else 2.0

    def probability(self, score: Floats, costs: NetCosts, votes: Any, n_added: int) -> Floats:
        """P(y = +1 | x) after ``n_added`` rounds."""
        if n_added == 0:
            found = np.full(score.shape, self.prior)
        elif self.calibrator is not None:
            found = self.calibrator.probability(self.certainty(score, votes, n_added))
        else:
            found = self.rule.link.probability(score, self._scale(costs, votes, n_added))
        return reweighted(found, self.odds_factor)

    def positive(
        self, score: Floats, costs: NetCosts, votes: Any, n_added: int
    ) -> NDArray[np.bool_]:
        """Which rows are predicted positive after ``n_added`` rounds."""
        if not self.by_cost:
            return score > 0
        if self.calibrator is not None or n_added == 0:
            found: NDArray[np.bool_] = (
                self.probability(score, costs, votes, n_added) > costs.threshold
            )
            return found
        limit, of_row = self._limit(costs, n_added)
        size = votes if self.rule.link.in_votes else 1.0
        positive: NDArray[np.bool_] = score > size * limit * of_row
        return positive

    def distance(self, costs: NetCosts) -> Callable[[Floats, Any, int], Floats]:
        """A function of (score, votes, n_added) that returns scores minus the decision threshold.

        At the threshold both decisions have the same expected cost. The distance is finite, and
        positive where a row is predicted positive (up to rounding errors, see `signed`). If all
        scores lead to the same decision, a large finite threshold replaces the infinite one. Before
        the first round, it is the share of positives minus the probability threshold.
        """
        calibrated = None if self.calibrator is None else self._calibrated_limit(costs)
        in_votes = self.rule.link.in_votes if self.calibrator is None else self.rule.votes

        def beyond(score: Floats, votes: Any, n_added: int) -> Floats:
            if not self.by_cost:
                return score
            if n_added == 0:
                return np.asarray(self.probability(score, costs, votes, 0) - costs.threshold)
            limit = calibrated
            if limit is None:
                common, of_row = self._limit(costs, n_added)
                limit = np.clip(common * of_row, -SURE, SURE)
            sign = 1.0 if self._rises else -1.0
            return np.asarray(sign * score - (votes if in_votes else 1.0) * limit)

        return beyond

    def _calibrated_limit(self, costs: NetCosts) -> Any:
        """Score threshold of a calibrated ensemble for votes of size 1, found by bisection.

        With a decreasing calibrator it applies to minus the score. Row costs give an array.
        """
        levels, place = np.unique(costs.threshold, return_inverse=True)
        sign = 1.0 if self._rises else -1.0
        high = np.full(levels.size, 2.0 if self.rule.votes else SURE / self.slope)

        def decide(score: Floats) -> NDArray[np.bool_]:
            return np.asarray(self.probability(sign * score, costs, 1.0, 1) > levels)

        limit = np.clip(bisected(decide, high), -high, high)[place]
        return limit.reshape(np.shape(costs.threshold))

    def limits(self, costs: NetCosts, steps: Floats) -> tuple[Floats, Floats | None]:
        """Score thresholds after each round, and the factors of rows with costs of their own."""
        if not self.by_cost:
            return np.zeros(len(steps)), None
        if self.calibrator is not None:  # monotone: found by bisection
            votes = np.cumsum(np.abs(steps))
            high = 2 * votes if self.rule.votes else np.full(len(steps), SURE / self.slope)
            return bisected(lambda score: self.positive(score, costs, votes, 1), high), None
        size = np.ones(len(steps))
        if self.rule.link.in_votes:
            size = np.array(list(accumulate(np.abs(steps).tolist())))
        limit, of_row = self._limit(costs, len(steps))
        return size * limit, np.ascontiguousarray(of_row) if np.ndim(of_row) else None

    def _limit(self, costs: NetCosts, n_added: int) -> tuple[float, Any]:
        """Score threshold for votes of size 1, and the factor of each row.

        Costs and prevalence together are one threshold on the probability under the prevalence of
        training: the odds of the threshold divided by the factor.
        """
        threshold = costs.threshold
        inner = np.clip(threshold, 0.0, 1.0)
        level = reweighted(inner, 1 / self.odds_factor)
        at = self.rule.link.score(level, self._scale(costs, 1.0, n_added)) + DRAW
        if np.any(inner != threshold):  # one prediction is cheaper whatever the score
            at = np.where(threshold < 0, -np.inf, np.where(threshold > 1, np.inf, at))
        return (1.0, at) if np.ndim(at) else (float(at), 1.0)

    def _scale(self, costs: NetCosts, votes: Any, n_added: int) -> Scale:
        ratio = self.costs.log_ratio
        share = self.n_rounds if self.own_start and self.rule.spreads_costs else 1
        tilt = self.start.tilt(ratio / share, self.prior)
        return Scale(costs, tilt + self.rule.drift(ratio, n_added, self.n_rounds), votes)


def bisected(decide: Callable[[Floats], NDArray[np.bool_]], high: Floats) -> Floats:
    """The largest scores in [-high, high] that are not predicted positive, found by bisection.

    -inf where all scores are predicted positive, inf where none is.
    """
    low = -high
    always, ever = decide(low), decide(high)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        above = decide(middle)
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.where(always, -np.inf, np.where(ever, low, np.inf))


def cost_limits(model: Any, score: Floats) -> Floats:
    """For each score, the least C- / (C- + C+) at which its row is no longer predicted positive.

    It is the probability, up to the treatment of ties; found by bisection over `positive`, so that
    it is exact. Only for a model that decides by cost.
    """
    decision: DecisionRule = model.decision
    votes, n_added = model.votes, model.n_iter
    if decision.calibrator is not None or n_added == 0:
        return decision.probability(score, decision.costs, votes, n_added)
    levels, place = np.unique(score, return_inverse=True)
    low = np.zeros(levels.size, dtype=np.int64)
    high = np.full(levels.size, np.float64(1.0).view(np.int64))
    for _ in range(BITS):  # positive floats are in the order of their bits
        middle = low + (high - low) // 2
        t = np.maximum(middle, 1).view(np.float64)
        above = decision.positive(levels, NetCosts(2 * (1 - t), 2 * t), votes, n_added)
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    limits: Floats = high.view(np.float64)[place]
    return limits
