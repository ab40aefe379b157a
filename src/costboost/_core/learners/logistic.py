"""Votes by logistic regression on one feature, the learner of Nikolaou et al."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, first_least
from costboost._core.backends.offers import Needs
from costboost._core.engine._kernels import (
    BINS,
    MISSING,
    BinnedRows,
    Split,
    heavier_left,
    logistic_thresholds,
    missing_left,
)
from costboost._core.engine.binning import Binning
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.node import Node, leaf
from costboost._core.learners.hypothesis import Laid
from costboost._core.learners.raw_values import BinValues, Columns
from costboost._core.learners.row_costs.node_losses import needs_row_losses, split_loss
from costboost._core.learners.stump import Stump
from costboost._core.rows import Rows, leaf_loss
from costboost._core.rules.record import Criterion


class LogisticStump(Stump):
    """A stump whose threshold is where a logistic regression predicts probability 1/2."""

    __slots__ = ("threshold",)

    def __init__(self, split: Split, weight: Floats, threshold: float) -> None:
        super().__init__(split, weight)
        self.threshold = threshold

    def scores(self, rows: BinnedRows | Columns) -> NDArray[np.float64]:
        """Values on binned training rows by bin, on other rows by threshold."""
        if isinstance(rows, BinnedRows) or self.split.feature < 0:
            return super().scores(rows)  # type: ignore[arg-type]
        left, right = self.value.tolist()
        x = rows.column(self.split.feature).astype(np.float64, copy=False)
        on_left = np.where(np.isnan(x), self.split.missing_left, x <= self.threshold)
        return np.asarray(np.where(on_left, left, right), dtype=np.float64)

    def nodes(self, binning: Binning, step: float) -> list[Node]:
        left, right = self.value.tolist()
        if self.split.feature < 0:
            return [leaf(step * right)]
        root = Node(self.split.feature, self.threshold, 1, self.split.missing_left, None, 0.0, 1.0)
        return [root, leaf(step * left), leaf(step * right)]


class LogisticLearner:
    """Finds the feature whose logistic regression, voting by its sign, is best."""

    needs: Needs = ()

    def __init__(self, binning: Binning, values: BinValues) -> None:
        self.binning = binning
        self.values = values

    def find(self, rows: Rows, criterion: Criterion) -> LogisticStump | None:
        if criterion.kind in ("vote", "joint"):
            best = rows.best_logistic_vote(self.values.value)
            return None if best is None else self._stump(rows, *best)
        weight = rows.all_bin_weights()
        present = np.ascontiguousarray(weight[:, :, :MISSING])
        thresholds, signs, fitted = logistic_thresholds(present, self.values.value)
        candidates = []
        for f in np.flatnonzero(fitted).tolist():
            threshold, sign = float(thresholds[f]), int(signs[f])
            if np.isnan(threshold):  # a flat regression: a constant vote, with no row on the left
                whole, none = weight[:, f].sum(axis=1), np.zeros(2)
                split = Split(polarity=sign)
                value = self._loss(rows, split, none, whole, criterion)
            else:
                split = self._split(f, threshold, sign)
                value, split = self._with_missing(rows, split, weight[:, f], criterion)
            candidates.append((value, split, threshold))
        if not candidates:
            return None
        found = candidates[first_least(np.array([value for value, _, _ in candidates]))]
        return self._stump(rows, *found[1:])

    def recall(self, rows: Rows, memory: Sequence[Node], criterion: Criterion) -> LogisticStump:
        node = memory[0]
        if node.feature < 0:
            constant = Split(polarity=1 if node.value > 0 else -1)
            return self._stump(rows, constant, np.nan)
        split = self._split(node.feature, node.threshold, 1 if memory[-1].value > 0 else -1)
        return self._stump(rows, _missing_to(split, node.missing_left), node.threshold)

    def model(self, rounds: Laid) -> Ensemble:
        return Ensemble.from_trees(h.nodes(self.binning, step) for h, step in rounds)

    def _split(self, feature: int, threshold: float, sign: int) -> Split:
        """Bins whose value is not above the threshold go left."""
        value = self.values.value[feature]
        left = np.zeros(BINS, dtype=np.uint8)
        left[:MISSING] = value <= threshold
        return Split(feature, int(left.sum()) - 1, sign, False, left)

    def _with_missing(
        self, rows: Rows, split: Split, weight: Floats, criterion: Criterion
    ) -> tuple[float, Split]:
        """Loss and split with missing values on the side of less loss, or on the heavier one."""
        on_left = split.left[:MISSING].astype(bool)
        present = weight[:, :MISSING]
        left, right = present[:, on_left].sum(axis=1), present[:, ~on_left].sum(axis=1)
        heavier = heavier_left(left.sum(), right.sum())
        missing = weight[:, MISSING]
        sides = {
            side: _missing_to(split, side)
            for side in ([False, True] if missing.sum() > 0 else [heavier])
        }
        value = {
            side: self._loss(
                rows, one, left + side * missing, right + (not side) * missing, criterion
            )
            for side, one in sides.items()
        }
        if len(value) == 1:
            return value[heavier], sides[heavier]
        side = missing_left(value[True], value[False], heavier)
        return value[side], sides[side]

    @staticmethod
    def _loss(rows: Rows, split: Split, left: Floats, right: Floats, criterion: Criterion) -> float:
        if needs_row_losses(rows, criterion):
            return split_loss(rows, split, criterion)
        return sum(leaf_loss(criterion, float(p), float(q)) for p, q in (left, right))

    def _stump(self, rows: Rows, split: Split, threshold: float) -> LogisticStump:
        split.measure(rows.histogram())
        if split.feature >= 0 and not self.values.single[split.feature]:
            # the boundary between bins, so that all rows of a bin are on one side
            cuts = self.binning.cuts[split.feature, : self.binning.n_cuts[split.feature]]
            threshold = np.concatenate([[-np.inf], cuts, [np.inf]])[split.bin + 1].item()
        return LogisticStump(split, rows.cell_weights(split), threshold)


def _missing_to(split: Split, left: bool) -> Split:
    table = split.left
    table[MISSING] = left
    return Split(split.feature, split.bin, split.polarity, left, table)
