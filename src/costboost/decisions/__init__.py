"""Classifiers around another one: operating points that meet a goal, search of training costs."""

from costboost.decisions.operating import OperatingPointClassifier
from costboost.decisions.search import CostSearchCV

__all__ = ["CostSearchCV", "OperatingPointClassifier"]
