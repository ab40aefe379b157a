"""Parts of model files that classifiers share: parameters, features, ensembles, calibrators."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields as names_of
from functools import partial
from inspect import signature
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context

from costboost._core.calibration import CALIBRATORS
from costboost._core.calibration.base import Calibrator
from costboost._core.calibration.beta import BetaCalibrator
from costboost._core.calibration.dirichlet import Dirichlet
from costboost._core.calibration.isotonic import IsotonicCalibrator
from costboost._core.calibration.per_class import ClassCalibrators
from costboost._core.calibration.softmax import SoftmaxCalibrator
from costboost._core.costs import Costs
from costboost._core.costs.record import OUTCOMES
from costboost._core.engine._kernels import BINS, MISSING, most_tests_on_a_path
from costboost._core.engine.class_trees import ScoreTrees
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.lines import Lines
from costboost._core.engine.node import LEAF
from costboost._core.fingerprints import KEPT, Fingerprint
from costboost._core.rules.record import NetCosts
from costboost._core.tables import Coder
from costboost.io.tree import Fields, Kind, NotPlainError

E = TypeVar("E")

FOR_TRAINING = frozenset(
    {
        "calibration_split", "categorical_features", "cost_matrix", "cv", "fn_costs",
        "interaction_cst", "monotonic_cst", "random_state", "scoring",
    }
)  # fmt: skip
"""Parameters that are only used by `fit`: left out if a file cannot hold their value."""
SINCE_02 = {
    "tp_cost": 0.0, "tn_cost": 0.0, "clip_costs": None, "monotonic_cst": None,
    "interaction_cst": None, "costs": None,
}  # fmt: skip
"""Parameters that 0.1 did not have: left out at their default, so that 0.1 reads the file."""
REQUESTS = "requests"
REFERENCE = "reference_"
"""Attribute with the reference of `costboost.monitoring`, which files hold as metadata."""
MOST_THREADS = 4096
METHODS = ("fit", "predict", "predict_proba", "predict_log_proba", "decision_function", "score")
"""Methods to which scikit-learn can route metadata."""


# ---- attributes of an estimator ------------------------------------------------------------------


def parameter_parts(estimator: Any) -> dict[str, Any]:
    """Parameters, and metadata requests if there are any; numbers in place of a record of costs."""
    parts = estimator.get_params(deep=False)
    costs = parts.get("costs")
    if isinstance(costs, Costs) and costs.form == OUTCOMES and costs.n_rows is None:
        parts |= costs.arguments | {"costs": None}
    for name, usual in SINCE_02.items():
        value = parts.get(name, usual)
        if type(value) is type(usual) and value == usual:
            parts.pop(name, None)
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
    known = {*known, REFERENCE, *estimator.get_params(deep=False)}
    strange = [name for name in vars(estimator) if name not in known and not name.startswith("_")]
    if strange:
        raise NotPlainError(
            f"has an attribute that a file has no place for, {strange[0]}; remove it with delattr"
        )


# ---- an estimator from its attributes ------------------------------------------------------------


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
    of_values = "of_values" in fields and fields.a("of_values", bool)  # since version 3
    return Fingerprint(keys, n_rows, n_copies, fields.a("whole", bool), of_values)


def kept_fingerprint(fields: Fields) -> Fingerprint | None:
    """The fingerprint of a fitted classifier, if its file has one."""
    if FIELD not in fields:
        return None
    found = fields.take(FIELD)
    if found is not None and type(found) is not Fingerprint:
        raise ValueError(f"{FIELD} must be null or a Fingerprint")
    return found


def _fingerprint_parts(fingerprint: Fingerprint) -> Mapping[str, Any]:
    return dict(vars(fingerprint))


FARTHEST = 2.0**1020
"""Greatest score of an ensemble; a sum of larger values could overflow."""
STEEPEST = 2.0**900
"""Greatest sum of absolute slopes; with larger ones scores of moderate values could overflow."""

Ints = NDArray[np.int64]


# ---- trees of ensembles --------------------------------------------------------------------------


def _arrays(record: Any) -> Mapping[str, Any]:
    return {field.name: getattr(record, field.name) for field in names_of(record)}


def _ensemble(fields: Fields) -> Ensemble:
    """Read trees and check them, as the engine does not check bounds when it evaluates them."""
    first = fields.array("first", np.int32, (None,))
    feature = fields.array("feature", np.int32, (None,))
    n = feature.size
    categories = fields.array("categories", np.uint8, (None, BINS))
    ensemble = Ensemble(
        first=first,
        feature=feature,
        threshold=fields.array("threshold", np.float64, (n,)),
        left=fields.array("left", np.int32, (n,)),
        missing_left=fields.array("missing_left", np.uint8, (n,)),
        category_set=fields.array("category_set", np.int32, (n,)),
        categories=categories,
        value=fields.numbers("value", n),
        gain=fields.numbers("gain", n, least=0.0),
    )
    _check_trees(first.astype(np.int64), feature, ensemble.left.astype(np.int64))
    _check_tests(ensemble)
    reach = np.maximum.reduceat(np.abs(ensemble.value) / FARTHEST, first[:-1]).sum()
    if not reach <= 1:
        raise ValueError("value is so large that scores would overflow")
    return ensemble


def _score_trees(fields: Fields) -> ScoreTrees:
    """Read trees whose leaves add to the score of a class."""
    trees = _ensemble(fields)
    column = fields.array("column", np.int32, (trees.feature.size,))
    if np.any((column < 0) != (trees.feature >= 0)) or np.any(column < -1):
        raise ValueError("column must be that of a score for leaves, and -1 for tests")
    return ScoreTrees(**trees.__getstate__(), column=column)


def _check_trees(first: Ints, feature: NDArray[np.int32], left: Ints) -> None:
    """Check that every node but the roots is the child of one earlier node of its tree."""
    inner = feature >= 0
    if np.any(left[~inner] != -1):
        raise ValueError("feature and left do not agree on which nodes are leaves")
    child = check_children(first, feature, left)
    parents = np.bincount(np.concatenate([child, child + 1]), minlength=feature.size)
    parents[first[:-1]] += 1
    if np.any(parents != 1):
        raise ValueError("left does not lead to every node once")


def check_children(first: Ints, feature: NDArray[np.int32], left: Ints) -> Ints:
    """Left children of all tests; check that each comes after its parent, in the same tree."""
    n = feature.size
    if first.size < 2 or first[0] != 0 or first[-1] != n or np.any(first[1:] <= first[:-1]):
        raise ValueError("first does not cut the nodes into trees")
    if np.any(feature < LEAF):
        raise ValueError("feature must be that of a test, or -1 for a leaf")
    inner = feature >= 0
    end = np.repeat(first[1:], np.diff(first))[inner]
    child: Ints = left[inner]
    if np.any(child <= np.flatnonzero(inner)) or np.any(child + 1 >= end):
        raise ValueError("left leads out of a tree, or back to a node before")
    return child


def _check_tests(ensemble: Ensemble) -> None:
    """Check that ordered tests have a threshold, categorical ones a set, and leaves neither."""
    if np.any(ensemble.missing_left > 1) or np.any(ensemble.categories > 1):
        raise ValueError("missing_left and categories must be 0 or 1")
    inner, chosen = ensemble.feature >= 0, ensemble.category_set
    if np.any(chosen < -1) or np.any(chosen >= len(ensemble.categories)):
        raise ValueError("category_set names a set that is not there")
    if np.any(chosen[~inner] != -1):
        raise ValueError("category_set gives a leaf a set of categories")
    if np.any(np.isnan(ensemble.threshold) != (~inner | (chosen >= 0))):
        raise ValueError("threshold must be a number for ordered tests, and for them only")


# ---- lines in one feature ------------------------------------------------------------------------


def _lines(fields: Fields) -> Lines:
    feature = fields.array("feature", np.int32, (None,))
    slope = fields.numbers("slope", feature.size)
    intercept = fields.numbers("intercept", feature.size)
    if np.sum(np.abs(slope) / STEEPEST) > 1 or np.sum(np.abs(intercept) / FARTHEST) > 1:
        raise ValueError("slope or intercept is so large that scores would overflow")
    return Lines(feature, slope, intercept)


# ---- together with the features ------------------------------------------------------------------


MOST_TESTS = BINS - 1
"""Most tests of one feature below each other: training parts its bins with each of them."""


def check_depth(feature: NDArray[np.int32], left: NDArray[np.int32], n_features: int) -> None:
    """Raise a ValueError if trees are deeper than training can make them."""
    n_tests = most_tests_on_a_path(feature, left, n_features)
    if n_tests > MOST_TESTS:
        raise ValueError(
            f"a tree has {n_tests} tests of a feature below each other; a feature has at most "
            f"{BINS} bins, which {MOST_TESTS} tests part"
        )


def check_features(ensemble: Any, coders: Sequence[Coder | None]) -> None:
    """Check that an ensemble tests existing features, and category sets only of categories."""
    n_features = len(coders)
    feature = ensemble.feature
    if isinstance(ensemble, Lines):
        if np.any(feature < 0) or np.any(feature >= n_features):
            raise ValueError(f"ensemble_ has lines in features other than 0 to {n_features - 1}")
        if any(coder is not None for coder in coders):
            raise ValueError("ensemble_ has lines, but a feature has categories")
        return
    if np.any(feature >= n_features):
        raise ValueError(f"ensemble_ tests features other than 0 to {n_features - 1}")
    has_codes = np.array([coder is not None for coder in coders])
    inner = feature >= 0
    if np.any(has_codes[feature[inner]] != (ensemble.category_set[inner] >= 0)):
        raise ValueError("ensemble_ tests categories where there are none, or a threshold on them")
    check_depth(feature, ensemble.left, n_features)


# ---- categories and costs ------------------------------------------------------------------------


def _coder_parts(coder: Coder) -> Mapping[str, Any]:
    state = coder.__getstate__()
    labels = [one.item() if isinstance(one, np.generic) else one for one in state["labels"]]
    for label in labels:
        if type(label) not in (str, bool, int, float):
            raise NotPlainError(
                f"has a category that is a {type(label).__name__}: {label!r}. Turn the column into "
                "texts or numbers before fitting"
            )
    return {**state, "labels": labels}


def _coder(fields: Fields) -> Coder:
    """Read a coder from labels in the order of their codes."""
    labels, shared = fields.a("labels", list), fields.a("shared", bool)
    if any(type(label) not in (str, bool, int, float) or label != label for label in labels):
        raise ValueError("labels must be texts or numbers")
    coder = Coder.__new__(Coder)
    coder.__setstate__({"labels": labels, "shared": shared})
    if len(coder.code_of) < len(labels) or coder.n_codes > MISSING:
        raise ValueError(f"labels must be different ones, at most {MISSING} with the shared code")
    return coder


def check_coders(fields: Fields, name: str) -> list[Coder | None]:
    """Read the coder of each feature, or None for a number."""
    coders = fields.a(name, list)
    if not coders or any(type(one) not in (Coder, type(None)) for one in coders):
        raise ValueError(f"{name} must be null or Categories for every feature")
    return coders


def _costs(fields: Fields) -> NetCosts:
    return NetCosts(fields.number("fn"), fields.number("fp"))


KINDS = (
    Kind("Trees", (Ensemble,), _arrays, _ensemble),
    Kind("ClassTrees", (ScoreTrees,), _arrays, _score_trees),
    Kind("Lines", (Lines,), _arrays, _lines),
    Kind("Categories", (Coder,), _coder_parts, _coder),
    Kind("Costs", (NetCosts,), lambda costs: costs._asdict(), _costs),
    Kind("Fingerprint", (Fingerprint,), _fingerprint_parts, _fingerprint),
)


# ---- calibrators and their fitted attributes -----------------------------------------------------


TINY = float(np.nextafter(0.0, 1.0))

State = dict[str, Any]


def _sigmoid(fields: Fields) -> State:
    """Read the parameters of a sigmoid, whose logit is slope (s - center) / scale + offset."""
    state: State = {name: fields.number(name) for name in ("center_", "slope_", "offset_")}
    return {**state, "scale_": fields.number("scale_", least=TINY)}


def _beta(fields: Fields) -> State:
    powers = {name: fields.number(name, least=0.0) for name in ("a_", "b_")}
    return {**powers, "c_": fields.number("c_")}


def _isotonic(fields: Fields) -> State:
    """Read the points of a non-decreasing function."""
    thresholds = fields.numbers("thresholds_", None)
    values = fields.numbers("values_", thresholds.size, 0.0, 1.0)
    if not thresholds.size or np.any(np.diff(thresholds) < 0) or np.any(np.diff(values) < 0):
        raise ValueError("thresholds_ and values_ must rise")
    return {"thresholds_": thresholds, "values_": values}


LEARNT: dict[type[Calibrator], Callable[[Fields], State]] = {
    BetaCalibrator: _beta,
    IsotonicCalibrator: _isotonic,
}
"""Readers of the fitted attributes, for calibrators that are not sigmoids."""


def _calibrator(cls: type[Calibrator], fields: Fields) -> Calibrator:
    state = LEARNT.get(cls, _sigmoid)(fields)
    calibrator = cls.from_state({**state, "classes_": fields.labels("classes_", 2)})
    with np.errstate(all="ignore"):
        probability = calibrator.probability(np.array([0.0, 0.5, 1.0]))
    if not np.all((probability >= 0) & (probability <= 1)):
        raise ValueError("these numbers give no probabilities")
    return calibrator


def _calibrator_parts(calibrator: Any) -> State:
    return {name: part for name, part in vars(calibrator).items() if name.endswith("_")}


LARGEST_COEFFICIENT = 1e300
"""Coefficients of a softmax regression that are larger are refused."""


def _dirichlet(fields: Fields) -> Dirichlet:
    """Read a Dirichlet calibrator: class codes, the matrix W and the vector b."""
    codes = fields.array("codes_", np.int64, (None,))
    weights = fields.array("weights_", np.float64, (codes.size, None))
    if (
        codes.size < 2
        or codes[0] < 0
        or np.any(codes[1:] <= codes[:-1])
        or not np.isfinite(weights).all()
    ):
        raise ValueError("codes_ must rise from 0 or above, and weights_ be finite")
    if codes[-1] >= weights.shape[1]:
        raise ValueError(f"codes_ must be below {weights.shape[1]}, got {codes[-1]}")
    offset = fields.numbers("offset_", codes.size)
    with np.errstate(over="ignore"):
        sizes = np.abs(weights).sum(axis=1) + np.abs(offset)
    if not (sizes < LARGEST_COEFFICIENT).all():  # differences of logits would not be numbers
        raise ValueError(f"weights_ and offset_ must be below {LARGEST_COEFFICIENT:g} in size")
    return Dirichlet.from_state({"codes_": codes, "weights_": weights, "offset_": offset})


def _softmax(fields: Fields) -> SoftmaxCalibrator:
    """Read the slope and the offsets of a softmax calibrator."""
    slope = fields.number("slope_", 0.0, FARTHEST)
    offset = fields.numbers("offset_", None, -FARTHEST, FARTHEST)
    if offset.size < 2:
        raise ValueError("offset_ must be those of two classes or more")
    return SoftmaxCalibrator.from_state({"slope_": slope, "offset_": offset})


def _class_calibrators(fields: Fields) -> ClassCalibrators:
    """Read the calibrators of each class against the rest."""
    members = fields.a("members_", list)
    if len(members) < 2 or not all(isinstance(one, Calibrator) for one in members):
        raise ValueError("members_ must be calibrators of two classes or more")
    return ClassCalibrators.from_state({"members_": members})


CALIBRATOR_KINDS = (
    *(
        Kind(cls.__name__, (cls,), _calibrator_parts, partial(_calibrator, cls))
        for cls in CALIBRATORS.values()
    ),
    Kind("SoftmaxCalibrator", (SoftmaxCalibrator,), _calibrator_parts, _softmax),
    Kind("ClassCalibrators", (ClassCalibrators,), _calibrator_parts, _class_calibrators),
    Kind("DirichletCalibrator", (Dirichlet,), _calibrator_parts, _dirichlet),
)
