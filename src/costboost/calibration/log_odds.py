"""Platt's sigmoid of the log-odds: for scores that are probabilities of a likelihood already."""

from __future__ import annotations

import numpy as np

from costboost.calibration.beta import EDGE, check_unit
from costboost.calibration.checks import Sample
from costboost.calibration.sigmoid import PlattCalibrator
from costboost.checks import Floats


class LogOddsCalibrator(PlattCalibrator):
    r"""Platt scaling of the log-odds of a score in [0, 1].

    .. math::

        P(y=+1 \mid s) = \frac{1}{1 + e^{A \log(s / (1 - s)) + B}}

    with A and B as in :class:`PlattCalibrator`, corrected targets included. It is beta calibration
    with a = b, and leaves good probabilities as they are (A = -1, B = 0), which Platt's sigmoid of
    the score itself cannot: that one flattens both ends. Take it for scores of a logistic loss,
    such as those of LogitBoost, whose fault is mostly too much confidence.

    Attributes
    ----------
    a_, b_ : float
        A and B.
    center_, scale_, slope_, offset_ : float
        The same line as it is stored.
    classes_ : array of shape (2,)
        The labels; the second one is positive.

    Notes
    -----
    Scores are clipped to [1e-10, 1 - 1e-10].

    References
    ----------
    J. C. Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin
    Classifiers, 1999. C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, "On calibration of modern neural
    networks", ICML 2017 (matrix and temperature scaling, of which this is the binary form).

    Examples
    --------
    >>> from costboost.calibration import LogOddsCalibrator
    >>> calibrator = LogOddsCalibrator().fit([0.1, 0.3, 0.4, 0.6, 0.8], [0, 0, 1, 0, 1])
    >>> calibrator.probability([0.1, 0.5, 0.9]).round(3)
    array([0.199, 0.456, 0.739])
    """

    def _learn(self, sample: Sample) -> None:
        super()._learn(sample._replace(score=_log_odds(sample.score)))

    def _map(self, score: Floats) -> Floats:
        return super()._map(_log_odds(score))


def _log_odds(score: Floats) -> Floats:
    s = np.clip(check_unit(score), EDGE, 1 - EDGE)
    return np.asarray(np.log(s) - np.log1p(-s))
