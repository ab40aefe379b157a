"""Scores over a plane of two features."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from costboost._core.arrays import Flags
from costboost.app.plots.numbers.predictions import class_score, staged_decisions, staged_scores
from costboost.metrics.checks import Floats, check_numbers


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
