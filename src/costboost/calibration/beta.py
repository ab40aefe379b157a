"""Beta calibration: a sigmoid of two logarithms of a score that is a probability already."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from costboost.calibration.base import Calibrator
from costboost.calibration.checks import Sample
from costboost.calibration.likelihood import Sigmoid, fit_sigmoid
from costboost.calibration.sigmoid import LEAST_SLACK
from costboost.checks import Floats

EDGE = 1e-10
"""Scores are kept this far from 0 and 1, where their logarithms end."""


class BetaCalibrator(Calibrator):
    r"""Beta calibration: for scores in [0, 1] whose two ends may be distorted differently.

    .. math::

        P(y=+1 \mid s) = \frac{1}{1 + 1 \Big/ \left(e^c \frac{s^a}{(1-s)^b}\right)},
        \qquad a, b \ge 0

    with a, b, c of greatest likelihood: logistic regression on log s and -log(1 - s). If a
    coefficient comes out negative it is dropped and the others are fitted again, as in the paper,
    so that a higher score never means a lower probability. That is the best fit with a, b >= 0;
    where both come out negative, each of the two is tried without the other.

    Take it when the score is a probability, or a share of votes. Unlike Platt's sigmoid it can
    leave good probabilities as they are: a = b = 1, c = 0 is the identity.

    Attributes
    ----------
    a_, b_, c_ : float
        The three parameters.
    classes_ : array of shape (2,)
        The labels; the second one is positive.

    Notes
    -----
    Scores are clipped to [1e-10, 1 - 1e-10]. Targets are those of :class:`LogisticCalibrator`, so
    that scores that separate the classes have a finite answer. Scores that run against the labels
    give a = b = 0: the share of positives for every row.

    References
    ----------
    M. Kull, T. Silva Filho, P. Flach, "Beta calibration: a well-founded and easily implemented
    improvement on logistic calibration for binary classifiers", AISTATS 2017.

    Examples
    --------
    >>> from costboost.calibration import BetaCalibrator
    >>> beta = BetaCalibrator().fit([0.1, 0.3, 0.4, 0.6, 0.8], [0, 0, 1, 0, 1])
    >>> beta.probability([0.0, 0.5, 1.0]).round(3)
    array([0.   , 0.456, 1.   ])
    """

    a_: float
    b_: float
    c_: float

    def _learn(self, sample: Sample) -> None:
        columns = _logarithms(check_unit(sample.score))
        (self.a_, self.b_), self.c_ = _best(columns, sample)

    def _map(self, score: Floats) -> Floats:
        logit = _logarithms(check_unit(score)) @ np.array([self.a_, self.b_]) + self.c_
        return np.asarray(expit(logit), dtype=np.float64)


def check_unit(score: Floats) -> Floats:
    """Scores from 0 to 1, or an error."""
    outside = (score < 0) | (score > 1)
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        raise ValueError(
            f"this calibration takes scores from 0 to 1, got {score[row]:g} in row {row}; pass "
            "probabilities, or take PlattCalibrator"
        )
    return score


def _logarithms(score: Floats) -> Floats:
    """log s and -log(1 - s): both rise with the score."""
    inner = np.clip(score, EDGE, 1 - EDGE)
    return np.column_stack([np.log(inner), -np.log1p(-inner)])


def _best(columns: Floats, sample: Sample) -> tuple[tuple[float, float], float]:
    """Coefficients not below 0, and the intercept, of greatest likelihood."""

    def fit(*kept: int) -> tuple[Sigmoid, Floats]:
        slack = np.full(sample.score.shape, LEAST_SLACK)
        fitted = fit_sigmoid(columns[:, kept], sample.positive, sample.weight, slack)
        weights = np.zeros(2)
        weights[list(kept)] = fitted.weights
        return fitted, weights

    candidates = [fit(0, 1)]
    if np.any(candidates[0][1] < 0):
        candidates = [fit(0), fit(1), fit()]
    allowed = [one for one in candidates if np.all(one[1] >= 0)]
    fitted, (a, b) = min(allowed, key=lambda one: one[0].loss)
    return (float(a), float(b)), fitted.intercept
