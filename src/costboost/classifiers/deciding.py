"""From scores to probabilities and decisions, for a rule and the start its training had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats
from costboost.rules import Costs, Rule, Scale, Start


@dataclass(frozen=True)
class Deciding:
    """How scores are read.

    ``votes`` in the methods is the sum of the sizes of the steps. Without any round, the share of
    the positives is all that is known.
    """

    rule: Rule
    start: Start
    own_start: bool
    prior: float
    n_rounds: int
    """Rounds asked for."""

    def probability(self, score: Floats, costs: Costs, votes: float, n_added: int) -> Floats:
        """P(y = +1 | x) after so many rounds."""
        if n_added == 0:
            return np.full(score.shape, self.prior)
        return self.rule.link.probability(score, self._scale(costs, votes, n_added))

    def positive(
        self, score: Floats, costs: Costs, votes: float, n_added: int
    ) -> NDArray[np.bool_]:
        """Which rows are called positive after so many rounds."""
        if not self.rule.decides_by_cost:
            return score > 0
        p = self.probability(score, costs, votes, n_added)
        called: NDArray[np.bool_] = p > costs.threshold
        return called

    def limits(self, costs: Costs, steps: Floats) -> tuple[Floats, Floats | None]:
        """The score above which a row is called positive after each round, and each row's share."""
        if not self.rule.decides_by_cost:
            return np.zeros(len(steps)), None
        unit = np.cumsum(np.abs(steps)) if self.rule.link.in_votes else np.ones(len(steps))
        at = self.rule.link.score(costs.threshold, self._scale(costs, 1.0, len(steps)))
        if np.ndim(at) == 0:
            return unit * at, None
        return unit, np.ascontiguousarray(at)

    def _scale(self, costs: Costs, votes: Any, n_added: int) -> Scale:
        ratio = costs.log_ratio
        scaled = ratio / self.n_rounds if self.own_start and self.rule.spreads_costs else ratio
        tilt = self.start.tilt(scaled, self.prior) + self.rule.drift(ratio, n_added, self.n_rounds)
        return Scale(costs, tilt, votes)
