"""Predictions of fitted classifiers: of rows, after each round, in runs and over a plane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from costboost.decisions.folds import positive_score, take
from costboost.decisions.wrapping import check_estimator, positive_label
from costboost.metrics.checks import Floats, check_numbers
from costboost.plots.numbers.rows import Flags, two_classes

# ---- one classifier ------------------------------------------------------------------------------


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


# ---- several runs --------------------------------------------------------------------------------


class Run(NamedTuple):
    """A classifier with the indices of its training and test rows."""

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
    """The values of the given rows; a single value for all rows is returned as it is."""
    return values if values is None or np.ndim(values) == 0 else take(values, rows)


# ---- decision surfaces ---------------------------------------------------------------------------


class Surface(NamedTuple):
    """Predictions on a grid: the first axis of the arrays is y, the second one x."""

    x: Floats
    y: Floats
    positive: Flags
    confidence: Floats
    """Distance of the score from where the decision changes."""


def check_plane(X: Any) -> tuple[Floats, list[str]]:
    """Points in two dimensions and the names of the two features."""
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else ["x1", "x2"]
    points = check_numbers("X", X)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(
            f"a surface is drawn over two features, but X has the shape {points.shape}; train a "
            "classifier on two of them"
        )
    if not np.all(np.isfinite(points)):
        raise ValueError("X has missing or infinite values, which cannot be drawn in a plane")
    return points, names


def axis_values(values: Floats, padding: float, n: int) -> Floats:
    """Evenly spaced numbers over the range of the values and some padding."""
    low, high = float(values.min()), float(values.max())
    room = padding * ((high - low) or 1.0)
    return np.linspace(low - room, high + room, n)


def surface(
    estimator: Any,
    X: Any,
    label: Any,
    *,
    stage: int | None,
    learner: int | None,
    resolution: int,
    padding: float,
) -> Surface:
    """Predictions of a classifier on a grid around the points."""
    points, _ = check_plane(X)
    if isinstance(resolution, bool) or not isinstance(resolution, int) or resolution < 2:
        raise ValueError(f"resolution must be a whole number of at least 2, got {resolution!r}")
    x, y = (axis_values(points[:, k], padding, resolution) for k in (0, 1))
    grid = np.column_stack([np.tile(x, resolution), np.repeat(y, resolution)])
    shown = _like(X, grid)
    if stage is not None or learner is not None:
        positive, score = _part(estimator, shown, label, stage, learner)
        neutral = 0.0
    else:
        positive = np.asarray(estimator.predict(shown)) == label
        score, neutral = _score(estimator, shown, label)
    sure = np.abs(score - boundary(score, positive, neutral))
    shape = (resolution, resolution)
    return Surface(x, y, positive.reshape(shape), sure.reshape(shape))


def boundary(score: Floats, positive: Flags, neutral: float) -> float:
    """The score at which the decision changes.

    This may differ from the neutral score if the classifier moves its threshold. If the decisions
    are not monotone in the score, the neutral score is returned.
    """
    if positive.all():
        return min(neutral, float(score.min()))
    if not positive.any():
        return max(neutral, float(score.max()))
    below, above = float(score[~positive].max()), float(score[positive].min())
    if below > above:
        return neutral
    return neutral if below <= neutral <= above else (below + above) / 2


def _score(estimator: Any, X: Any, label: Any) -> tuple[Floats, float]:
    """Scores for a class and the neutral score; probabilities if there are no scores."""
    if hasattr(estimator, "decision_function"):
        score = np.asarray(estimator.decision_function(X), dtype=np.float64).ravel()
        return (score if estimator.classes_[1] == label else -score), 0.0
    return class_score(estimator, X, label), 0.5


def _part(
    estimator: Any, X: Any, label: Any, stage: int | None, learner: int | None
) -> tuple[Flags, Floats]:
    """Decisions and scores of the first rounds, or of one learner alone."""
    if stage is not None and learner is not None:
        raise ValueError("stage shows the first rounds, learner one round alone: pass one of them")
    m = learner if stage is None else stage
    if isinstance(m, bool) or not isinstance(m, (int, np.integer)) or m < 1:
        raise ValueError(f"rounds are counted from 1, got {m!r}")
    n_rounds, before, score = 0, np.zeros(1), np.zeros(1)
    for one in islice(staged_scores(estimator, X, label, raw=stage is None), int(m)):
        n_rounds, before, score = n_rounds + 1, score, one
    if n_rounds < m:
        raise ValueError(f"{type(estimator).__name__} has {n_rounds} rounds only, not {m}")
    if stage is None:
        return score - before > 0, score - before
    positive = next(islice(staged_decisions(estimator, X, label), int(m) - 1, None))
    return positive, score


def _like(X: Any, grid: Floats) -> Any:
    """The grid as a data frame like X, or as it is if X has no columns."""
    if not hasattr(X, "columns"):
        return grid
    return type(X)({name: grid[:, k] for k, name in enumerate(X.columns)})
