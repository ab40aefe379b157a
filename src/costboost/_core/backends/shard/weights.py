"""Weights of the rows of a block, in quanta, and their sums in every bin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, times_power_of_two
from costboost._core.backends.protocol import Classes, HasLeaves, Histogram, Opposed, Scales
from costboost._core.backends.shard.draws import DrawnRows
from costboost._core.engine._kernels import BinnedRows, Split, sum_leaves, sum_of_quanta


class Working(NamedTuple):
    """Response and weight of every row, which regression trees sum, and the scales of quanta."""

    response: Floats
    weight: Floats
    scales: Scales


class Runs(NamedTuple):
    """The rows of each leaf: two runs of rows in an order, positives and negatives."""

    order: NDArray[np.uint32]
    bounds: NDArray[np.int64]


Leaves = Runs | NDArray[np.int32]
"""The rows of each leaf, or the number of the leaf of each row."""


class WeightedRows(DrawnRows):
    """Rows with weights, or with responses that are summed in their place."""

    _weighted: BinnedRows
    """The rows, if they have weights."""
    _summed: BinnedRows
    """The rows, if sums over them can be built."""
    _leaves: Leaves

    def __init__(self, binned: BinnedRows, columns: object = None) -> None:
        super().__init__(binned, columns)
        self.working: Working | None = None

    def histogram(self) -> Histogram:
        """Two sums for every bin: weights of positives and negatives, or response and weight."""
        sums: Histogram = self._summed.histogram
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
        self._weighted = self._summed = self.binned
        self.working = None
        self._is_current = self._rows_drawn is None
        self._end("_nodes")

    def set_weights(self, weight: Floats) -> None:
        """Set the weight of every row; `scale_weights` converts them to quanta."""
        self.binned.weight[:] = weight
        self._weighted = self.binned
        self.working = None
        self._end("_summed", "_nodes")

    def largest_weights(self, classes: Classes) -> tuple[float, ...]:
        """Largest weight of each of the classes."""
        parts = (self._weighted.weight[self.classes[z]] for z in classes)
        return tuple(float(part.max()) if part.size else 0.0 for part in parts)

    def sum_weights(self, classes: Classes, exponents: Sequence[int]) -> tuple[int, ...]:
        """Sum of the weights of each class times 2**exponent, each rounded."""
        return tuple(
            int(
                _rounded(times_power_of_two(self._weighted.weight[self.classes[z]], exponent)).sum()
            )
            for z, exponent in zip(classes, exponents, strict=True)
        )

    def scale_weights(self, classes: Classes, exponents: Sequence[int]) -> None:
        """Multiply the weights of each class by 2**exponent and build its histogram."""
        for z, exponent in zip(classes, exponents, strict=True):
            part = self._weighted.weight[self.classes[z]]
            part[:] = times_power_of_two(part, exponent)
        if self._rows_drawn is None:
            self.binned.build(0 in classes, 1 in classes)
        self._is_current = self._rows_drawn is None
        self._summed = self.binned
        self._end("_nodes")

    def multiply_side(
        self, split: Split, ratio: Sequence[float], left: Sequence[bool], classes: Sequence[bool]
    ) -> None:
        """Multiply the weights on one side of a split and update the histograms."""
        weighted, summed = self._weighted, self._summed
        self.__dict__.pop("_nodes", None)
        if self._rows_drawn is None:
            summed.reweigh_side(split, ratio, left, classes)
            return
        factors = [
            ratio[z] if on_left == left[z] else 1.0 for z in (0, 1) for on_left in (True, False)
        ]
        weighted.reweigh_all(split, factors, classes)
        self._is_current = False

    def multiply_all(self, split: Split, factors: Sequence[float], classes: Sequence[bool]) -> None:
        """Multiply weights by the factor of their (class, side); no histogram is built."""
        self._weighted.reweigh_all(split, factors, classes)
        self._end("_summed", "_nodes")

    def multiply_bins(self, feature: int, factors: Floats) -> None:
        """Multiply all weights by the factor of their (class, bin); no histogram is built."""
        bins = self.bins(feature)
        for rows, of_class in zip(self.classes, factors, strict=True):
            self._weighted.weight[rows] *= of_class[bins[rows]]
        self._end("_summed", "_nodes")

    def multiply_leaves(self, factors: Floats) -> None:
        """Multiply all weights by the factor of their (class, leaf); no histogram is built."""
        weighted, leaves = self._weighted, self._leaves
        self._end("_summed", "_nodes")
        if isinstance(leaves, np.ndarray):
            for rows, of_class in zip(self.classes, factors, strict=True):
                weighted.weight[rows] *= of_class[leaves[rows]]
            return
        both = zip(leaves.bounds.tolist(), *factors.tolist(), strict=True)
        for (a, b, c, d), positive, negative in both:
            weighted.reweigh_rows(leaves.order, a, b, positive)
            weighted.reweigh_rows(leaves.order, c, d, negative)

    def _opposed(self, against: int, weight: Floats, scale: float) -> Opposed:
        """The weight against a direction, with that of all rows if some are drawn."""
        if self._rows_drawn is None:
            return Opposed(against, 0)
        return Opposed(against, sum_of_quanta(weight, scale, self.n_threads))

    def _aim(self, target: Working) -> None:
        """Sum a response and its weight instead of the weights of the classes."""
        self.working = target
        self._is_current = False
        self._summed = self.binned
        self._end("_weighted", "_nodes")

    def weigh_leaves(self, hypothesis: HasLeaves, n_leaves: int) -> Histogram:
        """Weight of all rows of each class in each leaf of a hypothesis, in quanta."""
        weighted, _ = self._weighted, self._summed
        leaf = self.leaves(hypothesis).astype(np.int32, copy=False)
        sums: Histogram = sum_leaves(weighted.weight, leaf, self.n_positive, n_leaves)
        self._leaves = leaf
        return sums


def _rounded(values: Floats) -> NDArray[np.int64]:
    return np.rint(values).astype(np.int64)
