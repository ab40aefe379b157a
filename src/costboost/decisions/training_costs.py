"""The costs that a classifier is trained for, wherever it is inside a pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from costboost.metrics.checks import Floats, check_numbers


def paths(estimator: Any, name: str) -> list[str]:
    """Where an estimator has the parameter: itself, or those inside that are nearest to it."""
    found = [path for path in estimator.get_params() if path.split("__")[-1] == name]
    nearest = min((path.count("__") for path in found), default=0)
    return [path for path in found if path.count("__") == nearest]


def has_costs(estimator: Any) -> bool:
    """Whether it can be told what mistakes cost before it is trained."""
    return bool(paths(estimator, "fn_cost")) and bool(paths(estimator, "fp_cost"))


def settings(estimator: Any, fn_cost: float, fp_cost: float, label: Any) -> dict[str, Any]:
    """Parameters that train the estimator for these costs; a label of None is left to it."""
    values = {"fn_cost": fn_cost, "fp_cost": fp_cost}
    if label is not None:
        values["pos_label"] = label
    return {path: value for name, value in values.items() for path in paths(estimator, name)}


def trained_for(estimator: Any, fn_cost: float, fp_cost: float, label: Any) -> Any:
    """A copy of the estimator that is to be trained for these costs."""
    return clone(estimator).set_params(**settings(estimator, fn_cost, fp_cost, label))


def positive_label(estimator: Any, pos_label: Any) -> Any:
    """The positive class as stated here or in the estimator; None if in neither."""
    if isinstance(estimator, FrozenEstimator):
        estimator = estimator.estimator
    params = estimator.get_params()
    inside = [params[path] for path in paths(estimator, "pos_label")]
    stated = [label for label in inside if label is not None]
    if pos_label is None:
        return stated[0] if stated else None
    if any(label != pos_label for label in stated):
        raise ValueError(
            f"pos_label is {pos_label!r}, but that of the estimator is {stated[0]!r}; they must be "
            "the same class"
        )
    return pos_label


def check_estimator(estimator: Any) -> None:
    """An instance that can be fitted and asked for its parameters."""
    methods = ("fit", "predict", "get_params", "set_params")
    if isinstance(estimator, type) or not all(hasattr(estimator, name) for name in methods):
        raise ValueError(f"estimator must be a scikit-learn classifier, got {estimator!r}")


def check_grid(fn_costs: Any, usual: Floats) -> Floats:
    """The training costs to try, in rising order."""
    if fn_costs is None:
        return np.unique(usual)
    costs = check_numbers("fn_costs", fn_costs)
    if costs.ndim != 1 or costs.size == 0 or not np.all(np.isfinite(costs) & (costs > 0)):
        raise ValueError(f"fn_costs must be a list of numbers above 0, got {fn_costs!r}")
    return np.unique(costs)
