"""Sums of whole quanta, which are the same in any order of the values.

Only maxima and whole numbers leave the shards, so that a sum never depends on how the rows are
divided.
"""

from __future__ import annotations

from math import frexp, isfinite, ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic.vectors import Vector, results
from costboost._core.arrays import Floats
from costboost._core.engine._kernels import greatest_size, sum_of_quanta


def exact_sum(values: Vector, n: int | None = None) -> float:
    """A sum of whole quanta, which does not depend on the order of the values.

    ``n`` is the number of values if zeros among them are left out: quanta depend on it.
    """
    sizes = results(_size, values)
    largest: float = max([size for size, _ in sizes])
    if largest == 0.0 or not isfinite(largest):
        return largest
    count = sum([size for _, size in sizes]) if n is None else n
    shift = 62 - count.bit_length() - frexp(largest)[1]
    return ldexp(float(sum(results(_sum_of_quanta, values, shift))), -shift)


def exact_sums(values: Vector, group: Vector, n_groups: int) -> Floats:
    """Sums of whole quanta of the values in each group, given by its number."""
    sizes = results(_size, values)
    largest = max(size for size, _ in sizes)
    if largest == 0.0:
        return np.zeros(n_groups)
    shift = 62 - sum(size for _, size in sizes).bit_length() - frexp(largest)[1]
    parts = results(_quanta_of_groups, values, group, n_groups, shift)
    total = parts[0]
    for one in parts[1:]:
        total = total + one
    return np.asarray(np.ldexp(total.astype(np.float64), -shift))


def _quanta_of_groups(
    values: Floats, group: NDArray[Any], n_groups: int, shift: int
) -> NDArray[np.int64]:
    """Sums of the values times 2**shift, each rounded to a whole number, in each group."""
    total = np.zeros(n_groups, dtype=np.int64)
    np.add.at(total, group, np.rint(np.ldexp(values, shift)).astype(np.int64))
    return total


def _size(values: NDArray[Any]) -> tuple[float, int]:
    """Greatest absolute value, and number of values."""
    return greatest_size(np.ascontiguousarray(values, dtype=np.float64)), values.size


def _sum_of_quanta(values: NDArray[Any], shift: int) -> int:
    """The sum of the values times 2**shift, each rounded to a whole number."""
    part = np.ascontiguousarray(values, dtype=np.float64)
    if abs(shift) < 1000:
        return sum_of_quanta(part, ldexp(1.0, shift))
    return sum_of_quanta(np.ldexp(part, shift), 1.0)  # 2**shift is no number


def times_power_of_two(values: Floats, exponent: int) -> Floats:
    """values * 2**exponent, by a product if 2**exponent is a float, because that is faster."""
    if abs(exponent) < 1000:
        return values * ldexp(1.0, exponent)
    scaled: Floats = np.ldexp(values, exponent)
    return scaled
