"""What GBSE learns: bins of features, and trees over pairs of row and label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.engine._kernels import BINS
from costboost.engine.binning import Binning
from costboost.files.ensembles import check_children, check_coders
from costboost.files.fields import Fields
from costboost.files.tree import Kind
from costboost.learners.tree import PairTree

MOST_CUTS = BINS - 2
"""Between the bins of a feature; one bin is for missing values."""
WORDS = 4
"""Numbers of 64 bits with a bit for each bin or label."""


# ---- bins ----------------------------------------------------------------------------------------


def _bin_parts(binning: Binning) -> Mapping[str, Any]:
    numeric = [coder is None for coder in binning.coders]
    n_cuts = np.where(numeric, binning.n_cuts, 0).astype(np.int32)
    kept = [cuts[:n] for cuts, n in zip(binning.cuts, n_cuts.tolist(), strict=True)]
    return {"categories": binning.coders, "n_cuts": n_cuts, "cuts": np.concatenate(kept)}


def _bins(fields: Fields) -> Binning:
    coders = check_coders(fields, "categories")
    n_cuts = fields.array("n_cuts", np.int32, (len(coders),))
    if np.any(n_cuts < 0) or np.any(n_cuts > MOST_CUTS):
        raise ValueError(f"n_cuts must be from 0 to {MOST_CUTS}")
    if any(coder is not None and n for coder, n in zip(coders, n_cuts.tolist(), strict=True)):
        raise ValueError("n_cuts must be 0 for a feature of categories")
    fields.spend(len(coders) * (BINS - 1) * 8)
    every = fields.numbers("cuts", int(n_cuts.sum()))
    binning = Binning.__new__(Binning)
    binning.n_features, binning.coders = len(coders), coders
    binning.categorical = np.array([coder is not None for coder in coders], dtype=np.uint8)
    binning.cuts = np.full((len(coders), MOST_CUTS), np.inf)
    for j, cuts in enumerate(np.split(every, np.cumsum(n_cuts)[:-1])):
        if np.any(np.diff(cuts) <= 0):
            raise ValueError(f"cuts of feature {j} must rise")
        binning.cuts[j, : cuts.size] = cuts
    codes = [0 if coder is None else max(coder.n_codes - 1, 0) for coder in coders]
    binning.n_cuts = n_cuts + np.array(codes, dtype=np.int32)
    return binning


# ---- trees ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PairTrees:
    """The trees of all rounds, one behind the other."""

    first: NDArray[np.int32]
    """Where each begins, and the number of all nodes."""
    feature: NDArray[np.int32]
    left: NDArray[np.int32]
    """Counted from the first node of all; pruning leaves nodes that nothing leads to."""
    goes_left: NDArray[np.uint64]
    accepts: NDArray[np.uint8]
    gain: NDArray[np.float64]

    @classmethod
    def of(cls, trees: Sequence[PairTree]) -> PairTrees:
        """Put them one behind the other."""
        first = np.cumsum([0, *(tree.feature.size for tree in trees)]).astype(np.int32)
        left = [
            np.where(tree.left < 0, -1, tree.left + begin).astype(np.int32)
            for tree, begin in zip(trees, first.tolist(), strict=False)
        ]
        return cls(
            first,
            np.concatenate([tree.feature for tree in trees]),
            np.concatenate(left),
            np.concatenate([tree.goes_left for tree in trees]),
            np.concatenate([tree.accepts for tree in trees]),
            np.concatenate([tree.gain for tree in trees]),
        )

    def apart(self) -> list[PairTree]:
        """The trees again."""
        cut = self.first[1:-1]
        begin = np.repeat(self.first[:-1], np.diff(self.first))
        own = np.where(self.left < 0, -1, self.left - begin).astype(np.int32)
        parts = [
            np.split(each, cut)
            for each in (self.feature, own, self.goes_left, self.accepts, self.gain)
        ]
        return [
            PairTree(*(np.ascontiguousarray(a) for a in one)) for one in zip(*parts, strict=True)
        ]


def _pair_trees(fields: Fields) -> PairTrees:
    first = fields.array("first", np.int32, (None,))
    feature = fields.array("feature", np.int32, (None,))
    n = feature.size
    trees = PairTrees(
        first,
        feature,
        fields.array("left", np.int32, (n,)),
        fields.array("goes_left", np.uint64, (n, WORDS)),
        fields.array("accepts", np.uint8, (n,)),
        fields.numbers("gain", n),
    )
    check_children(first.astype(np.int64), feature, trees.left.astype(np.int64))
    if np.any(trees.accepts > 1):
        raise ValueError("accepts must be 0 or 1")
    return trees


KINDS = (
    Kind("Bins", (Binning,), _bin_parts, _bins),
    Kind("PairTrees", (PairTrees,), lambda trees: dict(vars(trees)), _pair_trees),
)
