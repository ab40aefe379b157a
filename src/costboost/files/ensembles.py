"""Model file kinds of ensembles, category codes, costs and calibrators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields as names_of
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.calibration import CALIBRATORS, Calibrator
from costboost.calibration.calibrators import BetaCalibrator, IsotonicCalibrator
from costboost.engine._kernels import BINS, MISSING
from costboost.engine.ensemble import LEAF, Ensemble, Lines
from costboost.files.tree import Fields, Kind, NotPlainError
from costboost.multiclass.model import Dirichlet
from costboost.rules import Costs
from costboost.tables import Coder

FARTHEST = 2.0**1020
"""Greatest score of an ensemble; a sum of larger values could overflow."""
STEEPEST = 2.0**900
"""Greatest sum of absolute slopes; with larger ones scores of moderate values could overflow."""

Ints = NDArray[np.int64]


# ---- trees ---------------------------------------------------------------------------------------


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
    if first.size < 2 or first[0] != 0 or first[-1] != n or np.any(np.diff(first) < 1):
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


# ---- lines ---------------------------------------------------------------------------------------


def _lines(fields: Fields) -> Lines:
    feature = fields.array("feature", np.int32, (None,))
    slope = fields.numbers("slope", feature.size)
    intercept = fields.numbers("intercept", feature.size)
    if np.sum(np.abs(slope) / STEEPEST) > 1 or np.sum(np.abs(intercept) / FARTHEST) > 1:
        raise ValueError("slope or intercept is so large that scores would overflow")
    return Lines(feature, slope, intercept)


# ---- together with the features ------------------------------------------------------------------


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


def _costs(fields: Fields) -> Costs:
    tiny = float(np.nextafter(0.0, 1.0))
    return Costs(fields.number("fn", least=tiny), fields.number("fp", least=tiny))


KINDS = (
    Kind("Trees", (Ensemble,), _arrays, _ensemble),
    Kind("Lines", (Lines,), _arrays, _lines),
    Kind("Categories", (Coder,), _coder_parts, _coder),
    Kind("Costs", (Costs,), lambda costs: costs._asdict(), _costs),
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


def _parts(calibrator: Calibrator | Dirichlet) -> State:
    return {name: part for name, part in vars(calibrator).items() if name.endswith("_")}


def _dirichlet(fields: Fields) -> Dirichlet:
    """Read a Dirichlet calibrator: class codes, the matrix W and the vector b."""
    codes = fields.array("codes_", np.int64, (None,))
    weights = fields.array("weights_", np.float64, (codes.size, None))
    if (
        codes.size < 2
        or codes[0] < 0
        or np.any(np.diff(codes) <= 0)
        or not np.isfinite(weights).all()
    ):
        raise ValueError("codes_ must rise from 0 or above, and weights_ be finite")
    if codes[-1] >= weights.shape[1]:
        raise ValueError(f"codes_ must be below {weights.shape[1]}, got {codes[-1]}")
    offset = fields.numbers("offset_", codes.size)
    return Dirichlet.from_state({"codes_": codes, "weights_": weights, "offset_": offset})


CALIBRATOR_KINDS = (
    *(
        Kind(cls.__name__, (cls,), _parts, partial(_calibrator, cls))
        for cls in CALIBRATORS.values()
    ),
    Kind("DirichletCalibrator", (Dirichlet,), _parts, _dirichlet),
)
