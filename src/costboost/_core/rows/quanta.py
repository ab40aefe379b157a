"""Quanta: weights are summed as integers, so that sums do not depend on the order of rows."""

from __future__ import annotations

from math import frexp
from typing import Any

import numpy as np

from costboost._core.arithmetic import Floats, Vector
from costboost._core.backends.protocol import Backend, Histogram

TARGET_BITS = 58
"""The weights of a class sum to about 2**58 quanta after they are scaled."""
UNIT_BITS = 800
UNIT_LEAST, UNIT_MOST = 2.0**700, 2.0**900
"""Range of the larger of the two units; only their ratio matters."""
LEAST_FACTOR, MOST_FACTOR = 2.0**-50, 2.0**50
"""Range of factors by which units within their range may be multiplied as they are."""

CONSTANTS_COMPETE = {"vote", "joint"}
"""Criteria under which a constant vote competes with the splits."""


def shift_of(largest: float, n: int) -> int:
    """The k for which the sum of n values up to ``largest``, times 2**k, fits into 64 bits."""
    return TARGET_BITS + 3 - n.bit_length() - frexp(largest)[1] if largest > 0 else 0


def without_cost(p: float, n: float, fn_cost: float, fp_cost: float) -> tuple[float, float]:
    """Units of the weights w, given those of the costs times weights c w, up to a factor."""
    unit, greatest = max(p, n) * 2.0**100, max(fn_cost, fp_cost)  # leaves room for the division
    return p / unit / (fn_cost / greatest), n / unit / (fp_cost / greatest)


def scaled_by_class(factors: Any) -> tuple[Floats, list[int]]:
    """Divide the factors of each class by a power of two so that none is above 1.

    Returns them with a row for each class, and the exponents.
    """
    by_class = np.asarray(factors).reshape(2, -1)
    exponents = [frexp(greatest)[1] for greatest in by_class.max(axis=1).tolist()]
    return np.ldexp(by_class, [[-exponent] for exponent in exponents]), exponents


class BinSums:
    """Two sums over the rows of every bin of every feature, in quanta.

    The rows are those drawn for the round, if any are, and all of them otherwise.

    Attributes
    ----------
    draws : bool
        Whether rows are drawn.
    """

    _weighs = slice(0, 2)
    """Which of the two are sums of weights."""

    def __init__(self, backend: Backend[Vector]) -> None:
        self.backend = backend
        self._histogram = backend.histogram
        self._unit = [1.0, 1.0]
        self.draws = False

    @property
    def unit(self) -> list[float]:
        """Values of a quantum of either sum."""
        return self._unit

    def histogram(self) -> Histogram:
        """The two sums, in quanta, in every bin of every feature."""
        histogram: Histogram = self._histogram()
        if self.draws and not histogram[self._weighs, 0].any():
            self.backend.draw_all()
            histogram = self._histogram()
        return histogram

    def class_sums(self) -> tuple[float, float]:
        """The two sums over the rows: of the classes, or of response and weight."""
        sums = self.histogram()[:, 0].sum(axis=1)
        return self.unit[0] * int(sums[0]), self.unit[1] * int(sums[1])
