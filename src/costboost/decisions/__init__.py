"""Classifiers around another one: actions, operating points that meet a goal, training costs."""

from costboost.decisions.actions import ActionClassifier
from costboost.decisions.capacity import assign
from costboost.decisions.estimated import EstimatedCostClassifier
from costboost.decisions.operating import OperatingPointClassifier
from costboost.decisions.prevalence import estimate_prevalence
from costboost.decisions.search import CostSearchCV

__all__ = [
    "ActionClassifier",
    "CostSearchCV",
    "EstimatedCostClassifier",
    "OperatingPointClassifier",
    "assign",
    "estimate_prevalence",
]
