"""Quanta: weights and responses are summed as whole numbers, whose sums do not depend on order."""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, ldexp

import numpy as np
from numpy.typing import NDArray

Histogram = NDArray[np.int64]

TARGET_BITS = 58
"""The weights of a class sum to about 2**58 quanta after they are scaled."""
LEAST, MOST = 2.0**54, 2.0**61
"""They are scaled again when their sum would leave this range."""

UNIT_BITS = 800
UNIT_LEAST, UNIT_MOST = 2.0**700, 2.0**900
"""Where the larger of the two units is kept; only their ratio matters."""

CONSTANTS_COMPETE = {"vote", "joint"}
"""Criteria under which a constant vote competes with the splits."""


def shift_of(largest: float, n: int) -> int:
    """k for which n values up to the largest, times 2**k, have a sum that fits."""
    return TARGET_BITS + 3 - n.bit_length() - frexp(largest)[1] if largest > 0 else 0


def without_cost(p: float, n: float, fn_cost: float, fp_cost: float) -> tuple[float, float]:
    """Units of w where those of D = c w are given; only their ratio matters."""
    unit, greatest = max(p, n) * 2.0**100, max(fn_cost, fp_cost)  # leaves room for the division
    return p / unit / (fn_cost / greatest), n / unit / (fp_cost / greatest)


def at_most_one(factors: Sequence[float]) -> tuple[list[float], int]:
    """Factors divided by a power of two, so that no product overflows, and its exponent."""
    exponent = frexp(max(factors))[1]
    return [ldexp(factor, -exponent) for factor in factors], exponent


def added(histograms: Sequence[Histogram]) -> Histogram:
    """The sum of the histograms of several shards."""
    return histograms[0] if len(histograms) == 1 else np.sum(histograms, axis=0)
