"""Model file kinds of ActionClassifier: its costs, reviewers and prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields as fields_of
from typing import Any

import numpy as np
from scipy import stats
from sklearn.frozen import FrozenEstimator

from costboost.decisions.actions import ActionClassifier, classifier_inside, costs_of, restore
from costboost.decisions.capacity import CapacityPrices, check_prices
from costboost.decisions.operating import OperatingPointClassifier
from costboost.decisions.search import CostSearchCV
from costboost.decisions.uncertain import interval_of
from costboost.files.parts import check_features_in, fitted_parts, make, parameter_parts
from costboost.files.tree import SCALARS, Fields, Kind, NotPlainError
from costboost.registry import CLASSES, METHODS

FITTED = {
    name: name
    for name in ("n_features_in_", "feature_names_in_", "classes_", "estimator_", "prices_")
}
"""Fitted attributes that are stored under their own names."""
NOT_KEPT = frozenset({"actions_"})
"""Attributes that are not stored, as they follow from the costs."""
INNER = (*CLASSES, *METHODS, OperatingPointClassifier, CostSearchCV)
"""Classes of the classifier inside."""


# ---- dicts whose keys are labels -----------------------------------------------------------------


def _pairs(value: Any) -> Any:
    """A dict of dicts as pairs of a key and a value; other values unchanged."""
    if hasattr(value, "to_dict") and hasattr(value, "index"):
        value = value.to_dict(orient="index")
    if not isinstance(value, Mapping):
        return value
    return [[key, _pairs(one)] for key, one in value.items()]


def _dict(pairs: Any, what: str, depth: int) -> Any:
    """Dicts from pairs, nested at most so deep; other values unchanged."""
    if depth == 0 or not isinstance(pairs, list):
        return pairs
    for pair in pairs:
        if type(pair) is not list or len(pair) != 2 or not isinstance(pair[0], SCALARS):
            raise ValueError(f"{what} must be pairs of a label and a value")
    found = {key: _dict(value, what, depth - 1) for key, value in pairs}
    if len(found) < len(pairs):
        raise ValueError(f"{what} has a label twice")
    return found


# ---- the classifier ------------------------------------------------------------------------------


def _classifier_parts(clf: ActionClassifier) -> Mapping[str, Any]:
    parts = parameter_parts(clf)
    given = parts["costs"] if isinstance(parts["costs"], Mapping) else costs_of(clf).as_dict()
    parts |= {"costs": _pairs(given), "reviewer": _pairs(parts["reviewer"])}
    parts |= fitted_parts(clf, FITTED, NOT_KEPT)
    if isinstance(clf.estimator, FrozenEstimator):
        parts |= {"estimator": None, "estimator_": classifier_inside(clf)}
    return parts


def _classifier(fields: Fields) -> ActionClassifier:
    clf = make(ActionClassifier, fields)
    clf.costs = _dict(clf.costs, "costs", 2)
    clf.reviewer = _dict(clf.reviewer, "reviewer", 3)
    fitted = fields.take("estimator_")
    if type(fitted) not in INNER or not hasattr(fitted, "n_features_in_"):
        raise ValueError("estimator_ must be a fitted classifier")
    if not hasattr(fitted, "predict_proba"):
        raise ValueError("estimator_ must have probabilities")
    if clf.estimator is None:
        clf.estimator = fitted = FrozenEstimator(fitted)
    elif type(clf.estimator) not in INNER:
        raise ValueError("estimator must be a classifier")
    check_features_in(fields, fitted.n_features_in_)
    if fields.a("classes_", np.ndarray).tolist() != np.asarray(fitted.classes_).tolist():
        raise ValueError("classes_ of estimator_ are others")
    restore(clf, fitted)
    if "prices_" in fields:
        clf.prices_ = fields.a("prices_", CapacityPrices)
        check_prices(clf.prices_, clf.actions_.tolist())
    return clf


# ---- prices --------------------------------------------------------------------------------------

OF_ACTIONS = ("prices", "limits", "usage", "spread", "exceeded")


def _prices(fields: Fields) -> CapacityPrices:
    found = {name: _numbers(fields, name, float) for name in OF_ACTIONS}
    most = _numbers(fields, "most", int)
    if any(set(one) != set(most) for one in found.values()):
        raise ValueError("prices, limits and usage must be of the same actions")
    return CapacityPrices(
        **found, most=most, n_groups=fields.whole("n_groups", 2), per=fields.text("per")
    )


def _numbers(fields: Fields, name: str, cls: type[float]) -> dict[str, Any]:
    """Read numbers of actions by name, none of them negative."""
    values: dict[str, Any] = fields.a(name, dict)
    if any(type(one) is not cls or not 0 <= one < np.inf for one in values.values()):
        raise ValueError(f"{name} must be numbers of at least 0")
    return values


def _prices_parts(prices: CapacityPrices) -> Mapping[str, Any]:
    return {field.name: getattr(prices, field.name) for field in fields_of(prices)}


# ---- distributions -------------------------------------------------------------------------------

FROZEN = (type(stats.norm()), type(stats.poisson(1)))
"""Classes of frozen distributions, continuous and discrete."""


def _distribution_parts(frozen: Any) -> Mapping[str, Any]:
    name = frozen.dist.name
    known = getattr(stats, name, None) if isinstance(name, str) else None
    if type(known) is not type(frozen.dist):
        raise NotPlainError(f"is a distribution that scipy.stats does not have, {name}")
    numbers = [*frozen.args, *frozen.kwds.values()]
    if any(np.ndim(one) or not np.isfinite(float(one)) for one in numbers):
        raise NotPlainError("is a distribution with parameters that are not finite numbers")
    return {
        "name": name,
        "args": [float(one) for one in frozen.args],
        "kwds": {key: float(one) for key, one in frozen.kwds.items()},
    }


def _distribution(fields: Fields) -> Any:
    """Make a distribution of scipy.stats from its name and finite numbers."""
    name = fields.text("name")
    args, kwds = fields.a("args", list), fields.a("kwds", dict)
    known = getattr(stats, name, None) if name.isidentifier() else None
    if not isinstance(known, (stats.rv_continuous, stats.rv_discrete)) or known.name != name:
        raise ValueError(f"scipy.stats has no distribution {name:.60}")
    if not all(type(one) is float and np.isfinite(one) for one in (*args, *kwds.values())):
        raise ValueError("args and kwds must be finite numbers")
    frozen = known(*args, **kwds)
    interval_of(frozen, "a cost")
    return frozen


RECORDS = (
    Kind("CapacityPrices", (CapacityPrices,), _prices_parts, _prices),
    Kind("Distribution", FROZEN, _distribution_parts, _distribution),
)
KINDS = (Kind("ActionClassifier", (ActionClassifier,), _classifier_parts, _classifier),)
