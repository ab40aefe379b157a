"""Cells: groups of rows that one round treats alike, and the only sums a rule may take over them.

With class costs, rows that share class and leaf have the same margin and the same cost, so a
round is described by a handful of numbers however many rows there are. With costs of their own,
every row is a cell.
"""

from __future__ import annotations

from math import frexp

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Cells:
    """What a round did to each group of rows.

    Attributes
    ----------
    weight : array
        Weight of each cell; all cells together weigh 1.
    margin : array
        ``y h(x)`` in the cell: +1 or -1 for a discrete learner, ``y g(x)`` for a real-valued one.
    cost : array
        Cost of a mistake on a row of the cell, scaled as the rule asks.
    """

    __slots__ = ("_right", "_wrong", "cost", "margin", "weight")

    def __init__(self, weight: Floats, margin: Floats, cost: Floats) -> None:
        self.weight = weight
        self.margin = margin
        self.cost = cost
        self._right = self._wrong = -1.0

    def dot(self, values: Floats) -> float:
        """Weighted sum over the cells."""
        return float(self.weight.dot(values))

    def right(self, times: Floats | None = None) -> float:
        """Weight (times a factor) of the cells that are classified correctly: W=."""
        if times is not None:
            return self.dot(times * (self.margin > 0))
        if self._right < 0:
            self._right = self.dot(self.margin > 0)
        return self._right

    def wrong(self, times: Floats | None = None) -> float:
        """Weight (times a factor) of the cells that are classified wrongly: W!=."""
        if times is not None:
            return self.dot(times * (self.margin < 0))
        if self._wrong < 0:
            self._wrong = self.dot(self.margin < 0)
        return self._wrong

    def edge(self, times: Floats) -> float:
        """Sum of weight times a factor times the sign of the margin."""
        return self.dot(times * np.sign(self.margin))


class RowCells(Cells):
    """Every row its own cell; sums are over whole quanta, so that their order is no matter."""

    __slots__ = ()

    def dot(self, values: Floats) -> float:
        return exact_sum(self.weight * values)


def exact_sum(values: Floats) -> float:
    """A sum that depends on the values alone, not on their order: whole quanta are added."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0 or not np.isfinite(largest):
        return largest
    shift = 62 - int(values.size).bit_length() - frexp(largest)[1]
    quanta = np.rint(np.ldexp(values, shift)).astype(np.int64)
    return float(np.ldexp(float(quanta.sum()), -shift))
