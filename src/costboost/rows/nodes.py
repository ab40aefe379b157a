"""What the driver knows of a tree that grows: where the rows of its nodes are, and their sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.engine._kernels import BINS, Splits
from costboost.rows.local import PerShard
from costboost.rows.quanta import Histogram
from costboost.vectors import Floats

_NOTHING: Histogram = np.empty((2, 0, BINS), dtype=np.int64)


class NodeRows:
    """The rows of a tree's node: in each shard a run of positives and a run of negatives."""

    def __init__(
        self,
        tree: int,
        bounds: Sequence[Sequence[int]],
        histogram: Histogram = _NOTHING,
        counts: Histogram | None = None,
    ) -> None:
        self.tree = tree
        self.bounds = PerShard(bounds)
        self.histogram = histogram
        self.counts = counts

    @property
    def size(self) -> int:
        return sum(b - a + d - c for a, b, c, d in self.bounds.parts)

    def release(self) -> None:
        """Give back the memory of the histograms."""
        self.histogram = _NOTHING
        self.counts = None


class LeafRows(NamedTuple):
    """The rows of a tree's leaves, until the next tree is grown."""

    tree: int
    bounds: PerShard
    """For each shard the two runs of every leaf."""


class Grown(NamedTuple):
    """A tree as arrays, parents before their children."""

    left: NDArray[np.int32]
    """The first child of each node, behind which the second one lies; -1 for a leaf."""
    splits: Splits
    """Of the nodes that have children."""
    gain: Floats
    share: Floats
    """Shares of all weight, of either class."""
    leaf_rows: LeafRows
