"""Weights of the rows of a block, in quanta, and their sums in every bin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.arithmetic import Floats, times_power_of_two
from costboost.backends.protocol import Classes, Histogram, Opposed, Scales
from costboost.backends.shard.draws import DrawnRows
from costboost.engine._kernels import BinnedRows, Split, sum_leaves, sum_of_quanta


class Working(NamedTuple):
    """Response and weight of every row, which regression trees sum, and the scales of quanta."""

    response: Floats
    weight: Floats
    scales: Scales


class WeightedRows(DrawnRows):
    """Rows with weights, or with responses that are summed in their place."""

    _weight: Floats
    """Weights of the regression."""

    def __init__(self, binned: BinnedRows, columns: Any = None) -> None:
        super().__init__(binned, columns)
        self.working: Working | None = None
        self._order: NDArray[np.uint32] = np.empty(0, dtype=np.uint32)
        """Rows by leaf or node."""
        self._leaves: NDArray[np.int64] = np.empty((0, 4), dtype=np.int64)
        self._leaf: NDArray[np.int32] = np.empty(0, dtype=np.int32)

    def histogram(self) -> Histogram:
        """Two sums for every bin: weights of positives and negatives, or response and weight."""
        sums: Histogram = self.binned.histogram
        if not self._is_current:
            if self.working is not None:
                self.binned.build_responses(self.working, self._rows_drawn, sums, self.n_threads)
            else:
                assert self._rows_drawn is not None
                self.binned.build_node(self._rows_drawn, sums, False, self.n_threads)
            self._is_current = True
        return sums

    def set_equal_weights(self, scales: Scales) -> None:
        """Set the weight of all rows of a class to an integer number of quanta."""
        for z in (0, 1):
            self.binned.weight[self.classes[z]] = scales[z]
            np.multiply(self.count()[z], int(scales[z]), out=self.binned.histogram[z])

    def set_weights(self, weight: Floats) -> None:
        """Set the weight of every row; `scale_weights` converts them to quanta."""
        self.binned.weight[:] = weight

    def largest_weights(self, classes: Classes) -> tuple[float, ...]:
        """Largest weight of each of the classes."""
        parts = (self.binned.weight[self.classes[z]] for z in classes)
        return tuple(float(part.max()) if part.size else 0.0 for part in parts)

    def sum_weights(self, classes: Classes, exponents: Sequence[int]) -> tuple[int, ...]:
        """Sum of the weights of each class times 2**exponent, each rounded."""
        return tuple(
            int(_rounded(times_power_of_two(self.binned.weight[self.classes[z]], exponent)).sum())
            for z, exponent in zip(classes, exponents, strict=True)
        )

    def scale_weights(self, classes: Classes, exponents: Sequence[int]) -> None:
        """Multiply the weights of each class by 2**exponent and build its histogram."""
        for z, exponent in zip(classes, exponents, strict=True):
            part = self.binned.weight[self.classes[z]]
            part[:] = times_power_of_two(part, exponent)
        if self._rows_drawn is None:
            self.binned.build(0 in classes, 1 in classes)
        self._is_current = self._rows_drawn is None

    def multiply_side(
        self, split: Split, ratio: Sequence[float], left: Sequence[bool], classes: Sequence[bool]
    ) -> None:
        """Multiply the weights on one side of a split and update the histograms."""
        if self._rows_drawn is None:
            self.binned.reweigh_side(split, ratio, left, classes)
            return
        factors = [
            ratio[z] if on_left == left[z] else 1.0 for z in (0, 1) for on_left in (True, False)
        ]
        self.binned.reweigh_all(split, factors, classes)

    def multiply_all(self, split: Split, factors: Sequence[float], classes: Sequence[bool]) -> None:
        """Multiply weights by the factor of their (class, side); no histogram is built."""
        self.binned.reweigh_all(split, factors, classes)

    def multiply_bins(self, feature: int, factors: Floats) -> None:
        """Multiply all weights by the factor of their (class, bin); no histogram is built."""
        bins = self.bins(feature)
        for rows, of_class in zip(self.classes, factors, strict=True):
            self.binned.weight[rows] *= of_class[bins[rows]]

    def multiply_leaves(self, factors: Floats) -> None:
        """Multiply all weights by the factor of their (class, leaf); no histogram is built."""
        if self._rows_drawn is not None:
            for rows, of_class in zip(self.classes, factors, strict=True):
                self.binned.weight[rows] *= of_class[self._leaf[rows]]
            return
        both = zip(self._leaves.tolist(), *factors.tolist(), strict=True)
        for (a, b, c, d), positive, negative in both:
            self.binned.reweigh_rows(self._order, a, b, positive)
            self.binned.reweigh_rows(self._order, c, d, negative)

    def _opposed(self, against: int, scale: float) -> Opposed:
        """The weight against a direction, with that of all rows if some are drawn."""
        if self._rows_drawn is None:
            return Opposed(against, 0)
        return Opposed(against, sum_of_quanta(self._weight, scale, self.n_threads))

    def weigh_leaves(self, hypothesis: Any, n_leaves: int) -> Histogram:
        """Weight of all rows of each class in each leaf of a hypothesis, in quanta."""
        self._leaf = self.leaves(hypothesis).astype(np.int32, copy=False)
        sums: Histogram = sum_leaves(self.binned.weight, self._leaf, self.n_positive, n_leaves)
        return sums


def _rounded(values: Floats) -> NDArray[np.int64]:
    return np.rint(values).astype(np.int64)
