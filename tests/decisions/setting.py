"""Rows, folds, classifiers and goals that the tests of decisions share."""

from __future__ import annotations

from typing import Any

from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold

from costboost.algorithms import AdaMECClassifier, CGAdaClassifier

X, Y = make_classification(600, n_informative=4, weights=[0.8], flip_y=0.1, random_state=0)
CV = StratifiedKFold(4, shuffle=True, random_state=1)
MEC = AdaMECClassifier(n_estimators=20, probability="logistic")
PLATT = CGAdaClassifier(n_estimators=20, calibration="platt", random_state=0)
GOALS: list[dict[str, Any]] = [
    {"target": "recall", "at_least": 0.9},
    {"target": "recall", "at_least": 0.6, "at_most": 0.7},
    {"target": "precision", "at_least": 0.8},
    {"target": "fpr", "at_most": 0.05},
    {"target": "cost", "at_most": 0.5},
]
