"""Arithmetic with the same bits on every machine, and however rows are divided.

Rows may be divided into shards. A vector with one number for every training row is then a
`RowVector`, with a part in each shard; with one shard in this process it is a plain array.
Elementwise functions of NumPy accept both. Only maxima and whole numbers leave the shards, so a
result never depends on how the rows are divided.

Functions of NumPy, SciPy and the C library, and products of matrices by BLAS, differ in the last
bit between processors. Whatever decides in training, or is stored in a model, or is a probability,
is computed by the functions of this module instead. They accept numbers, for which they return a
float, arrays, and vectors over the rows of several shards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import frexp, isfinite, ldexp, sqrt
from operator import getitem
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from costboost._core.arrays import Floats as Floats
from costboost._core.engine import _kernels
from costboost._core.engine._kernels import TIE, greatest_size, sum_of_quanta
from costboost._core.engine._kernels import dot as dot
from costboost._core.engine._kernels import logistic_point as logistic_point
from costboost._core.engine._kernels import newton_sums as newton_sums

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


# ---- elementary functions and sums of products ---------------------------------------------------


def exp(x: Any) -> Any:
    """e^x."""
    return each(_kernels.exp, x) if isinstance(x, RowVector) else _kernels.exp(x)


def exp_within(x: Any, rate: float, most: float) -> Any:
    """e^(rate x); None if the absolute value of an exponent is ``most`` or more."""
    if not isinstance(x, RowVector):
        return _kernels.exp_within(x, rate, most)
    exponent = rate * x
    return exp(exponent) if exponent.min() > -most and exponent.max() < most else None


def sinh(x: Any) -> Any:
    """(e^x - e^-x) / 2, without loss of precision for small x."""
    return each(_kernels.sinh, x) if isinstance(x, RowVector) else _kernels.sinh(x)


def log(x: Any) -> Any:
    """The natural logarithm; minus infinity of 0."""
    return each(_kernels.log, x) if isinstance(x, RowVector) else _kernels.log(x)


def log1p(x: Any) -> Any:
    """log(1 + x), without loss of precision for small x."""
    return each(_kernels.log1p, x) if isinstance(x, RowVector) else _kernels.log1p(x)


def expit(x: Any) -> Any:
    """The logistic function 1 / (1 + e^-x)."""
    return each(_kernels.expit, x) if isinstance(x, RowVector) else _kernels.expit(x)


def logit(p: Any) -> Any:
    """log(p / (1 - p)), the inverse of `expit`."""
    return each(_kernels.logit, p) if isinstance(p, RowVector) else _kernels.logit(p)


def power(x: Any, exponent: float) -> Any:
    """x^exponent, for x from 0 on."""
    if isinstance(x, RowVector):
        return each(partial(_kernels.power, exponent=exponent), x)
    return _kernels.power(x, exponent)


def matrix_product(a: Floats, b: Floats) -> Floats:
    """The product of two matrices, or of a matrix and a vector."""
    left = np.ascontiguousarray(a, dtype=np.float64)
    right = np.ascontiguousarray(b, dtype=np.float64)
    if right.ndim == 1:
        return _kernels.matrix_product(left, right[:, np.newaxis])[:, 0]
    return _kernels.matrix_product(left, right)


MOST_SWEEPS = 60


def symmetric_inverse(matrix: Any) -> Floats:
    """The inverse of a symmetric matrix, or the pseudoinverse of Moore and Penrose.

    It is diagonalised by rotations of two columns, Jacobi's method, and eigenvalues that are 0 but
    for rounding are left out. For few columns.
    """
    n = len(matrix)
    values = np.array(matrix, dtype=np.float64).reshape(n, n).tolist()
    vectors = np.eye(n).tolist()
    for _ in range(MOST_SWEEPS):
        sizes = np.abs(values).reshape(n, n)
        beside = (sizes - np.diag(np.diag(sizes))).sum()
        if beside <= 1e-30 * sizes.sum():
            break
        for i in range(n):
            for j in range(i + 1, n):
                _rotate(values, vectors, i, j)
    eigenvalues = np.diag(np.reshape(values, (n, n)))
    least = n * np.finfo(np.float64).eps * np.abs(eigenvalues).max(initial=0.0)
    there = np.abs(eigenvalues) > least
    kept = np.reshape(vectors, (n, n))[:, there]
    return matrix_product(kept / eigenvalues[there], kept.T)


def _rotate(values: list[list[float]], vectors: list[list[float]], i: int, j: int) -> None:
    """Rotate columns and rows i and j so that the entry where they cross becomes 0.

    Lists, as arrays of so few numbers take longer.
    """
    across = values[i][j]
    if across == 0:
        return
    half = (values[j][j] - values[i][i]) / 2
    size = abs(half) + sqrt(half * half + across * across)
    tangent = (across if half >= 0 else -across) / (size or abs(across))
    cosine = 1 / sqrt(1 + tangent * tangent)
    sine = tangent * cosine
    for table in (values, vectors):
        for row in table:
            first, second = row[i], row[j]
            row[i], row[j] = cosine * first - sine * second, sine * first + cosine * second
    for k, (first, second) in enumerate(zip(values[i], values[j], strict=True)):
        values[i][k], values[j][k] = cosine * first - sine * second, sine * first + cosine * second
    values[i][j] = values[j][i] = 0.0


LARGE = 1e300
"""Points beyond this are halved before they are subtracted, which would overflow."""


def interpolate(x: Any, at: Floats, values: Floats) -> Any:
    """Values at x by lines between those at increasing points; the first and last one beyond.

    It has the bits of ``np.interp`` where that is compiled without fused multiply-add.
    """
    if isinstance(x, RowVector):
        return each(partial(interpolate, at=at, values=values), x)
    if at.size < 2:
        return np.full(x.shape, values[0])
    k = np.clip(np.searchsorted(at, x, side="right") - 1, 0, at.size - 2)
    part = 0.5 if max(abs(at[0]), abs(at[-1])) > LARGE else 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        slope = np.diff(values) / np.diff(part * at)
        inside: Floats = slope[k] * (part * np.clip(x, at[0], at[-1]) - part * at[k]) + values[k]
    inside = np.where(x == at[k], values[k], inside)
    return np.where(x >= at[-1], values[-1], np.where(x < at[0], values[0], inside))
