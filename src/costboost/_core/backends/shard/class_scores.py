"""Scores of several classes of the rows of a block, each the target of a tree in its turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.backends.protocol import Opposed, Scales
from costboost._core.backends.shard.weights import WeightedRows, Working
from costboost._core.engine._kernels import ScoreLoss, weight_against


class ScoredRows(WeightedRows):
    """Rows with a score for each class; arrays have a row for each class."""

    _score_loss: ScoreLoss
    _responses: Floats
    _weights: Floats
    _losses: Floats

    def set_score_loss(
        self,
        code: NDArray[np.int32],
        start: Floats,
        log_cost: Floats | None,
        n_classes: int,
        exponential: bool,
    ) -> None:
        """Set the loss of the scores; see `ScoreLoss`."""
        self._score_loss = ScoreLoss(code, start, log_cost, n_classes, exponential)
        shape = n_classes, self.n_rows
        self._scores, self._directions = np.zeros(shape), np.zeros(shape)
        self._computed = np.empty(self.n_rows), np.empty(shape), np.empty(shape)
        self._end("_responses", "_weights", "_losses")

    def linearise_scores(self, step: float) -> tuple[float, ...]:
        """Compute loss, working responses and weights after a step; return the largest of each."""
        loss = self._score_loss
        directions = self._directions if step else None
        largest = loss.evaluate(self._scores, directions, step, *self._computed, self.n_threads)
        self._losses, self._responses, self._weights = self._computed
        self._end("_summed", "_nodes")
        return largest

    def propose_class(self, k: int, direction: Floats, scale: float) -> Opposed:
        """Take the scores of a hypothesis as the direction of the next step of class k."""
        weight, response = self._weights[k], self._responses[k]
        self._directions[k] = direction
        against = weight_against(weight, response, self._directions[k], scale, self.n_threads)
        return self._opposed(against, weight, scale)

    def accept_scores(self, step: float) -> None:
        """Keep the scores after a step in the proposed directions."""
        _ = self._score_loss
        self._directions *= step
        self._scores += self._directions

    def confusion(self, scale: float) -> NDArray[np.int64]:
        """Weight of the rows of each class (row) whose greatest score is that of each (column).

        Weights are multiplied by the scale and rounded. Of equal scores the first is the greatest.
        """
        return self._score_loss.decisions(self._scores, scale, self.n_threads)

    def set_class_targets(self, k: int, scales: Scales) -> None:
        """Make response and weight of class k those that are summed, over the round's rows."""
        self._aim(Working(self._responses[k], self._weights[k], scales))
        self._rows_drawn = vars(self).get("_drawn_in_round")
        if self._rows_drawn is not None:
            self._sample = self._rows_drawn
