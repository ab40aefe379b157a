"""Vectors with one number for every training row, and sums that do not depend on their order.

Rows may be divided into shards. A vector is then a `RowVector`, with a part in each shard; with one
shard in this process it is a plain array. Elementwise functions of NumPy accept both. Only maxima
and whole numbers leave the shards, so a result never depends on how the rows are divided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import frexp, isfinite, ldexp
from operator import getitem
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from costboost.engine._kernels import TIE, greatest_size, sum_of_quanta

Floats = NDArray[np.float64]

ELEMENTWISE = {np.where, np.zeros_like}
"""Functions of NumPy that are not ufuncs and may be applied shard by shard."""


class RowVector(NDArrayOperatorsMixin):
    """A vector over rows that lie in several shards; subclasses know where its parts are.

    Elementwise functions of NumPy return another vector. Only `collect` returns numbers.
    """

    __slots__ = ()

    def apply(self, function: Callable[..., Any], given: Sequence[Any]) -> RowVector:
        """Apply a function to the parts of each shard; its results are the parts of a vector."""
        raise NotImplementedError

    def collect(self, function: Callable[..., Any], given: Sequence[Any]) -> list[Any]:
        """Apply a function to the parts of each shard; return its results."""
        raise NotImplementedError

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or "out" in options:
            return NotImplemented
        function = partial(ufunc, **options) if options else ufunc
        if ufunc.nout == 1:
            return self.apply(function, inputs)
        return tuple(self.apply(partial(_output, function, k), inputs) for k in range(ufunc.nout))

    def __array_function__(self, function: Any, types: Any, given: Any, options: Any) -> Any:
        if function is np.ndim:
            return 1
        return self.apply(function, given) if function in ELEMENTWISE else NotImplemented

    def __getitem__(self, chosen: RowVector) -> RowVector:
        """The entries that a vector of flags, or of places within each shard, chooses."""
        return self.apply(getitem, (self, chosen))

    @property
    def size(self) -> int:
        return sum(self.collect(len, (self,)))

    def max(self) -> Any:
        return max(one for one in self.collect(_greatest, (self,)) if one is not None)

    def min(self) -> Any:
        return min(one for one in self.collect(_least, (self,)) if one is not None)

    def astype(self, dtype: Any) -> RowVector:
        return self.apply(_converted, (self, dtype))


class LocalVector(RowVector):
    """A vector whose parts are in this process."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = list(parts)

    def apply(self, function: Callable[..., Any], given: Sequence[Any]) -> LocalVector:
        return LocalVector(self.collect(function, given))

    def collect(self, function: Callable[..., Any], given: Sequence[Any]) -> list[Any]:
        return [
            function(*(one.parts[k] if isinstance(one, LocalVector) else one for one in given))
            for k in range(len(self.parts))
        ]


def _output(function: Any, k: int, *given: Any) -> Any:
    return function(*given)[k]


def _greatest(part: NDArray[Any]) -> Any:
    return part.max() if part.size else None


def _least(part: NDArray[Any]) -> Any:
    return part.min() if part.size else None


def _converted(part: NDArray[Any], dtype: Any) -> NDArray[Any]:
    return part.astype(dtype)


Vector = Any
"""An array over the rows of one shard, or a `RowVector`."""


def parts_of(vector: Vector) -> list[NDArray[Any]]:
    """The arrays that a vector in this process consists of, one for each shard."""
    return vector.parts if isinstance(vector, LocalVector) else [vector]


def joined(parts: Sequence[Any]) -> Vector:
    """The vector that consists of the arrays."""
    return parts[0] if len(parts) == 1 else LocalVector(parts)


def each(function: Callable[..., Any], *given: Any) -> Vector:
    """Apply a function of arrays shard by shard; other arguments are passed to every shard.

    Rows may be in other processes: the function is one that can be pickled.
    """
    for one in given:
        if isinstance(one, RowVector):
            return one.apply(function, given)
    return function(*given)


def results(function: Callable[..., Any], *given: Any) -> list[Any]:
    """Apply a function of arrays shard by shard, as `each` does; return what it returns."""
    for one in given:
        if isinstance(one, RowVector):
            return one.collect(function, given)
    return [function(*given)]


def first_least(values: Floats) -> int:
    """The index of the first value within `TIE` of the least."""
    return int(np.flatnonzero(values <= values.min() + TIE)[0])


# ---- sums ----------------------------------------------------------------------------------------


def exact_sum(values: Vector, n: int | None = None) -> float:
    """A sum of whole quanta, which does not depend on the order of the values.

    ``n`` is the number of values if zeros among them are left out: quanta depend on it.
    """
    sizes = results(_size, values)
    largest: float = max(size for size, _ in sizes)
    if largest == 0.0 or not isfinite(largest):
        return largest
    count = sum(size for _, size in sizes) if n is None else n
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


def looked_up(values: NDArray[Any], index: Vector) -> Vector:
    """The value of each index."""
    return each(_at, values, index)


def _at(values: NDArray[Any], index: NDArray[Any]) -> NDArray[Any]:
    found: NDArray[Any] = values[index]
    return found


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
