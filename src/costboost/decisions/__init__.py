"""Decisions that meet a goal, and the costs to train for."""

from costboost.decisions.operating import OperatingPointClassifier
from costboost.decisions.search import CostSearchCV

__all__ = ["CostSearchCV", "OperatingPointClassifier"]
