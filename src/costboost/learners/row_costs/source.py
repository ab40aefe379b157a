"""Splits of the nodes of trees whose rows have costs of their own."""

from __future__ import annotations

import numpy as np

from costboost.arithmetic import Floats
from costboost.engine._kernels import Split
from costboost.growing.grow import Candidate
from costboost.growing.shard_source import ShardSource
from costboost.learners.row_costs.node_losses import NodeLosses, node_loss
from costboost.learners.row_costs.search import node_split
from costboost.rows import Bounds, NodeRows


class RowCostSource(ShardSource):
    """Splits that minimise the losses of the rows; levels are the values of leaves."""

    def candidate(self, k: int, split: Split, gain: float) -> Candidate:
        values = np.empty(0)
        if self.rows.direction(split.feature):
            losses = NodeLosses(self.rows, self._nodes[k], self.criterion, self.frontier.levels(k))
            _, values = losses.of_split(split)
        return self._valued(k, split.measure(self._nodes[k].histogram), values, gain)

    def _best(self, k: int, node: NodeRows) -> Candidate | None:
        levels = self.frontier.levels(k)
        least, allowed = self.limits.min_samples_leaf, self.frontier.allowed(k)
        found = node_split(self.rows, node, self.criterion, least, k, levels, allowed)
        if found is None:
            return None
        split, values = found
        loss = node_loss(self.rows, node, self.criterion, levels)
        return self._valued(k, split, values, loss - split.value)

    def _valued(self, k: int, split: Split, values: Floats, gain: float) -> Candidate:
        a, b, c, d = self.rows.shares(split)
        direction = self.rows.direction(split.feature)
        levels = bounds_of_sides(self.frontier.levels(k), direction, values)
        return Candidate(split, gain, ((a, c), (b, d)), levels)

    def _values(self, levels: Floats) -> Floats | None:
        return levels if self.rows.is_directed else None


def bounds_of_sides(bounds: Bounds, direction: int, values: Floats) -> tuple[Bounds, Bounds]:
    """Bounds of the values of both sides of a split; the middle of their values parts them."""
    if direction == 0:
        return bounds, bounds
    low, high = bounds
    middle = float(values.sum() / 2)
    below, above = (low, middle), (middle, high)
    return (below, above) if direction > 0 else (above, below)
