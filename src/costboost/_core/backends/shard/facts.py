"""Facts of the rows of a block, and values of hypotheses for them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Never

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.backends.order import NAMES, OrderError, Part, messages_of
from costboost._core.backends.protocol import Backend, HasLeaves, HasScores, Histogram
from costboost._core.engine._kernels import BinnedRows, Split, Splits

ATTRIBUTES = {
    "_row_numbers": Part.NUMBERS,
    "_sample": Part.DRAWN,
    "_drawn_in_round": Part.DRAWN,
    "_weighted": Part.WEIGHTS,
    "_summed": Part.SUMS,
    "_newton": Part.LIKELIHOOD,
    "_linear": Part.RESPONSES,
    "_directed": Part.DIRECTION,
    "_score_loss": Part.SCORE_LOSS,
    "_responses": Part.CLASS_RESPONSES,
    "_weights": Part.CLASS_RESPONSES,
    "_losses": Part.LOSSES,
    "_nodes": Part.TREE,
    "_leaves": Part.LEAVES,
}
"""Attributes of a shard that exist while it holds a part."""


class RowFacts:
    """Binned rows, sorted by class, positives first."""

    def __init__(self, binned: BinnedRows, columns: object = None) -> None:
        binned.prepare()
        self.binned = binned
        self.view: object = binned if columns is None else columns
        """Data that hypotheses are scored on: bins, or the raw values of the rows."""
        self.n_rows: int = binned.n_rows
        self.n_positive: int = binned.n_positive
        self.n_threads: int = binned.n_threads
        self._counts: Histogram | None = None
        self.classes = slice(0, self.n_positive), slice(self.n_positive, self.n_rows)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Never:
            """Called for an attribute that is not there: a message was sent too early."""
            if name not in ATTRIBUTES:
                raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
            messages, sent = messages_of(Backend), None
            frame = sys._getframe(1)
            while frame is not None:
                if frame.f_locals.get("self") is self:
                    sent = messages.get(frame.f_code.co_name, sent)
                frame = frame.f_back
            if sent is None:
                raise OrderError(f"a shard does not hold {NAMES[ATTRIBUTES[name]]}")
            raise sent.too_early(ATTRIBUTES[name])

    def _end(self, *names: str) -> None:
        """Hold what these attributes are no longer."""
        for name in names:
            self.__dict__.pop(name, None)

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
        self._end("_nodes")

    def bins(self, feature: int) -> NDArray[np.uint8]:
        """Bin of a feature for every row."""
        return np.ascontiguousarray(self.binned.column(feature))

    def on_left(self, split: Split) -> NDArray[np.bool_]:
        """Mask of the rows on the left of a split."""
        if split.feature < 0:
            return np.zeros(self.n_rows, dtype=bool)
        return np.asarray(split.left.astype(bool)[self.bins(split.feature)])

    def scores(self, hypothesis: HasScores) -> Floats:
        """Value of a hypothesis for every row."""
        scores: Floats = hypothesis.scores(self.view)
        return scores

    def leaves(self, hypothesis: HasLeaves) -> NDArray[np.intp]:
        """Leaf of a hypothesis for every row."""
        leaves: NDArray[np.intp] = hypothesis.leaves(self.view)
        return leaves

    def sum_staged(
        self,
        splits: Splits,
        values: Floats,
        limit: Floats,
        row_limit: Floats | None,
        amount: NDArray[Any] | None,
    ) -> NDArray[np.int64]:
        """Amount of each class with a score above the limit, after each round of stumps."""
        above: NDArray[np.int64] = self.binned.sum_staged(splits, values, limit, row_limit, amount)
        return above
