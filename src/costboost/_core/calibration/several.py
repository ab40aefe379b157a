"""Calibrators of several classes, and softmax regressions on scores of classes.

A softmax regression has few coefficients: one for each set of scores, and perhaps an offset for
each class::

    P(k | x) = softmax(a_1 F_1k + ... + a_m F_mk + b_k)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from costboost._core.arithmetic import dot, exp, log, matrix_product, symmetric_inverse
from costboost._core.arrays import Codes
from costboost._core.calibration.calibrators import LOG_ODDS_SMOOTHING, Calibrator
from costboost._core.checks import Floats

MOST_STEPS, MOST_HALVINGS = 50, 20
SETTLED = 1e-9
"""Newton's method ends when a step lowers the loss by a smaller share."""
RIDGE = 1.0
"""Penalty of squared offsets: that of half a row of evidence for no offset."""
LEAST_CURVATURE = 1e-10
"""Added to the second derivatives, as a share of the weight of all rows."""


class SoftmaxFit(NamedTuple):
    """Coefficients of a softmax regression, and its mean loss."""

    weights: Floats
    offset: Floats
    loss: float

    def logits(self, scores: Sequence[Floats]) -> Floats:
        """The logit of each class, a column for each."""
        total = np.tile(self.offset, (len(scores[0]), 1))
        for weight, one in zip(self.weights.tolist(), scores, strict=True):
            total += weight * one
        return total


def log_softmax(logits: Floats) -> Floats:
    """Logarithms of the shares e^t_k / sum of e^t_j."""
    beyond = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(beyond - log(exp(beyond).sum(axis=1))[:, None])


def smoothed_targets(code: Codes, counts: Floats, n_classes: int) -> Floats:
    """Targets of all classes: (n + 1/4) / (n + 1/2) for the own class, which has n rows.

    The rest is divided among the other classes, so that the regression is finite if the scores
    separate the classes.
    """
    total = np.bincount(code, counts, n_classes)
    slack = (LOG_ODDS_SMOOTHING / (total + 2 * LOG_ODDS_SMOOTHING))[code]
    targets = np.repeat((slack / (n_classes - 1))[:, None], n_classes, axis=1)
    targets[np.arange(code.size), code] = 1 - slack
    return targets


def softmax_fit(
    scores: Sequence[Floats],
    code: Codes,
    counts: Floats,
    offsets: bool = False,
    start: SoftmaxFit | None = None,
    settled: float = SETTLED,
) -> SoftmaxFit:
    """The softmax regression of least loss, by Newton's method.

    Steps are halved until they lower the loss. ``start`` is a known regression to begin with.
    """
    n_classes, m = scores[0].shape[1], len(scores)
    targets = smoothed_targets(code, counts, n_classes)
    total = float(counts.sum())
    ridge = RIDGE / total

    def evaluate(weights: Floats, offset: Floats) -> tuple[SoftmaxFit, Floats]:
        logs = log_softmax(SoftmaxFit(weights, offset, 0.0).logits(scores))
        loss = -float((counts * (targets * logs).sum(axis=1)).sum()) / total
        loss += 0.5 * ridge * float((offset**2).sum())
        return SoftmaxFit(weights, offset, loss), exp(logs)

    first = np.ones(m) / m if start is None else start.weights
    point, shares = evaluate(first, np.zeros(n_classes) if start is None else start.offset)
    for _ in range(MOST_STEPS):
        gradient, curvature = _derivatives(scores, targets, shares, counts / total, offsets)
        if offsets:
            gradient[m:] -= ridge * point.offset
            curvature[m:, m:] += ridge * np.eye(n_classes)
        curvature += LEAST_CURVATURE * np.eye(len(curvature))
        move = matrix_product(symmetric_inverse(curvature), gradient)
        size, before = 1.0, point
        for _ in range(MOST_HALVINGS):
            shift = size * move[m:] if offsets else 0.0
            found = evaluate(before.weights + size * move[:m], before.offset + shift)
            if found[0].loss < before.loss:
                point, shares = found
                break
            size /= 2
        if before.loss - point.loss <= settled * point.loss:
            break
    return point


