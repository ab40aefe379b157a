"""Algorithms, learners and small problems for the tests of the transcriptions."""

from __future__ import annotations

import naive
import numpy as np

DISCRETE = [*naive.DISCRETE, *naive.JOINT, *naive.REGULARISED]
ALL = [*DISCRETE, *naive.REAL, *naive.NEWTON]
TREE = {"learner": "tree", "max_depth": 2}
LOOKUP = {"learner": "lookup", "n_bins": 5}
LOGISTIC = {"learner": "logistic"}


def noisy(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(2)
    y = np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 + rng.normal(size=n) > 0.6, 1.0, -1.0)
    return X, y


def only_stump(model: naive.NaiveModel) -> naive.Stump:
    learner = model.learners[0]
    assert isinstance(learner, naive.Stump)
    return learner


def scores_by_round(model: naive.NaiveModel, X: np.ndarray) -> list[np.ndarray]:
    return [np.zeros(len(X)), *model.staged_decision_function(X)]


def with_gaps(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A problem with a tenth of the values missing, an eighth of the labels wrong, and no ties."""
    X, y = noisy(n, seed)
    rng = np.random.default_rng(seed + 100)
    X[rng.random(X.shape) < 0.1] = np.nan
    y[::8] = -y[::8]
    return X, y, rng.uniform(0.5, 1.5, n)


def three_classes(n: int = 60, seed: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Two columns without ties, and classes 0, 1, 2 in the order of the first, noisy."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.digitize(X[:, 0] + 0.6 * rng.normal(size=n) + 0.3 * X[:, 1] ** 2, [-0.3, 0.8])
    return X, y
