"""From scores to probabilities and decisions, for a rule and the start its training had."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from costboost.calibration import Calibrator
from costboost.cells import Floats
from costboost.rules import Costs, Rule, Scale, Start

BISECTIONS = 60
DRAW = 1e-12
"""Scores this little above the limit are on it, and a row on the limit is called negative."""


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

    @property
    def rises(self) -> bool:
        """Whether a higher score never makes a row less likely to be called positive."""
        if self.calibrator is None:
            return True
        worst, best = self.calibrator.probability(np.array([0.0, 1.0]))
        return bool(worst <= best)

    def certainty(self, score: Floats, votes: float, n_added: int) -> Floats:
        """The score as a number from 0 to 1, which a calibrator turns into a probability.

        The share of the steps that vote +1, or 1 / (1 + exp(-2F)) for real-valued learners.
        """
        if n_added == 0:
            return np.full(score.shape, self.prior)
        if self.rule.votes:
            return np.clip((score / votes + 1) / 2, 0.0, 1.0)
        return np.asarray(expit(self.slope * score))

    @property
    def slope(self) -> float:
        """What a score is multiplied by to be log-odds."""
        return self.trained.fn + self.trained.fp if self.rule.scores_per_cost else 2.0

    def probability(self, score: Floats, costs: Costs, votes: float, n_added: int) -> Floats:
        """P(y = +1 | x) after so many rounds."""
        if n_added == 0:
            return np.full(score.shape, self.prior)
        if self.calibrator is not None:
            return self.calibrator.probability(self.certainty(score, votes, n_added))
        return self.rule.link.probability(score, self._scale(costs, votes, n_added))

    def positive(
        self, score: Floats, costs: Costs, votes: float, n_added: int
    ) -> NDArray[np.bool_]:
        """Which rows are called positive after so many rounds."""
        if not self.by_cost:
            return score > 0
        if self.calibrator is not None or n_added == 0:
            return np.asarray(self.probability(score, costs, votes, n_added) > costs.threshold)
        limit, of_row = self._limit(costs, n_added)
        size = votes if self.rule.link.in_votes else 1.0
        called: NDArray[np.bool_] = score > size * limit * of_row
        return called

    def limits(self, costs: Costs, steps: Floats) -> tuple[Floats, Floats | None]:
        """The score above which a row is called positive after each round, and each row's share."""
        if not self.by_cost:
            return np.zeros(len(steps)), None
        if self.calibrator is not None:
            return self._calibrated_limits(costs, steps)
        size = np.ones(len(steps))
        if self.rule.link.in_votes:
            size = np.array(list(accumulate(np.abs(steps).tolist())))
        limit, of_row = self._limit(costs, len(steps))
        return size * limit, np.ascontiguousarray(of_row) if np.ndim(of_row) else None

    def _calibrated_limits(self, costs: Costs, steps: Floats) -> tuple[Floats, Floats | None]:
        """The same for a calibrator that rises with the certainty."""
        certainty = self._where_probability_passes(np.atleast_1d(costs.threshold))
        if self.rule.votes:
            size, at = np.cumsum(np.abs(steps)), 2 * certainty - 1
        else:
            size, at = np.ones(len(steps)), logit(certainty) / self.slope
        return (size * at[0], None) if at.size == 1 else (size, at)

    def _where_probability_passes(self, threshold: Floats) -> Floats:
        """The greatest certainty whose probability is not above the threshold."""
        assert self.calibrator is not None
        low, high = np.zeros_like(threshold), np.ones_like(threshold)
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            above = self.calibrator.probability(middle) > threshold
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return np.where(self.calibrator.probability(high) > threshold, low, 1.0)

    def _limit(self, costs: Costs, n_added: int) -> tuple[float, Any]:
        """Score, for votes of size 1, at which both decisions cost the same; each row's share."""
        at = self.rule.link.score(costs.threshold, self._scale(costs, 1.0, n_added)) + DRAW
        return (1.0, at) if np.ndim(at) else (float(at), 1.0)

    def _scale(self, costs: Costs, votes: Any, n_added: int) -> Scale:
        ratio = self.trained.log_ratio
        share = self.n_rounds if self.own_start and self.rule.spreads_costs else 1
        tilt = self.start.tilt(ratio / share, self.prior)
        return Scale(costs, tilt + self.rule.drift(ratio, n_added, self.n_rounds), votes)