def _derivatives(
    scores: Sequence[Floats], targets: Floats, shares: Floats, counts: Floats, offsets: bool
) -> tuple[Floats, Floats]:
    """Negative gradient of the mean loss, and its second derivatives."""
    m, n_classes = len(scores), shares.shape[1]
    size = m + n_classes if offsets else m
    gradient, curvature = np.zeros(size), np.zeros((size, size))
    slack, weighted = counts[:, None] * (targets - shares), counts[:, None] * shares
    inner = [one - (shares * one).sum(axis=1)[:, None] for one in scores]
    for j, one in enumerate(scores):
        gradient[j] = float((slack * one).sum())
        for k in range(j + 1):
            curvature[j, k] = curvature[k, j] = float((weighted * inner[j] * scores[k]).sum())
        if offsets:
            curvature[j, m:] = curvature[m:, j] = (weighted * inner[j]).sum(axis=0)
    if offsets:
        gradient[m:] = slack.sum(axis=0)
        product = matrix_product(np.ascontiguousarray(weighted.T), shares)
        curvature[m:, m:] = np.diag(weighted.sum(axis=0)) - product
    return gradient, curvature


# ---- calibrators ---------------------------------------------------------------------------------


class FittedState:
    """Base of calibrators of several classes, which are made from their fitted attributes."""

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Make a calibrator from its fitted attributes."""
        calibrator = cls()
        calibrator.__dict__.update(state)
        return calibrator


class SoftmaxCalibrator(FittedState):
    """Temperature scaling with offsets: P(k | x) = softmax(a F_k + b_k).

    It is the form of log-odds calibration for several classes, after Guo et al. (2017): the factor
    a corrects scores that are too confident, and the offsets b shares of classes that are wrong on
    average. Both maximise the likelihood, with targets near 0 and 1 instead of these and a small
    penalty of the offsets.

    Attributes
    ----------
    slope_ : float
        The factor a.
    offset_ : array of shape (n_classes,)
        The offsets b.
    """

    slope_: float
    offset_: Floats

    @classmethod
    def fitted(cls, score: Floats, code: Codes, counts: Floats) -> Self:
        """Fit the calibrator to scores of held-out rows, a column for each class."""
        found = softmax_fit([score], code, counts, offsets=True)
        return cls.from_state(
            {"slope_": max(float(found.weights[0]), 0.0), "offset_": found.offset}
        )

    def probability(self, score: Floats) -> Floats:
        """Probability of each class, a column for each."""
        return np.asarray(exp(log_softmax(self.slope_ * score + self.offset_)))


class ClassCalibrators(FittedState):
    """A calibrator of two classes for each class against the rest, and probabilities with sum 1.

    The score of a class is its share softmax(F)_k.

    Attributes
    ----------
    members_ : list of Calibrator
    """

    members_: list[Calibrator]

    @classmethod
    def fitted(cls, kind: type[Calibrator], score: Floats, code: Codes, counts: Floats) -> Self:
        """Fit a calibrator of the kind for each class to scores of held-out rows."""
        shares = np.ascontiguousarray(exp(log_softmax(score)).T)
        members = [kind().fit(share, code == k, counts) for k, share in enumerate(shares)]
        return cls.from_state({"members_": members})

    def probability(self, score: Floats) -> Floats:
        """Probability of each class, a column for each; uniform where all are 0."""
        shares = np.ascontiguousarray(exp(log_softmax(score)).T)
        found = np.column_stack(
            [one.probability(share) for one, share in zip(self.members_, shares, strict=True)]
        )
        total = found.sum(axis=1, keepdims=True)
        return np.where(total > 0, found / np.where(total > 0, total, 1), 1 / found.shape[1])


# ---- Dirichlet calibration -----------------------------------------------------------------------

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


# ---- softmax regression by the limited-memory BFGS method ----------------------------------------


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
