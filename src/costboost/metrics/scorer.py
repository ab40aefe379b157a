"""Costs as scikit-learn scorers, and predictions of a fitted classifier under given costs."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any, Self

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import make_scorer
from sklearn.pipeline import Pipeline

from costboost.metrics.costs import mean_cost, normalized_cost, savings, total_cost

MEASURES = {
    "mean_cost": (mean_cost, False),
    "total_cost": (total_cost, False),
    "normalized_cost": (normalized_cost, False),
    "savings": (savings, True),
}
"""Measures by name, and whether greater is better."""


class CostScorer:
    """Scorer that passes costs of rows to the classifiers that predict by them.

    Returned by :func:`make_cost_scorer`. All other attributes are those of scikit-learn's scorers.
    """

    def __init__(self, measure: str, stated: dict[str, Any]) -> None:
        self._measure, self._stated = measure, stated
        function, greater_is_better = MEASURES[measure]
        self._scorer = make_scorer(
            function, greater_is_better=greater_is_better, response_method="predict", **stated
        )

    def __call__(self, estimator: Any, X: Any, y_true: Any, **params: Any) -> float:
        """Score the decisions of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        y_true : array of shape (n_samples,)
        **params
            ``fn_cost``, ``fp_cost``, ``tp_cost``, ``tn_cost`` and ``sample_weight`` of the rows.

        Returns
        -------
        float
        """
        function, greater_is_better = MEASURES[self._measure]
        given = {**self._stated, **params}
        value = function(y_true, _predicted(estimator, X, given), **given)
        return value if greater_is_better else -value

    def set_score_request(self, **requests: Any) -> Self:
        """Set the metadata that the scorer requests, as in scikit-learn's scorers."""
        self._scorer.set_score_request(**requests)
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_scorer":  # looked up while copying or unpickling
            raise AttributeError(name)
        return getattr(self._scorer, name)

    def __repr__(self) -> str:
        parts = [f"{name}={value!r}" for name, value in self._stated.items()]
        return f"make_cost_scorer({', '.join([*parts, f'measure={self._measure!r}'])})"


def _predicted(estimator: Any, X: Any, given: dict[str, Any]) -> Any:
    """Labels predicted under costs of rows if there are any, else those of ``predict(X)``."""
    costs = {name: given[name] for name in COSTS if given.get(name) is not None}
    if not any(np.ndim(cost) for cost in costs.values()):
        return estimator.predict(X)
    usual = {"fn_cost": 1.0, "fp_cost": 1.0}
    return predict_by_cost(estimator, X, usual | costs, given.get("pos_label"))


