"""Calibrators, which map the scores of a classifier to probabilities.

A calibrator is fitted on the scores of rows that the classifier was not trained on.
"""

from costboost._core.calibration import AUTO, CALIBRATORS
from costboost._core.calibration.base import Calibrator
from costboost._core.calibration.beta import BetaCalibrator, smoothed_beta
from costboost._core.calibration.isotonic import IsotonicCalibrator
from costboost._core.calibration.per_class import ClassCalibrators
from costboost._core.calibration.platt import LogisticCalibrator, LogOddsCalibrator, PlattCalibrator
from costboost._core.calibration.softmax import SoftmaxCalibrator

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
