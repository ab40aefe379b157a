"""Model file kinds of meta-estimators: operating points, searches, estimated costs, actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields as fields_of
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, Ridge

from costboost._core.costs import Costs
from costboost._core.costs.ranges import interval_of
from costboost._core.names import COST_NAMES
from costboost._core.rules.record import NetCosts
from costboost.algorithms import CLASSES, METHODS
from costboost.decisions.actions import ActionClassifier, classifier_inside, costs_of, restore
from costboost.decisions.capacity import CapacityPrices, check_prices
from costboost.decisions.estimated import EstimatedCostClassifier
from costboost.decisions.goals import TARGETS, Goal, Outcomes, Points, check_goal
from costboost.decisions.operating import SEARCHES, OperatingPointClassifier
from costboost.decisions.search import CostSearchCV
from costboost.io.classifiers import N_CLASSES
from costboost.io.parts import (
    FOR_TRAINING,
    check_features_in,
    fitted_parts,
    make,
    parameter_parts,
)
from costboost.io.tree import SCALARS, Fields, Kind, NotPlainError

TINY = float(np.nextafter(0.0, 1.0))

OPERATING = {
    "n_features_in_": "n_features_in_",
    "feature_names_in_": "feature_names_in_",
    "classes_": "classes_",
    "estimator_": "estimator_",
    "method_": "method_",
    "threshold_": "threshold_",
    "fn_cost_": "fn_cost_",
    "fp_cost_": "fp_cost_",
    "measures_": "measures_",
    "achieved_": "achieved_",
    "cost_": "cost_",
    "fold_values_": "fold_values_",
    "interval_": "interval_",
    "_goal": "goal_",
    "_points": "points_",
    "_label": "positive_",
    "_costs": "costs_",
}
"""Fitted attributes of OperatingPointClassifier and their names in files."""
SEARCHED = {
    name: name
    for name in (
        "n_features_in_", "feature_names_in_", "classes_", "best_estimator_", "best_fn_cost_",
        "best_cost_", "best_index_", "cv_results_",
    )
}  # fmt: skip
"""Fitted attributes of CostSearchCV and their names in files."""
ESTIMATED = {
    "n_features_in_": "n_features_in_",
    "feature_names_in_": "feature_names_in_",
    "classes_": "classes_",
    "estimator_": "estimator_",
    "cost_estimators_": "cost_estimators_",
    "known_costs_": "known_costs_",
    "_label": "positive_",
}
"""Fitted attributes of EstimatedCostClassifier and their names in files."""
NOT_KEPT = frozenset({"search_"})
"""Attributes of CostSearchCV that are not stored: the search itself, but for its results."""
INNER = (*CLASSES, OperatingPointClassifier, CostSearchCV)
"""Classes of the classifier inside."""


# ---- operating points ----------------------------------------------------------------------------


def _goal(fields: Fields) -> Goal:
    name = fields.text("name", TARGETS)
    at_least, at_most = (_number_or_none(fields, side) for side in ("at_least", "at_most"))
    if at_least is None and at_most is None:
        raise ValueError("there is no goal")
    margin = fields.number("margin", 0.0)
    guarantee = fields.number("guarantee", TINY, 1 - 2**-53) if "guarantee" in fields else None
    return Goal(name, at_least, at_most, margin, guarantee)


def _number_or_none(fields: Fields, name: str) -> float | None:
    value = fields.take(name)
    if value is not None and (type(value) is not float or not np.isfinite(value)):
        raise ValueError(f"{name} must be null or a number")
    return value


def _outcomes(fields: Fields) -> Outcomes:
    hits = fields.numbers("hits", None, 0.0)
    n = hits.size
    return Outcomes(
        hits,
        fields.numbers("alarms", n, 0.0),
        fields.number("positives", TINY),
        fields.number("negatives", TINY),
        fields.numbers("cost", n, *(() if "right" in fields else (0.0,))),
        fields.numbers("squares", n, 0.0),
        fields.array("blind", np.bool_, (n,)),
        fields.number("rows_per_weight", TINY),
        fields.number("right") if "right" in fields else None,
    )


def _points(fields: Fields) -> Points:
    outcomes = fields.a("outcomes", Outcomes)
    at = fields.array("at", np.float64, outcomes.hits.shape)
    if at.size == 0 or np.isnan(at).any():
        raise ValueError("at must be at least one number, and none of them NaN")
    allowed = None
    if "allowed" in fields:
        allowed = fields.array("allowed", np.bool_, at.shape)
        if not allowed.any():
            raise ValueError("allowed must be true for at least one point")
    return Points(fields.text("what"), at, outcomes, allowed)


# ---- the classifiers -----------------------------------------------------------------------------


def _fitted_estimator(fields: Fields, name: str, classes: Any) -> Any:
    """Read the fitted inner classifier, which must have the given classes."""
    estimator = fields.take(name)
    if type(estimator) not in INNER:
        raise ValueError(f"{name} must be a classifier")
    if not hasattr(estimator, "n_features_in_"):
        raise ValueError(f"{name} must be fitted")
    if estimator.classes_.tolist() != classes.tolist():
        raise ValueError(f"classes_ of {name} are others")
    return estimator


def _features(fields: Fields, estimator: Any) -> dict[str, Any]:
    """Read the number and names of the features, which are those of the inner classifier."""
    found = check_features_in(fields, estimator.n_features_in_)
    names, inner = found.get("feature_names_in"), getattr(estimator, "feature_names_in_", None)
    if names is not None and inner is not None and names.tolist() != inner.tolist():
        raise ValueError("feature_names_in_ of the classifier inside are others")
    return {f"{name}_": value for name, value in found.items()}


def _check_inner(clf: Any, others: Sequence[Any] = ()) -> None:
    if type(clf.estimator) not in (*INNER, *others):
        raise ValueError("estimator must be a classifier")


def _positive(fields: Fields, classes: NDArray[Any]) -> Any:
    """Read the positive label, which must be one of the classes."""
    label = fields.take("positive_")
    if not isinstance(label, SCALARS) or label not in classes.tolist():
        raise ValueError("positive_ must be one of the classes")
    return label


def _operating(fields: Fields) -> OperatingPointClassifier:
    clf = make(OperatingPointClassifier, fields)
    _check_inner(clf)
    check_goal(clf)
    if "classes_" in fields:
        clf.__dict__.update(_operating_state(fields))
    return clf


def _operating_state(fields: Fields) -> dict[str, Any]:
    classes = fields.labels("classes_", N_CLASSES)
    method = fields.text("method_", SEARCHES)
    estimator = _fitted_estimator(fields, "estimator_", classes)
    label, costs = _positive(fields, classes), fields.a("costs_", tuple)
    right = fields.a("right_costs_", tuple) if "right_costs_" in fields else None
    least = 0.0 if right is None else -np.inf
    if len(costs) != 2 or not all(type(c) is float and least < c < np.inf for c in costs):
        raise ValueError("costs_ must be two numbers above 0")
    if right is not None and (
        len(right) != 2 or not all(type(c) is float and np.isfinite(c) for c in right)
    ):
        raise ValueError("right_costs_ must be two numbers")
    state = {
        **_features(fields, estimator),
        "classes_": classes,
        "estimator_": estimator,
        "method_": method,
        "fold_values_": fields.floats("fold_values_", None),
        "measures_": _floats_by_name(fields, "measures_"),
        "interval_": _interval(fields),
        "_goal": fields.a("goal_", Goal),
        "_points": fields.a("points_", Points),
        "_label": label,
        "_costs": Costs.from_net(NetCosts(*costs), right),
    }
    own = ("threshold_",) if method == "threshold" else ("fn_cost_", "fp_cost_")
    state |= {name: fields.a(name, float) for name in ("achieved_", "cost_", *own)}
    if any(np.isnan(state[name]) for name in own):
        raise ValueError(f"{own[0]} must be a number")
    return state


def _floats_by_name(fields: Fields, name: str) -> dict[str, float]:
    values = fields.a(name, dict)
    if set(values) != set(TARGETS) or any(type(one) is not float for one in values.values()):
        raise ValueError(f"{name} must be numbers for {', '.join(TARGETS)}")
    return values


def _interval(fields: Fields) -> tuple[float, float]:
    ends = fields.a("interval_", tuple)
    if len(ends) != 2 or any(type(end) is not float for end in ends):
        raise ValueError("interval_ must be two numbers")
    return ends


def _search(fields: Fields) -> CostSearchCV:
    clf = make(CostSearchCV, fields)
    _check_inner(clf)
    if "classes_" in fields:
        clf.__dict__.update(_search_state(fields))
    return clf


def _search_state(fields: Fields) -> dict[str, Any]:
    classes = fields.labels("classes_", N_CLASSES)
    state: dict[str, Any] = {
        "classes_": classes,
        "cv_results_": fields.a("cv_results_", dict),
        "best_index_": fields.whole("best_index_", 0),
        "best_fn_cost_": fields.number("best_fn_cost_", TINY),
        "best_cost_": fields.number("best_cost_", 0.0),
    }
    if "best_estimator_" in fields:
        state["best_estimator_"] = _fitted_estimator(fields, "best_estimator_", classes)
        state |= _features(fields, state["best_estimator_"])
    return state


# ---- estimated costs -----------------------------------------------------------------------------

LINEAR = {LinearRegression: ("fit_intercept", "positive"), Ridge: ("alpha", "fit_intercept")}
"""Regressors that a file can hold, and those of their parameters that it keeps."""


def _linear_parts(regressor: Any) -> Mapping[str, Any]:
    parts = {name: getattr(regressor, name) for name in LINEAR[type(regressor)]}
    if hasattr(regressor, "coef_"):
        parts |= {"coef_": regressor.coef_, "intercept_": float(regressor.intercept_)}
        parts["n_features_in_"] = regressor.n_features_in_
        if hasattr(regressor, "feature_names_in_"):
            parts["feature_names_in_"] = regressor.feature_names_in_
    return parts


def _linear(cls: type[BaseEstimator], fields: Fields) -> BaseEstimator:
    regressor = cls(**fields.take_some(LINEAR[cls]))
    if "coef_" in fields:
        regressor.coef_ = fields.numbers("coef_", None)
        regressor.intercept_ = fields.number("intercept_")
        for name, value in check_features_in(fields, regressor.coef_.size).items():
            setattr(regressor, f"{name}_", value)
    return regressor


def _estimated_parts(clf: EstimatedCostClassifier) -> Mapping[str, Any]:
    if type(clf.cost_estimator) not in LINEAR:
        names = " and ".join(cls.__name__ for cls in LINEAR)
        raise NotPlainError(
            f"its cost_estimator is a {type(clf.cost_estimator).__name__}, and of the regressors "
            f"of scikit-learn a file holds {names} alone: take one of them"
        )
    parts = {**parameter_parts(clf), **fitted_parts(clf, ESTIMATED)}
    if isinstance(clf.estimator, FrozenEstimator):
        parts |= {"estimator": None, "estimator_": clf.estimator_.estimator}
    return parts


def _estimated(fields: Fields) -> EstimatedCostClassifier:
    clf = make(EstimatedCostClassifier, fields)
    if type(clf.cost_estimator) not in LINEAR:
        raise ValueError("cost_estimator must be a linear regressor")
    classes = fields.labels("classes_", N_CLASSES)
    fitted = _fitted_estimator(fields, "estimator_", classes)
    if clf.estimator is None:
        clf.estimator = fitted = FrozenEstimator(fitted)
    else:
        _check_inner(clf)
    label = _positive(fields, classes)
    known, regressors = fields.a("known_costs_", dict), fields.a("cost_estimators_", dict)
    if {*known, *regressors} != set(COST_NAMES) or len(known) + len(regressors) != len(COST_NAMES):
        raise ValueError(f"there must be one cost or regressor for each of {', '.join(COST_NAMES)}")
    if any(type(cost) is not float or not np.isfinite(cost) for cost in known.values()):
        raise ValueError("known_costs_ must be numbers")
    features = _features(fields, fitted)
    for regressor in regressors.values():
        if type(regressor) not in LINEAR or not hasattr(regressor, "coef_"):
            raise ValueError("cost_estimators_ must be fitted linear regressors")
        if regressor.n_features_in_ != features["n_features_in_"]:
            raise ValueError("cost_estimators_ have another number of features")
    clf.__dict__.update(
        features,
        classes_=classes,
        estimator_=fitted,
        cost_estimators_=regressors,
        known_costs_=known,
        _label=classes[classes == label][0],
    )
    return clf


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


# ---- classifiers of actions ----------------------------------------------------------------------

ACTING = {
    name: name
    for name in ("n_features_in_", "feature_names_in_", "classes_", "estimator_", "prices_")
}
"""Fitted attributes of ActionClassifier and their names in files."""
FROM_COSTS = frozenset({"actions_"})
"""Attributes of ActionClassifier that are not stored, as they follow from the costs."""


def _acting_parts(clf: ActionClassifier) -> Mapping[str, Any]:
    parts = parameter_parts(clf)
    given, reviewer = parts["costs"], parts["reviewer"]
    if not isinstance(given, Mapping):
        given = costs_of(clf).to_dict()
    if isinstance(clf.costs, Costs):
        reviewer = costs_of(clf).reviewer
    parts |= {"costs": _pairs(given), "reviewer": _pairs(reviewer)}
    parts |= fitted_parts(clf, ACTING, FROM_COSTS)
    if isinstance(clf.estimator, FrozenEstimator):
        parts |= {"estimator": None, "estimator_": classifier_inside(clf)}
    return parts


def _acting(fields: Fields) -> ActionClassifier:
    clf = make(ActionClassifier, fields)
    clf.costs = _dict(clf.costs, "costs", 2)
    clf.reviewer = _dict(clf.reviewer, "reviewer", 3)
    fitted = fields.take("estimator_")
    if type(fitted) not in (*INNER, *METHODS) or not hasattr(fitted, "n_features_in_"):
        raise ValueError("estimator_ must be a fitted classifier")
    if not hasattr(fitted, "predict_proba"):
        raise ValueError("estimator_ must have probabilities")
    if clf.estimator is None:
        clf.estimator = fitted = FrozenEstimator(fitted)
    else:
        _check_inner(clf, METHODS)
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


# ---- kinds ---------------------------------------------------------------------------------------


def _record(record: Any) -> Mapping[str, Any]:
    return dict(vars(record))


def _without(name: str) -> Callable[[Any], Mapping[str, Any]]:
    """Parts of a record, without one that is None: versions before it do not have it."""

    def parts(record: Any) -> Mapping[str, Any]:
        return {k: v for k, v in _record(record).items() if k != name or v is not None}

    return parts


def _operating_parts(clf: OperatingPointClassifier) -> Mapping[str, Any]:
    parts = {**parameter_parts(clf), **fitted_parts(clf, OPERATING)}
    costs = parts.get("costs_")
    if costs is None:
        return parts
    right = {} if costs.right is None else {"right_costs_": costs.right}
    return parts | {"costs_": tuple(costs.net)} | right


RECORDS = (
    Kind("Goal", (Goal,), _without("guarantee"), _goal),
    Kind("Outcomes", (Outcomes,), _without("right"), _outcomes),
    Kind("Points", (Points,), _without("allowed"), _points),
    *(Kind(cls.__name__, (cls,), _linear_parts, partial(_linear, cls)) for cls in LINEAR),
    Kind("CapacityPrices", (CapacityPrices,), _prices_parts, _prices),
    Kind("Distribution", FROZEN, _distribution_parts, _distribution),
)
KINDS = (
    Kind(
        "OperatingPointClassifier",
        (OperatingPointClassifier,),
        _operating_parts,
        _operating,
        FOR_TRAINING,
    ),
    Kind("EstimatedCostClassifier", (EstimatedCostClassifier,), _estimated_parts, _estimated),
    Kind(
        "CostSearchCV",
        (CostSearchCV,),
        lambda clf: {**parameter_parts(clf), **fitted_parts(clf, SEARCHED, NOT_KEPT)},
        _search,
        FOR_TRAINING,
    ),
    Kind("ActionClassifier", (ActionClassifier,), _acting_parts, _acting),
)
