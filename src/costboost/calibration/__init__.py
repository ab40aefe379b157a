"""Calibration: from the scores of a classifier to probabilities one can decide by.

Each calibrator is fitted on scores of rows that the classifier has not been trained on.
"""

from costboost.calibration.base import Calibrator
from costboost.calibration.calibrators import (
    BetaCalibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    LogOddsCalibrator,
    PlattCalibrator,
)

__all__ = [
    "CALIBRATORS",
    "BetaCalibrator",
    "Calibrator",
    "IsotonicCalibrator",
    "LogOddsCalibrator",
    "LogisticCalibrator",
    "PlattCalibrator",
]

CALIBRATORS: dict[str, type[Calibrator]] = {
    "platt": PlattCalibrator,
    "isotonic": IsotonicCalibrator,
    "beta": BetaCalibrator,
    "logistic": LogisticCalibrator,
    "log-odds": LogOddsCalibrator,
}
"""The calibrators by the names that ``calibration=`` takes."""
