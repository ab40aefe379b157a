"""Synthetic problems of the papers, generated without files: ``X, y = make_gaussians()``.

X is an array, y holds -1 and +1, and +1 is positive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

Points = NDArray[np.float64]
Labels = NDArray[np.int64]


def make_gaussians(n_per_class: int = 10_000, *, random_state: Any = None) -> tuple[Points, Labels]:
    r"""One column: N(-1, 1) for the negative class against N(+1, 1) for the positive one.

    The true probabilities are :math:`P(+1 | x) = 1 / (1 + e^{-2x})`, and the decision of least cost
    changes at :math:`x^* = -\frac12 \log(C_{FN} / C_{FP})`: at -0.8047 for costs of 5 and 1,
    at -1.4979 for 20 and 1.

    Parameters
    ----------
    n_per_class : int, default=10_000
        Number of rows of each class.
    random_state : int, RandomState or None
        Seed of the random numbers.

    Returns
    -------
    X : array of shape (2 * n_per_class, 1)
    y : array of shape (2 * n_per_class,)

    References
    ----------
    Masnadi-Shirazi and Vasconcelos (2007). Cost-sensitive boosting. SVCL-TR 2007/06, section 5.1.

    Examples
    --------
    >>> from costboost_lab.datasets import make_gaussians
    >>> X, y = make_gaussians(1000, random_state=0)
    >>> X.shape, X[y == 1].mean() > 0 > X[y == -1].mean()
    ((2000, 1), np.True_)
    """
    return _two_normals(n_per_class, {-1: [-1.0], 1: [1.0]}, random_state)


def make_clusters(n_per_class: int = 1000, *, random_state: Any = None) -> tuple[Points, Labels]:
    """Two columns: a round normal cluster at (0, 0), positive, and one at (3, 3), negative.

    Parameters
    ----------
    n_per_class : int, default=1000
        Number of rows of each class.
    random_state : int, RandomState or None
        Seed of the random numbers.

    Returns
    -------
    X : array of shape (2 * n_per_class, 2)
    y : array of shape (2 * n_per_class,)

    References
    ----------
    Nyga (2010). Ensemble learning for classification of imbalanced data, the example of chapter 4.

    Examples
    --------
    >>> from costboost_lab.datasets import make_clusters
    >>> X, y = make_clusters(random_state=0)
    >>> X.shape, X[y == -1].mean() > X[y == 1].mean()
    ((2000, 2), np.True_)
    """
    return _two_normals(n_per_class, {1: [0.0, 0.0], -1: [3.0, 3.0]}, random_state)


def _two_normals(
    n_per_class: int, centres: dict[int, list[float]], random_state: Any
) -> tuple[Points, Labels]:
    rng = check_random_state(random_state)
    n = _at_least_one(n_per_class, "n_per_class")
    X = np.vstack([rng.normal(centre, 1.0, (n, len(centre))) for centre in centres.values()])
    return _shuffled(X, np.repeat(list(centres), n), rng)


# ---- banana --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Banana:
    """Normal noise around a bent line, with a share of all rows."""

    label: int
    share: float
    line: Sequence[tuple[float, float]]
    spread: float


BANANAS = (
    Banana(1, 0.38, [(-1.8, -1.4), (-1.2, -0.3), (-0.2, 0.3), (0.8, -0.2), (1.3, -1.5)], 0.33),
    Banana(1, 0.07, [(-0.1, 1.9), (0.9, 1.5), (2.4, 1.2)], 0.18),
    Banana(-1, 0.35, [(-1.8, 0.4), (-0.9, 1.0), (0.2, 1.7), (1.0, 0.6), (1.6, -0.5)], 0.3),
    Banana(-1, 0.2, [(-0.9, -1.2), (0.4, -1.2)], 0.22),
)


def make_banana(n_samples: int = 5300, *, random_state: Any = None) -> tuple[Points, Labels]:
    """Two columns: four bent clusters, two of each class, that fit into each other and overlap.

    Similar to Rätsch's banana benchmark, whose own points are the data set ``"banana"``: shape,
    share of positives (45%) and difficulty are about the same, but not the distribution.

    Parameters
    ----------
    n_samples : int, default=5300
        Number of rows.
    random_state : int, RandomState or None
        Seed of the random numbers.

    Returns
    -------
    X : array of shape (n_samples, 2)
    y : array of shape (n_samples,)

    References
    ----------
    Rätsch, Onoda and Müller (2001). Soft margins for AdaBoost. Machine Learning 42, 287-320.

    Examples
    --------
    >>> from costboost_lab.datasets import make_banana
    >>> X, y = make_banana(400, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((400, 2), [-1, 1])
    """
    rng = check_random_state(random_state)
    n = _at_least_one(n_samples, "n_samples")
    counts = rng.multinomial(n, [banana.share for banana in BANANAS])
    X = np.vstack([_along(banana, k, rng) for banana, k in zip(BANANAS, counts, strict=True)])
    return _shuffled(X, np.repeat([banana.label for banana in BANANAS], counts), rng)


def _along(banana: Banana, n: int, rng: Any) -> Points:
    """Points uniformly distributed along the line, with noise."""
    corners = np.array(banana.line)
    lengths = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    at = np.concatenate([[0.0], np.cumsum(lengths)])
    place = rng.uniform(0, at[-1], n)
    on_line = np.column_stack([np.interp(place, at, corners[:, j]) for j in range(2)])
    return np.asarray(on_line + rng.normal(0, banana.spread, (n, 2)))


# ---- a few points --------------------------------------------------------------------------------


def make_three_points() -> tuple[Points, Labels]:
    """A positive point between two negative ones, on a line.

    AdaBoost with stumps solves it in a few rounds. The thesis uses it to show how AdaC1, with a
    cost of 3 for the positive point and steps that may be negative, oscillates instead.

    Returns
    -------
    X : array of shape (3, 1)
    y : array of shape (3,)

    References
    ----------
    Nyga (2010). Ensemble learning for classification of imbalanced data, figure 2.3.

    Examples
    --------
    >>> from costboost_lab.datasets import make_three_points
    >>> X, y = make_three_points()
    >>> X.ravel().tolist(), y.tolist()
    ([1.0, 2.0, 3.0], [-1, 1, -1])
    """
    return np.array([[1.0], [2.0], [3.0]]), np.array([-1, 1, -1], dtype=np.int64)


def make_ten_points() -> tuple[Points, Labels]:
    """Ten points in the plane that three stumps classify together but none of them alone.

    The coordinates are chosen such that AdaBoost has the rounds of the textbook example:
    errors of 0.30, 0.21 and 0.14, steps of 0.42, 0.65 and 0.92, and then no mistake is left.

    Returns
    -------
    X : array of shape (10, 2)
    y : array of shape (10,)

    References
    ----------
    Nyga (2010). Ensemble learning for classification of imbalanced data, figure 1.5.

    Examples
    --------
    >>> from costboost.algorithms import AdaBoostClassifier
    >>> from costboost_lab.datasets import make_ten_points
    >>> X, y = make_ten_points()
    >>> clf = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> clf.estimator_errors_.round(2).tolist(), clf.score(X, y)
    ([0.3, 0.21, 0.14], 1.0)
    """
    positive = [(1, 3), (2, 5), (5, 8), (7, 9), (8, 7)]
    negative = [(3, 2), (4, 4), (6, 1), (9, 10), (10, 6)]
    X = np.array(positive + negative, dtype=float)
    return X, np.repeat(np.array([1, -1], dtype=np.int64), 5)


def _at_least_one(n: int, name: str) -> int:
    if int(n) != n or n < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, not {n!r}")
    return int(n)


def _shuffled(X: Points, y: Any, rng: Any) -> tuple[Points, Labels]:
    order = rng.permutation(len(y))
    return X[order], np.asarray(y, dtype=np.int64)[order]
