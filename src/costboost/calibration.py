"""Calibrators, which map the scores of a classifier to probabilities.

A calibrator is fitted on the scores of rows that the classifier was not trained on.
"""

from costboost._core.calibration import AUTO, CALIBRATORS
from costboost._core.calibration.calibrators import (
    BetaCalibrator,
    Calibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    LogOddsCalibrator,
    PlattCalibrator,
    smoothed_beta,
)
from costboost._core.calibration.several import ClassCalibrators, SoftmaxCalibrator

__all__ = [
    "AUTO",
    "CALIBRATORS",
    "BetaCalibrator",
    "Calibrator",
    "ClassCalibrators",
    "IsotonicCalibrator",
    "LogOddsCalibrator",
    "LogisticCalibrator",
    "PlattCalibrator",
    "SoftmaxCalibrator",
    "smoothed_beta",
]
