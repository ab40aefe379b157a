"""Weights of the pairs (row, label) of a block, and the sets of rows of a tree's nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.backends.data import Labels, NodeSums, RowDivision
from costboost._core.engine._kernels import BINS, BinnedRows, sum_pairs
from costboost._core.threads.counts import PARALLEL_CELLS


class PairShard:
    """Weights of the pairs of one shard, and the sets of rows of a tree's nodes.

    Nodes that differ in their labels may have the same set of rows. Set 0 are the rows with at
    least one pair whose weight is not 0.
    """

    def __init__(self, binned: BinnedRows, weight: NDArray[Any], counting: bool) -> None:
        self.binned = binned
        self.weight = np.ascontiguousarray(weight, dtype=np.int64)
        self.counting = counting
        self._rows = {0: np.flatnonzero(self.weight.any(axis=1)).astype(np.uint32)}
        self._spare = np.empty(self._rows[0].size, dtype=np.uint32)

    def divide(self, divisions: Sequence[RowDivision]) -> None:
        """Split sets of rows."""
        for parent, split, left, right in divisions:
            rows = self._rows[parent].copy()  # another node may have the same set
            middle = self.binned.partition(split, 0, rows.size, rows, self._spare)
            self._rows[left], self._rows[right] = rows[:middle], rows[middle:]

    def release(self, numbers: Sequence[int]) -> None:
        """Forget sets of rows."""
        for number in numbers:
            del self._rows[number]

    def sums(self, nodes: Sequence[tuple[int, Labels]]) -> list[NodeSums]:
        """Weights of the pairs of each node by class in every bin, and their numbers if counting.

        Each node is given as a set of rows and labels. The sums are those of an array of shape
        (2 or 4, n_features + 1, 256), of which most are 0 where a node has few rows.
        """
        shape = 4 if self.counting else 2, self.binned.n_features + 1, BINS
        found = []
        for number, labels in nodes:
            sums = np.zeros(shape, dtype=np.int64)
            rows = self._rows[number]
            many = rows.size * self.binned.n_features >= PARALLEL_CELLS
            sum_pairs(self.binned, self.weight, rows, labels, sums, many)
            flat = sums.ravel()
            place = np.flatnonzero(flat)
            found.append(NodeSums(rows.size, place.astype(np.uint32), flat[place]))
        return found
