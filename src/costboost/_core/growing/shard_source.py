"""Splits of nodes by the sums of their rows in every bin, which are added up over all shards."""

from __future__ import annotations

from costboost._core.arithmetic import Floats
from costboost._core.engine._kernels import Split, TreeLimits, bounds_of_sides, values_at
from costboost._core.growing.grow import Candidate, Shares
from costboost._core.growing.node_source import NodeSource
from costboost._core.rows import Bounds, Rows, leaf_loss
from costboost._core.rules.record import Criterion


class ShardSource(NodeSource):
    """Sums of weights or responses, and splits that minimise a criterion."""

    def __init__(self, rows: Rows, criterion: Criterion, limits: TreeLimits) -> None:
        super().__init__(rows, limits)
        self.criterion = criterion

    def build(self) -> Shares:
        shares = self.rows.class_shares()
        self._nodes[0] = self.rows.root(self.limits.min_samples_leaf > 1)
        return shares

    def search(self, k: int) -> Candidate | None:
        split = self._best_split(k) if self.frontier.searchable(k) else None
        if split is not None:
            gain = self._loss(k) - split.value
            if gain > 0:  # a gain below the least one may tie with the greatest
                return self._candidate(k, split, gain)
        self.rows.release(self._nodes[k])
        return None

    def candidate(self, k: int, split: Split, gain: float) -> Candidate:
        return self._candidate(k, split.measure(self._nodes[k].histogram), gain)

    def _best_split(self, k: int) -> Split | None:
        """The split of a node that lowers the criterion most."""
        least, tree = self.limits.min_samples_leaf, self.frontier
        given = self._nodes[k], self.criterion, least, k, tree.levels(k), tree.allowed(k)
        return self.rows.best_node_split(*given)

    def _loss(self, k: int) -> float:
        """The criterion of a node as a leaf."""
        return leaf_loss(self.criterion, *self.frontier.shares(k), self.frontier.levels(k))

    def _candidate(self, k: int, split: Split, gain: float) -> Candidate:
        a, b, c, d = self.rows.shares(split)
        shares = (a, c), (b, d)
        return Candidate(split, gain, shares, self._levels_of_sides(k, split, shares))

    def _levels_of_sides(
        self, k: int, split: Split, shares: tuple[Shares, Shares]
    ) -> tuple[Bounds, Bounds]:
        direction = self.rows.direction(split.feature)
        return bounds_of_sides(self.criterion, self.frontier.levels(k), direction, *shares)

    def _values(self, levels: Floats) -> Floats | None:
        return None if self.rows.features.monotone is None else values_at(self.criterion, levels)
