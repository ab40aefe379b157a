"""Methods for several classes and for costs of each row, after Abe et al. (2004)."""

from costboost.multiclass.ensembles import (
    AverageCostClassifier,
    CostingClassifier,
    DSEClassifier,
    IterativeWeightingClassifier,
)
from costboost.multiclass.gbse import GBSEClassifier
from costboost.multiclass.metacost import MetaCostClassifier

__all__ = [
    "AverageCostClassifier",
    "CostingClassifier",
    "DSEClassifier",
    "GBSEClassifier",
    "IterativeWeightingClassifier",
    "MetaCostClassifier",
]
