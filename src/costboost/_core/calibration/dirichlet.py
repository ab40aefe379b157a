"""Dirichlet calibration of the probabilities of several classes."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple, Self

import numpy as np

from costboost._core.arithmetic import dot, exp, log, matrix_product, symmetric_inverse
from costboost._core.arrays import Codes
from costboost._core.checks import Floats

FLOOR = 0.01
"""Added to every share, so that the logarithm of a share of 0 is finite."""
BFGS_STEPS = 10_000
BFGS_SETTLED = 1e-15
"""Converged if a step would lower the loss by a smaller share: rounding errors are as large."""
REMEMBERED = 10
"""Steps from which second derivatives are estimated."""
ARMIJO = 1e-4
BFGS_HALVINGS = 40


class Dirichlet:
    """Dirichlet calibrator: P(.|x) = softmax(W log h(x) + b), after Kull et al. (2019).

    h(x) is H(.|x) with 0.01 added to every share. As W is a full matrix, the share of one class can
    raise the probability of another: if predicting a dog for a cat costs little, many votes for a
    dog are evidence of a cat. Calibrating each class separately could not represent that.

    W and b maximise the likelihood minus half the sum of the squares of W.

    Attributes
    ----------
    codes_ : int64 array
        Codes of the classes that occur in the held-out rows; other classes have probability 0.
    weights_ : float64 array of shape (n_codes, n_classes)
        The matrix W.
    offset_ : float64 array of shape (n_codes,)
        The vector b.
    """

    def __init__(self, shares: Floats, truth: Codes) -> None:
        logs = _logs(shares)
        middle = logs.mean(axis=0)  # centring needs a tenth of the iterations
        codes, place = np.unique(truth, return_inverse=True)
        weights, offset = softmax_regression(logs - middle, place, codes.size)
        self.codes_: Codes = codes.astype(np.int64)
        self.weights_: Floats = weights
        self.offset_: Floats = offset - matrix_product(weights, middle)

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Make a calibrator from its fitted attributes."""
        calibrator = cls.__new__(cls)
        calibrator.__dict__.update(state)
        return calibrator

    def probability(self, shares: Floats) -> Floats:
        """Probabilities of all classes; 0 for a class without held-out rows."""
        logits = matrix_product(_logs(shares), self.weights_.T) + self.offset_
        every = np.zeros_like(shares)
        every[:, self.codes_] = _softmax(logits)[0]
        return every


def _logs(shares: Floats) -> Floats:
    logs: Floats = log((shares + FLOOR) / (1 + FLOOR * shares.shape[1]))
    return logs


def _softmax(logits: Floats) -> tuple[Floats, Floats]:
    """Probabilities and their logarithms."""
    beyond = logits - logits.max(axis=1, keepdims=True)
    terms = exp(beyond)
    total = terms.sum(axis=1, keepdims=True)
    return terms / total, beyond - log(total)


class _Point(NamedTuple):
    """Coefficients with loss and gradient."""

    coefficients: Floats
    loss: float
    gradient: Floats


def softmax_regression(X: Floats, code: Codes, n_codes: int) -> tuple[Floats, Floats]:
    """Coefficients and intercepts of a multinomial logistic regression, the former penalised.

    The penalty is half the sum of squares. With two classes the first one is the reference, whose
    coefficients are 0.
    """
    n_rows, n_columns = X.shape
    A = np.column_stack([X, np.ones(n_rows)])
    penalty = np.append(np.ones(n_columns), 0.0)
    free = np.ones((n_codes, 1))
    if n_codes == 2:
        free[0] = 0.0
    transposed, rows = np.ascontiguousarray(A.T), np.arange(n_rows)

    def evaluate(coefficients: Floats) -> _Point:
        probability, log_probability = _softmax(matrix_product(A, coefficients.T))
        squares = (penalty * coefficients**2).sum()
        loss = -float(log_probability[rows, code].sum()) + 0.5 * float(squares)
        probability[rows, code] -= 1
        gradient = matrix_product(transposed, probability).T + penalty * coefficients
        return _Point(coefficients, loss, free * gradient)

    typical = (1 - 1 / n_codes) / n_codes  # curvature where all classes are equally probable
    inverse = symmetric_inverse(typical * matrix_product(transposed, A) + np.diag(penalty))
    point = evaluate(np.zeros((n_codes, n_columns + 1)))
    memory: deque[tuple[Floats, Floats]] = deque(maxlen=REMEMBERED)
    for _ in range(BFGS_STEPS):
        direction = _direction(point.gradient, memory, inverse)
        slope = dot(point.gradient.ravel(), direction.ravel())
        if -slope <= BFGS_SETTLED * point.loss:
            break
        following = _descend(evaluate, point, direction, slope)
        if following is None:
            break
        moved = (following.coefficients - point.coefficients).ravel()
        turned = (following.gradient - point.gradient).ravel()
        if dot(moved, turned) > 0:
            memory.append((moved, turned))
        point = following
    return point.coefficients[:, :-1].copy(), point.coefficients[:, -1].copy()


def _direction(gradient: Floats, memory: deque[tuple[Floats, Floats]], inverse: Floats) -> Floats:
    """Minus the gradient times the estimated inverse of the second derivatives."""
    q, factors = gradient.ravel(), []
    for moved, turned in reversed(memory):
        factor = dot(moved, q) / dot(moved, turned)
        factors.append(factor)
        q = q - factor * turned
    r = matrix_product(q.reshape(gradient.shape), inverse).ravel()
    for (moved, turned), factor in zip(memory, reversed(factors), strict=True):
        r = r + (factor - dot(turned, r) / dot(moved, turned)) * moved
    return -r.reshape(gradient.shape)


def _descend(evaluate: Any, point: _Point, direction: Floats, slope: float) -> _Point | None:
    """Halve a step until it lowers the loss enough; None if rounding allows no improvement."""
    size = 1.0
    for _ in range(BFGS_HALVINGS):
        following: _Point = evaluate(point.coefficients + size * direction)
        if following.loss <= point.loss + ARMIJO * size * slope:
            return following
        size /= 2
    return None
