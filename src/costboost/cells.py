"""Cells: groups of rows that a round treats alike, and sums over them.

With class costs, rows that share class and leaf have the same margin and the same cost, so a
round is described by a few numbers however many rows there are. With costs of their own, every row
is a cell. Rules use no other sums over rows.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from costboost.elementary import dot, exp, log
from costboost.vectors import Floats as Floats
from costboost.vectors import exact_sum

MOST_EXPONENT = 350.0
"""Factors up to e^350 leave room for weights and costs."""
FEW = 16


class Outcome:
    """``y h(x)`` of each cell, and which cells are right and wrong.

    Most rounds have one of two outcomes, so instances are reused.
    """

    def __init__(self, margin: Floats) -> None:
        self.margin = margin

    @cached_property
    def right(self) -> Floats:
        return (self.margin > 0).astype(np.float64)

    @cached_property
    def wrong(self) -> Floats:
        return (self.margin < 0).astype(np.float64)


class Cells:
    """Weight, margin and cost of each group of rows in a round.

    Attributes
    ----------
    weight : array
        Weight of each cell; all cells together weigh 1.
    outcome : Outcome
        Margin of each cell.
    cost : array
        Cost of a mistake on a row of the cell, as the rule scales it.
    positive : array of bool
        Which cells are of the positive class.
    """

    __slots__ = ("_error", "_log_weight", "cost", "outcome", "positive", "weight")

    def __init__(
        self, weight: Floats, outcome: Outcome, cost: Floats, positive: NDArray[np.bool_]
    ) -> None:
        self.weight = weight
        self.outcome = outcome
        self.cost = cost
        self.positive = positive
        self._log_weight: Floats | None = None
        self._error: float | None = None

    @property
    def margin(self) -> Floats:
        """``y h(x)``: +1 or -1 for a discrete learner, ``y g(x)`` for a real-valued one."""
        return self.outcome.margin

    def dot(self, values: Floats) -> float:
        """Weighted sum over the cells."""
        return dot(self.weight, values)

    def log_sum(self, exponent: Floats, rate: Floats) -> tuple[float, float]:
        """log of the weighted sum of e^exponent, and the mean of the rates by its terms."""
        if self._log_weight is None:  # a search for a step calls this repeatedly
            self._log_weight = log(self.weight)
        logs = self._log_weight + exponent
        largest = float(logs.max())
        terms = exp(logs - largest)  # so that nothing overflows and the sum does not vanish
        total = self._add(terms)
        log_total: float = log(total)
        return log_total + largest, self._add(terms * rate) / total

    def _add(self, values: Floats) -> float:
        return float(values.sum())

    def exp(self, exponent: Floats) -> Floats:
        """e^exponent, times a common factor if it would overflow or leave no weight at all.

        Such a factor does not matter, because weights are normalised.
        """
        few = exponent.size <= FEW  # faster than NumPy's reductions
        ends = exponent.tolist() if few else (exponent.min(), exponent.max())
        if min(ends) > -MOST_EXPONENT and max(ends) < MOST_EXPONENT:
            factors: Floats = exp(exponent)
        else:
            largest = float(exponent[self.weight > 0].max())
            factors = exp(np.minimum(exponent - largest, 0.0))
        return factors

    def right(self, times: Floats | None = None) -> float:
        """Weight (times a factor) of the cells that are classified correctly: W=."""
        mask = self.outcome.right
        return self.dot(mask if times is None else times * mask)

    def wrong(self, times: Floats | None = None) -> float:
        """Weight (times a factor) of the cells that are classified wrongly: W!=."""
        if times is not None:
            return self.dot(times * self.outcome.wrong)
        if self._error is None:  # of interest twice a round: for the step, and by itself
            self._error = self.dot(self.outcome.wrong)
        return self._error


class RowCells(Cells):
    """Cells of one row each; sums are of whole quanta and do not depend on the order."""

    __slots__ = ()

    def dot(self, values: Floats) -> float:
        return exact_sum(self.weight * values)

    def _add(self, values: Floats) -> float:
        return exact_sum(values)
