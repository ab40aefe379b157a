"""Model file parts of estimators: parameters, metadata requests, feature names, fingerprints."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from inspect import signature
from typing import Any, TypeVar

import numpy as np
from sklearn import config_context

from costboost.files.tree import Fields, Kind, NotPlainError
from costboost.fingerprints import KEPT, Fingerprint

E = TypeVar("E")

FOR_TRAINING = frozenset(
    {
        "calibration_split", "categorical_features", "cost_matrix", "cv", "fn_costs",
        "random_state", "scoring",
    }
)  # fmt: skip
"""Parameters that are only used by `fit`: left out if a file cannot hold their value."""
REQUESTS = "requests"
MOST_THREADS = 4096
METHODS = ("fit", "predict", "decision_function", "score")
"""Methods to which scikit-learn can route metadata."""


# ---- taking apart --------------------------------------------------------------------------------


def parameter_parts(estimator: Any) -> dict[str, Any]:
    """Parameters, and metadata requests if there are any."""
    parts = estimator.get_params(deep=False)
    own = vars(estimator).get("_metadata_request")
    if own is not None:
        requests = {method: _requested(own, method) for method in METHODS}
        parts[REQUESTS] = {method: one for method, one in requests.items() if one}
    return dict(parts)


def _requested(request: Any, method: str) -> dict[str, Any]:
    """Metadata requests of a method that the user has set."""
    found: Mapping[str, Any] = getattr(request, method).requests
    return {name: value for name, value in found.items() if value is not None}


def fitted_parts(
    estimator: Any, names: Mapping[str, str], left_out: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The attributes that `fit` has set, by their names in files."""
    refuse_strange(estimator, {*names, *left_out})
    own = vars(estimator)
    return {name: own[attribute] for attribute, name in names.items() if attribute in own}


def refuse_strange(estimator: Any, known: Collection[str]) -> None:
    """Raise an error if an estimator has an attribute that a file cannot hold."""
    known = {*known, *estimator.get_params(deep=False)}
    strange = [name for name in vars(estimator) if name not in known and not name.startswith("_")]
    if strange:
        raise NotPlainError(
            f"has an attribute that a file has no place for, {strange[0]}; remove it with delattr"
        )


# ---- putting together ----------------------------------------------------------------------------


def make(cls: type[E], fields: Fields) -> E:
    """An estimator with the parameters in the file, and defaults for those that are not."""
    parameters = signature(cls).parameters
    given = fields.take_some(parameters)
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and name not in given:
            raise ValueError(f"{name} is missing")
    estimator = cls(**given)
    if REQUESTS in fields:
        _set_requests(estimator, fields.a(REQUESTS, dict))
    return estimator


def _set_requests(estimator: Any, requests: dict[str, Any]) -> None:
    """Set the metadata requests of each method."""
    for method, requested in requests.items():
        if method not in METHODS or type(requested) is not dict:
            raise ValueError(f"{REQUESTS} must be for {', '.join(METHODS)}")
        setter = getattr(estimator, f"set_{method}_request", None)
        if setter is None or not set(requested) <= set(signature(setter).parameters):
            raise ValueError(f"{REQUESTS} has metadata that {method} does not take")
        if not all(type(one) in (bool, str) for one in requested.values()):
            raise ValueError(f"{REQUESTS} must be true, false or a name")
        with config_context(enable_metadata_routing=True):
            setter(**requested)


def check_threads(estimator: Any) -> None:
    """Raise a ValueError if `n_jobs` is more than a machine can start."""
    if estimator.n_jobs is not None and abs(estimator.n_jobs) > MOST_THREADS:
        raise ValueError(f"n_jobs must be at most {MOST_THREADS}, got {estimator.n_jobs}")


def check_features_in(fields: Fields, n_features: int) -> dict[str, Any]:
    """Read the number and names of the features."""
    found: dict[str, Any] = {"n_features_in": fields.whole("n_features_in_", 1)}
    if found["n_features_in"] != n_features:
        raise ValueError(f"n_features_in_ is {found['n_features_in']}, not {n_features}")
    if "feature_names_in_" in fields:
        names = fields.array("feature_names_in_", object, (n_features,))
        if not all(isinstance(name, str) for name in names):
            raise ValueError("feature_names_in_ must be texts")
        found["feature_names_in"] = np.asarray(names, dtype=object)
    return found


# ---- fingerprints of training rows ---------------------------------------------------------------


MOST_ROWS = 2**63 - 1
FIELD = "fingerprint_"


def _fingerprint(fields: Fields) -> Fingerprint:
    keys = fields.array("keys", np.uint64, (None,))
    if not 0 < keys.size <= KEPT or np.any(keys[1:] <= keys[:-1]):
        raise ValueError(f"keys must be 1 to {KEPT} numbers, each above the last")
    n_rows = fields.whole("n_rows", keys.size, MOST_ROWS)
    n_copies = fields.whole("n_copies", 0, n_rows)
    return Fingerprint(keys, n_rows, n_copies, fields.a("whole", bool))


def kept_fingerprint(fields: Fields) -> Fingerprint | None:
    """The fingerprint of a fitted classifier, if its file has one."""
    if FIELD not in fields:
        return None
    found = fields.take(FIELD)
    if found is not None and type(found) is not Fingerprint:
        raise ValueError(f"{FIELD} must be null or a Fingerprint")
    return found


def _parts(fingerprint: Fingerprint) -> Mapping[str, Any]:
    return dict(vars(fingerprint))


KINDS = (Kind("Fingerprint", (Fingerprint,), _parts, _fingerprint),)
