"""The decision stump: one feature, one threshold, one vote. The default weak learner."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats, Outcome
from costboost.engine._kernels import BinnedRows, Split
from costboost.engine.binning import Binning
from costboost.engine.ensemble import Node, leaf
from costboost.shards import Shards

_OUTCOME = {p: Outcome(p * np.array([-1.0, 1.0, 1.0, -1.0])) for p in (1, -1)}
"""y h of (positive, left), (positive, right), (negative, left), (negative, right)."""


class Stump:
    """h(x) = p above the threshold, -p below; a constant is a stump with everybody above."""

    __slots__ = ("outcome", "split", "weight")

    def __init__(self, split: Split, weight: Floats) -> None:
        self.split = split
        self.weight = weight
        self.outcome = _OUTCOME[split.polarity]

    def reweigh(self, rows: Shards, factors: Floats) -> None:
        rows.reweigh(self.split, factors.tolist())

    def scores(self, rows: BinnedRows) -> NDArray[np.float64]:
        p = float(self.split.polarity)
        if self.split.feature < 0:
            return np.full(rows.n_rows, p)
        vote = np.where(self.split.left, -p, p)
        result: NDArray[np.float64] = vote[rows.column(self.split.feature)]
        return result

    def nodes(self, binning: Binning, step: float) -> list[Node]:
        """The stump as nodes of an ensemble, on raw values."""
        vote = step * self.split.polarity
        if self.split.feature < 0:
            return [leaf(vote)]
        return [binning.node(self.split, 1, 1.0), leaf(-vote), leaf(vote)]


class StumpLearner:
    """Least weighted error over all features, thresholds and both polarities, and two constants."""

    def __init__(self, binning: Binning, min_samples_leaf: int = 1) -> None:
        self.binning = binning
        self.min_samples_leaf = min_samples_leaf

    def find(self, rows: Shards) -> Stump:
        split = rows.best_vote(self.min_samples_leaf)
        return Stump(split, rows.cell_weights(split))

    def recall(self, rows: Shards, memory: Sequence[Node]) -> Stump:
        split = self.binning.split(memory[0], 1 if memory[-1].value > 0 else -1)
        return Stump(split, rows.cell_weights(split.measure(rows.histogram())))
