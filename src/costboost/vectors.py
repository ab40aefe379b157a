"""Vectors with one number for every training row, and sums that do not depend on their order.

Rows may be divided into shards. A vector is then a `RowVector`, which holds the part of each shard;
with one shard it is a plain array. Elementwise functions of NumPy accept both. Only maxima and
whole numbers leave the shards, so a result never depends on how the rows are divided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import frexp, isfinite, ldexp
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from costboost.engine._kernels import TIE, greatest_size, sum_of_quanta

Floats = NDArray[np.float64]

ELEMENTWISE = {np.where, np.zeros_like}
"""Functions of NumPy that are not ufuncs and may be applied shard by shard."""


class RowVector(NDArrayOperatorsMixin):
    """A vector over rows that lie in several shards."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[NDArray[Any]]) -> None:
        self.parts = list(parts)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or "out" in options:
            return NotImplemented
        if ufunc.nout == 1:
            return each(lambda *given: ufunc(*given, **options), *inputs)
        return tuple(
            each(lambda *given, k=k: ufunc(*given, **options)[k], *inputs)
            for k in range(ufunc.nout)
        )

    def __array_function__(self, function: Any, types: Any, given: Any, options: Any) -> Any:
        if function is np.ndim:
            return 1
        return each(function, *given) if function in ELEMENTWISE else NotImplemented

    def __getitem__(self, chosen: RowVector) -> RowVector:
        """The entries that a vector of flags, or of places within each shard, chooses."""
        return RowVector([part[at] for part, at in zip(self.parts, chosen.parts, strict=True)])

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    @property
    def dtype(self) -> Any:
        return self.parts[0].dtype

    def max(self) -> Any:
        return max(part.max() for part in self.parts if part.size)

    def min(self) -> Any:
        return min(part.min() for part in self.parts if part.size)

    def astype(self, dtype: Any) -> RowVector:
        return RowVector([part.astype(dtype) for part in self.parts])


Vector = Any
"""An array over the rows of one shard, or a `RowVector`."""


def parts_of(vector: Vector) -> list[NDArray[Any]]:
    """The arrays that a vector consists of, one for each shard."""
    return vector.parts if isinstance(vector, RowVector) else [vector]


def joined(parts: Sequence[NDArray[Any]]) -> Vector:
    """The vector that consists of the arrays."""
    return parts[0] if len(parts) == 1 else RowVector(parts)


def each(function: Callable[..., NDArray[Any]], *given: Any) -> Vector:
    """Apply a function of arrays shard by shard; other arguments are passed to every shard."""
    n = max((len(one.parts) for one in given if isinstance(one, RowVector)), default=1)
    return joined(
        [
            function(*(one.parts[k] if isinstance(one, RowVector) else one for one in given))
            for k in range(n)
        ]
    )


def first_least(values: Floats) -> int:
    """The index of the first value within `TIE` of the least."""
    return int(np.flatnonzero(values <= values.min() + TIE)[0])


# ---- sums ----------------------------------------------------------------------------------------


def exact_sum(values: Vector) -> float:
    """A sum of whole quanta, which does not depend on the order of the values."""
    parts = [np.ascontiguousarray(part, dtype=np.float64) for part in parts_of(values)]
    largest = max(greatest_size(part) for part in parts)
    if largest == 0.0 or not isfinite(largest):
        return largest
    shift = 62 - sum(part.size for part in parts).bit_length() - frexp(largest)[1]
    if abs(shift) < 1000:
        quanta = sum(sum_of_quanta(part, ldexp(1.0, shift)) for part in parts)
    else:  # 2**shift is no number
        quanta = sum(sum_of_quanta(np.ldexp(part, shift), 1.0) for part in parts)
    return ldexp(float(quanta), -shift)


def times_power_of_two(values: Floats, exponent: int) -> Floats:
    """values * 2**exponent, by a product if 2**exponent is a float, because that is faster."""
    if abs(exponent) < 1000:
        return values * ldexp(1.0, exponent)
    scaled: Floats = np.ldexp(values, exponent)
    return scaled


class Groups:
    """The rows of each of several groups, for maxima and sums by group.

    Vectors are first put into the order of the groups by `arranged`.
    """

    def __init__(self, group: Vector, n_groups: int) -> None:
        self.n_groups = n_groups
        self._parts = [_GroupedPart(part) for part in parts_of(group)]

    def arranged(self, values: Vector) -> Vector:
        """The values, group after group within each shard."""
        parts = zip(parts_of(values), self._parts, strict=True)
        return joined([part[own.order] for part, own in parts])

    def max(self, values: Vector) -> Floats:
        """The largest value of each group; minus infinity for a group without rows."""
        largest = np.full(self.n_groups, -np.inf)
        for part, own in zip(parts_of(values), self._parts, strict=True):
            if part.size:
                found = np.maximum.reduceat(part, own.first)
                largest[own.present] = np.maximum(largest[own.present], found)
        return largest

    def sum_of_quanta(self, values: Vector, shift: int) -> NDArray[np.int64]:
        """The sums of the values times 2**shift, each rounded to a whole number."""
        total = np.zeros(self.n_groups, dtype=np.int64)
        for part, own in zip(parts_of(values), self._parts, strict=True):
            if part.size:
                quanta = np.rint(np.ldexp(part, shift)).astype(np.int64)
                total[own.present] += np.add.reduceat(quanta, own.first)
        return total


class _GroupedPart:
    """The rows of one shard, sorted by group."""

    def __init__(self, group: NDArray[Any]) -> None:
        self.order = np.argsort(group, kind="stable")
        in_order = group[self.order].astype(np.intp)
        self.first = np.flatnonzero(np.diff(in_order, prepend=-1))
        self.present = in_order[self.first]
