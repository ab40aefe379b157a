"""Platt scaling of scores, or of the log-odds of probabilities."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from costboost._core.arithmetic import expit
from costboost._core.calibration.base import Calibrator, Sample
from costboost._core.calibration.sigmoid import (
    LEAST_SLACK,
    balanced_slack,
    fit_sigmoid,
    smoothing_slack,
    standardise,
)
from costboost._core.calibration.unit import log_odds
from costboost._core.checks import Floats

LARGEST = float(np.finfo(np.float64).max)


class _SigmoidCalibrator(Calibrator):
    """A sigmoid of the standardised score, whose coefficients are finite for scores of any size."""

    center_: float
    scale_: float
    slope_: float
    offset_: float

    def _slack(self, sample: Sample) -> Floats:
        """Difference between each row's target and its label in {0, 1}."""
        raise NotImplementedError

    def _learn(self, sample: Sample) -> None:
        fitted = fit_sigmoid(
            sample.score[:, None], sample.positive, sample.weight, self._slack(sample)
        )
        self.center_, self.scale_ = float(fitted.center[0]), float(fitted.scale[0])
        self.slope_, self.offset_ = float(fitted.slope[0]), fitted.offset

    def _map(self, score: Floats) -> Floats:
        z = standardise(score, self.center_, self.scale_)
        with np.errstate(over="ignore"):
            found: Floats = expit(self.slope_ * z + self.offset_)
        return found

    @property
    def increases(self) -> bool:
        return self.slope_ >= 0

    @property
    def a_(self) -> float:
        """A in 1 / (1 + exp(A s + B)); below 0 if higher scores are more often positive."""
        return _finite(0.0 - self.slope_ / self.scale_)

    @property
    def b_(self) -> float:
        """B in 1 / (1 + exp(A s + B))."""
        return _finite(self.slope_ * (self.center_ / self.scale_) - self.offset_)


def _finite(value: float) -> float:
    return max(-LARGEST, min(LARGEST, value))


class PlattCalibrator(_SigmoidCalibrator):
    r"""Platt scaling: a sigmoid of the score, fitted to smoothed targets.

    .. math::

        P(y=+1 \mid s) = \frac{1}{1 + e^{A s + B}}

    with A and B of greatest likelihood for the targets

    .. math::

        t_+ = \frac{n_+ + 1}{n_+ + 2}, \qquad t_- = \frac{1}{n_- + 2}.

    Take it when rows for calibration are few, and for the scores of boosting, whose distortion is a
    sigmoid. Take :class:`IsotonicCalibrator` when there are thousands and the distortion may be
    of another shape.

    Attributes
    ----------
    a_, b_ : float
        A and B.
    center_, scale_, slope_, offset_ : float
        The stored form of A and B: A s + B = -(slope (s - center) / scale + offset). It stays
        exact for scores of any size.
    classes_ : array of shape (2,)
        The labels; the second one is positive.

    Notes
    -----
    The numbers of positive and negative rows in the targets are sums of weights: a weight of 2 is
    equivalent to repeating the row. With weights that add up to 1, all targets and probabilities
    are therefore near 1/2; pass counts.

    Scores that separate the classes give a finite, steep sigmoid, constant scores A = 0.
    Multiplying the scores by a number or shifting them changes no probability.

    References
    ----------
    J. C. Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin
    Classifiers, 1999. H.-T. Lin, C.-J. Lin, R. C. Weng, "A note on Platt's probabilistic outputs
    for support vector machines", Machine Learning 68, 2007.

    Examples
    --------
    >>> from costboost.calibration import PlattCalibrator
    >>> platt = PlattCalibrator().fit([0.1, 0.3, 0.4, 0.6, 0.8], [0, 0, 1, 0, 1])
    >>> platt.probability([0.0, 0.5, 1.0]).round(3)
    array([0.183, 0.451, 0.752])
    """

    _smoothing: ClassVar[float] = 1.0

    def _slack(self, sample: Sample) -> Floats:
        return smoothing_slack(sample.positive, sample.weight, self._smoothing)


