"""Methods for several classes and for costs of each row, after Abe et al. (2004)."""

from costboost.multiclass.methods import (
    AverageCostClassifier,
    CostingClassifier,
    DSEClassifier,
    GBSEClassifier,
    IterativeWeightingClassifier,
    LpCSBClassifier,
    MetaCostClassifier,
)

__all__ = [
    "AverageCostClassifier",
    "CostingClassifier",
    "DSEClassifier",
    "GBSEClassifier",
    "IterativeWeightingClassifier",
    "LpCSBClassifier",
    "MetaCostClassifier",
]
