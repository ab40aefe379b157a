"""The public names, where they come from; `costboost` itself imports them when they are used."""

from costboost.classifiers.adaboost import (
    AdaBoostClassifier,
    AdaMECClassifier,
    AsymAdaClassifier,
    CGAdaClassifier,
)
from costboost.classifiers.adac import AdaC1Classifier, AdaC2Classifier, AdaC3Classifier
from costboost.classifiers.adacost import AdaCostClassifier
from costboost.classifiers.costboost import CostBoostClassifier
from costboost.classifiers.csb import CSB0Classifier, CSB1Classifier, CSB2Classifier
from costboost.classifiers.joint import AdaDBClassifier, CSAdaClassifier
from costboost.classifiers.newton import (
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
from costboost.comparing import compare
from costboost.decisions import CostSearchCV, OperatingPointClassifier
from costboost.files import load, save
from costboost.version import __version__

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegClassifier",
    "AdaC1Classifier",
    "AdaC2Classifier",
    "AdaC3Classifier",
    "AdaCostClassifier",
    "AdaDBClassifier",
    "AdaMECClassifier",
    "AsymAdaClassifier",
    "CGAdaClassifier",
    "CSAdaClassifier",
    "CSB0Classifier",
    "CSB1Classifier",
    "CSB2Classifier",
    "CSGAClassifier",
    "CSLBClassifier",
    "CSLogitBoostClassifier",
    "CSRAClassifier",
    "CSRealBoostClassifier",
    "CostBoostClassifier",
    "CostSearchCV",
    "GentleBoostClassifier",
    "LogitBoostClassifier",
    "OperatingPointClassifier",
    "RareBoostClassifier",
    "RealBoostClassifier",
    "WeightBoostClassifier",
    "__version__",
    "compare",
    "load",
    "save",
]
