"""Learners on the bins of one feature: decision stumps, and tables with a value for every bin.

Tables are the histograms of feature responses of Masnadi-Shirazi and Vasconcelos.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Outcome
from costboost.engine._kernels import BINS, MISSING, TIE, BinnedRows, Split, Splits, pool_bins
from costboost.engine.binning import Binning
from costboost.engine.ensemble import Ensemble, Node, leaf
from costboost.learners import row_costs
from costboost.learners.hypothesis import Laid, in_order
from costboost.rows import Rows, mean_response
from costboost.rules import DRAW, Criterion
from costboost.vectors import Floats, first_least

_SIDES = np.array([-1.0, 1.0])
_VOTES = {p: p * _SIDES for p in (1, -1)}
_OUTCOME = {p: Outcome(np.concatenate([votes, -votes])) for p, votes in _VOTES.items()}
"""y h of (positive, left), (positive, right), (negative, left), (negative, right)."""


class Stump:
    """One value above the threshold, another one below.

    A vote is p above and -p below; a constant is a vote with all rows above.
    """

    __slots__ = ("direction", "outcome", "solved", "split", "value", "weight")
    many_leaves = False
    tree = None
    pooled: Floats | None = None

    def __init__(self, split: Split, weight: Floats, direction: int = 0) -> None:
        self.split = split
        self.weight = weight
        self.direction = direction
        self.solved: Floats | None = None
        self.value = _VOTES[split.polarity]
        self.outcome = _OUTCOME[split.polarity]

    @property
    def laid(self) -> tuple[None, Split, Floats]:
        """The split and the values of its two sides, as a tree without a list of children."""
        return None, self.split, self.value

    def take_values(self, value: Floats) -> None:
        self.value = value = in_order(self.direction, value)
        self.outcome = Outcome(np.concatenate([value, -value]))

    def weigh_all_rows(self, rows: Rows) -> None:
        self.split.quanta = rows.leaf_quanta(self).ravel().tolist()
        self.weight = rows.cell_weights(self.split)

    def reweigh(self, rows: Rows, factors: Floats) -> None:
        rows.weights.multiply_sides(self.split, factors.tolist())

    def leaves(self, rows: BinnedRows) -> NDArray[np.intp]:
        if self.split.feature < 0:
            return np.ones(rows.n_rows, dtype=np.intp)
        by_bin = 1 - self.split.left.astype(np.intp)
        result: NDArray[np.intp] = by_bin[rows.column(self.split.feature)]
        return result

    def scores(self, rows: BinnedRows) -> NDArray[np.float64]:
        left, right = self.value.tolist()
        if self.split.feature < 0:
            return np.full(rows.n_rows, right)
        return rows.look_up(self.split.feature, np.where(self.split.left, left, right))


class StumpLearner:
    """Finds the best split over all features and thresholds.

    Votes of both polarities and the two constant votes are candidates.
    """

    def __init__(self, binning: Binning, min_samples_leaf: int = 1) -> None:
        self.binning = binning
        self.min_samples_leaf = min_samples_leaf
        self._laid: tuple[Any, int, tuple[Splits, Floats]] | None = None

    def find(self, rows: Rows, criterion: Criterion) -> Stump | None:
        if rows.has_row_costs and criterion.kind in row_costs.CRITERIA:
            found = row_costs.best_split(rows, criterion, self.min_samples_leaf)
            if found is None:
                return None
            stump = self._stump(rows, found[0], criterion)
            stump.solved = found[1]
            return stump
        split = rows.best_split(criterion, self.min_samples_leaf)
        return None if split is None else self._stump(rows, split, criterion)

    def recall(self, rows: Rows, memory: Sequence[Node], criterion: Criterion) -> Stump:
        value = memory[-1].value
        split = self.binning.split(memory[0], 1 if value > 0 else -1).measure(rows.histogram())
        if value == 0:  # its step was 0, so that the polarity is that of its rows
            a, b, c, d = rows.cell_weights(split)
            right = 1 if b + c + TIE >= a + d else -1
            split = self.binning.split(memory[0], right).measure(rows.histogram())
        return self._stump(rows, split, criterion)

    def model(self, rounds: Laid) -> Ensemble:
        """A constant is a leaf, a stump a test and two leaves."""
        rounds = list(rounds)
        splits, values = self.laid(rounds)
        tests = splits.feature >= 0
        if not tests.all():
            splits = Splits([stump.split for stump, _ in rounds if stump.split.feature >= 0])
        sizes = np.where(tests, 3, 1)
        ends = np.cumsum(sizes)
        inner = ends[tests] - 3
        left, gain = np.full(ends[-1], -1, dtype=np.int32), np.zeros(ends[-1])
        left[inner], gain[inner] = 1, 1.0
        kept = np.ones(values.shape, dtype=bool)
        kept[:, 0] = tests  # constants are on the right
        return Ensemble.from_tests(sizes, left, self.binning.tests([splits]), values[kept], gain)

    def laid(self, rounds: Sequence[tuple[Any, float]]) -> tuple[Splits, Floats]:
        """The splits of stumps, and the values of their sides times their steps, a row for each.

        Those of the last call are kept: an ensemble and its training cost need the same.
        """
        last, n = rounds[-1][0], len(rounds)
        if self._laid is None or self._laid[0] is not last or self._laid[1] != n:
            values = np.concatenate([stump.value for stump, _ in rounds]).reshape(-1, 2)
            steps = np.array([step for _, step in rounds])
            laid = Splits([stump.split for stump, _ in rounds]), values * steps[:, np.newaxis]
            self._laid = last, n, laid
        return self._laid[2]

    @staticmethod
    def _stump(rows: Rows, split: Split, criterion: Criterion) -> Stump:
        stump = Stump(split, rows.cell_weights(split), rows.direction(split.feature))
        if criterion.kind == "squares":
            stump.take_values(rows.response.means(split, criterion.smoothing))
        return stump


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

    def __init__(self, binning: Binning) -> None:
        self.binning = binning

    def find(self, rows: Rows, criterion: Criterion) -> Lookup | None:
        if not rows.present.any():
            return None
        if rows.has_row_costs and criterion.kind in row_costs.LEAVES:
            feature, values = row_costs.best_table(rows, criterion)
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
        if table.direction and rows.has_row_costs and criterion.kind in row_costs.LEAVES:
            table.solved = row_costs.table_values(rows, criterion, table.feature)
        return table

    def model(self, rounds: Laid) -> Ensemble:
        return Ensemble.from_trees(h.nodes(self.binning, step) for h, step in rounds)
