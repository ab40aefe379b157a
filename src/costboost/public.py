"""The public names, where they come from; `costboost` itself imports them when they are used."""

from costboost import __version__, algorithms
from costboost.algorithms import *  # noqa: F403
from costboost.classifiers.costboost import CostBoostClassifier
from costboost.comparing import compare
from costboost.decisions import (
    ActionClassifier,
    CostSearchCV,
    EstimatedCostClassifier,
    OperatingPointClassifier,
    OutcomeCosts,
    estimate_prevalence,
)
from costboost.files import load, save

__all__ = [
    "ActionClassifier",
    "CostBoostClassifier",
    "CostSearchCV",
    "EstimatedCostClassifier",
    "OperatingPointClassifier",
    "OutcomeCosts",
    "__version__",
    "compare",
    "estimate_prevalence",
    "load",
    "save",
]
__all__ += algorithms.__all__
