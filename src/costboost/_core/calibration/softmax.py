"""The softmax regression of several classes on their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from costboost._core.arithmetic import exp, log, matrix_product, symmetric_inverse
from costboost._core.arrays import Codes
from costboost._core.calibration.fitted_state import FittedState
from costboost._core.calibration.sigmoid import LOG_ODDS_SMOOTHING
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
