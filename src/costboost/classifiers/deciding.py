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

    ``votes`` in the methods is the sum of the sizes of the steps; 0 means that there are none, and
    then the share of the positives is all that is known.
    """

    rule: Rule
    start: Start
    prior: float

    def probability(self, score: Floats, costs: Costs, votes: float) -> Floats:
        """P(y = +1 | x)."""
        if votes == 0:
            return np.full(score.shape, self.prior)
        return self.rule.link.probability(score, self._scale(costs, votes))

    def positive(self, score: Floats, costs: Costs, votes: float) -> NDArray[np.bool_]:
        """Which rows are called positive."""
        if not self.rule.decides_by_cost:
            return score > 0
        called: NDArray[np.bool_] = self.probability(score, costs, votes) > costs.threshold
        return called

    def limits(self, costs: Costs, steps: Floats) -> tuple[Floats, Floats | None]:
        """The score above which a row is called positive after each round, and each row's share."""
        if not self.rule.decides_by_cost:
            return np.zeros(len(steps)), None
        unit = np.cumsum(np.abs(steps)) if self.rule.link.in_votes else np.ones(len(steps))
        at = self.rule.link.score(costs.threshold, self._scale(costs, 1.0))
        if np.ndim(at) == 0:
            return unit * at, None
        return unit, np.ascontiguousarray(at)

    def _scale(self, costs: Costs, votes: Any) -> Scale:
        return Scale(costs, self.start.tilt(costs, self.prior), votes)
