"""Weighted samples, and the two ways in which a component learner gets to see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from costboost.multiclass.problem import Codes
from costboost.vectors import Floats


class Sample(NamedTuple):
    """Rows with a label and an importance each; a row may be there with several labels."""

    row: Codes
    label: Codes
    weight: Floats

    @classmethod
    def of_pairs(cls, weight: Floats) -> Sample:
        """All pairs (row, label) that weigh something, from a table of weights."""
        row, label = np.nonzero(weight)
        return cls(row, label, weight[row, label])

    def where(self, kept: NDArray[np.bool_]) -> Sample:
        return Sample(self.row[kept], self.label[kept], np.ones(int(kept.sum())))


def rejected(weight: Floats, share: float, random: RandomState) -> NDArray[np.bool_]:
    """Keep each with probability share x size / greatest size, in one pass, without replacement."""
    size = np.abs(weight)
    greatest = size.max()
    kept: NDArray[np.bool_] = random.random_sample(weight.shape) * greatest < share * size
    if not kept.any():  # a share below 1 may drop even the greatest
        kept.flat[int(size.argmax())] = True
    return kept


Sampling = Callable[[Floats, float, RandomState], Floats]
"""(signed weights, share, random) -> the weights that the component learner sees."""


def by_rejection(weight: Floats, share: float, random: RandomState) -> Floats:
    """Those that are kept weigh the same, the others nothing."""
    return np.where(rejected(weight, share, random), np.sign(weight), 0.0)


def by_weight(weight: Floats, share: float, random: RandomState) -> Floats:
    """Nothing is drawn."""
    return weight


SAMPLING: dict[str, Sampling] = {"rejection": by_rejection, "weight": by_weight}
"""Ways to show weights to a learner, by their names."""
DRAWN = ("rejection",)
"""Those that show it others each time."""
