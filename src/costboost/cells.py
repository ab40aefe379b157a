"""Cells: groups of rows that one round treats alike, and the only sums a rule may take over them.

With class costs, rows that share class and leaf have the same margin and the same cost, so a
round is described by a handful of numbers however many rows there are.
"""

from __future__ import annotations

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

    def total(self, values: Floats) -> float:
        """Sum over the cells."""
        return float(np.add.reduce(values))

    def right(self) -> float:
        """Weight of the cells that are classified correctly (W=)."""
        if self._right < 0:
            self._right = float(self.weight.dot(self.margin > 0))
        return self._right

    def wrong(self) -> float:
        """Weight of the cells that are classified wrongly (W!=)."""
        if self._wrong < 0:
            self._wrong = float(self.weight.dot(self.margin < 0))
        return self._wrong
