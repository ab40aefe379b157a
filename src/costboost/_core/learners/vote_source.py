"""Nodes of trees whose leaves vote for one of several classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.engine._kernels import TIE, Split, TreeLimits
from costboost._core.growing.grow import Candidate, Shares
from costboost._core.growing.node_source import NodeSource
from costboost._core.learners.vote_search import BinSums, Search
from costboost._core.rows import Rows

Features = NDArray[np.intp] | None


class VoteSource(NodeSource):
    """Splits that prepare further ones, and the vote of every node."""

    def __init__(self, rows: Rows, limits: TreeLimits) -> None:
        super().__init__(rows, limits)
        self._vote: dict[int, int] = {}
        self._scale = 0.0
        """Price of the root if every row has its greatest price; 0 as long as it is not known."""

    def build(self) -> Shares:
        self._nodes[0] = self.rows.root(True)
        return 0.0, 0.0

    def search(self, k: int) -> Candidate | None:
        candidates = self._candidates(k)
        self._vote[k] = candidates.vote()
        if self.frontier.searchable(k):
            for features in self.rows.drawn_features(k, self.frontier.allowed(k)):
                best = self._best(candidates, features)
                if best is not None:
                    return best
        return None

    def candidate(self, k: int, split: Split, gain: float) -> Candidate:
        return Candidate(split, gain)

    def divide(self, k: int, left: int) -> None:
        super().divide(k, left)
        if self.frontier.last:
            self._vote.update(zip(self.sides(left), self._last_votes(left), strict=True))

    def leaf_votes(self) -> NDArray[np.intp]:
        """The vote of each leaf."""
        return np.array([self._vote[k] for k in sorted(self._nodes)])

    def _best(self, candidates: Search, features: Features) -> Candidate | None:
        """The best split on one of the features, or all."""
        found = candidates.best(candidates.spread_of, features, np.inf)
        if found is None:
            return None
        gain = candidates.whole - found.value
        return Candidate(found.split, gain) if gain > self.limits.least_gain else None

    def _last_votes(self, left: int) -> Sequence[int]:
        """The votes of two sides that are not searched."""
        return [self._candidates(side).vote() for side in self.sides(left)]

    def _candidates(self, k: int) -> Search:
        sums, price = self._sums(k), self.rows.votes.price
        if not self._scale:
            self._scale = float((sums.total * price.max(axis=1)).sum()) or 1.0
        return Search(self.rows, sums, price, self.limits.min_samples_leaf, self._scale)

    def _sums(self, k: int) -> BinSums:
        """Weights of all classes in the bins, and the number of rows."""
        node, columns = self._nodes[k], self.rows.votes.columns
        amounts: list[Floats] = []
        for first in range(0, len(columns), 2):
            pair = columns[first], columns[min(first + 1, len(columns) - 1)]
            both, _ = self.rows.sums(*pair, node)
            amounts += list(both[: len(columns) - first])
        counts = self.rows.node_counts(node).sum(axis=0)
        return BinSums(np.array(amounts[: len(columns)]), counts)


class StumpVoteSource(VoteSource):
    """The split of a stump is chosen together with the votes of its sides."""

    _votes: tuple[int, int]

    def _best(self, candidates: Search, features: Features) -> Candidate | None:
        worst = float(candidates.constants.min()) + TIE
        found = candidates.best(candidates.votes_of, features, worst)
        if found is None:
            return None
        assert found.votes is not None
        self._votes = found.votes
        return Candidate(found.split, 1.0)

    def _last_votes(self, left: int) -> Sequence[int]:
        return self._votes
