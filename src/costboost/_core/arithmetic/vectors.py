"""A vector with one number for every training row, wherever the rows are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import getitem
from typing import Any, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

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


Vector = NDArray[Any] | RowVector
"""An array over the rows of one shard, or a `RowVector`."""


where = cast("Callable[[Vector, Any, Any], Vector]", np.where)
"""`numpy.where`, which takes vectors as well."""


def parts_of(vector: Vector) -> list[NDArray[Any]]:
    """The arrays that a vector in this process consists of, one for each shard."""
    if isinstance(vector, LocalVector):
        return vector.parts
    assert not isinstance(vector, RowVector), "its parts are in other processes"
    return [vector]


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
    result: Vector = function(*given)
    return result


def results(function: Callable[..., Any], *given: Any) -> list[Any]:
    """Apply a function of arrays shard by shard, as `each` does; return what it returns."""
    for one in given:
        if isinstance(one, RowVector):
            return one.collect(function, given)
    return [function(*given)]


def looked_up(values: Vector, index: Vector) -> Vector:
    """The value of each index; of a vector, the entries that flags or places in a shard choose."""
    return each(getitem, values, index)
