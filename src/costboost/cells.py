"""Cells: groups of rows that one round treats alike, and the only sums a rule may take over them.

With class costs, rows that share class and leaf have the same margin and the same cost, so a
round is described by a handful of numbers however many rows there are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Outcome:
    """``y h(x)`` of each cell, and which cells are right and wrong.

    Most rounds have one of two outcomes, so that one is made once and used again.
    """

    __slots__ = ("margin", "right", "wrong")

    def __init__(self, margin: Floats) -> None:
        self.margin = margin
        self.right: Floats = (margin > 0).astype(np.float64)
        self.wrong: Floats = (margin < 0).astype(np.float64)


class Cells:
    """What a round did to each group of rows.

    Attributes
    ----------
    weight : array
        Weight of each cell; all cells together weigh 1.
    outcome : Outcome
        Margin of each cell.
    cost : array
        Cost of a mistake on a row of the cell, scaled as the rule asks.
    """

    __slots__ = ("cost", "outcome", "weight")

    def __init__(self, weight: Floats, outcome: Outcome, cost: Floats) -> None:
        self.weight = weight
        self.outcome = outcome
        self.cost = cost

    @property
    def margin(self) -> Floats:
        """``y h(x)``: +1 or -1 for a discrete learner, ``y g(x)`` for a real-valued one."""
        return self.outcome.margin

    def right(self) -> float:
        """Weight of the cells that are classified correctly (W=)."""
        return float(self.weight.dot(self.outcome.right))

    def wrong(self) -> float:
        """Weight of the cells that are classified wrongly (W!=)."""
        return float(self.weight.dot(self.outcome.wrong))
