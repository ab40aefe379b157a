"""One sigmoid of the score: Platt's, and the plain logistic one."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from costboost.calibration.base import Calibrator
from costboost.calibration.checks import Sample
from costboost.calibration.likelihood import fit_sigmoid, standardise
from costboost.checks import Floats

LEAST_SLACK = 1e-10
"""Keeps a plain logistic fit finite; without effect that one could see on scores that overlap."""
NO_SLACK = 1e-30
"""Evidence of more rows than there can be is cut here, so that margins stay below 70."""
LARGEST = float(np.finfo(np.float64).max)


class _SigmoidCalibrator(Calibrator):
    """The fitted line is kept in standard form, which is finite for scores of any size."""

    center_: float
    scale_: float
    slope_: float
    offset_: float

    def _slack(self, sample: Sample) -> Floats:
        """How far each row's target is from its class."""
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
            return np.asarray(expit(self.slope_ * z + self.offset_), dtype=np.float64)

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
    r"""Platt scaling: a sigmoid of the score, fitted to targets a little away from 0 and 1.

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
        The same line as it is stored: A s + B = -(slope (s - center) / scale + offset). It stays
        exact for scores of any size.
    classes_ : array of shape (2,)
        The labels; the second one is positive.

    Notes
    -----
    The numbers of positive and negative rows in the targets are sums of weights, so that a weight
    of 2 is a row written twice. Weights that add up to 1 therefore say that there is hardly any
    evidence, and every probability is near 1/2: pass counts.

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

    def _slack(self, sample: Sample) -> Floats:
        n_positive = sample.weight[sample.positive].sum()
        n_negative = sample.weight[~sample.positive].sum()
        slack: Floats = 1 / (np.where(sample.positive, n_positive, n_negative) + 2)
        return np.maximum(slack, NO_SLACK)


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
        The same line as it is stored: A s + B = -(slope (s - center) / scale + offset).
    classes_ : array of shape (2,)
        The labels; the second one is positive.

    Notes
    -----
    Scores that separate the classes have no sigmoid of greatest likelihood: the steeper, the
    better. Targets of 1 - 1e-10 and 1e-10 make it finite; on other scores they have no effect one
    could see.

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
