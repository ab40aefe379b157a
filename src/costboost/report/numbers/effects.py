"""What each feature does to the score: exact where the score is a sum, else a mean effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from costboost.decisions.folds import take
from costboost.engine.ensemble import Ensemble
from costboost.explaining.shapes import Categories, Shape, Steps, additive
from costboost.metrics.checks import Floats
from costboost.report.numbers.answers import Answers

MOST_SHAPES = 30
"""Features that get a picture, the most important ones first."""
GRID = 24
"""Values at which a mean effect is computed."""
BACKGROUND = (100, 300)
"""Rows over which it is averaged: the fewest, where there are very many trees, and the most."""
TREES = 60_000
"""Trees times rows, about, that are looked at for a value."""


class Effect(NamedTuple):
    """A function of one feature, centred so that its mean over the held-out rows is 0."""

    feature: int
    x: Floats | list[str]
    """Corners of a line, or names of categories."""
    y: Floats
    missing: float | None
    """What a missing value adds, if there are any."""
    range: float
    """Greatest minus least value over the held-out rows."""


class Effects(NamedTuple):
    """The effects of the most important features."""

    exact: bool
    found: list[Effect]
    n_features: int
    """Features that the model uses."""
    n_rows: int = 0
    """Rows over which effects that are not exact were averaged."""
    why_none: str = ""


def names(model: Any) -> list[str]:
    """What the features are called."""
    given = getattr(model, "feature_names_in_", None)
    return [f"feature {j}" for j in range(model.n_features_in_)] if given is None else list(given)


def importances(model: Any) -> Floats | None:
    """Share of each feature, if the learners tell."""
    one = getattr(model, "estimators_", [model])[0]  # with several classes, one of each
    if not hasattr(one.ensemble_, "importances"):
        return None
    return np.asarray(model.feature_importances_)


def effects(model: Any, X: Any, rows: Answers, random_state: Any) -> Effects:
    """Effects of the features, by how far they move the score."""
    parts = additive(model)
    if parts is not None:
        found = [_exact(model, X, rows, shape) for shape in _chosen(model, parts.shapes)]
        found.sort(key=lambda effect: -effect.range)
        return Effects(True, found, len(parts.shapes))
    if model._combine() is not None or not isinstance(model.ensemble_, Ensemble):
        return Effects(False, [], 0, 0, "the learners do not tell which features they look at")
    return _mean_effects(model, X, rows, random_state)


def _chosen(model: Any, shapes: list[Shape]) -> list[Shape]:
    share = importances(model)
    order = shapes if share is None else sorted(shapes, key=lambda one: -share[one.feature])
    return order[:MOST_SHAPES]


def _column(model: Any, X: Any, j: int) -> Floats:
    """A feature as the ensemble sees it."""
    table = model._read(X)
    return np.asarray(table._coded(j, model._coders[j]), dtype=np.float64)


def _labels(model: Any, j: int) -> list[str]:
    """Names of the category codes."""
    coder = model._coders[j]
    return [*map(str, coder.code_of), *(["any other"] if coder.shared else [])]


def _exact(model: Any, X: Any, rows: Answers, shape: Shape) -> Effect:
    column = _column(model, X, shape.feature)[rows.rows]
    said = shape(column)
    middle = float(np.average(said, weights=rows.weight))
    known = column[~np.isnan(column)]
    missing = float(said[np.isnan(column)][0]) - middle if known.size < column.size else None
    spread = float(np.ptp(said))
    if isinstance(shape, Categories):
        text = _labels(model, shape.feature)
        return Effect(shape.feature, text, shape.value - middle, missing, spread)
    low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
    if isinstance(shape, Steps):
        x, y = _corners(shape, float(low), float(high))
    else:
        x = np.array([low, high])
        y = shape(x)
    return Effect(shape.feature, x, y - middle, missing, spread)


def _corners(shape: Steps, low: float, high: float) -> tuple[Floats, Floats]:
    """The steps between two values, as a line with a corner on either side of every step."""
    inside = (shape.cut > low) & (shape.cut < high)
    cut = shape.cut[inside]
    value = shape(np.concatenate([cut, [high]]))
    x = np.concatenate([[low], np.repeat(cut, 2), [high]])
    return x, np.repeat(value, 2)


# ---- trees ---------------------------------------------------------------------------------------


def _mean_effects(model: Any, X: Any, rows: Answers, random_state: Any) -> Effects:
    share = importances(model)
    assert share is not None
    used = np.flatnonzero(share)
    chosen = used[np.argsort(-share[used], kind="stable")][:MOST_SHAPES]
    random = check_random_state(random_state)
    n = min(rows.rows.size, int(np.clip(TREES // len(model.ensemble_), *BACKGROUND)))
    some = random.choice(rows.rows.size, n, replace=False)
    block = _block(model, take(X, rows.rows[np.sort(some)]))
    found = [_mean_effect(model, X, rows, block, int(j)) for j in chosen]
    found.sort(key=lambda effect: -effect.range)
    return Effects(False, found, int(used.size), n)


def _block(model: Any, X: Any) -> NDArray[Any]:
    table = model._read(X)
    return np.concatenate(
        [np.asarray(block, dtype=np.float64) for _, block in table.row_blocks(model._coders)]
    )


def _mean_effect(model: Any, X: Any, rows: Answers, block: Floats, j: int) -> Effect:
    column = _column(model, X, j)[rows.rows]
    known = column[~np.isnan(column)]
    coder = model._coders[j]
    if coder is not None:
        grid = np.arange(coder.n_codes, dtype=np.float64)
    else:
        levels = np.linspace(0, 1, GRID)
        grid = np.unique(np.quantile(known, levels)) if known.size else np.zeros(1)
    y = np.array(list(_means(model, block, j, grid)))
    share = np.bincount(np.searchsorted(grid, known).clip(max=grid.size - 1), minlength=grid.size)
    middle = float(np.average(y, weights=share)) if share.sum() else float(y.mean())
    missing = None
    if known.size < column.size:
        missing = next(_means(model, block, j, np.array([np.nan]))) - middle
    x: Any = _labels(model, j) if coder is not None else grid
    return Effect(j, x, y - middle, missing, float(np.ptp(y)))


def _means(model: Any, block: Floats, j: int, grid: Floats) -> Iterator[float]:
    """Mean score of the rows, were the feature of all of them this or that."""
    for value in grid:
        changed = block.copy()
        changed[:, j] = value
        score = np.zeros(len(changed))
        model.ensemble_.add_scores(iter([(slice(0, len(changed)), changed)]), score, 1)
        yield float(score.mean())
