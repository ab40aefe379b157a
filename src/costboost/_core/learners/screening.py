"""Candidate splits of rows that have costs of their own, and lower bounds on the losses of leaves.

Losses of such rows take a pass over all of them, so that candidates are excluded by bounds.

The rows of a leaf of the value g have the loss L(g) = sum of w e^(s g), with the rates s = -c y.
Its value is the minimum of S(g) = L(g) + e (e^(-C+ g) + e^(C- g)): smoothing adds a row of weight e
and mean cost of either class.

**Moments.** For one value a the sums M_k = sum of w s^k e^(s a), k = 0 to 3, are known for every
bin, and so for all leaves. Let t = g - a, and let the rates s1 and s2 with weights p and q be the
Gauss quadrature of the moments: p s1^k + q s2^k = M_k. For each t, the cubic polynomial that
touches e^(s t) at s1 and s2 is nowhere above it, because the fourth derivative is positive.
Summed over the rows, this is

    L(a + t) >= p e^(s1 t) + q e^(s2 t)    for every t,

which is exact up to t^3, and whose minimum is known in closed form.

**Rounding.** Let the moments be wrong by at most d, with rates in units of the greatest cost. The
divided differences of e^(s t) at s1 and s2 are at most |t|^j / j! times the greater of e^(s1 t) and
e^(s2 t). Hence the sum of the polynomial is wrong by at most d times this greater one times
1 + x + x^2 / 2 + x^3 / 6, where x = (1 + max(|s1|, |s2|)) |t|. If |t| is bounded, subtracting this
from p and q leaves a lower bound. This holds for any s1 and s2: the amount by which the moments
of the quadrature differ from those of the rows is counted as part of d. The rate M_1 / M_0 alone,
with the weight M_0, gives a bound as well (Jensen's inequality).

**Intervals.** L' grows with g. So S'(g) >= M_1 + e (C- e^(C- g) - C+ e^(-C+ g)) for g >= a, and the
reverse for g <= a: the value of the leaf is between a and the root of this sum. Only values in the
intersection of all intervals found so far are considered. Without them, leaves of a single class,
whose loss vanishes far away, would have no bound but 0.

`engine/kernels/row_costs.hpp` computes bounds and intervals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector, exp
from costboost._core.engine._kernels import (
    BINS,
    MISSING,
    TIE,
    Split,
    heavier_left,
    missing_left,
    order_categories,
    raise_bounds,
)
from costboost._core.rows import NodeRows, Rows
from costboost._core.rules import Criterion

Numbers = NDArray[np.intp]
FARTHEST = 200.0
"""Leaf values and steps are probed at most this far from 0, in units of 1 / greatest cost."""
FLOAT_ROUNDING = 512
"""Quanta by which a sum of up to 2**62 quanta is rounded when it becomes a float."""

# ---- candidates ----------------------------------------------------------------------------------


def class_sums(
    rows: Rows,
    weight: Vector,
    node: NodeRows | None = None,
    features: Numbers | None = None,
) -> Floats:
    """Sum of a vector over the rows of each class in every bin."""
    positive = rows.label > 0
    sums, _ = rows.sums(weight * positive, weight * ~positive, node, features)
    return sums


class Candidates:
    """All splits of the rows of a node, as arrays of sums.

    Arrays have the shape (side of missing values, feature, position). Bins of a feature are in the
    order in which they may be split, and those up to the position go left. Missing values go right
    (0) or left (1); if there are none at all, the first axis has length 1.

    ``features`` are those whose splits are candidates, all if None, and ``weight`` the weight of
    each class in their bins, by which categories are ordered.
    """

    def __init__(
        self,
        rows: Rows,
        node: NodeRows | None,
        weight: Floats,
        min_samples_leaf: int,
        features: Numbers | None = None,
    ) -> None:
        self.rows = rows
        self.features = np.arange(rows.n_features) if features is None else features
        self.weight = weight
        self.order = np.tile(np.arange(MISSING), (self.features.size, 1))
        self.length = rows.n_bins[self.features].astype(np.intp)
        for k in np.flatnonzero(rows.categorical[self.features]):
            self._order_categories(int(k))
        counts = rows.counts_for_leaves() if node is None else rows.node_counts(node)
        counts = counts.sum(axis=0)
        self._n_sides = 2 if counts[:, MISSING].any() else 1
        self.allowed = self._allowed(counts[self.features], min_samples_leaf)

    def _order_categories(self, f: int) -> None:
        p, q = self.weight[:, f, : self.length[f]]
        order = order_categories(np.ascontiguousarray(p), p + q)
        self.order[f, : order.size] = order
        self.length[f] = order.size

    def _allowed(self, counts: NDArray[np.int64], least: int) -> NDArray[np.bool_]:
        """Which candidates leave enough rows on either side."""
        left = self.left(counts)
        inside = np.arange(MISSING - 1) < self.length[:, None] - 1
        on_right = counts.sum(axis=1)[:, None] - left
        some_missing = counts[:, MISSING] > 0
        inside = np.stack([inside, inside & some_missing[:, None]])[: self._n_sides]
        result: NDArray[np.bool_] = inside & (left >= least) & (on_right >= least)
        return result

    def left(self, histogram: NDArray[Any], some: Any = slice(None)) -> NDArray[Any]:
        """Sums of the left side of every candidate; the histogram may be that of some features."""
        present = np.take_along_axis(histogram, self.order[some], axis=1)
        present = np.where(np.arange(MISSING) < self.length[some, None], present, 0)
        up_to = present.cumsum(axis=1)[:, :-1]
        if self._n_sides == 1:
            return up_to[None]
        return np.stack([up_to, up_to + histogram[:, MISSING, None]])

    def split(self, f: int, position: int, missing_left: bool, polarity: int = 1) -> Split:
        """A candidate as a split of bins; ``f`` is the index of its feature in the arrays."""
        feature = int(self.features[f])
        left = np.zeros(BINS, dtype=np.uint8)
        if self.rows.categorical[feature]:
            left[:] = self._heavier_left(f, position)
            left[self.order[f, position + 1 : self.length[f]]] = 0
            left[self.order[f, : position + 1]] = 1
        else:
            left[: position + 1] = 1
        left[MISSING] = missing_left
        return Split(feature, position, polarity, missing_left, left)

    def _heavier_left(self, f: int, position: int) -> bool:
        order = self.order[f, : self.length[f]]
        present = self.weight[:, f].sum(axis=0)[order]
        return heavier_left(present[: position + 1].sum(), present[position + 1 :].sum())

    def best(
        self,
        survivors: NDArray[np.bool_],
        exact: Callable[[Split], float],
    ) -> Split | None:
        """The first candidate within TIE of the least exact loss.

        ``survivors`` has one more axis than other arrays: the polarity, +1 (0) or -1 (1).
        """
        found: dict[tuple[int, int, int], dict[bool, tuple[float, Split]]] = {}
        for missing, f, k, p in zip(*np.nonzero(survivors), strict=True):
            split = self.split(int(f), int(k), bool(missing), 1 - 2 * int(p))
            sides = found.setdefault((int(f), int(k), int(p)), {})
            sides[bool(missing)] = exact(split), split
        if not found:
            return None
        least = min(value for sides in found.values() for value, _ in sides.values())
        if np.isinf(least):  # all of them are in the wrong order
            return None
        for f, k, p in sorted(found):
            sides = found[f, k, p]
            if min(value for value, _ in sides.values()) > least + TIE:
                continue
            return self._settled(sides, f, k, p)
        raise AssertionError("one of them has the least")

    def _settled(self, sides: dict[bool, tuple[float, Split]], f: int, k: int, p: int) -> Split:
        """The split with missing values on the side of less loss, or on the heavier one."""
        heavier = self._heavier_left(f, k)
        if self.weight[:, f, MISSING].sum() == 0:
            split = self.split(f, k, heavier, 1 - 2 * p)
            split.value = min(value for value, _ in sides.values())
            return split
        right, left = (sides[side][0] if side in sides else np.inf for side in (False, True))
        return sides[missing_left(left, right, heavier)][1]


# ---- bounds on the losses of leaves --------------------------------------------------------------


class BinMoments:
    """Moments of the rows of a node, or of all rows, in every bin."""

    def __init__(self, rows: Rows, node: NodeRows | None) -> None:
        self.rows, self.node = rows, node
        self.largest = float(rows.row_cost.max())
        self.rate = rows.row_cost / -self.largest * rows.label

    def __call__(self, at: float, features: Numbers) -> tuple[NDArray[np.int64], float]:
        """Whole numbers by moment, feature and bin, and their unit.

        ``at`` is in units of 1 / largest, and rates are in units of largest.
        """
        loss = self.rows.row_weight * exp(self.rate * at) if at else self.rows.row_weight
        return self.rows.rate_moments(loss, self.rate, self.node, features)


class LeafBounds:
    """Bounds on the losses of an array of leaves; the first axis is the feature."""

    def __init__(self, moments: BinMoments, criterion: Criterion, shape: tuple[int, ...]) -> None:
        self.moments = moments
        largest = moments.largest
        costs = criterion.fn_cost / largest, criterion.fp_cost / largest
        self._smoothing = *costs, criterion.smoothing
        self.least = np.zeros(shape)
        """Lower bounds on the losses."""
        self.low, self.high = np.full(shape, -np.inf), np.full(shape, np.inf)
        """Intervals of the values of the leaves, in units of 1 / largest."""

    def near(self, value: float) -> float:
        """A value in units of 1 / largest, or the nearest one at which moments are summed."""
        return min(max(value * self.moments.largest, -FARTHEST), FARTHEST)

    def raise_by(self, quanta: NDArray[np.int64], unit: float, at: float, some: Numbers) -> None:
        """Raise the bounds of the leaves of some features by moments of their leaves."""
        error = (self.moments.rows.n_rows + FLOAT_ROUNDING) * unit
        values = np.multiply(quanta.reshape(4, -1), unit)
        every = some.size == len(self.least)
        arrays = self.low, self.high, self.least
        parts = [(one if every else one[some]).reshape(-1) for one in arrays]
        raise_bounds(values, error, (*self._smoothing, at), *parts)
        if not every:
            for one, part in zip(arrays, parts, strict=True):
                one[some] = part.reshape(-1, *one.shape[1:])
