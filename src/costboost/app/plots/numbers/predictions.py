"""What a fitted classifier predicts for one of two classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from costboost._core.arrays import Flags
from costboost.app.plots.numbers.labelled_rows import two_classes
from costboost.decisions.wrapping import check_estimator, positive_label, positive_score
from costboost.metrics.checks import Floats


def positive_class(estimator: Any, pos_label: Any) -> Any:
    """The positive class: the given one, that of the classifier, or the greater one."""
    check_estimator(estimator)
    check_is_fitted(estimator)
    stated = positive_label(estimator, None) if pos_label is None else pos_label
    return two_classes(estimator.classes_, stated)[0]


def name_of(estimator: Any) -> str:
    """Name of a classifier for a legend."""
    inner = estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator
    inner = inner[-1] if isinstance(inner, Pipeline) else inner
    return type(inner).__name__


def class_probability(estimator: Any, X: Any, label: Any) -> Floats:
    """Probabilities of a class; a classifier without probabilities raises a ValueError."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"{type(estimator).__name__} has no predict_proba: it decides by scores only. Wrap it "
            "in sklearn.calibration.CalibratedClassifierCV, or draw its cost curve instead"
        )
    return positive_score(estimator, X, label)


def class_score(estimator: Any, X: Any, label: Any) -> Floats:
    """Probabilities of a class, or decision scores if there are none."""
    if not any(hasattr(estimator, name) for name in ("predict_proba", "decision_function")):
        raise ValueError(
            f"{type(estimator).__name__} has neither predict_proba nor decision_function"
        )
    return positive_score(estimator, X, label)


def staged(estimator: Any, X: Any, *methods: str) -> Iterator[Any]:
    """Results of a staged method of a boosting classifier, which may be the end of a pipeline.

    Of several methods, the first one that the classifier has is called.
    """
    check_is_fitted(estimator)
    if isinstance(estimator, Pipeline):
        X, estimator = estimator[:-1].transform(X) if len(estimator) > 1 else X, estimator[-1]
    found = [method for method in methods if hasattr(estimator, method)]
    if not found:
        raise ValueError(
            f"{type(estimator).__name__} has no {methods[-1]}: only boosting classifiers have "
            "predictions after each round"
        )
    return iter(getattr(estimator, found[0])(X))


def staged_decisions(estimator: Any, X: Any, label: Any) -> Iterator[Flags]:
    """Which rows are predicted as the class, one round after the other."""
    return (np.asarray(y_pred) == label for y_pred in staged(estimator, X, "staged_predict"))


def staged_scores(estimator: Any, X: Any, label: Any, raw: bool) -> Iterator[Floats]:
    """Scores after each round, higher for the class.

    With ``raw`` they are sums of votes, otherwise distances from the decision threshold.
    """
    sign = 1.0 if estimator.classes_[1] == label else -1.0
    methods = ["staged_raw_score"] * raw + ["staged_decision_function"]
    for score in staged(estimator, X, *methods):
        yield sign * np.asarray(score, dtype=np.float64).ravel()
