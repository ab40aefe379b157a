"""Methods for several classes and for costs of each row, after Abe et al. (2004)."""

from costboost.multiclass.ensembles import (
    AverageCostClassifier,
    CostingClassifier,
    DSEClassifier,
    MetaCostClassifier,
)
from costboost.multiclass.iterative import (
    GBSEClassifier,
    IterativeWeightingClassifier,
    LpCSBClassifier,
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
