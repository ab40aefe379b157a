"""Classifiers for the boosting algorithms of the literature, importable from `costboost` as well.

`costboost.CostBoostClassifier` is the recommended classifier. These are for comparison, for
research, and for applications that need a particular algorithm.
"""

from costboost.classifiers.adaboost import (
    AdaBoostClassifier,
    AdaDBClassifier,
    AdaMECClassifier,
    AsymAdaClassifier,
    CGAdaClassifier,
    CSAdaClassifier,
)
from costboost.classifiers.cost_updates import (
    AdaC1Classifier,
    AdaC2Classifier,
    AdaC3Classifier,
    AdaCostClassifier,
    CSB0Classifier,
    CSB1Classifier,
    CSB2Classifier,
)
from costboost.classifiers.multinomial import (
    GELBoostClassifier,
    GLLBoostClassifier,
    MultinomialLogitBoostClassifier,
)
from costboost.classifiers.newton import (
    CSBoostClassifier,
    CSLBClassifier,
    CSLogitBoostClassifier,
    LogitBoostClassifier,
)
from costboost.classifiers.real import (
    CSGAClassifier,
    CSRAClassifier,
    CSRealBoostClassifier,
    GentleBoostClassifier,
    RareBoostClassifier,
    RealBoostClassifier,
)
from costboost.classifiers.regularised import (
    AdaBoostRegClassifier,
    WeightBoostClassifier,
)
from costboost.classifiers.uneven import (
    AdaCC1Classifier,
    AdaCC2Classifier,
    AdaUBoostClassifier,
)
from costboost.classifiers.votes import (
    AdaC2M1Classifier,
    BAdaCostClassifier,
    SAMMEC2Classifier,
    SAMMEClassifier,
)

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegClassifier",
    "AdaC1Classifier",
    "AdaC2Classifier",
    "AdaC2M1Classifier",
    "AdaC3Classifier",
    "AdaCC1Classifier",
    "AdaCC2Classifier",
    "AdaCostClassifier",
    "AdaDBClassifier",
    "AdaMECClassifier",
    "AdaUBoostClassifier",
    "AsymAdaClassifier",
    "BAdaCostClassifier",
    "CGAdaClassifier",
    "CSAdaClassifier",
    "CSB0Classifier",
    "CSB1Classifier",
    "CSB2Classifier",
    "CSBoostClassifier",
    "CSGAClassifier",
    "CSLBClassifier",
    "CSLogitBoostClassifier",
    "CSRAClassifier",
    "CSRealBoostClassifier",
    "GELBoostClassifier",
    "GLLBoostClassifier",
    "GentleBoostClassifier",
    "LogitBoostClassifier",
    "MultinomialLogitBoostClassifier",
    "RareBoostClassifier",
    "RealBoostClassifier",
    "SAMMEC2Classifier",
    "SAMMEClassifier",
    "WeightBoostClassifier",
]
