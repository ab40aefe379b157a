"""Sums of vectors over the rows of a block, in the bins of features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.backends.protocol import Histogram
from costboost._core.backends.shard.nodes import TreeRows
from costboost._core.engine._kernels import BINS


class SummedRows(TreeRows):
    """Rows of which vectors are summed: those of a node, those drawn, or all."""

    def sums(
        self,
        first: Floats,
        second: Floats,
        node: int | None,
        features: NDArray[np.int32] | None = None,
    ) -> Histogram:
        """Sum two vectors of quanta in each bin, over the rows of a node, those drawn, or all."""
        rows = self._rows_of(node)
        given = first, second, (1.0, 1.0)
        if features is not None:
            some: Histogram = self.binned.sum_columns(given, rows, features)
            return some
        total: Histogram = np.zeros((2, self.binned.n_features, BINS), dtype=np.int64)
        self.binned.build_responses(given, rows, total, self.n_threads)
        return total

    def rate_moments(
        self, amount: Floats, rate: Floats, node: int | None, features: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Sum amount, in quanta, times rate**k, k = 0 to 3; see `sums`."""
        return self.binned.sum_moments(amount, rate, self._rows_of(node), features)

    def _rows_of(self, node: int | None) -> tuple[NDArray[np.uint32], Sequence[int]] | None:
        """The rows of a node; without one, those drawn, or None for all."""
        return self._rows_drawn if node is None else (self._order, self._nodes[node].bounds)
