"""Rows with a score for each class: the part of the shards, and that of the driver."""

from __future__ import annotations

from collections.abc import Sequence
from math import ldexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.engine._kernels import ScoreLoss, weight_against
from costboost.rows.drawing import ShardDraws
from costboost.rows.messages import Shards, sender
from costboost.rows.weights import WorkingResponse, shift_of
from costboost.vectors import Floats, Vector

Scales = Sequence[float]

SHARE_SCALE = 2.0**52
"""Quanta of all weights together, which add up to 1, where decisions are counted."""


class Working(NamedTuple):
    """Response and weight of every row, which regression trees sum, and the scales of quanta."""

    response: Floats
    weight: Floats
    scales: Scales


# ---- in a shard ----------------------------------------------------------------------------------


class ShardScores(ShardDraws):
    """Binned rows of one shard with a score for each class; arrays have a row for each class."""

    working: Working | None
    _losses: Floats
    _weight: Floats

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
        self._losses = np.empty(self.n_rows)
        shape = n_classes, self.n_rows
        self._scores, self._directions = np.zeros(shape), np.zeros(shape)
        self._responses, self._weights = np.empty(shape), np.empty(shape)

    def linearise_scores(self, step: float) -> tuple[float, ...]:
        """Compute loss, working responses and weights after a step; return the largest of each."""
        return self._score_loss.evaluate(
            self._scores,
            self._directions if step else None,
            step,
            self._losses,
            self._responses,
            self._weights,
            self.n_threads,
        )

    def propose_class(self, k: int, direction: Floats, scale: float) -> int:
        """Take the scores of a hypothesis as the direction of the next step of class k.

        Returns the weight of the regression, in quanta, on rows that it moves the wrong way.
        """
        self._directions[k] = direction
        total: int = weight_against(
            self._weights[k], self._responses[k], self._directions[k], scale, self.n_threads
        )
        return total

    def accept_scores(self, step: float) -> None:
        """Keep the scores after a step in the proposed directions."""
        self._directions *= step
        self._scores += self._directions

    def confusion(self, scale: float) -> NDArray[np.int64]:
        """Weight of the rows of each class (row) whose greatest score is that of each (column).

        Weights are multiplied by the scale and rounded. Of equal scores the first is the greatest.
        """
        return self._score_loss.decisions(self._scores, scale, self.n_threads)

    def set_class_targets(self, k: int, scales: Scales) -> None:
        """Make response and weight of class k those that are summed, over the round's rows."""
        self._rows_drawn = self._drawn_in_round
        self._weight = self._weights[k]
        self.working = Working(self._responses[k], self._weight, scales)
        self._is_current = False

    def follow(self, other: Any) -> None:
        """Use the scores of another shard of the same rows, and its rows drawn for the round."""
        self._row_numbers, self._drawn_in_round = other._row_numbers, other._drawn_in_round
        self._responses, self._weights = other._responses, other._weights
        self._directions = other._directions


# ---- in the driver -------------------------------------------------------------------------------


class ClassResponse(WorkingResponse):
    """Working response and weight of the score of one class."""

    def __init__(self, shards: Shards, n_rows: int, k: int) -> None:
        super().__init__(shards, n_rows)
        self.k = k

    def on(self, shards: Shards) -> ClassResponse:
        """Send messages to these shards from now on; they hold the same responses."""
        if shards is not self._shards:
            self._shards = shards
            self._histogram = sender(shards, shards.total, "histogram")
        return self

    def set_largest(self, response: float, weight: float) -> None:
        """Set the largest response and weight of a row."""
        self._largest = [response, weight]

    def _tell_targets(self) -> None:
        self._shards.tell("set_class_targets", self.k, self._scales)

    def propose_class(self, direction: Vector) -> tuple[float, float]:
        """Set the direction of the class's next step; return the weight it moves the wrong way.

        The second number is the weight of all rows.
        """
        scale = self._scales[1]
        quanta: int = self._shards.total("propose_class", self.k, direction, scale)
        every = self._shards.total("total_weight", scale) if self.draws else self.add_up()[1]
        return ldexp(float(quanta), -self._shifts[1]), ldexp(float(every), -self._shifts[1])


class ScoreResponses:
    """Working responses and weights of all classes, whose scores the shards keep."""

    def __init__(self, shards: Shards, n_rows: int, n_classes: int, draws: bool) -> None:
        self._shards = shards
        self._n_rows = n_rows
        self.classes = [ClassResponse(shards, n_rows, k) for k in range(n_classes)]
        for one in self.classes:
            one.draws = draws

    def set_loss(
        self, code: Vector, start: Vector, log_cost: Floats | None, exponential: bool
    ) -> None:
        """Set the loss of the scores, which are 0 at first."""
        given = code, start, log_cost, len(self.classes), exponential
        self._shards.tell("set_score_loss", *given)

    def linearise(self, step: float = 0.0) -> float:
        """Compute the working responses after a step as proposed; return the loss."""
        loss, *largest = self._shards.largest("linearise_scores", step)
        n = len(self.classes)
        for one, response, weight in zip(self.classes, largest[:n], largest[n:], strict=True):
            one.set_largest(response, weight)
        shift = shift_of(loss, self._n_rows)
        return ldexp(float(self._shards.total("sum_losses", ldexp(1.0, shift))), -shift)

    def confusion(self) -> Floats:
        """Weight share of each class (row) whose greatest score is that of each (column)."""
        quanta = self._shards.total("confusion", SHARE_SCALE)
        return np.asarray(quanta / quanta.sum())

    def accept(self, step: float) -> None:
        """Keep the scores after a step in the proposed directions."""
        self._shards.tell("accept_scores", step)
