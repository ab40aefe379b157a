"""Expected costs of predictions or actions, and those of least expected cost.

Costs are a matrix truth x action, or one such matrix for each row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, matrix_product
from costboost._core.engine._kernels import TIE


def least_is_zero(costs: Floats) -> Floats:
    """Subtract the least cost of each row, so that the best prediction costs nothing."""
    beyond: Floats = costs - costs.min(axis=-1, keepdims=True)
    return beyond


def cheapest(costs: Floats, code: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
    """Class of least cost in each row: ``code`` if it is one of them, else the first."""
    best: NDArray[np.intp] = costs.argmin(axis=1)
    if code is None:
        return best
    rows = np.arange(len(code))
    return np.where(costs[rows, code] <= costs[rows, best], code, best)


def expected(probability: Floats, matrix: Floats) -> Floats:
    """Expected cost of predicting each class, by one matrix or by one for each row."""
    if matrix.ndim == 2:
        return matrix_product(probability, matrix)
    return np.asarray((probability[:, :, np.newaxis] * matrix).sum(axis=1))


def least_expected(probability: Floats, matrix: Floats) -> NDArray[np.intp]:
    """Class of least expected cost in each row; of equal ones, the first.

    Classes are compared by the differences of their costs. Large costs that they share, and those
    of other classes, then cause no rounding error::

        sum over i of P(i) (C(i, j) - C(i, best)) <= TIE sum over i of P(i) |C(i, j) - C(i, best)|
    """
    codes: NDArray[np.intp] = beyond_least(probability, matrix).argmin(axis=1)
    return codes


def beyond_least(probability: Floats, matrix: Floats) -> Floats:
    """Expected cost of each column beyond the least of its row; exactly 0 for ties.

    Columns of the matrix are compared as in `least_expected`; they may be more or fewer than the
    classes.
    """
    best = expected(probability, matrix).argmin(axis=1)
    best = _beyond(probability, matrix, best)[0].argmin(axis=1)
    beyond, size = _beyond(probability, matrix, best)
    return np.where(beyond <= TIE * size, 0.0, beyond)


def _beyond(probability: Floats, matrix: Floats, best: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Expected cost of each class minus that of the best, and the sum of absolute terms."""
    if matrix.ndim == 3:
        differences = matrix - np.take_along_axis(matrix, best[:, None, None], axis=2)
        return expected(probability, differences), expected(probability, np.abs(differences))
    beyond, size = np.empty((2, len(probability), matrix.shape[1]))
    for code in np.unique(best):
        rows, differences = best == code, matrix - matrix[:, [code]]
        beyond[rows] = expected(probability[rows], differences)
        size[rows] = expected(probability[rows], np.abs(differences))
    return beyond, size


def one_against_rest(matrix: Floats, share: Floats) -> tuple[Floats, Floats]:
    """Costs of a miss and of a false alarm for each class against the rest.

    A miss of class c costs the mean cost of predicting another class where c is true, and a false
    alarm the mean cost of predicting c where another class is true. Other classes are weighted by
    their shares::

        miss(c)  = sum over j != c of share(j) C(c, j) / sum of share(j)
        alarm(c) = sum over i != c of share(i) C(i, c) / sum of share(i)

    With two classes these are the two entries beside the diagonal.
    """
    beyond = least_is_zero(matrix)
    others = 1 - np.eye(len(share))
    rest = matrix_product(others, share)
    miss = matrix_product(beyond * others, share) / rest
    alarm = matrix_product((beyond * others).T, share) / rest
    floor = LEAST_COST * beyond.max()
    return np.maximum(miss, floor), np.maximum(alarm, floor)


LEAST_COST = 1e-9
"""Least cost of an error, as a share of the greatest: costs of 0 are raised to it."""