def make_cost_scorer(
    fn_cost: float | None = None,
    fp_cost: float | None = None,
    *,
    tp_cost: float | None = None,
    tn_cost: float | None = None,
    cost_matrix: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    measure: str = "mean_cost",
) -> CostScorer:
    """Make a scorer for ``cross_validate``, ``GridSearchCV`` and all that takes ``scoring=``.

    Costs come with a minus sign, since scikit-learn's scorers are better when greater.

    Parameters
    ----------
    fn_cost, fp_cost : number, optional
        Cost of a false negative (miss) and of a false positive (false alarm). One that is left out
        is 1. Both may be left out if they are passed as metadata, one for each row:
        ``make_cost_scorer().set_score_request(fn_cost=True)``.
    tp_cost, tn_cost : number, optional
        Cost of a true positive and of a true negative, 0 if left out. If one of them is given, all
        four costs may be below 0: gains.
    cost_matrix : array of shape (n_classes, n_classes), optional
        ``cost_matrix[i, j]`` is the cost of predicting class j where class i is true. Pass
        ``labels`` too, since a fold may lack a class.
    labels : array of shape (n_classes,), optional
        Order of the classes in ``cost_matrix``.
    pos_label : label, optional
        The positive class. Default: the greater one.
    measure : {"mean_cost", "total_cost", "normalized_cost", "savings"}, default "mean_cost"
        The measure to compute.

    Returns
    -------
    callable
        ``scorer(estimator, X, y)``, which also takes ``fn_cost``, ``fp_cost``, ``tp_cost``,
        ``tn_cost`` and ``sample_weight`` of the rows.

    Notes
    -----
    With costs of rows, a classifier whose ``predict`` takes ``fn_cost`` and ``fp_cost`` predicts by
    them, also inside a pipeline or a search, whether or not it requests them as metadata.
    Classifiers that take no costs after training, such as those of scikit-learn and wrappers like
    ``CalibratedClassifierCV``, are scored by ``predict(X)``. With one cost for all rows, every
    classifier is: it predicts by the costs that it was trained for.

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
    cells = {"fn_cost": fn_cost, "fp_cost": fp_cost, "tp_cost": tp_cost, "tn_cost": tn_cost}
    for name, cost in cells.items():
        if cost is not None and np.ndim(cost):
            raise ValueError(
                f"{name} must be a number here, got an array of shape {np.shape(cost)}: a scorer "
                "sees parts of the rows. Leave it out, request it by "
                f"set_score_request({name}=True) and pass the array to cross_validate(params=...)"
            )
    given = {
        **cells,
        "cost_matrix": cost_matrix,
        "labels": labels,
        "pos_label": pos_label,
    }
    return CostScorer(measure, {name: one for name, one in given.items() if one is not None})


# ---- predictions under given costs ---------------------------------------------------------------

COSTS = {"fn_cost": "fp_cost", "fp_cost": "fn_cost", "tp_cost": "tn_cost", "tn_cost": "tp_cost"}
"""Names of the costs of two classes, and their names if the other class is the positive one."""


def decides_by_cost(model: Any) -> bool:
    """Whether `predict` of a fitted classifier takes costs other than those of training.

    Pipelines, frozen estimators and parameter searches, `CostSearchCV` among them, pass costs on to
    the classifier inside. Wrappers that make their own decision do not: `OperatingPointClassifier`,
    and scikit-learn's `CalibratedClassifierCV`, `VotingClassifier` or `FixedThresholdClassifier`.

    The attribute ``decides_by_cost`` of the classifier is returned if there is one. Otherwise its
    `predict` must have the parameters ``fn_cost`` and ``fp_cost``.
    """
    estimator = model
    while (inner := _inside(estimator)) is not None:
        estimator = inner
    stated = getattr(estimator, "decides_by_cost", None)
    if stated is not None:
        return bool(stated)
    return {"fn_cost", "fp_cost"} <= set(signature(estimator.predict).parameters)


def predict_by_cost(model: Any, X: Any, costs: Mapping[str, Any], pos_label: Any = None) -> Any:
    """Labels predicted under these costs, or those of ``predict(X)`` if the model takes no costs.

    The costs are those of the class ``pos_label``, by default the greater one, whichever class is
    positive for the classifier inside.
    """
    if not decides_by_cost(model):
        return model.predict(X)
    estimator, X = _final_step(model, X)
    if _positive(estimator, pos_label) != _positive(
        estimator, getattr(estimator, "pos_label", None)
    ):
        costs = {COSTS[name]: cost for name, cost in costs.items()}
    return estimator.predict(X, **costs)


def _inside(estimator: Any) -> Any:
    """The fitted estimator that a pipeline, a frozen estimator or a search predicts with."""
    if isinstance(estimator, Pipeline):
        return estimator.steps[-1][1]
    if isinstance(estimator, FrozenEstimator):
        return estimator.estimator
    return getattr(estimator, "best_estimator_", None)


def _final_step(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The classifier inside, and the rows as transformed by the pipelines around it."""
    while (inner := _inside(estimator)) is not None:
        if isinstance(estimator, Pipeline):
            for _, step in estimator.steps[:-1]:
                if hasattr(step, "transform"):  # steps that resample rows do so in training only
                    X = step.transform(X)
        estimator = inner
    return estimator, X


def _positive(estimator: Any, label: Any) -> Any:
    return np.asarray(estimator.classes_)[-1] if label is None else label
