"""Rows of a block that are drawn for a round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.backends.protocol import Histogram
from costboost._core.backends.shard.facts import RowFacts
from costboost._core.engine._kernels import BINS, BinnedRows, draw_rows


class Drawn(NamedTuple):
    """Rows drawn for a round: their indices, and where those of either class begin and end."""

    rows: NDArray[np.uint32]
    bounds: Sequence[int]


class DrawnRows(RowFacts):
    """Rows of which some are drawn for each round."""

    _row_numbers: NDArray[np.int64]
    _sample: Drawn
    """The rows drawn, which sums are over."""
    _drawn_in_round: Drawn

    def __init__(self, binned: BinnedRows, columns: object = None) -> None:
        super().__init__(binned, columns)
        self._rows_drawn: Drawn | None = None
        """The rows that sums are over: those drawn, or None for all."""
        self._is_current = True
        """Whether the histogram is that of the present weights of the rows drawn, or of all."""

    def number_rows(self, numbers: NDArray[np.int64]) -> None:
        """Set the numbers of the rows in the whole data, by which they are drawn."""
        self._row_numbers = np.ascontiguousarray(numbers, dtype=np.int64)

    def draw(self, key: int, share: float) -> None:
        """Draw rows, each with the same probability; histograms and trees are then theirs."""
        rows = np.empty(self.n_rows, np.uint32)  # others may still use those of the round before
        bounds = draw_rows(key, share, self._row_numbers, self.n_positive, rows)
        self._sample = self._rows_drawn = self._drawn_in_round = Drawn(rows, bounds)
        self._is_current = False
        self._end("_nodes")

    def draw_all(self) -> None:
        """Take all rows for the present target, where those drawn have no weight."""
        in_round = self._drawn_in_round
        self.draw(0, 1.0)
        self._drawn_in_round = in_round

    def is_drawn(self) -> Floats:
        """1 for every row that is drawn, 0 for the others."""
        drawn = np.zeros(self.n_rows)
        drawn[self._sample.rows[: self._sample.bounds[3]]] = 1.0
        return drawn

    def count_drawn(self) -> Histogram:
        """Number of drawn rows of each class in each bin, or of their copies."""
        counts: Histogram = np.zeros((2, self.binned.n_features, BINS), dtype=np.int64)
        self.binned.build_node(self._sample, counts, True, self.n_threads)
        return counts
