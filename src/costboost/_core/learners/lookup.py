"""Tables with a value for every bin of one feature."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, first_least
from costboost._core.backends.offers import Needs
from costboost._core.cells import Outcome
from costboost._core.engine._kernels import BINS, MISSING, BinnedRows, pool_bins
from costboost._core.engine.binning import Binning
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.node import Node, leaf
from costboost._core.learners.hypothesis import Laid
from costboost._core.learners.row_costs.node_losses import needs_row_losses, table_values
from costboost._core.learners.row_costs.search import best_table
from costboost._core.learners.stump import in_order
from costboost._core.rows import Rows, mean_response
from costboost._core.rules.real import DRAW
from costboost._core.rules.record import Criterion


class Lookup:
    """A value for every bin of one feature; the last bin is that of missing values."""

    many_leaves = True
    tree = None
    pooled: Floats | None = None

    def __init__(self, rows: Rows, feature: int, criterion: Criterion) -> None:
        self.feature = feature
        self.direction = rows.direction(feature)
        self.solved: Floats | None = None
        self.bins = np.append(np.arange(rows.n_bins[feature]), MISSING)
        p, q = rows.bin_weights(feature, self.bins)
        self.weight: Floats = np.concatenate([p, q])
        if self.direction:
            p, q = p.copy(), q.copy()
            pool_bins(criterion, self.direction, p[:-1], q[:-1])
            self.pooled = np.concatenate([p, q])
        if criterion.kind == "squares":
            self.take_values(mean_response(np.column_stack([p, q]), criterion.smoothing))
        else:
            self.take_values(np.where(p > q + DRAW, 1.0, -1.0))

    def take_values(self, value: Floats) -> None:
        present = in_order(self.direction, value[:-1])
        self.value = value = np.append(present, value[-1]) if self.direction else value
        self.outcome = Outcome(np.concatenate([value, -value]))

    def weigh_all_rows(self, rows: Rows) -> None:
        self.weight = rows.leaf_weights(self).ravel()

    def reweigh(self, rows: Rows, factors: Floats) -> None:
        n = self.bins.size
        by_bin = np.ones((2, BINS))
        by_bin[:, self.bins] = factors.reshape(2, n)
        rows.weights.multiply_bins(self.feature, by_bin)

    def leaves(self, rows: BinnedRows) -> NDArray[np.intp]:
        place = np.zeros(BINS, dtype=np.intp)
        place[self.bins] = np.arange(self.bins.size)
        return place[rows.column(self.feature)]

    def scores(self, rows: BinnedRows) -> NDArray[np.float64]:
        by_bin = np.zeros(BINS)
        by_bin[self.bins] = self.value
        return rows.look_up(self.feature, by_bin)

    def nodes(self, binning: Binning, step: float) -> list[Node]:
        """The table as a tree of tests: missing or not, then halves of the bins."""
        values = (step * self.value).tolist()
        n = self.bins.size - 1
        nodes = [
            binning.between(self.feature, 0, n, n, left=1, gain=1.0),
            leaf(0.0),
            leaf(values[-1]),
        ]
        waiting = [(1, 0, n)]
        for place, begin, end in waiting:
            if end - begin == 1:
                nodes[place] = leaf(values[begin])
                continue
            middle = (begin + end) // 2
            nodes[place] = binning.between(self.feature, begin, middle, end, left=len(nodes))
            waiting += [(len(nodes), begin, middle), (len(nodes) + 1, middle, end)]
            nodes += [leaf(0.0), leaf(0.0)]
        return nodes


class LookupLearner:
    """Finds the feature whose bins, each at its best value, lower the criterion most."""

    needs: Needs = ()

    def __init__(self, binning: Binning) -> None:
        self.binning = binning

    def find(self, rows: Rows, criterion: Criterion) -> Lookup | None:
        if not rows.varies.any():
            return None
        if needs_row_losses(rows, criterion):
            feature, values = best_table(rows, criterion)
            table = Lookup(rows, feature, criterion)
            table.solved = None if rows.samples and not table.direction else values
            return table
        losses = rows.table_losses(criterion)
        return Lookup(rows, first_least(losses), criterion)

    def recall(self, rows: Rows, memory: Sequence[Node], criterion: Criterion) -> Lookup:
        for node in memory[1:]:
            if node.left >= 0:
                self.binning.split(node)  # raises if the cuts are not those of these data
        table = Lookup(rows, memory[0].feature, criterion)
        if table.direction and needs_row_losses(rows, criterion):
            table.solved = table_values(rows, criterion, table.feature)
        return table

    def model(self, rounds: Laid) -> Ensemble:
        return Ensemble.from_trees(h.nodes(self.binning, step) for h, step in rounds)
