"""Beta calibration."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost._core.arithmetic import expit, log, log1p
from costboost._core.calibration.base import Calibrator, Sample
from costboost._core.calibration.sigmoid import LEAST_SLACK, Sigmoid, balanced_slack, fit_sigmoid
from costboost._core.calibration.unit import EDGE, check_unit
from costboost._core.checks import Floats


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
    that the fit is finite for scores that separate the classes. Scores that decrease where the
    labels increase give a = b = 0: the share of positives for every row.

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
        columns = np.column_stack(_logarithms(check_unit(sample.score)))
        (self.a_, self.b_), self.c_ = _best(columns, sample, self._slack(sample))

    def _slack(self, sample: Sample) -> Floats:
        """Difference between each row's target and its label in {0, 1}."""
        return np.full(sample.score.shape, LEAST_SLACK)

    def _map(self, score: Floats) -> Floats:
        of_one, of_other = _logarithms(check_unit(score))
        found: Floats = expit(of_one * self.a_ + of_other * self.b_ + self.c_)
        return found


class _SmoothedBeta(BetaCalibrator):
    """Beta calibration fitted to the targets of log-odds calibration."""

    def _slack(self, sample: Sample) -> Floats:
        return balanced_slack(sample.positive, sample.weight)


def smoothed_beta(score: Any, y: Any, sample_weight: Any = None) -> BetaCalibrator:
    """Beta calibration fitted to the targets of log-odds calibration."""
    return BetaCalibrator.from_state(_SmoothedBeta().fit(score, y, sample_weight).get_state())


def _logarithms(score: Floats) -> tuple[Floats, Floats]:
    """log s and -log(1 - s), both of which increase with the score."""
    inner = np.clip(score, EDGE, 1 - EDGE)
    return log(inner), -log1p(-inner)


def _best(columns: Floats, sample: Sample, slack: Floats) -> tuple[tuple[float, float], float]:
    """Non-negative coefficients and the intercept of greatest likelihood."""

    def fit(*kept: int) -> tuple[Sigmoid, Floats]:
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
