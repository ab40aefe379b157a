"""Normalised margins of a voting ensemble."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost.metrics.checks import Floats, check_labels, check_same_length, some


def margins(clf: Any, X: Any, y: Any) -> Floats:
    r"""How clearly the ensemble votes for the true class of each row.

    .. math:: \frac{y_i F(x_i)}{\sum_t |\alpha_t|} \in [-1, 1]

    1 if all learners are right, -1 if all are wrong, above 0 if the sign of the score is right.
    Learners that say numbers instead of votes have :math:`\max |g_t|`, the most they can add to the
    score, in place of :math:`|\alpha_t|`.

    Parameters
    ----------
    clf : fitted classifier
        Any object with ``classes_``, ``estimator_weights_`` and a ``decision_function`` that is the
        plain sum of the steps times the votes, above 0 for ``classes_[1]``. So are all of this
        library.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        True labels, among ``clf.classes_``.

    Returns
    -------
    array of shape (n_samples,)

    References
    ----------
    R. E. Schapire, Y. Freund, P. Bartlett, W. S. Lee, "Boosting the margin: a new explanation for
    the effectiveness of voting methods", Annals of Statistics 26, 1998.

    Examples
    --------
    >>> from costboost import AdaBoostClassifier
    >>> from costboost.metrics import margins
    >>> X, y = [[1], [2], [3], [4]], [0, 0, 1, 1]
    >>> margins(AdaBoostClassifier().fit(X, y), X, y)
    array([1., 1., 1., 1.])
    """
    needed = ("classes_", "decision_function", "estimator_weights_")
    lacking = [name for name in needed if not hasattr(clf, name)]
    if lacking:
        raise ValueError(
            f"margins needs a fitted ensemble, but {type(clf).__name__} has no "
            f"{', '.join(lacking)}; fit it first, or take a boosting classifier"
        )
    classes, labels = np.asarray(clf.classes_), check_labels("y", y)
    if len(classes) != 2:
        raise ValueError(f"margins are for two classes, but the model has {len(classes)}")
    unknown = ~np.isin(labels, classes)
    if unknown.any():
        raise ValueError(
            f"y contains {labels[unknown].tolist()[0]!r}, but the classes of the model are "
            f"{some(classes)}"
        )
    score = np.asarray(clf.decision_function(X), dtype=np.float64)
    check_same_length(labels.size, "X", score.size)
    sign = np.where(labels == classes[1], 1.0, -1.0)
    reach = _reach(clf)
    return np.clip(sign * score / reach, -1.0, 1.0) if reach > 0 else np.zeros(score.size)


def _reach(clf: Any) -> float:
    """The highest score that the ensemble could give."""
    ensemble: Any = getattr(clf, "ensemble_", ())
    if hasattr(ensemble, "first") and hasattr(ensemble, "value"):  # trees, as arrays of nodes
        return float(np.maximum.reduceat(np.abs(ensemble.value), ensemble.first[:-1]).sum())
    if hasattr(ensemble, "values") and hasattr(ensemble, "constant"):  # learners of any kind
        most = np.abs(np.reshape(ensemble.values, (-1, 2))).max(axis=1)
        return float(most.sum() + abs(ensemble.constant))
    return float(np.abs(np.asarray(clf.estimator_weights_)).sum())
