"""The decision stump: one feature, one threshold. The default weak learner."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats, Outcome
from costboost.engine._kernels import BinnedRows, Split, Splits
from costboost.engine.binning import Binning
from costboost.engine.ensemble import Ensemble, Node
from costboost.learners import by_rows
from costboost.learners.hypothesis import Laid
from costboost.rows import Rows
from costboost.rules import Criterion

_SIDES = np.array([-1.0, 1.0])
_VOTES = {p: p * _SIDES for p in (1, -1)}
_OUTCOME = {p: Outcome(np.concatenate([votes, -votes])) for p, votes in _VOTES.items()}
"""y h of (positive, left), (positive, right), (negative, left), (negative, right)."""


class Stump:
    """One value above the threshold, another one below.

    A vote is p above and -p below; a constant is a vote with everybody above.
    """

    __slots__ = ("outcome", "split", "value", "weight")
    many_leaves = False
    leaf_rows = None

    def __init__(self, split: Split, weight: Floats) -> None:
        self.split = split
        self.weight = weight
        self.value = _VOTES[split.polarity]
        self.outcome = _OUTCOME[split.polarity]

    def take_values(self, value: Floats) -> None:
        self.value = value
        self.outcome = Outcome(np.concatenate([value, -value]))

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
    """The best split over all features and thresholds.

    Votes come in both polarities, and the two constant votes compete with them.
    """

    def __init__(self, binning: Binning, min_samples_leaf: int = 1) -> None:
        self.binning = binning
        self.min_samples_leaf = min_samples_leaf

    def find(self, rows: Rows, criterion: Criterion) -> Stump | None:
        if rows.has_row_costs and criterion.kind in by_rows.CRITERIA:
            split = by_rows.best_split(rows, criterion, self.min_samples_leaf)
        else:
            split = rows.best_split(criterion, self.min_samples_leaf)
        return None if split is None else self._stump(rows, split, criterion)

    def recall(self, rows: Rows, memory: Sequence[Node], criterion: Criterion) -> Stump:
        split = self.binning.split(memory[0], 1 if memory[-1].value > 0 else -1)
        return self._stump(rows, split.measure(rows.histogram()), criterion)

    def model(self, rounds: Laid) -> Ensemble:
        """A constant is a leaf, a stump a test and two leaves."""
        rounds = list(rounds)
        splits = [stump.split for stump, _ in rounds]
        tests = np.array([split.feature >= 0 for split in splits])
        sizes = np.where(tests, 3, 1)
        inner = np.cumsum(sizes)[tests] - 3
        left, gain = np.full(sizes.sum(), -1, dtype=np.int32), np.zeros(sizes.sum())
        left[inner], gain[inner] = 1, 1.0
        values = np.array([step * stump.value for stump, step in rounds])
        kept = np.column_stack(
            [tests, np.ones(tests.size, dtype=bool)]
        )  # constants are on the right
        of_tests = Splits([split for split in splits if split.feature >= 0])
        return Ensemble.from_tests(sizes, left, self.binning.tests([of_tests]), values[kept], gain)

    @staticmethod
    def _stump(rows: Rows, split: Split, criterion: Criterion) -> Stump:
        stump = Stump(split, rows.cell_weights(split))
        if criterion.kind == "squares":
            stump.take_values(rows.response.means(split))
        return stump
