"""Decision stumps: one threshold, and a vote or a value on either side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.backends.offers import Needs
from costboost._core.cells import Outcome
from costboost._core.engine._kernels import TIE, BinnedRows, Split, Splits
from costboost._core.engine.binning import Binning
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.node import Node
from costboost._core.learners.hypothesis import Laid
from costboost._core.learners.row_costs.node_losses import needs_row_losses
from costboost._core.learners.row_costs.search import best_split
from costboost._core.rows import Rows
from costboost._core.rules.record import Criterion

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


def in_order(direction: int, value: Floats) -> Floats:
    """Values of neighbouring leaves, of which rounding may have put some in the wrong order."""
    if direction == 0:
        return value
    return np.asarray((np.maximum if direction > 0 else np.minimum).accumulate(value))


class StumpLearner:
    """Finds the best split over all features and thresholds.

    Votes of both polarities and the two constant votes are candidates.
    """

    needs: Needs = ()

    def __init__(self, binning: Binning, min_samples_leaf: int = 1) -> None:
        self.binning = binning
        self.min_samples_leaf = min_samples_leaf
        self._laid: tuple[Any, int, tuple[Splits, Floats]] | None = None

    def find(self, rows: Rows, criterion: Criterion) -> Stump | None:
        if needs_row_losses(rows, criterion) or (
            rows.row_cost is not None and criterion.kind == "joint"
        ):
            found = best_split(rows, criterion, self.min_samples_leaf)
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
