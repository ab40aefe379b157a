"""Normalised margins of a voting ensemble."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from costboost.cluster.collections import in_memory
from costboost.metrics.checks import Floats, check_known_labels, check_same_length, documented


@documented
def margins(clf: Any, X: Any, y: Any) -> Floats:
    r"""Normalised margin of each row: the weighted vote for its true class minus that against it.

    .. math:: \frac{y_i F(x_i)}{\sum_t |\alpha_t|} \in [-1, 1]

    1 if all learners are right, -1 if all are wrong, above 0 if the sign of the score is right.
    For learners with real-valued outputs, :math:`|\alpha_t|` is replaced by :math:`\max |g_t|`, the
    most that they can add to the score.

    Parameters
    ----------
    clf : fitted classifier
        Any object with ``classes_``, ``estimator_weights_`` and a ``raw_score`` (or, without it, a
        ``decision_function``) that is the plain sum of the steps times the votes, above 0 for
        ``classes_[1]``. All boosting classifiers of this library qualify.
    {X_y}

    Returns
    -------
    array of shape (n_samples,)

    References
    ----------
    {schapire_1998}

    Examples
    --------
    >>> from costboost import AdaBoostClassifier
    >>> from costboost.metrics import margins
    >>> X, y = [[1], [2], [3], [4]], [0, 0, 1, 1]
    >>> margins(AdaBoostClassifier().fit(X, y), X, y)
    array([1., 1., 1., 1.])
    """
    method = _first_method(clf, "raw_score", "decision_function")
    _check_ensemble(clf, method)
    y, score = in_memory(y, getattr(clf, method)(X))
    sign, score = _signs(clf, y), np.asarray(score, dtype=np.float64)
    check_same_length(sign.size, "X", score.size)
    return _normalised(sign * score, float(_reaches(clf).sum()))


@documented
def staged_margins(clf: Any, X: Any, y: Any) -> Iterator[Floats]:
    r"""Normalised margin of each row after each round.

    .. math:: \frac{y_i F_m(x_i)}{\sum_{t \le m} |\alpha_t|} \in [-1, 1]

    Boosting often goes on to increase the smallest margins after all training rows are classified
    correctly.

    Parameters
    ----------
    clf : fitted classifier
        As for :func:`margins`, with a ``staged_raw_score`` or ``staged_decision_function``.
    {X_y}

    Yields
    ------
    array of shape (n_samples,)
        The last array equals that of :func:`margins`.

    References
    ----------
    {schapire_1998}

    Examples
    --------
    >>> from costboost import AdaBoostClassifier
    >>> from costboost.datasets import make_ten_points
    >>> from costboost.metrics import staged_margins
    >>> X, y = make_ten_points()
    >>> stages = staged_margins(AdaBoostClassifier(n_estimators=3).fit(X, y), X, y)
    >>> [round(float(found.min()), 2) for found in stages]
    [-1.0, -0.21, 0.08]
    """
    method = _first_method(clf, "staged_raw_score", "staged_decision_function")
    _check_ensemble(clf, method)
    sign = _signs(clf, y)
    return _staged(clf, getattr(clf, method)(X), sign)


def _staged(clf: Any, scores: Iterator[Any], sign: Floats) -> Iterator[Floats]:
    reach = np.cumsum(_reaches(clf))
    if hasattr(clf, "model_"):  # several learners may be one stage
        reach = reach[clf.model_.ends - 1]
    for m, score in enumerate(scores):
        check_same_length(sign.size, "X", np.size(score))
        yield _normalised(sign * np.asarray(score, dtype=np.float64), float(reach[m]))


def _first_method(clf: Any, *methods: str) -> str:
    """Name of the first method that a classifier has, or else the last name."""
    return next((name for name in methods if hasattr(clf, name)), methods[-1])


def _check_ensemble(clf: Any, method: str) -> None:
    """Raise ValueError unless the model is a fitted ensemble for two classes with this method."""
    needed = ("classes_", method, "estimator_weights_")
    lacking = [name for name in needed if not hasattr(clf, name)]
    if lacking:
        raise ValueError(
            f"margins needs a fitted ensemble, but {type(clf).__name__} has no "
            f"{', '.join(lacking)}; fit it first, or take a boosting classifier"
        )
    if len(clf.classes_) != 2:
        raise ValueError(f"margins are for two classes, but the model has {len(clf.classes_)}")


def _signs(clf: Any, y: Any) -> Floats:
    """Validate labels; 1 for rows of the second class and -1 for those of the first."""
    classes = np.asarray(clf.classes_)
    return np.where(check_known_labels(y, classes) == classes[1], 1.0, -1.0)


def _normalised(margin: Floats, reach: float) -> Floats:
    return np.clip(margin / reach, -1.0, 1.0) if reach > 0 else np.zeros(margin.size)


def _reaches(clf: Any) -> Floats:
    """Greatest absolute value that each learner can add to the score."""
    ensemble: Any = getattr(clf, "ensemble_", ())
    if hasattr(ensemble, "first") and hasattr(ensemble, "value"):  # trees, as arrays of nodes
        return np.asarray(np.maximum.reduceat(np.abs(ensemble.value), ensemble.first[:-1]))
    if hasattr(ensemble, "values") and hasattr(ensemble, "constant"):  # learners of any kind
        most = np.abs(np.reshape(ensemble.values, (-1, 2))).max(axis=1)
        return most if most.size else np.array([abs(ensemble.constant)])
    return np.abs(np.asarray(clf.estimator_weights_, dtype=np.float64))
