"""Cells: groups of rows that a round treats alike, and sums over them.

With class costs, rows that share class and leaf have the same margin and the same cost, so a
round is described by a few numbers however many rows there are. With costs of their own, every row
is a cell. Rules use no other sums over rows.
"""

from __future__ import annotations

import numpy as np

from costboost._core.arithmetic import (
    Vector,
    dot,
    each,
    exact_sum,
    exp,
    exp_within,
    log,
    looked_up,
)
from costboost._core.caching import cached_property

MOST_EXPONENT = 350.0
"""Factors up to e^350 leave room for weights and costs."""


class Outcome:
    """``y h(x)`` of each cell, and which cells are right and wrong.

    Most rounds have one of two outcomes, so instances are reused.
    """

    def __init__(self, margin: Vector) -> None:
        self.margin = margin

    @cached_property
    def right(self) -> Vector:
        return (self.margin > 0).astype(np.float64)

    @cached_property
    def wrong(self) -> Vector:
        return (self.margin < 0).astype(np.float64)


class LogSum:
    """log of the sum of e^(log_weight + log_part + speed x) over cells, as a function of x.

    A call returns the logarithm, and the mean of the rates of the cells, weighted by the terms of
    the sum.
    """

    def __init__(self, log_weight: Vector, log_part: Vector, speed: Vector, rate: Vector) -> None:
        self.log_weight = log_weight
        self.log_part = log_part
        self.speed = speed
        self.rate = rate

    def __call__(self, x: float) -> tuple[float, float]:
        logs = self.log_weight + (self.log_part + self.speed * x)
        largest = float(logs.max())
        terms = exp(logs - largest)  # so that nothing overflows and the sum does not vanish
        total = self._add(terms)
        log_total: float = log(total)
        return log_total + largest, self._add(terms * self.rate) / total

    def _add(self, values: Vector) -> float:
        return float(values.sum())  # type: ignore[union-attr]  # vectors: `RowLogSum`


class RowLogSum(LogSum):
    """Sum over rows in whole quanta; ``n`` is the number of rows with those that add nothing."""

    def __init__(self, *terms: Vector, n: int) -> None:
        super().__init__(*terms)
        self.n = n

    def _add(self, values: Vector) -> float:
        return exact_sum(values, self.n)


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

    def __init__(self, weight: Vector, outcome: Outcome, cost: Vector, positive: Vector) -> None:
        self.weight = weight
        self.outcome = outcome
        self.cost = cost
        self.positive = positive
        self._log_weight: Vector | None = None
        self._error: float | None = None

    @property
    def margin(self) -> Vector:
        """``y h(x)``: +1 or -1 for a discrete learner, ``y g(x)`` for a real-valued one."""
        return self.outcome.margin

    def dot(self, values: Vector) -> float:
        """Weighted sum over the cells."""
        return dot(self.weight, values)  # type: ignore[arg-type]  # vectors: `RowCells`

    @property
    def log_weight(self) -> Vector:
        """Logarithms of the weights."""
        if self._log_weight is None:  # a search for a step needs them twice
            self._log_weight = log(self.weight)
        return self._log_weight

    def log_sum(self, log_part: Vector, speed: Vector, rate: Vector) -> LogSum:
        """log of the sum of w e^(log_part + speed x) over the cells, as a function of x."""
        return LogSum(self.log_weight, log_part, speed, rate)

    def exp(self, exponent: Vector, rate: float = 1.0) -> Vector:
        """e^(rate exponent), times a common factor if it would overflow or leave no weight at all.

        Such a factor does not matter, because weights are normalised.
        """
        factors: Vector | None = exp_within(exponent, rate, MOST_EXPONENT)
        if factors is None:
            exponent = rate * exponent
            largest = float(looked_up(exponent, self.weight > 0).max())
            factors = exp(np.minimum(exponent - largest, 0.0))
        return factors

    def right(self, times: Vector | None = None) -> float:
        """Weight (times a factor) of the cells that are classified correctly: W=."""
        mask = self.outcome.right
        return self.dot(mask if times is None else times * mask)

    def wrong(self, times: Vector | None = None) -> float:
        """Weight (times a factor) of the cells that are classified wrongly: W!=."""
        if times is not None:
            return self.dot(times * self.outcome.wrong)
        if self._error is None:  # of interest twice a round: for the step, and by itself
            self._error = self.dot(self.outcome.wrong)
        return self._error


class RowCells(Cells):
    """Cells of one row each; sums are of whole quanta and do not depend on the order."""

    __slots__ = ()

    def dot(self, values: Vector) -> float:
        return exact_sum(self.weight * values)

    def log_sum(self, log_part: Vector, speed: Vector, rate: Vector) -> LogSum:
        counted = each(np.flatnonzero, log_part > -np.inf)
        terms = (looked_up(values, counted) for values in (self.log_weight, log_part, speed, rate))
        return RowLogSum(*terms, n=self.weight.size)
