"""Learners on one feature: decision stumps, tables with a value for every bin, lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector, first_least, parts_of
from costboost._core.cells import Outcome
from costboost._core.engine._kernels import (
    BINS,
    MISSING,
    TIE,
    BinnedRows,
    Split,
    Splits,
    bin_means,
    heavier_left,
    line_losses,
    logistic_thresholds,
    missing_left,
    pool_bins,
)
from costboost._core.engine.binning import Binning
from costboost._core.engine.ensemble import Ensemble, Lines, Node, leaf
from costboost._core.learners import Laid, in_order, row_costs
from costboost._core.rows import Rows, leaf_loss, mean_response
from costboost._core.rules import DRAW, Criterion
from costboost._core.tables import Table

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
        if not rows.varies.any():
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


# ---- learners that are linear in one feature -----------------------------------------------------

KEPT = 2**24
"""How many raw values are cached."""
STEEPEST = 1e305
"""A line with a greater slope is replaced by a constant, so that its products stay finite."""


# ---- raw values of the training rows -------------------------------------------------------------


class Columns:
    """The columns of a table, its rows in a given order."""

    def __init__(self, table: Table, order: NDArray[np.intp] | None = None) -> None:
        def read(feature: int) -> NDArray[Any]:
            values = table.column(feature)
            if values.dtype not in (np.float32, np.float64):
                values = values.astype(np.float64)
            return values if order is None else values.take(order)

        def scale(feature: int) -> tuple[float, float, Floats]:
            x = self.column(feature).astype(np.float64)
            low, high = float(x.min()), float(x.max())
            middle, reach = low / 2 + high / 2, high / 2 - low / 2
            return middle, reach or 1.0, (x - middle) / (reach or 1.0)

        kept = max(2, KEPT // (2 * table.n_rows))
        self.n_rows = table.n_rows
        self.column = lru_cache(maxsize=kept)(read)
        """The values of a feature; single floats are kept as they are, to save memory."""
        self.scaled = lru_cache(maxsize=kept)(scale)
        """Middle and half the range of the values, and the values scaled to [-1, 1]."""


class BinValues:
    """A value for every bin of every feature: the mean of the values in it.

    ``single`` marks features all of whose bins hold one value only.
    """

    def __init__(
        self,
        binning: Binning,
        columns: Columns,
        bins: Callable[[int], Vector],
        copies: Vector | None = None,
    ) -> None:
        n_features = binning.n_features
        self.value = np.full((n_features, MISSING), np.nan)
        self.single = np.zeros(n_features, dtype=bool)
        self.copies = None if copies is None else np.concatenate(parts_of(copies))
        for f in range(n_features):
            x = columns.column(f).astype(np.float64, copy=False)
            self._fill(f, int(binning.n_bins[f]), x, np.concatenate(parts_of(bins(f))))

    def _fill(self, f: int, n: int, x: Floats, bins: NDArray[np.uint8]) -> None:
        means, self.single[f] = bin_means(bins, x, self.copies)
        self.value[f, :n] = means[:n]


# ---- lines: the learner of Masnadi-Shirazi and Vasconcelos' LogitBoost --------------------------


class Line:
    """g(x) = slope x_j + intercept. It has no leaves: rows are scored one by one."""

    many_leaves = False
    solved: Floats | None = None
    tree = None
    pooled: Floats | None = None
    weight: Floats = np.empty(0)
    outcome = Outcome(np.empty(0))

    def __init__(self, feature: int, slope: float, intercept: float) -> None:
        self.feature = feature
        self.slope = slope
        self.intercept = intercept

    def scores(self, rows: Columns) -> NDArray[np.float64]:
        x = rows.column(self.feature)
        result: NDArray[np.float64] = np.multiply(x, self.slope, dtype=np.float64)
        result += self.intercept
        return result


class LineLearner:
    """Finds the feature whose line fits the response best.

    The feature is chosen by its bins, which is exact if every bin holds one value only. The line
    is fitted to the values of the rows.
    """

    def __init__(self, columns: Columns, values: BinValues) -> None:
        self.columns = columns
        seen = np.isfinite(values.value)
        x = np.where(seen, values.value, 0.0)
        n_seen = np.maximum(seen.sum(axis=1, keepdims=True), 1)
        middle = (x / n_seen).sum(axis=1, keepdims=True)  # centred, so that squares do not cancel
        self.x = np.where(seen, x - middle, 0.0)
        size = np.abs(self.x).max(axis=1, keepdims=True)
        self.x /= np.where(size > 0, size, 1.0)

    def find(self, rows: Rows, criterion: Criterion) -> Line:
        loss = line_losses(rows.histogram(), rows.response.unit, rows.features, self.x)
        return self._fit(rows, first_least(loss))

    def recall(self, rows: Rows, memory: Any, criterion: Criterion) -> Line:
        return self._fit(rows, int(memory.feature[0]))

    def model(self, rounds: Laid) -> Lines:
        return Lines.from_rounds((h.feature, h.slope, h.intercept, step) for h, step in rounds)

    def _fit(self, rows: Rows, feature: int) -> Line:
        """Weighted least squares on the rows, whose values are first scaled to [-1, 1]."""
        middle, reach, scaled = self.columns.scaled(feature)
        slope, intercept = rows.response.line(rows.vector(scaled))
        if abs(slope) > STEEPEST * reach:
            slope, intercept = rows.response.line(rows.vector(np.zeros_like(scaled)))
        slope /= reach
        return Line(feature, slope, intercept - slope * middle)


# ---- votes by logistic regression: the learner of Nikolaou et al. --------------------------------


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
        if rows.has_row_costs and criterion.kind in row_costs.LEAVES:
            return row_costs.split_loss(rows, split, criterion)
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
