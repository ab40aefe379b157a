"""Splits of all rows: stumps, and tables with a leaf for every bin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats
from costboost.engine import _kernels
from costboost.engine._kernels import Split, search
from costboost.rules import Criterion
from costboost.shards.quanta import (
    CONSTANTS_COMPETE,
    KINDS,
    LEAST,
    MOST,
    at_most_one,
    class_rows,
    without_cost,
)
from costboost.shards.weights import WeightedRows


class SplitRows(WeightedRows):
    """Rows that are split into two sides, or into bins, and reweighed by side or bin."""

    def best_split(self, criterion: Criterion, min_samples_leaf: int = 1) -> Split | None:
        """The split (or constant vote) of least criterion; None if there is no split at all."""
        counts = self.leaf_counts if min_samples_leaf > 1 else None
        kind, smoothing, fn_cost, fp_cost = criterion
        p, n = self.unit
        if kind == "joint":
            p, n = without_cost(p, n, fn_cost, fp_cost)
        split = search(
            self.histogram(), p, n, self.n_bins, self.categorical, counts, min_samples_leaf,
            KINDS[kind], smoothing, kind != "squares", self._scan_threads, fn_cost, fp_cost,
        )  # fmt: skip
        return split if split.feature >= 0 or kind in CONSTANTS_COMPETE else None

    def cell_weights(self, split: Split) -> Floats:
        """Weight shares of positives left, right, negatives left, right."""
        return split.shares(self.unit[0], self.unit[1])

    def all_bin_weights(self) -> Floats:
        """Weight shares of both classes in every bin of every feature."""
        p, n = self.class_weights()
        if p + n == 0:
            return np.zeros(self.histogram().shape)
        units = np.array(self.unit) / self._total
        return self.histogram() * units[:, None, None]

    def bin_weights(self, feature: int, bins: NDArray[np.intp]) -> Floats:
        """Weight shares of both classes in some bins of a feature."""
        self.class_weights()
        units = np.array(self.unit) / self._total
        return self.histogram()[:, feature, bins] * units[:, None]

    def table_losses(self, criterion: Criterion) -> Floats:
        """The criterion of every feature when each of its bins is a leaf."""
        kind, smoothing, fn_cost, fp_cost = criterion
        self.class_weights()
        p, n = self.unit[0] / self._total, self.unit[1] / self._total
        kind = "error" if kind in CONSTANTS_COMPETE else kind
        losses = _kernels.table_losses(
            self.histogram(), p, n, self.n_bins, KINDS[kind], smoothing, fn_cost, fp_cost
        )
        return np.where(self.present, losses, np.inf)

    def reweigh(self, split: Split, factors: Sequence[float]) -> None:
        """Multiply the weights of each (class, side) by its factor."""
        quanta = split.quanta
        rows_left = split.rows_left(self.counts)
        incremental = [False, False]
        anew = [False, False]
        ratio = [1.0, 1.0]
        move_left = [False, False]
        for z in (0, 1):
            left, right = factors[2 * z], factors[2 * z + 1]
            on_left, size = rows_left[z], self.class_sizes[z]
            if on_left == 0 or left == right:
                self._multiply_unit(z, right)
                continue
            if on_left == size:
                self._multiply_unit(z, left)
                continue
            # The larger side's factor goes into the class's unit; only the smaller side is visited.
            move_left[z] = 2 * on_left <= size
            small, large = (left, right) if move_left[z] else (right, left)
            visited, rest = quanta[2 * z + 1 - move_left[z]], quanta[2 * z + move_left[z]]
            n_visited = on_left if move_left[z] else size - on_left
            if large > 0 and small / large < MOST / 2:
                ratio[z] = small / large
                # a row may weigh up to half a quantum that no sum shows
                most = rest + ratio[z] * (visited + n_visited / 2)
                incremental[z] = rest + ratio[z] * visited >= LEAST and most <= MOST
            if incremental[z]:
                self._multiply_unit(z, large)
            anew[z] = not incremental[z]
        if incremental[0] or incremental[1]:
            for shard in self.shards:
                shard.reweigh_side(split, ratio, move_left, incremental)
        for z in (0, 1):
            if anew[z]:
                self._reweigh_anew(z, split, factors)
        self._normalise()

    def _reweigh_anew(self, z: int, split: Split, factors: Sequence[float]) -> None:
        """Multiply all weights of the class; a sum that left its range gets other quanta."""
        scaled, exponent = at_most_one(factors[2 * z : 2 * z + 2])
        for shard in self.shards:
            shard.reweigh_all(split, [*scaled, *scaled], [z == 0, z == 1])
        self._multiply_unit(z, 1.0, exponent + self._requantise(z))

    def reweigh_bins(self, feature: int, factors: Floats) -> None:
        """Multiply the weights by the factor of class and bin; histograms are built anew."""
        for z in (0, 1):
            scaled, exponent = at_most_one(factors[z].tolist())
            by_bin = np.array(scaled)
            for shard in self.shards:
                rows = class_rows(shard, z)
                shard.weight[rows] *= by_bin[shard.column(feature)[rows]]
            self._multiply_unit(z, 1.0, exponent + self._requantise(z))
        self._normalise()
