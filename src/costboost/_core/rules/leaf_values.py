"""Leaf values of least loss where rows have costs of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector, each, exact_sum, exp, log, results
from costboost._core.engine._kernels import GroupedTerms
from costboost._core.rules.record import Criterion

ITERATIONS = 200


class RowLosses:
    """Losses w exp(-c y g) of rows with costs of their own, in leaves of values g."""

    def __init__(self, weight: Vector, label: Vector, cost: Vector, criterion: Criterion) -> None:
        means = criterion.fn_cost, criterion.fp_cost
        self.largest = max(float(cost.max()), *means)
        """Values of leaves are found in units of 1 / largest."""
        self.log_weight = log(weight)
        self.signed = cost * label
        rate = cost / self.largest
        self.negative = label < 0
        self.exponent = log(rate) + self.log_weight
        self.rate = -label * rate
        self.n_negative = sum(results(_count, self.negative))
        self.n_rows = label.size
        mean_rates = np.array([-means[0], means[1]]) / self.largest
        greatest = -float(self.rate.min()), float(self.rate.max())
        self.fastest = np.maximum(greatest, np.abs(mean_rates))
        self.share = self.rate / np.where(self.negative, self.fastest[1], self.fastest[0])
        self.smooth = log(np.abs(mean_rates)) + log(criterion.smoothing)
        self.smooth_rate = mean_rates

    def leaf_values(self, leaf: Vector, n_leaves: int, size: Any = 1) -> Floats:
        """The value of each leaf that minimises its loss, smoothed.

        ``size`` is how many leaves each one was, all of which were smoothed.
        """
        sums = LeafSums(self, leaf, n_leaves, size)
        value = np.zeros(n_leaves)
        low, high = np.full(n_leaves, -np.inf), np.full(n_leaves, np.inf)
        for _ in range(ITERATIONS):
            (up, down), (falls, rises) = sums(value)
            gap = down - up  # grows with g
            low, high = np.where(gap < 0, value, low), np.where(gap < 0, high, value)
            following = value - gap / (rises - falls)
            outside = ~((following > low) & (following < high))
            if outside.any():
                following = np.where(outside, _between(low, high, value), following)
            following = np.where(gap == 0, value, following)
            moved = np.abs(following - value) > 1e-15 * np.abs(following)
            value = following
            if not moved.any():
                break
        return value / self.largest

    def total(self, leaf: Vector, value: Floats) -> float:
        """Sum of the losses of all rows."""
        # in one exponential, or the factors might overflow
        return exact_sum(exp(self.log_weight - self.signed * each(value.__getitem__, leaf)))


def _count(flags: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(flags))


def _between(low: Floats, high: Floats, value: Floats) -> Floats:
    """A value between the limits of each leaf; beyond the known one if the other is infinite."""
    reach = 1 + np.abs(value)
    middle = np.where(np.isinf(high), low + reach, np.where(np.isinf(low), high - reach, 0.0))
    both = np.isfinite(low) & np.isfinite(high)
    middle[both] = (low[both] + high[both]) / 2
    return np.asarray(middle)


def _greatest(terms: GroupedTerms, g: Floats) -> Floats:
    return terms.greatest(g)


def _sums(terms: GroupedTerms, g: Floats, largest: Floats, scale: Floats) -> NDArray[np.int64]:
    return terms.sum(g, largest, scale)


class LeafSums:
    """log of the sum of c w exp(-c y g) over the rows of each class and leaf, in whole quanta.

    Every leaf has one more row of either class, for smoothing, or ``size`` of them.
    """

    def __init__(self, rows: RowLosses, leaf: Vector, n_leaves: int, size: Any = 1) -> None:
        group = leaf + n_leaves * rows.negative
        given = rows.exponent, rows.rate, rows.share, group
        self.terms = each(GroupedTerms, *given, 2 * n_leaves)
        sizes = rows.n_rows - rows.n_negative, rows.n_negative
        shift = [62 - (size + n_leaves).bit_length() for size in sizes]
        self.scale = np.repeat(np.ldexp(1.0, shift), n_leaves)
        self.smooth, self.smooth_rate, self.fastest = (
            np.repeat(of_classes, n_leaves)
            for of_classes in (rows.smooth, rows.smooth_rate, rows.fastest)
        )
        self.smooth = self.smooth + np.tile(log(np.broadcast_to(size, n_leaves) * 1.0), 2)
        self.smooth_share = self.smooth_rate / self.fastest

    def __call__(self, g: Floats) -> tuple[Floats, Floats]:
        """Logarithms and their slopes, by class and leaf."""
        g = np.concatenate([g, g])
        smooth = self.smooth + self.smooth_rate * g
        greatest = results(_greatest, self.terms, g)
        largest = np.maximum.reduce([smooth, *greatest])
        quanta = sum(results(_sums, self.terms, g, largest, self.scale))
        term = exp(smooth - largest) * self.scale
        more = np.rint(np.stack([term, term * self.smooth_share])).astype(np.int64)
        total, shared = (quanta + more).astype(np.float64) / self.scale
        logs = (largest + log(total)).reshape(2, -1)
        return logs, (shared * self.fastest / total).reshape(2, -1)
