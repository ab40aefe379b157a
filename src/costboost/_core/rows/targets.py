"""Targets of the next learner: weights of the rows, or a working response."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector, exact_sum
from costboost._core.backends.protocol import Backend, Histogram
from costboost._core.engine._kernels import Split
from costboost._core.rows.class_scores import ScoreResponses
from costboost._core.rows.class_weights import ClassWeights
from costboost._core.rows.draws import RowDraws
from costboost._core.rows.newton import WorkingResponse


class VotePrices(NamedTuple):
    """What votes for one of several classes cost."""

    columns: list[Vector]
    """For each class, the weights of its rows; those of other rows are 0."""
    price: Floats
    """Price of a vote for a class (column) where another one (row) is true, for a weight of 1."""


class TargetRows(RowDraws):
    """Rows with the weights or responses that learners are found for.

    Attributes
    ----------
    weights : ClassWeights
        The weights of the rows, which rules multiply.
    response : WorkingResponse
        Target of regressions, for rules that boost by Newton's method.
    responses : ScoreResponses
        Targets of all classes, if rows have a score for each; `response` is one of them.
    amounts : ClassWeights or WorkingResponse
        Which of these two provides the sums of every bin that splits are compared by.
    """

    def __init__(
        self, backend: Backend[Vector], n_bins: NDArray[np.int32], categorical: NDArray[np.uint8]
    ) -> None:
        super().__init__(backend, n_bins, categorical)
        self.weights = ClassWeights(backend, self.counts)
        self.n_rows = sum(self.weights.class_sizes)
        self.response = WorkingResponse(backend, self.n_rows)
        self.responses: ScoreResponses
        self.amounts: ClassWeights | WorkingResponse = self.weights
        self.votes: VotePrices
        self.row_weight: Vector
        self.row_cost: Vector | None = None
        """Weight and cost of each row if rows have individual costs, else None."""
        self._total = 1.0

    def set_row_weights(self, weight: Vector, cost: Vector | None = None) -> None:
        """Set the weight of every row, and its cost for criteria that use it."""
        self.weights.set_rows(weight)
        if cost is not None:
            self.row_weight, self.row_cost = weight, cost
            if self.samples:
                self.weights.histogram()  # all rows are drawn if the others have no weight
                drawn = weight * self.backend.is_drawn()
                self.row_weight = drawn / exact_sum(drawn)

    def set_targets(self) -> None:
        """Make the working response the target of the next learner."""
        self.amounts = self.response
        self._total = 1.0

    def set_votes(self, weight: Vector, code: Vector, price: Floats) -> None:
        """Set the weight of every row and, for votes on several classes, what each one costs.

        ``price[j, k]`` is the price of a vote for class k where class j is true.
        """
        self.set_row_weights(weight)
        self.votes = VotePrices([weight * (code == k) for k in range(len(price))], price)

    def histogram(self) -> Histogram:
        """Histogram of `amounts`: two sums for every bin of every feature, in quanta."""
        return self.amounts.histogram()

    def class_shares(self) -> tuple[float, float]:
        """Weight shares of the two classes; for a regression, sums of response and weight."""
        p, n = self.amounts.class_sums()
        self._total = 1.0 if self.amounts is self.response else p + n
        return p / self._total, n / self._total

    def _units(self) -> tuple[float, float]:
        """Values of the quanta as shares of the total weight, which `class_shares` computes."""
        return self.amounts.unit[0] / self._total, self.amounts.unit[1] / self._total

    def all_bin_weights(self) -> Floats:
        """Weight shares of both classes in every bin of every feature."""
        p, n = self.class_shares()
        if p + n == 0:
            return np.zeros(self.counts.shape)
        return np.asarray(self.histogram() * np.array(self._units())[:, None, None])

    def bin_weights(self, feature: int, bins: NDArray[np.intp]) -> Floats:
        """Weight shares of both classes in some bins of a feature."""
        self.class_shares()
        return np.asarray(self.histogram()[:, feature, bins] * np.array(self._units())[:, None])

    def cell_weights(self, split: Split) -> Floats:
        """Weight shares of positives left and right, and of negatives left and right."""
        weights: Floats = split.shares(*self.amounts.unit)
        return weights
