"""One feature cut into a few bins with a value each: Masnadi's histograms of feature responses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats, Outcome
from costboost.engine._kernels import BINS, MISSING, BinnedRows
from costboost.engine.binning import Binning
from costboost.engine.ensemble import Ensemble, Node, leaf
from costboost.learners import by_rows
from costboost.learners.hypothesis import Laid
from costboost.rows import Rows, mean_response
from costboost.rules import DRAW, Criterion

TIE = 1e-12


class Lookup:
    """A value for every bin of one feature; missing values are a bin of their own, the last."""

    many_leaves = True
    leaf_rows = None

    def __init__(self, rows: Rows, feature: int, criterion: Criterion) -> None:
        self.feature = feature
        self.bins = np.append(np.arange(rows.n_bins[feature]), MISSING)
        p, q = rows.bin_weights(feature, self.bins)
        self.weight: Floats = np.concatenate([p, q])
        if criterion.kind == "squares":
            self.take_values(mean_response(p, q))
        else:
            self.take_values(np.where(p > q + DRAW, 1.0, -1.0))

    def take_values(self, value: Floats) -> None:
        self.value = value
        self.outcome = Outcome(np.concatenate([value, -value]))

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
    """The feature whose bins, each at its best value, lower the criterion most."""

    def __init__(self, binning: Binning) -> None:
        self.binning = binning

    def find(self, rows: Rows, criterion: Criterion) -> Lookup | None:
        if not rows.present.any():
            return None
        if rows.has_row_costs and criterion.kind in by_rows.LEAVES:
            feature = by_rows.best_table(rows, criterion)
        else:
            losses = rows.table_losses(criterion)
            feature = int(np.flatnonzero(losses <= losses.min() + TIE)[0])
        return Lookup(rows, feature, criterion)

    def recall(self, rows: Rows, memory: Sequence[Node], criterion: Criterion) -> Lookup:
        for node in memory[1:]:
            if node.left >= 0:
                self.binning.split(node)  # the cuts must be those of these data
        return Lookup(rows, memory[0].feature, criterion)

    def model(self, rounds: Laid) -> Ensemble:
        return Ensemble.from_trees(h.nodes(self.binning, step) for h, step in rounds)
