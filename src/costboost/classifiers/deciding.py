"""From scores to probabilities and decisions, for a rule and the start its training had."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats
from costboost.rules import Costs, Rule, Scale, Start

DRAW = 1e-12
"""Scores this little above the limit are on it, and a row on the limit is called negative."""


@dataclass(frozen=True)
class Deciding:
    """How scores are read.

    ``votes`` in the methods is the sum of the sizes of the steps; 0 means that there are none, and
    then the share of the positives is all that is known.
    """

    rule: Rule
    start: Start
    prior: float
    tilt: Any
    """Log-odds that the initial weights put into the scores."""

    def probability(self, score: Floats, costs: Costs, votes: float) -> Floats:
        """P(y = +1 | x)."""
        if votes == 0:
            return np.full(score.shape, self.prior)
        return self.rule.link.probability(score, self._scale(costs, votes))

    def positive(self, score: Floats, costs: Costs, votes: float) -> NDArray[np.bool_]:
        """Which rows are called positive."""
        if not self.rule.decides_by_cost:
            return score > 0
        if votes == 0:
            return np.broadcast_to(self.prior > costs.threshold, score.shape)
        limit, of_row = self._limit(costs)
        size = votes if self.rule.link.in_votes else 1.0
        called: NDArray[np.bool_] = score > size * limit * of_row
        return called

    def limits(self, costs: Costs, steps: Floats) -> tuple[Floats, Floats | None]:
        """The score above which a row is called positive after each round, and each row's share."""
        if not self.rule.decides_by_cost:
            return np.zeros(len(steps)), None
        size = np.ones(len(steps))
        if self.rule.link.in_votes:
            size = np.array(list(accumulate(np.abs(steps).tolist())))
        limit, of_row = self._limit(costs)
        return size * limit, np.ascontiguousarray(of_row) if np.ndim(of_row) else None

    def _limit(self, costs: Costs) -> tuple[float, Any]:
        """Score, for votes of size 1, at which both decisions cost the same; each row's share."""
        at = self.rule.link.score(costs.threshold, self._scale(costs, 1.0)) + DRAW
        return (1.0, at) if np.ndim(at) else (float(at), 1.0)

    def _scale(self, costs: Costs, votes: Any) -> Scale:
        return Scale(costs, self.tilt, votes)
