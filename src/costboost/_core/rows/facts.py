"""Facts of the rows of a training, and values of hypotheses for them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector
from costboost._core.backends.protocol import Backend, HasLeaves, HasScores, Histogram
from costboost._core.caching import cached_property
from costboost._core.engine._kernels import BINS, Features, Split


class GrownHypothesis(HasScores, Protocol):
    """A hypothesis that may be the tree that was grown last."""

    @property
    def tree(self) -> int | None:
        """Number of the tree among those grown on the rows; None for other hypotheses."""

    @property
    def value(self) -> Floats:
        """Value of each leaf."""


class RowFacts:
    """Binned rows, wherever they are.

    Attributes
    ----------
    counts : array of shape (2, n_features, 256)
        Number of rows of each class in every bin.
    leaf_counts : array of shape (2, n_features, 256)
        Counts for `min_samples_leaf`: `counts`, with each row repeated by its `copies`.
    copies : vector or None
        Number of rows that each row counts as in a leaf; None if each counts as one.
    samples : bool
        Whether hypotheses are found on a sample of the rows.
    """

    samples = False

    def __init__(
        self, backend: Backend[Vector], n_bins: NDArray[np.int32], categorical: NDArray[np.uint8]
    ) -> None:
        self.backend = backend
        self.n_bins = n_bins
        self.categorical = categorical
        self.features = Features(n_bins, categorical)
        self.n_features = len(n_bins)
        self.n_threads = backend.n_threads
        self.counts: Histogram = backend.count(False)
        self.leaf_counts: Histogram = self.counts
        self.copies: Vector | None = None
        self._n_trees = 0

    @cached_property
    def varies(self) -> NDArray[np.bool_]:
        """Mask of the features with several values, a missing one being a value too.

        Where there are none, of those with a value that is not missing.
        """
        taken = self.counts.sum(axis=0) > 0
        several = taken.sum(axis=1) > 1
        return np.asarray(several if several.any() else taken[:, : BINS - 1].any(axis=1))

    @cached_property
    def label(self) -> Vector:
        """+1 or -1 for every row."""
        return self.backend.label()

    def vector(self, values: NDArray[Any]) -> Vector:
        """Convert the values of all rows, shard after shard, to a vector."""
        return self.backend.spread(values)

    def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
        """Values of the rows in the order of the shards, whose positives come first."""
        return self.backend.arranged(values, positive)

    def gathered(self, vector: Vector) -> NDArray[Any]:
        """The values of a vector, shard after shard."""
        return self.backend.gather(vector)

    def bins(self, feature: int) -> Vector:
        """Bin of a feature for every row."""
        return self.backend.bins(feature)

    def on_left(self, split: Split) -> Vector:
        """Mask of the rows on the left of a split."""
        return self.backend.on_left(split)

    def scores(self, hypothesis: GrownHypothesis) -> Vector:
        """Value of a hypothesis for every row."""
        if hypothesis.tree is not None and hypothesis.tree == self._n_trees and not self.samples:
            return self.backend.scores_of_leaves(hypothesis.value)
        return self.backend.scores(hypothesis)

    def leaves(self, hypothesis: HasLeaves) -> Vector:
        """Leaf of a hypothesis for every row."""
        return self.backend.leaves(hypothesis)

    def count_copies(self, copies: Vector) -> None:
        """Set the number of rows that each row counts as in a leaf."""
        self.copies = copies
        self.backend.count_copies(copies)
        self.leaf_counts = self.backend.count(True)

    def direct(self, monotone: NDArray[np.int8]) -> None:
        """Set the direction of each feature: 1 if greater values must not lower the score of a row,
        -1 if they must not raise it, or 0."""
        self.features = self.features.directed(np.ascontiguousarray(monotone, np.int8))

    def direction(self, feature: int) -> int:
        """Direction of a feature."""
        monotone = self.features.monotone
        return 0 if monotone is None or feature < 0 else int(monotone[feature])
