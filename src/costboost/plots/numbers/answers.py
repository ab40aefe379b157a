"""What fitted classifiers say of rows: at the end, round by round, and in every run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from costboost.decisions.folds import positive_score, take
from costboost.decisions.wrapping import check_estimator, positive_label
from costboost.metrics.checks import Floats
from costboost.plots.numbers.rows import Flags, two_classes

# ---- one classifier ------------------------------------------------------------------------------


def positive_class(estimator: Any, pos_label: Any) -> Any:
    """The class to take as positive: the one stated, that of the classifier, or the greater one."""
    check_estimator(estimator)
    check_is_fitted(estimator)
    stated = positive_label(estimator, None) if pos_label is None else pos_label
    return two_classes(estimator.classes_, stated)[0]


def name_of(estimator: Any) -> str:
    """What to call a classifier in a legend."""
    inner = estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator
    inner = inner[-1] if isinstance(inner, Pipeline) else inner
    return type(inner).__name__


def probability(estimator: Any, X: Any, label: Any) -> Floats:
    """Probabilities of a class."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"{type(estimator).__name__} has no predict_proba: it decides by scores only. Wrap it "
            "in sklearn.calibration.CalibratedClassifierCV, or draw its cost curve instead"
        )
    return positive_score(estimator, X, label)


def order(estimator: Any, X: Any, label: Any) -> Floats:
    """Numbers that are higher for a class: probabilities, or else scores."""
    if not any(hasattr(estimator, name) for name in ("predict_proba", "decision_function")):
        raise ValueError(
            f"{type(estimator).__name__} has neither predict_proba nor decision_function"
        )
    return positive_score(estimator, X, label)


def staged(estimator: Any, X: Any, *methods: str) -> Iterator[Any]:
    """What a boosting classifier returns after each round; pipelines are seen through.

    Of several methods, the first one that the classifier has.
    """
    check_is_fitted(estimator)
    if isinstance(estimator, Pipeline):
        X, estimator = estimator[:-1].transform(X) if len(estimator) > 1 else X, estimator[-1]
    found = [method for method in methods if hasattr(estimator, method)]
    if not found:
        raise ValueError(
            f"{type(estimator).__name__} has no {methods[-1]}: what happens round by round is "
            "known of boosting classifiers only"
        )
    return iter(getattr(estimator, found[0])(X))


def staged_decisions(estimator: Any, X: Any, label: Any) -> list[Flags]:
    """Which rows are called positive after each round."""
    return [np.asarray(said) == label for said in staged(estimator, X, "staged_predict")]


def staged_scores(estimator: Any, X: Any, label: Any, raw: bool) -> Iterator[Floats]:
    """Scores after each round, higher for the class: sums of votes, or distances from the decision
    threshold."""
    sign = 1.0 if estimator.classes_[1] == label else -1.0
    methods = ["staged_raw_score"] * raw + ["staged_decision_function"]
    for said in staged(estimator, X, *methods):
        yield sign * np.asarray(said, dtype=np.float64).ravel()


# ---- several runs --------------------------------------------------------------------------------


class Run(NamedTuple):
    """A classifier and the rows it was trained on and tested on, by number."""

    estimator: Any
    train: Any
    test: Any


def runs_of(cv_results: Any, X: Any, y: Any) -> list[Run]:
    """The runs of scikit-learn's cross_validate."""
    if not isinstance(cv_results, Mapping) or not {"estimator", "indices"} <= set(cv_results):
        raise ValueError(
            "cv_results must be what sklearn.model_selection.cross_validate returns with "
            "return_estimator=True and return_indices=True"
        )
    check_consistent_length(X, y)
    parts = cv_results["indices"]
    triples = zip(cv_results["estimator"], parts["train"], parts["test"], strict=True)
    found = [Run(*one) for one in triples]
    n_rows = len(np.asarray(y))
    if any(int(np.max(rows)) >= n_rows for run in found for rows in run[1:]):
        raise ValueError(
            f"cv_results has rows beyond the {n_rows} of X and y; pass those that were given to "
            "cross_validate"
        )
    return found


def part(values: Any, rows: Any) -> Any:
    """What belongs to some rows: their values, or the one value that is for all."""
    return values if values is None or np.ndim(values) == 0 else take(values, rows)
