"""Facts of the rows of a block, and values of hypotheses for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.arithmetic import Floats
from costboost.backends.protocol import Histogram
from costboost.engine._kernels import BinnedRows, Split, Splits


class RowFacts:
    """Binned rows, sorted by class, positives first."""

    def __init__(self, binned: BinnedRows, columns: Any = None) -> None:
        binned.prepare()
        self.binned = binned
        self.view: Any = binned if columns is None else columns
        """Data that hypotheses are scored on: bins, or the raw values of the rows."""
        self.n_rows: int = binned.n_rows
        self.n_positive: int = binned.n_positive
        self.n_threads: int = binned.n_threads
        self._counts: Histogram | None = None
        self.classes = slice(0, self.n_positive), slice(self.n_positive, self.n_rows)

    def label(self) -> Floats:
        """+1 or -1 for every row."""
        return np.where(np.arange(self.n_rows) < self.n_positive, 1.0, -1.0)

    def count(self, copies: bool = False) -> Histogram:
        """Number of rows of each class in each bin, or of their copies."""
        if copies:
            return self.binned.count(copies)
        if self._counts is None:
            self._counts = self.binned.count()
        return self._counts

    def count_copies(self, copies: NDArray[np.int64]) -> None:
        """Set the number of rows that each row counts as in a leaf."""
        self.binned.count_copies(copies)

    def bins(self, feature: int) -> NDArray[np.uint8]:
        """Bin of a feature for every row."""
        return np.ascontiguousarray(self.binned.column(feature))

    def on_left(self, split: Split) -> NDArray[np.bool_]:
        """Mask of the rows on the left of a split."""
        if split.feature < 0:
            return np.zeros(self.n_rows, dtype=bool)
        return np.asarray(split.left.astype(bool)[self.bins(split.feature)])

    def scores(self, hypothesis: Any) -> Floats:
        """Value of a hypothesis for every row."""
        scores: Floats = hypothesis.scores(self.view)
        return scores

    def leaves(self, hypothesis: Any) -> NDArray[np.intp]:
        """Leaf of a hypothesis for every row."""
        leaves: NDArray[np.intp] = hypothesis.leaves(self.view)
        return leaves

    def sum_staged(
        self, splits: Splits, values: Floats, limit: Floats, row_limit: Any, amount: Any
    ) -> NDArray[np.int64]:
        """Amount of each class with a score above the limit, after each round of stumps."""
        above: NDArray[np.int64] = self.binned.sum_staged(splits, values, limit, row_limit, amount)
        return above
