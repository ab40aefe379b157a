"""Costs as scikit-learn scorers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from costboost.metrics.costs import mean_cost, savings, total_cost
from costboost.metrics.normalized import normalized_cost

MEASURES = {
    "mean_cost": (mean_cost, False),
    "total_cost": (total_cost, False),
    "normalized_cost": (normalized_cost, False),
    "savings": (savings, True),
}
"""Measures by name, and whether greater is better."""


def make_cost_scorer(
    fn_cost: float | None = None,
    fp_cost: float | None = None,
    *,
    cost_matrix: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    measure: str = "mean_cost",
) -> Any:
    """A scorer for ``cross_validate``, ``GridSearchCV`` and all that takes ``scoring=``.

    Costs come with a minus sign, since scikit-learn's scorers are better when greater.

    Parameters
    ----------
    fn_cost, fp_cost : number, optional
        Cost of a miss and of a false alarm. One that is left out is 1, or comes as metadata, one
        for each row: ``make_cost_scorer().set_score_request(fn_cost=True)``.
    cost_matrix : array of shape (n_classes, n_classes), optional
        ``cost_matrix[i, j]`` is the cost of predicting class j where class i is true. Pass
        ``labels`` too, since a fold may lack a class.
    labels : array of shape (n_classes,), optional
        Order of the classes in ``cost_matrix``.
    pos_label : label, optional
        The positive class. Default: the greater one.
    measure : {"mean_cost", "total_cost", "normalized_cost", "savings"}, default "mean_cost"
        What to compute.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``.

    Examples
    --------
    >>> from costboost import CGAdaClassifier
    >>> from costboost.metrics import make_cost_scorer
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CGAdaClassifier(fn_cost=5, n_estimators=20)
    >>> scores = cross_val_score(clf, X, y, scoring=make_cost_scorer(fn_cost=5))
    >>> bool(scores.mean() > -0.2)
    True
    """
    if not isinstance(measure, str) or measure not in MEASURES:
        raise ValueError(f"measure must be one of {', '.join(MEASURES)}, got {measure!r}")
    for name, cost in (("fn_cost", fn_cost), ("fp_cost", fp_cost)):
        if cost is not None and np.ndim(cost):
            raise ValueError(
                f"{name} must be a number here, got an array of shape {np.shape(cost)}: a scorer "
                "sees parts of the rows. Leave it out, ask for it by "
                f"set_score_request({name}=True) and pass the array to cross_validate(params=...)"
            )
    given = {
        "fn_cost": fn_cost,
        "fp_cost": fp_cost,
        "cost_matrix": cost_matrix,
        "labels": labels,
        "pos_label": pos_label,
    }
    function, greater_is_better = MEASURES[measure]
    stated = {name: value for name, value in given.items() if value is not None}
    return make_scorer(
        function, greater_is_better=greater_is_better, response_method="predict", **stated
    )
