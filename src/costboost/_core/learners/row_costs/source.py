"""Splits of the nodes of trees whose rows have costs of their own."""

from __future__ import annotations

from costboost._core.arithmetic import Floats
from costboost._core.engine._kernels import Split
from costboost._core.growing.grow import Shares
from costboost._core.growing.shard_source import ShardSource
from costboost._core.learners.row_costs.node_losses import NodeLosses, node_loss
from costboost._core.learners.row_costs.search import node_split
from costboost._core.rows import Bounds


class RowCostSource(ShardSource):
    """Splits that minimise the losses of the rows; levels are the values of leaves."""

    def _best_split(self, k: int) -> Split | None:
        least, tree = self.limits.min_samples_leaf, self.frontier
        given = self._nodes[k], self.criterion, least, k, tree.levels(k), tree.allowed(k)
        return node_split(self.rows, *given)

    def _loss(self, k: int) -> float:
        return node_loss(self.rows, self._nodes[k], self.criterion, self.frontier.levels(k))

    def _levels_of_sides(
        self, k: int, split: Split, shares: tuple[Shares, Shares]
    ) -> tuple[Bounds, Bounds]:
        """The middle of the values of both sides parts them."""
        low, high = levels = self.frontier.levels(k)
        direction = self.rows.direction(split.feature)
        if direction == 0:
            return levels, levels
        losses = NodeLosses(self.rows, self._nodes[k], self.criterion, levels)
        middle = float(losses.of_split(split)[1].sum() / 2)
        below, above = (low, middle), (middle, high)
        return (below, above) if direction > 0 else (above, below)

    def _values(self, levels: Floats) -> Floats | None:
        return levels if self.rows.is_directed else None
