"""Calibrators, which map the scores of a classifier to probabilities.

A calibrator is fitted on the scores of rows that the classifier was not trained on.
"""

from costboost._core.calibration.base import Calibrator
from costboost._core.calibration.beta import BetaCalibrator
from costboost._core.calibration.isotonic import IsotonicCalibrator
from costboost._core.calibration.platt import (
    LogisticCalibrator,
    LogOddsCalibrator,
    PlattCalibrator,
)

CALIBRATORS: dict[str, type[Calibrator]] = {
    "platt": PlattCalibrator,
    "isotonic": IsotonicCalibrator,
    "beta": BetaCalibrator,
    "logistic": LogisticCalibrator,
    "log-odds": LogOddsCalibrator,
}
"""Calibrator class of each value that the parameter ``calibration`` takes."""

AUTO = "auto"
"""Value of ``calibration`` that takes log-odds calibration, or beta calibration if that fits."""
