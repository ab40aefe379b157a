"""Decisions of a fitted classifier for the costs of rows."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

COSTS = ("fn_cost", "fp_cost")


def decisions(estimator: Any, X: Any, fn_cost: Any, fp_cost: Any, pos_label: Any = None) -> Any:
    """Labels predicted for costs of each row, or those of ``predict(X)`` if it takes no costs.

    Pipelines and searches are seen through to the classifier that decides. The costs are those of
    the class ``pos_label``, by default the greater one, whatever the classifier calls positive.
    """
    decider, inner = innermost(estimator, X)
    if not takes_costs(decider):
        return estimator.predict(X)
    given = dict(zip(COSTS, (fn_cost, fp_cost), strict=True))
    if _positive(decider, pos_label) != _positive(decider, getattr(decider, "pos_label", None)):
        given = dict(zip(COSTS, (fp_cost, fn_cost), strict=True))
    return decider.predict(inner, **given)


def innermost(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The classifier that decides, and the rows as they get there."""
    while True:
        if isinstance(estimator, Pipeline):
            X, estimator = _transformed(estimator, X), estimator.steps[-1][1]
        elif isinstance(estimator, FrozenEstimator):
            estimator = estimator.estimator
        elif hasattr(estimator, "best_estimator_"):  # a search over parameters
            estimator = estimator.best_estimator_
        else:
            return estimator, X


def _transformed(pipeline: Pipeline, X: Any) -> Any:
    """Rows after all steps but the last; steps that resample rows do so in training only."""
    for _, step in pipeline.steps[:-1]:
        if hasattr(step, "transform"):
            X = step.transform(X)
    return X


def takes_costs(estimator: Any) -> bool:
    """Whether ``predict`` of a fitted classifier decides for costs of each row.

    A classifier may tell by an attribute ``decides_by_cost``; else the signature tells.
    """
    stated = getattr(estimator, "decides_by_cost", None)
    return set(COSTS) <= set(signature(estimator.predict).parameters) if stated is None else stated


def _positive(estimator: Any, label: Any) -> Any:
    return np.asarray(estimator.classes_)[-1] if label is None else label