class LogisticCalibrator(_SigmoidCalibrator):
    r"""Logistic calibration: the sigmoid of the score that has the greatest likelihood.

    .. math::

        P(y=+1 \mid s) = \frac{1}{1 + e^{A s + B}}

    It is :class:`PlattCalibrator` without the corrected targets. The two differ on small samples,
    where this one is the more confident: prefer Platt's there. Multiplying all weights by a number
    changes nothing here.

    Attributes
    ----------
    a_, b_ : float
        A and B.
    center_, scale_, slope_, offset_ : float
        The stored form of A and B: A s + B = -(slope (s - center) / scale + offset).
    classes_ : array of shape (2,)
        The labels; the second one is positive.

    Notes
    -----
    For scores that separate the classes the likelihood has no maximum: it grows with the slope.
    Targets of 1 - 1e-10 and 1e-10 make the slope finite; for other scores their effect is
    negligible.

    References
    ----------
    A. Niculescu-Mizil, R. Caruana, "Obtaining calibrated probabilities from boosting", UAI 2005.

    Examples
    --------
    >>> from costboost.calibration import LogisticCalibrator
    >>> logistic = LogisticCalibrator().fit([0.1, 0.3, 0.4, 0.6, 0.8], [0, 0, 1, 0, 1])
    >>> logistic.probability([0.0, 0.5, 1.0]).round(3)
    array([0.045, 0.447, 0.932])
    """

    def _slack(self, sample: Sample) -> Floats:
        return np.full(sample.score.shape, LEAST_SLACK)


class LogOddsCalibrator(PlattCalibrator):
    r"""Platt scaling of the log-odds of a score in [0, 1].

    .. math::

        P(y=+1 \mid s) = \frac{1}{1 + e^{A \log(s / (1 - s)) + B}}

    with A and B of greatest likelihood for the targets

    .. math::

        t_+ = 1 - \frac{m}{n_+}, \qquad t_- = \frac{m}{n_-}, \qquad
        m = \frac{n s}{n + 2 s}, \quad s = \frac{1}{4} + \frac{5}{n}, \quad n = \min(n_+, n_-).

    It is beta calibration with a = b, and leaves good probabilities as they are (A = -1, B = 0),
    which Platt's sigmoid of the score itself cannot: it flattens both ends. Take it for scores of a
    logistic loss, such as those of LogitBoost, which are mostly too confident.

    Attributes
    ----------
    a_, b_ : float
        A and B.
    center_, scale_, slope_, offset_ : float
        The stored form of A and B: A t + B = -(slope (t - center) / scale + offset), where t is
        the log-odds of the score.
    classes_ : array of shape (2,)
        The labels; the second one is positive.

    Notes
    -----
    Scores are clipped to [1e-10, 1 - 1e-10].

    Where there are many rows the targets are nearer to 0 and 1 than Platt's, which add s = 1: with
    n negative rows no probability below about 1 / (n + 2) is then learned, and from a hundred rows
    no decision that depends on a probability of 1%, as it does where a false negative costs a
    hundred times as much as a false positive. Where a class has few rows they are farther from 0
    and 1, as these rows may be far from the others by chance: three rows of one class that the
    scores separate from the others are given about 0.7. Both classes lose the same weight m, so
    that the mean of the targets is the share of the positives. Without any correction, classes that
    the scores separate would have probabilities of exactly 0 and 1.

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
    array([0.242, 0.425, 0.632])
    """

    def _slack(self, sample: Sample) -> Floats:
        return balanced_slack(sample.positive, sample.weight)

    def _learn(self, sample: Sample) -> None:
        super()._learn(sample._replace(score=log_odds(sample.score)))

    def _map(self, score: Floats) -> Floats:
        return super()._map(log_odds(score))
