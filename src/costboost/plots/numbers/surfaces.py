"""Decisions over a plane, and how sure the classifier is of them."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from costboost.metrics.checks import Floats, check_numbers
from costboost.plots.numbers.answers import order, staged, staged_scores
from costboost.plots.numbers.rows import Flags


class Surface(NamedTuple):
    """Answers on a grid: rows of the arrays go up, columns to the right."""

    x: Floats
    y: Floats
    positive: Flags
    confidence: Floats
    """Distance of the score from where the decision changes."""


def check_plane(X: Any) -> tuple[Floats, list[str]]:
    """Points in two dimensions, and what these are called."""
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else ["x1", "x2"]
    points = check_numbers("X", X)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(
            f"a surface is drawn over two features, but X has the shape {points.shape}; train a "
            "classifier on two of them"
        )
    if not np.all(np.isfinite(points)):
        raise ValueError("X has missing or infinite values, which have no place in a plane")
    return points, names


def axis_values(values: Floats, padding: float, n: int) -> Floats:
    """Numbers from a little below the least value to a little above the greatest."""
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
    """What a classifier says on a grid around the points."""
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

    Not every classifier changes at the neutral score: one that moves its threshold need not. Where
    there is no such score, because the decisions do not follow it, the neutral one.
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
    """Scores for a class and the one in the middle; probabilities where there are no scores."""
    if hasattr(estimator, "decision_function"):
        said = np.asarray(estimator.decision_function(X), dtype=np.float64).ravel()
        return (said if estimator.classes_[1] == label else -said), 0.0
    return order(estimator, X, label), 0.5


def _part(
    estimator: Any, X: Any, label: Any, stage: int | None, learner: int | None
) -> tuple[Flags, Floats]:
    """Decisions and scores of the first rounds, or of one learner alone."""
    if stage is not None and learner is not None:
        raise ValueError("stage shows the first rounds, learner one round alone: pass one of them")
    m = learner if stage is None else stage
    if isinstance(m, bool) or not isinstance(m, (int, np.integer)) or m < 1:
        raise ValueError(f"rounds are counted from 1, got {m!r}")
    scores = list(islice(staged_scores(estimator, X, label, raw=stage is None), int(m)))
    if len(scores) < m:
        raise ValueError(f"{type(estimator).__name__} has {len(scores)} rounds only, not {m}")
    if stage is None:
        alone = scores[-1] - (scores[-2] if m > 1 else 0.0)
        return alone > 0, alone
    said = next(islice(staged(estimator, X, "staged_predict"), int(m) - 1, None))
    return np.asarray(said) == label, scores[-1]


def _like(X: Any, grid: Floats) -> Any:
    """The grid as a table with the names of the features, if they have any."""
    if not hasattr(X, "columns"):
        return grid
    return type(X)({name: grid[:, k] for k, name in enumerate(X.columns)})
