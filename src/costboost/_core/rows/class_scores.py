"""Working responses of several classes, whose scores the shards keep."""

from __future__ import annotations

from math import ldexp

import numpy as np

from costboost._core.arithmetic import Floats, Vector
from costboost._core.backends.protocol import Backend
from costboost._core.rows.newton import WorkingResponse
from costboost._core.rows.quanta import shift_of

SHARE_SCALE = 2.0**52
"""Quanta of all weights together, which add up to 1, where decisions are counted."""


class ClassResponse(WorkingResponse):
    """Working response and weight of the score of one class."""

    def __init__(self, backend: Backend[Vector], n_rows: int, k: int) -> None:
        super().__init__(backend, n_rows)
        self.k = k

    def on(self, backend: Backend[Vector]) -> ClassResponse:
        """Ask this back end from now on, which holds the same responses."""
        self.backend, self._histogram = backend, backend.histogram
        return self

    def set_largest(self, response: float, weight: float) -> None:
        """Set the largest response and weight of a row."""
        self._largest = [response, weight]

    def _tell_targets(self) -> None:
        self.backend.set_class_targets(self.k, self._scales)

    def propose_class(self, direction: Vector) -> tuple[float, float]:
        """Set the direction of the class's next step; return the weight it moves the wrong way.

        The second number is the weight of all rows.
        """
        scale = self._scales[1]
        against, weight = self.backend.propose_class(self.k, direction, scale)
        every = weight if self.draws else self.add_up()[1]
        return ldexp(float(against), -self._shifts[1]), ldexp(float(every), -self._shifts[1])


class ScoreResponses:
    """Working responses and weights of all classes, whose scores the shards keep."""

    def __init__(self, backend: Backend[Vector], n_rows: int, n_classes: int, draws: bool) -> None:
        self.backend = backend
        self._n_rows = n_rows
        self.classes = [ClassResponse(backend, n_rows, k) for k in range(n_classes)]
        for one in self.classes:
            one.draws = draws

    def set_loss(
        self, code: Vector, start: Vector, log_cost: Floats | None, exponential: bool
    ) -> None:
        """Set the loss of the scores, which are 0 at first."""
        given = code, start, log_cost, len(self.classes), exponential
        self.backend.set_score_loss(*given)

    def linearise(self, step: float = 0.0) -> float:
        """Compute the working responses after a step as proposed; return the loss."""
        loss, *largest = self.backend.linearise_scores(step)
        n = len(self.classes)
        for one, response, weight in zip(self.classes, largest[:n], largest[n:], strict=True):
            one.set_largest(response, weight)
        shift = shift_of(loss, self._n_rows)
        return ldexp(float(self.backend.sum_losses(ldexp(1.0, shift))), -shift)

    def confusion(self) -> Floats:
        """Weight share of each class (row) whose greatest score is that of each (column)."""
        quanta = self.backend.confusion(SHARE_SCALE)
        return np.asarray(quanta / quanta.sum())

    def accept(self, step: float) -> None:
        """Keep the scores after a step in the proposed directions."""
        self.backend.accept_scores(step)
