"""Isotonic regression."""

from __future__ import annotations

import numpy as np
from sklearn.isotonic import IsotonicRegression

from costboost._core.arithmetic import interpolate
from costboost._core.calibration.base import Calibrator, Sample
from costboost._core.checks import Floats


class IsotonicCalibrator(Calibrator):
    r"""Isotonic regression: the non-decreasing function of the score nearest to the labels.

    .. math::

        P = \arg\min_{g\ \text{non-decreasing}} \sum_i w_i (y^*_i - g(s_i))^2,
        \qquad y^* \in \{0, 1\}

    It is scikit-learn's ``IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")`` and gives
    its numbers. Take it when there are thousands of rows for calibration; it corrects any
    distortion that keeps the order. On few rows it overfits: take :class:`PlattCalibrator`.

    Below the first and above the last block of mixed labels, probabilities are exactly 0 and 1.
    Decisions by cost then ignore the remaining risk there, and the log-loss of an error is
    infinite. The Brier score is hardly affected.

    Attributes
    ----------
    thresholds_, values_ : array
        Scores and the probabilities at them; values in between are interpolated linearly.
    classes_ : array of shape (2,)
        The labels; the second one is positive.

    References
    ----------
    B. Zadrozny, C. Elkan, "Transforming classifier scores into accurate multiclass probability
    estimates", KDD 2002.

    Examples
    --------
    >>> from costboost.calibration import IsotonicCalibrator
    >>> isotonic = IsotonicCalibrator().fit([0.1, 0.3, 0.4, 0.6, 0.8], [0, 0, 1, 0, 1])
    >>> isotonic.probability([0.0, 0.35, 0.5, 1.0])
    array([0.  , 0.25, 0.5 , 1.  ])
    """

    thresholds_: Floats
    values_: Floats

    def _learn(self, sample: Sample) -> None:
        fitted = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(
            sample.score, sample.positive.astype(np.float64), sample.weight
        )
        self.thresholds_ = np.asarray(fitted.X_thresholds_, dtype=np.float64)
        self.values_ = np.asarray(fitted.y_thresholds_, dtype=np.float64)

    def _map(self, score: Floats) -> Floats:
        # interpolation between huge scores may exceed the ends by an ulp
        found: Floats = np.clip(interpolate(score, self.thresholds_, self.values_), 0.0, 1.0)
        return found
