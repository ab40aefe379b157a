"""Splits of nodes by the sums of their rows in every bin, which are added up over all shards."""

from __future__ import annotations

from costboost.arithmetic import Floats
from costboost.engine._kernels import Split, TreeLimits, bounds_of_sides, values_at
from costboost.growing.grow import Candidate, Shares
from costboost.growing.node_source import NodeSource
from costboost.rows import NodeRows, Rows, leaf_loss
from costboost.rules import Criterion


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
        node = self._nodes[k]
        best = self._best(k, node) if self.frontier.searchable(k) else None
        if best is not None and best.gain > self.limits.least_gain:
            return best
        self.rows.release(node)
        return None

    def candidate(self, k: int, split: Split, gain: float) -> Candidate:
        return self._measured(k, split.measure(self._nodes[k].histogram), gain)

    def _values(self, levels: Floats) -> Floats | None:
        return values_at(self.criterion, levels) if self.rows.is_directed else None

    def _best(self, k: int, node: NodeRows) -> Candidate | None:
        """The split that lowers the criterion most."""
        levels = self.frontier.levels(k)
        least, allowed = self.limits.min_samples_leaf, self.frontier.allowed(k)
        split = self.rows.best_node_split(node, self.criterion, least, k, levels, allowed)
        if split is None:
            return None
        loss = leaf_loss(self.criterion, *self.frontier.shares(k), levels)
        return self._measured(k, split, loss - split.value)

    def _measured(self, k: int, split: Split, gain: float) -> Candidate:
        a, b, c, d = self.rows.shares(split)
        left, right = (a, c), (b, d)
        direction = self.rows.direction(split.feature)
        levels = bounds_of_sides(self.criterion, self.frontier.levels(k), direction, left, right)
        return Candidate(split, gain, (left, right), levels)
