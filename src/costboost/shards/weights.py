"""Weights: whole quanta in the shards, and what a quantum of each class is worth."""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats, times_power_of_two
from costboost.engine._kernels import BINS, BinnedRows
from costboost.shards.quanta import (
    TARGET_BITS,
    UNIT_BITS,
    UNIT_LEAST,
    UNIT_MOST,
    Histogram,
    added,
    class_rows,
)


class WeightedRows:
    """Binned rows in shards, and their weights."""

    def __init__(
        self,
        shards: Sequence[BinnedRows],
        n_bins: NDArray[np.int32],
        categorical: NDArray[np.uint8],
    ) -> None:
        self.shards = list(shards)
        self.views: Sequence[Any] = self.shards
        """What hypotheses are scored on, for each shard."""
        self.n_bins = n_bins
        self.categorical = categorical
        self.n_features = self.shards[0].n_features
        self.n_threads = max(shard.n_threads for shard in self.shards)
        for shard in self.shards:
            shard.prepare()
        self.counts: Histogram = added([shard.count() for shard in self.shards])
        self.present: NDArray[np.bool_] = self.counts[:, :, : BINS - 1].sum(axis=(0, 2)) > 0
        """Which features are not missing everywhere."""
        self.class_sizes = self.counts[:, 0].sum(axis=1).tolist()
        self.copies: NDArray[np.int64] | None = None
        """Rows that each row stands for in the count of a leaf, in the order of `label`."""
        self.leaf_counts = self.counts
        """Rows of each class in each bin, as they count for the least size of a leaf."""
        self.unit = [1.0, 1.0]
        self._total = 1.0
        self._label: Floats | None = None
        self.by_row = False
        """Whether rows have costs of their own, ..."""
        self.own_weight: Floats = np.empty(0)
        self.own_cost: Floats = np.empty(0)
        """... and the weight and cost of each, in the order of `label`."""
        self._scan_threads = self.n_threads if self.n_features >= 512 else 1

    def count_copies(self, copies: NDArray[np.int64]) -> None:
        """Count a row as several where the rows of leaves are counted."""
        self.copies = copies
        for shard, part in zip(self.shards, self.split_up(copies), strict=True):
            shard.count_copies(part)
        self.leaf_counts = added([shard.count(copies=True) for shard in self.shards])

    def start(self, factors: Sequence[float], weights: Sequence[Floats] | None = None) -> None:
        """Set the initial weights: the factor of the row's class, times its own weight if given.

        ``weights`` has one array a shard, in the shard's row order (positives first).
        """
        if weights is None:
            for z in (0, 1):
                self.unit[z] = factors[z] * self._set_alike(z)
            self._normalise()
            return
        for shard, weight in zip(self.shards, weights, strict=True):
            shard.weight[:] = weight
        exponent = [self._requantise(z) for z in (0, 1)]
        common = max(exponent)
        for z in (0, 1):
            self.unit[z] = ldexp(factors[z], exponent[z] - common)
        self._normalise()

    def _set_alike(self, z: int) -> float:
        """Give all rows of the class the same weight; what a quantum is worth."""
        scale = ldexp(1.0, TARGET_BITS - self.class_sizes[z].bit_length())
        for shard in self.shards:
            shard.weight[class_rows(shard, z)] = scale
            shard.histogram[z] = shard.count()[z] if len(self.shards) > 1 else self.counts[z]
            shard.histogram[z] *= int(scale)
        return 1.0 / scale

    def _requantise(self, z: int) -> int:
        """Measure the weights of the class in quanta that use all bits, and build its histogram.

        Returns k if the weights were divided by 2**k. Two roundings: the first, safe for any
        weights, finds their sum, the second uses it; neither depends on the order of the rows.
        """
        parts = [shard.weight[class_rows(shard, z)] for shard in self.shards]
        largest = max((float(part.max()) for part in parts if part.size), default=0.0)
        exponent = frexp(largest)[1]
        coarse = TARGET_BITS - self.class_sizes[z].bit_length()
        total = sum(
            int(np.rint(times_power_of_two(part, coarse - exponent)).astype(np.int64).sum())
            for part in parts
        )
        shift = coarse - exponent + TARGET_BITS - total.bit_length() if largest > 0 else 0
        for shard, part in zip(self.shards, parts, strict=True):
            part[:] = times_power_of_two(part, shift)
            shard.build(z == 0, z == 1)
        return -shift

    def histogram(self) -> Histogram:
        """The class histograms of all rows."""
        if len(self.shards) == 1:
            total: Histogram = self.shards[0].histogram
            return total
        return added([shard.histogram for shard in self.shards])

    def class_weights(self) -> tuple[float, float]:
        """Weight shares of the two classes."""
        p, n = self._class_sums()
        self._total = p + n
        return p / self._total, n / self._total

    def _class_sums(self) -> tuple[float, float]:
        sums = self.histogram()[:, 0].sum(axis=1)
        return self.unit[0] * int(sums[0]), self.unit[1] * int(sums[1])

    def _multiply_unit(self, z: int, factor: float, exponent: int = 0) -> None:
        """unit *= factor * 2**exponent; rather than let it overflow, the other unit is lowered."""
        mantissa, power = frexp(factor)
        mantissa *= self.unit[z]
        power += exponent
        if power <= 0:
            self.unit[z] = ldexp(mantissa, power)
        else:
            self.unit[z] = mantissa
            self.unit[1 - z] = ldexp(self.unit[1 - z], -power)

    def _normalise(self) -> None:
        """Keep the larger unit near the top of its range, so that the other one has room below."""
        largest = max(self.unit)
        if not UNIT_LEAST < largest < UNIT_MOST and largest > 0:
            shift = UNIT_BITS - frexp(largest)[1]
            self.unit = [ldexp(unit, shift) for unit in self.unit]

    @property
    def label(self) -> Floats:
        """+1 or -1 for every row, in the order of the shards."""
        if self._label is None:
            parts = [np.where(np.arange(s.n_rows) < s.n_positive, 1.0, -1.0) for s in self.shards]
            self._label = np.concatenate(parts)
        return self._label

    def split_up(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Values of all rows, shard by shard."""
        if len(self.shards) == 1:
            return [values]
        ends = np.cumsum([shard.n_rows for shard in self.shards])
        return np.split(values, ends[:-1])

    def weigh(self, weight: Floats, cost: Floats | None = None) -> None:
        """Give every row its weight, and its cost where a criterion may ask for it."""
        if cost is not None:
            self.own_weight, self.own_cost, self.by_row = weight, cost, True
        self.start((1.0, 1.0), self.split_up(weight))

    def bins(self, feature: int) -> NDArray[np.uint8]:
        """The feature's bin of every row."""
        return np.concatenate([shard.column(feature) for shard in self.shards])
