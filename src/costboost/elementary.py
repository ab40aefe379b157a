"""Exponentials, logarithms, powers and sums of products with the same bits on every machine.

Functions of NumPy, SciPy and the C library, and products of matrices by BLAS, differ in the last
bit between processors. Whatever decides in training, or is stored in a model, or is a probability,
is computed by these instead. They accept numbers, for which they return a float, arrays, and
vectors over the rows of several shards.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from costboost.engine import _kernels
from costboost.engine._kernels import dot as dot
from costboost.engine._kernels import logistic_point as logistic_point
from costboost.engine._kernels import newton_sums as newton_sums
from costboost.vectors import Floats, RowVector, each


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
    pairs = list(zip(values[i], values[j], strict=True))
    values[i] = [cosine * first - sine * second for first, second in pairs]
    values[j] = [sine * first + cosine * second for first, second in pairs]
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
