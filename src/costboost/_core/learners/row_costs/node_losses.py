"""Losses of the rows of a node, which have costs of their own."""

from __future__ import annotations

import numpy as np

from costboost._core.arithmetic import Floats, Vector, each, looked_up
from costboost._core.engine._kernels import ALL_LEVELS, MISSING, Split
from costboost._core.rows import Bounds, NodeRows, Rows
from costboost._core.rules.leaf_values import RowLosses
from costboost._core.rules.record import Criterion


def needs_row_losses(rows: Rows, criterion: Criterion) -> bool:
    """Whether leaves are compared by the losses of all their rows, as these have costs."""
    return rows.row_cost is not None and criterion.kind == "cost exponential"


class NodeLosses:
    """Losses of the rows of a node, or of all rows or those drawn, when leaves have best values."""

    def __init__(
        self,
        rows: Rows,
        node: NodeRows | None,
        criterion: Criterion,
        bounds: Bounds = ALL_LEVELS,
    ) -> None:
        self.rows = rows
        self.bounds = bounds
        every = node is None and not rows.samples
        self._members = None if every else rows.members(node)
        assert rows.row_cost is not None
        weight, label, cost = map(self._of_members, (rows.row_weight, rows.label, rows.row_cost))
        self._of_rows = RowLosses(weight, label, cost, criterion)
        self._has_missing = rows.counts[:, :, MISSING].sum(axis=0) > 0
        self.of_splits: dict[tuple[int, bytes, bool], tuple[float, Floats]] = {}
        self.of_tables: dict[int, tuple[float, Floats]] = {}

    def _of_members(self, values: Vector) -> Vector:
        return values if self._members is None else looked_up(values, self._members)

    def of_leaves(self, leaf: Vector, n_leaves: int, direction: int = 0) -> tuple[float, Floats]:
        """Loss when every leaf takes its own value, within bounds, and these values.

        It is infinite if two leaves are in the wrong order.
        """
        value = np.clip(self._of_rows.leaf_values(leaf, n_leaves), *self.bounds)
        if direction * value[0] > direction * value[-1]:
            return np.inf, value
        return self._of_rows.total(leaf, value), value

    def of_one_leaf(self) -> float:
        """Loss when all rows are in one leaf."""
        return self.of_leaves(self._of_members((self.rows.label * 0).astype(np.int64)), 1)[0]

    def of_split(self, split: Split) -> tuple[float, Floats]:
        """Loss when each side of the split takes its own value, and these values, left first."""
        missing_left = bool(split.left[MISSING] and self._has_missing[split.feature])
        key = split.feature, split.left[:MISSING].tobytes(), missing_left
        if key not in self.of_splits:
            leaf = 1 - self._of_members(self.rows.on_left(split)).astype(np.int64)
            self.of_splits[key] = self.of_leaves(leaf, 2, self.rows.direction(split.feature))
        return self.of_splits[key]

    def of_table(self, feature: int) -> tuple[float, Floats]:
        """Loss when each bin of the feature takes its own value, and these values."""
        if feature not in self.of_tables:
            n_bins = int(self.rows.n_bins[feature])
            leaf = each(np.minimum, self._of_members(self.rows.bins(feature)), n_bins)
            self.of_tables[feature] = self._of_table(leaf, n_bins, self.rows.direction(feature))
        return self.of_tables[feature]

    def _of_table(self, leaf: Vector, n_bins: int, direction: int) -> tuple[float, Floats]:
        """Loss of bins and missing values; bins in the wrong order are pooled."""
        if direction == 0:
            return self.of_leaves(leaf, n_bins + 1)
        pool = np.arange(n_bins + 1)
        while True:
            sizes = np.bincount(pool)
            merged = each(pool.__getitem__, leaf)
            value = self._of_rows.leaf_values(merged, sizes.size, sizes)
            wrong = direction * np.diff(value[:-1]) < 0
            if not wrong.any():
                return self._of_rows.total(merged, value), value[pool]
            joins = np.concatenate([[False], wrong, [False]])  # the pool before, of each pool
            pool = (np.cumsum(~joins) - 1)[pool]


def split_loss(rows: Rows, split: Split, criterion: Criterion) -> float:
    """Loss when each side of the split takes its own value."""
    return NodeLosses(rows, None, criterion).of_split(split)[0]


def node_loss(
    rows: Rows, node: NodeRows | None, criterion: Criterion, bounds: Bounds = ALL_LEVELS
) -> float:
    """Loss of the rows of a node when they are one leaf."""
    return NodeLosses(rows, node, criterion, bounds).of_one_leaf()


def table_values(rows: Rows, criterion: Criterion, feature: int) -> Floats:
    """Values of the bins of a feature, the last one that of missing values."""
    return NodeLosses(rows, None, criterion).of_table(feature)[1]
