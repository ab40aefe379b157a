"""Stumps and trees whose leaves vote for one of several classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.backends.offers import Needs
from costboost._core.backends.protocol import HoldsNodes, SumsVectors
from costboost._core.engine._kernels import Interactions, TreeLimits
from costboost._core.engine.binning import Binning
from costboost._core.engine.class_trees import ScoreTrees
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.node import Node
from costboost._core.growing.grow import LEAST_GAIN, grow
from costboost._core.growing.regrow import regrow
from costboost._core.learners.hypothesis import Laid
from costboost._core.learners.tree import Tree
from costboost._core.learners.vote_source import StumpVoteSource, VoteSource
from costboost._core.rows import Grown, Rows
from costboost._core.rules.record import Criterion
from costboost._core.threads.counts import PARALLEL_CELLS

Codes = NDArray[np.intp]


class VoteTree(Tree):
    """A tree whose leaves vote for classes."""

    def __init__(self, grown: Grown, vote: Codes, codes: Floats) -> None:
        super().__init__(grown, vote.astype(np.float64))
        self.vote = vote
        self.codes = codes
        """Row k: what a vote for class k adds to the score of each class."""

    def scores(self, rows: Any) -> NDArray[np.float64]:
        result: NDArray[np.float64] = self.codes[self.vote[self.leaves(rows)]]
        return result


class VoteLearner:
    """Finds a stump, or grows a tree, that votes for one of several classes.

    Parameters
    ----------
    binning : Binning
    codes : array of shape (n_classes, n_classes)
        Row k: what a vote for class k adds to the score of each class.
    max_depth, max_leaf_nodes : int or None
        Limits of the tree; one that may split once is a stump.
    min_samples_leaf : int
    interactions : Interactions or None
        Which features may meet on a path of a tree.
    """

    needs: Needs = (HoldsNodes, SumsVectors)

    def __init__(
        self,
        binning: Binning,
        codes: Floats,
        max_depth: int | None,
        max_leaf_nodes: int | None,
        min_samples_leaf: int,
        interactions: Interactions | None = None,
    ) -> None:
        self.binning = binning
        self.codes = codes
        leaves = 2 if max_depth == 1 else max_leaf_nodes
        self.limits = TreeLimits(
            max_depth, leaves, min_samples_leaf, LEAST_GAIN, PARALLEL_CELLS, interactions
        )

    def find(self, rows: Rows, criterion: Criterion) -> VoteTree:
        kind = StumpVoteSource if self.limits.max_leaf_nodes == 2 else VoteSource
        source = kind(rows, self.limits)
        grow(source)
        return VoteTree(source.grown(), source.leaf_votes(), self.codes)

    # ---- earlier fits, and the ensemble ----------------------------------------------------------

    def recall(self, rows: Rows, memory: Sequence[Any], criterion: Criterion) -> VoteTree:
        """A tree of an earlier fit: the trees of all classes, which test the same."""
        nodes: Sequence[Node] = memory[0]
        source = VoteSource(rows, TreeLimits())
        regrow(source, nodes, self.binning.split)
        leaves = [k for k, node in enumerate(nodes) if node.left < 0]
        added = np.array([[tree[k].value for tree in memory] for k in leaves])
        size = np.abs(added).max()
        votes = self._votes(added / size if size else added)
        return VoteTree(source.grown(), votes, self.codes)

    def _votes(self, added: Floats) -> Codes:
        """The votes that added these scores (leaves x classes), up to a factor above 0."""
        codes = self.codes / np.abs(self.codes).max()
        likeness = np.array([[float((one * code).sum()) for code in codes] for one in added])
        length = np.sqrt((codes * codes).sum(axis=1))
        return np.asarray((likeness / length).argmax(axis=1), dtype=np.intp)

    def memory(self, trees: ScoreTrees) -> list[list[Any]]:
        """The trees of each round of an ensemble, for `recall`."""
        n = len(self.codes)
        return [[trees.tree(t + k) for k in range(n)] for t in range(0, len(trees), n)]

    def model(self, rounds: Laid) -> ScoreTrees:
        """A tree for each class in each round: they test the same, and have scores of their own."""
        n = len(self.codes)
        every = [(tree, step, k) for tree, step in rounds for k in range(n)]
        trees = Ensemble.from_tests(
            np.array([tree.grown.left.size for tree, _, _ in every]),
            np.concatenate([tree.grown.left for tree, _, _ in every]),
            self.binning.tests([tree.grown.splits for tree, _, _ in every]),
            np.concatenate([step * self.codes[tree.vote, k] for tree, step, k in every]),
            np.concatenate([tree.grown.gain for tree, _, _ in every]),
        )
        return ScoreTrees.of(trees, np.arange(len(every)) % n)
