"""Sums of vectors over the rows, in the bins of features."""

from __future__ import annotations

from math import ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector, each, times_power_of_two
from costboost._core.engine._kernels import Splits
from costboost._core.rows.nodes import NodeRows, NodesOfRows
from costboost._core.rows.quanta import shift_of


class SummedRows(NodesOfRows):
    """Rows over which vectors are summed: those of a node, those drawn, or all."""

    def sums(
        self,
        first: Vector,
        second: Vector,
        node: NodeRows | None = None,
        features: NDArray[np.intp] | None = None,
    ) -> tuple[Floats, tuple[float, float]]:
        """Sum two vectors in each bin; return the sums and bounds of their rounding errors.

        The sums are those of all features, or of the given ones.
        """
        (p, first), (q, second) = self._quantised(first), self._quantised(second)
        number = None if node is None else node.number
        columns = None if features is None else features.astype(np.int32)
        total = self.backend.sums(first, second, number, columns)
        # every row is rounded once, and a sum of up to 2**61 quanta once more as a float
        errors = (self.n_rows + 512) * p, (self.n_rows + 512) * q
        return total * np.array([p, q])[:, None, None], errors

    def rate_moments(
        self,
        amount: Vector,
        rate: Vector,
        node: NodeRows | None,
        features: NDArray[np.intp],
    ) -> tuple[NDArray[np.int64], float]:
        """Sum amount times rate**k, k = 0 to 3, in each bin of the features.

        Amounts are not negative, and rates between -1 and 1. Returns whole quanta, and the value of
        a quantum; each row is rounded once.
        """
        unit, scaled = self._quantised(amount)
        number = None if node is None else node.number
        columns = features.astype(np.int32)
        sums: NDArray[np.int64] = self.backend.rate_moments(scaled, rate, number, columns)
        return sums, unit

    def _quantised(self, values: Vector) -> tuple[float, Vector]:
        """Value of a quantum, and the values in quanta."""
        largest = max(float(values.max()), -float(values.min()))
        if largest == 0:
            return 0.0, values
        shift = shift_of(largest, self.n_rows)
        return ldexp(1.0, -shift), each(times_power_of_two, values, shift)

    def amounts_above(
        self,
        splits: Splits,
        values: Floats,
        limit: Floats,
        row_limit: Vector | None,
        amount: Vector | None,
    ) -> NDArray[Any]:
        """Amount of each class with a score above the limit, after each round of stumps."""
        given = splits, values, limit, row_limit, amount
        above: NDArray[Any] = self.backend.sum_staged(*given)
        return above
