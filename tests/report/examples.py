"""Models and held-out rows for the tests of the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.model_selection import train_test_split

import costboost


@dataclass(frozen=True)
class Example:
    """A fitted model, held-out rows, and further arguments of the report."""

    model: Any
    X: Any
    y: Any
    fn_cost: Any
    fp_cost: Any
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        return {"fn_cost": self.fn_cost, "fp_cost": self.fp_cost, **self.more}

    @property
    def label(self) -> Any:
        return self.model.classes_[self.model.model_.positive_index]


@cache
def tumours() -> tuple[Any, Any, Any, Any]:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    named = np.where(y == 0, "malignant", "benign")
    return train_test_split(X, named, random_state=0, test_size=0.4, stratify=named)


@cache
def of_classes() -> Example:
    """Calibrated stumps, costs of classes, malignant is positive and the greater label."""
    X, held, y, truth = tumours()
    model = costboost.algorithms.LogitBoostClassifier(
        n_estimators=30, calibration="isotonic", random_state=0, fn_cost=10, fp_cost=1
    ).fit(X, y)
    return Example(model, held, truth, 10.0, 1.0, {"unit": "EUR"})


@cache
def of_rows() -> Example:
    """Costs of rows, in cents, with ties among them; the lesser label is positive."""
    X, held, y, truth = tumours()
    model = costboost.algorithms.AdaMECClassifier(n_estimators=20, pos_label="benign").fit(X, y)
    random = np.random.default_rng(0)
    fn = random.integers(1, 40, len(truth)) / 4
    return Example(model, held, truth, fn, np.full(len(truth), 2.5), {"unit": "EUR"})


@cache
def ties() -> Example:
    """Equal costs given for each row, and probabilities that many rows share."""
    example = of_classes()
    costs = np.full(len(example.y), 10.0), np.ones(len(example.y))
    return Example(example.model, example.X, example.y, *costs)


@cache
def weighted() -> Example:
    """Weights that are fractions, a start without calibration."""
    X, held, y, truth = tumours()
    model = costboost.algorithms.AdaMECClassifier(n_estimators=20, probability="logistic").fit(X, y)
    weight = np.random.default_rng(1).integers(0, 9, len(truth)) / 4
    return Example(model, held, truth, 3.7, 0.9, {"sample_weight": weight})


@cache
def fixed() -> Example:
    """A classifier whose decisions no cost can change any more."""
    X, held, y, truth = tumours()
    model = costboost.algorithms.CGAdaClassifier(n_estimators=20, fn_cost=5, fp_cost=1).fit(X, y)
    return Example(model, held, truth, 5.0, 1.0)


@cache
def mixed() -> Example:
    """Trees, categories, missing values, and names that are HTML."""
    X, y = make_classification(
        600, 5, n_informative=4, n_redundant=0, weights=[0.8], random_state=3
    )
    frame = pd.DataFrame(
        X, columns=["<b>a</b>", "b", "</script><script>alert(1)</script>", "d", "e"]
    )
    frame.loc[::5, "b"] = np.nan
    frame["e"] = pd.Categorical(np.where(X[:, 4] > 0, "<i>hot</i>", "cold & wet"))
    model = costboost.algorithms.AdaMECClassifier(n_estimators=15, estimator="tree").fit(
        frame[:400], y[:400]
    )
    return Example(model, frame[400:], y[400:], 8.0, 1.0, {"random_state": 0})


EXAMPLES = {
    "classes": of_classes,
    "rows": of_rows,
    "ties": ties,
    "weighted": weighted,
    "fixed": fixed,
    "mixed": mixed,
}
