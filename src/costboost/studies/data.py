"""Data sets as arrays, fits without warnings, and precision, recall and F-measure of a class."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.checks import Floats, one_class_allowed
from costboost.datasets import load

Labels = NDArray[np.int64]


class Problem(NamedTuple):
    """Rows as an array of numbers, with 1 for the positive class and 0 for the other."""

    X: Floats
    y: Labels
    categorical: list[int]
    """Columns of X that are codes of categories."""


def load_problem(name: str) -> Problem:
    """A data set with categories as codes; missing values remain NaN."""
    data = load(name)
    categorical = np.flatnonzero(data.X.dtypes == "category").tolist()
    positive = np.asarray(data.y == data.pos_label).astype(np.int64)
    return Problem(codes(data.X), positive, categorical)


def nominal(X: Any) -> list[str]:
    """Names of the columns that hold categories."""
    return list(X.columns[X.dtypes == "category"])


def codes(X: Any) -> Floats:
    """All columns as numbers, categories by their position; NaN where a value is missing."""
    coded = X.copy()
    for column in nominal(X):
        coded[column] = X[column].cat.codes.where(X[column].notna(), np.nan)
    numbers: Floats = coded.to_numpy(dtype=np.float64)
    return numbers


def filled(X: Floats, train: Floats) -> Floats:
    """Rows with the medians of the training rows in place of NaN."""
    return np.where(np.isnan(X), np.nanmedian(train, axis=0), X)


def class_measures(y_true: Labels, y_pred: Labels, label: int = 1) -> dict[str, float]:
    """Precision, recall and F-measure of a class, 0 if none of its rows is found."""
    actual, predicted = y_true == label, y_pred == label
    n_actual, n_predicted = int(actual.sum()), int(predicted.sum())
    hits = int((actual & predicted).sum())
    return {
        "precision": hits / max(n_predicted, 1),
        "recall": hits / max(n_actual, 1),
        "f_measure": 2 * hits / max(n_actual + n_predicted, 1),
    }


def fit_quietly(clf: Any, X: Any, y: Any, **options: Any) -> Any:
    """Fit a classifier that may predict one class only, or end without any weak learner."""
    with one_class_allowed():
        warnings.filterwarnings("ignore", message=".* added no learner", category=UserWarning)
        return clf.fit(X, y, **options)
