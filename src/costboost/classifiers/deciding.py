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
        if n_added == 0:
            return np.broadcast_to(self.prior > costs.threshold, score.shape)
        limit, of_row = self._limit(costs, n_added)
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
        limit, of_row = self._limit(costs, len(steps))
        return size * limit, np.ascontiguousarray(of_row) if np.ndim(of_row) else None

    def _limit(self, costs: Costs, n_added: int) -> tuple[float, Any]:
        """Score, for votes of size 1, at which both decisions cost the same; each row's share."""
        at = self.rule.link.score(costs.threshold, self._scale(costs, 1.0, n_added)) + DRAW
        return (1.0, at) if np.ndim(at) else (float(at), 1.0)

    def _scale(self, costs: Costs, votes: Any, n_added: int) -> Scale:
        ratio = self.trained.log_ratio
        share = self.n_rounds if self.own_start and self.rule.spreads_costs else 1
        tilt = self.start.tilt(ratio / share, self.prior)
        return Scale(costs, tilt + self.rule.drift(ratio, n_added, self.n_rounds), votes)
