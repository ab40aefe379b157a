"""Lower bounds on the losses of leaves whose rows have costs of their own.

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

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import exp
from costboost._core.engine._kernels import raise_bounds
from costboost._core.learners.row_costs.candidates import Numbers
from costboost._core.rows import NodeRows, Rows
from costboost._core.rules.record import Criterion

FARTHEST = 200.0
"""Leaf values and steps are probed at most this far from 0, in units of 1 / greatest cost."""
FLOAT_ROUNDING = 512
"""Quanta by which a sum of up to 2**62 quanta is rounded when it becomes a float."""


class BinMoments:
    """Moments of the rows of a node, or of all rows, in every bin."""

    def __init__(self, rows: Rows, node: NodeRows | None) -> None:
        self.rows, self.node = rows, node
        assert rows.row_cost is not None
        self.largest = float(rows.row_cost.max())
        self.rate = rows.row_cost / -self.largest * rows.label

    def __call__(self, at: float, features: Numbers) -> tuple[NDArray[np.int64], float]:
        """Sums by moment, feature and bin in whole quanta, with the unit of these.

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
