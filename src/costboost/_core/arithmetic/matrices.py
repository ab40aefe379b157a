"""Products or inverses of matrices, with the same bits on every machine."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from costboost._core.arrays import Floats
from costboost._core.engine import _kernels


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
