"""Decision trees over pairs (row, label), whose weights are positive or negative."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, times_power_of_two
from costboost._core.backends.data import PairData
from costboost._core.engine._kernels import (
    BINS,
    BinnedRows,
    Features,
    TreeLimits,
    accept_pairs,
    lay_pairs,
)
from costboost._core.engine.binning import Binning
from costboost._core.growing.grow import LEAST_GAIN, grow
from costboost._core.growing.pair_source import PairSource
from costboost._core.rules.record import Criterion
from costboost._core.threads.counts import PARALLEL_CELLS

ENTROPY = Criterion("entropy")
QUANTA_BITS = 58
"""All weights of pairs together come to at most 2**58 quanta."""
MOST_LABELS = BINS - 1


@dataclass(frozen=True, eq=False)
class PairTree:
    """A relation h(x, y): whether label y is accepted for the row x.

    Attributes
    ----------
    feature : int32 array
        Feature that a node tests; the number of features for a test of the label, -1 for a leaf.
    left : int32 array
        Left child; the right one lies behind it.
    goes_left : uint64 array of 4 columns
        A bit for each bin, or for each label.
    accepts : uint8 array
        Whether a leaf accepts its pairs.
    gain : float64 array
        How much a test lowered the criterion.
    """

    feature: NDArray[np.int32]
    left: NDArray[np.int32]
    goes_left: NDArray[np.uint64]
    accepts: NDArray[np.uint8]
    gain: Floats

    def accepted(self, rows: PairData, n_labels: int) -> NDArray[np.bool_]:
        """h(x, y) for every row and label."""
        return np.ascontiguousarray(rows.values(_accepted, self, n_labels).T)


def _accepted(rows: BinnedRows, tree: PairTree, n_labels: int) -> NDArray[np.bool_]:
    """h(x, y) for every row (a column) and label."""
    arrays = tree.feature, tree.left, tree.goes_left, tree.accepts
    return accept_pairs(rows, *arrays, n_labels).view(np.bool_).T


class PairTreeLearner:
    """Grows a tree on all pairs (row, label) without storing them.

    The label is one more feature, categorical: a test sends some labels left and the others right.
    Splits minimise the entropy of the signs on either side, by weight, as C4.5's do, and it may be
    pruned much as C4.5 is: a subtree becomes a leaf unless it is expected to err less, the errors
    of a leaf being those at the upper end of Wilson's interval for its pairs, at 25%.
    """

    def __init__(
        self,
        binning: Binning,
        n_labels: int,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        prune: bool = False,
    ) -> None:
        self.features = Features(
            np.append(binning.n_bins, np.int32(n_labels)),
            np.append(binning.categorical, np.uint8(1)),
        )
        self.limits = TreeLimits(max_depth, None, min_samples_leaf, LEAST_GAIN, PARALLEL_CELLS)
        self.prune = prune

    def find(self, rows: PairData, weight: Floats) -> PairTree:
        """The tree for the weights, n_rows x n_labels; their signs are the classes of the pairs."""
        quanta = in_quanta(weight)
        given = quanta, self.features, ENTROPY, self.limits
        if rows.pair_trees is not None:
            return PairTree(*rows.pair_trees.grow_pairs(*given, self.prune))
        source = PairSource(rows, *given)
        grow(source)
        return PairTree(*lay_pairs(source.frontier, source.n_pairs(), self.prune))


def in_quanta(weight: Floats) -> NDArray[np.int64]:
    """Weights as whole numbers, as many bits as their sum allows."""
    shift = QUANTA_BITS - frexp(float(np.abs(weight).sum()))[1]
    return np.ascontiguousarray(np.rint(times_power_of_two(weight, shift)), dtype=np.int64)
