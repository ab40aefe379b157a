"""Boosting classifiers: their parameters, and what `fit` has left in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.calibration import Calibrator
from costboost.classifiers.adaboost import (
    AdaBoostClassifier,
    AdaMECClassifier,
    AsymAdaClassifier,
    CGAdaClassifier,
)
from costboost.classifiers.adac import AdaC1Classifier, AdaC2Classifier, AdaC3Classifier
from costboost.classifiers.adacost import AdaCostClassifier
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.calibrating import check_calibration
from costboost.classifiers.checks import ESTIMATORS, check_learner, check_parameters
from costboost.classifiers.costboost import CostBoostClassifier
from costboost.classifiers.csb import CSB0Classifier, CSB1Classifier, CSB2Classifier
from costboost.classifiers.joint import AdaDBClassifier, CSAdaClassifier
from costboost.classifiers.newton import (
    CSLBClassifier,
    CSLogitBoostClassifier,
    LogitBoostClassifier,
)
from costboost.classifiers.real import (
    CSGAClassifier,
    CSRAClassifier,
    CSRealBoostClassifier,
    GentleBoostClassifier,
    RareBoostClassifier,
    RealBoostClassifier,
)
from costboost.classifiers.regularised import AdaBoostRegClassifier, WeightBoostClassifier
from costboost.engine.ensemble import Ensemble
from costboost.engine.lines import Lines
from costboost.files.ensembles import FARTHEST, check_coders, check_features
from costboost.files.estimators import (
    FOR_TRAINING,
    check_features_in,
    check_threads,
    fitted_parts,
    make,
    parameter_parts,
)
from costboost.files.fields import Fields
from costboost.files.fingerprints import FIELD, kept_fingerprint
from costboost.files.one_vs_rest import IN_BOTH, fitted_to_several
from costboost.files.tree import Kind, NotPlainError
from costboost.rules import STARTS, Costs
from costboost.tables import Coder

CLASSES: tuple[type[BoostingClassifier], ...] = (
    AdaBoostClassifier, AdaBoostRegClassifier, AdaC1Classifier, AdaC2Classifier, AdaC3Classifier,
    AdaCostClassifier, AdaDBClassifier, AdaMECClassifier, AsymAdaClassifier, CGAdaClassifier,
    CSAdaClassifier, CSB0Classifier, CSB1Classifier, CSB2Classifier, CSGAClassifier, CSLBClassifier,
    CSLogitBoostClassifier, CSRAClassifier, CSRealBoostClassifier, CostBoostClassifier,
    GentleBoostClassifier, LogitBoostClassifier, RareBoostClassifier, RealBoostClassifier,
    WeightBoostClassifier,
)  # fmt: skip

N_CLASSES = 2
ROUNDING = 1e-9
"""By so much of it the sum of the steps may depend on how it is added up."""

FITTED = {
    "n_features_in_": "n_features_in_",
    "feature_names_in_": "feature_names_in_",
    "classes_": "classes_",
    "ensemble_": "ensemble_",
    "n_iter_": "n_iter_",
    "stop_reason_": "stop_reason_",
    "estimator_weights_": "estimator_weights_",
    "estimator_errors_": "estimator_errors_",
    "train_cost_": "train_cost_",
    "validation_score_": "validation_score_",
    "shares_": "shares_",
    "_calibrator": "calibrator_",
    "_chosen": "chosen_",
    "_coders": "categories_",
    "_drawn": "seed_",
    "_fingerprint": FIELD,
    "_held_out": "held_out_",
    "_initial_weights": "initial_weights_",
    "_learner": "learner_",
    "_n_rounds": "n_rounds_",
    "_one_vs_rest": "one_vs_rest_",
    "_positive_index": "positive_index_",
    "_prior": "prior_",
    "_stage_ends": "stage_ends_",
    "_stage_shifts": "stage_shifts_",
    "_stage_slopes": "stage_slopes_",
    "_trained_costs": "costs_",
    "_votes": "votes_",
}
"""Attributes of a fitted classifier, and what files call them."""


# ---- taking apart --------------------------------------------------------------------------------


def _parts(clf: BoostingClassifier) -> Mapping[str, Any]:
    learner = getattr(clf, "_learner", None)
    if clf._wraps() or learner == "wrapped":
        inner = type(clf.estimator).__name__ if clf._wraps() else "scikit-learn classifier"
        raise NotPlainError(f"boosts a {inner}")
    return {**parameter_parts(clf), **fitted_parts(clf, FITTED, IN_BOTH)}


# ---- putting together ----------------------------------------------------------------------------


def _classifier(cls: type[BoostingClassifier], fields: Fields) -> BoostingClassifier:
    clf = make(cls, fields)
    _check_parameters(clf)
    if "one_vs_rest_" in fields:
        clf.__dict__.update(fitted_to_several(clf, fields))
    elif "classes_" in fields:
        clf.__dict__.update(_fitted(clf, fields))
        _check_answers(clf)
    return clf


def _check_parameters(clf: BoostingClassifier) -> None:
    """As `fit` would check them."""
    if clf._wraps():
        raise ValueError("estimator must be the name of a weak learner")
    check_parameters(clf)
    check_calibration(clf)
    check_learner(clf, clf._rule(), clf._learner_name())
    check_threads(clf)


def _fitted(clf: BoostingClassifier, fields: Fields) -> dict[str, Any]:
    """The attributes that `fit` has set."""
    n_iter = fields.whole("n_iter_", 0)
    coders = check_coders(fields, "categories_")
    steps = fields.numbers("estimator_weights_", n_iter)
    votes = _votes(fields, steps)
    several = "shares_" in fields  # ensembles in one, of so many rounds each
    state: dict[str, Any] = {
        **check_features_in(fields, len(coders)),
        **kept_fingerprint(fields),
        "classes_": fields.labels("classes_", N_CLASSES),
        "ensemble_": _ensemble(fields, coders, steps),
        "n_iter_": n_iter,
        "stop_reason_": fields.text("stop_reason_"),
        "estimator_weights_": steps,
        "estimator_errors_": fields.floats("estimator_errors_", n_iter),
        "train_cost_": fields.floats("train_cost_", None if several else n_iter),
        "_calibrator": _calibrator(fields),
        "_chosen": _chosen(clf, fields),
        "_coders": coders,
        "_initial_weights": fields.text("initial_weights_", ("auto", *STARTS)),
        "_learner": fields.text("learner_", ESTIMATORS),
        "_n_rounds": fields.whole("n_rounds_", 1 if several else max(1, n_iter)),
        "_positive_index": fields.whole("positive_index_", 0, N_CLASSES - 1),
        "_prior": fields.number("prior_", 0.0, 1.0),
        "_trained_costs": fields.a("costs_", Costs),
        "_votes": votes,
    }
    if "shares_" in fields:
        state["shares_"] = _shares(fields)
    if "stage_ends_" in fields:
        state |= _stages(fields, n_iter)
    if "held_out_" in fields:
        state["_held_out"] = fields.number("held_out_", 0.0, 1.0)
    if "seed_" in fields:
        state["_drawn"] = fields.whole("seed_", 0)
    if "validation_score_" in fields:
        state["validation_score_"] = fields.floats("validation_score_", n_iter)
    return state


def _ensemble(fields: Fields, coders: Sequence[Coder | None], steps: NDArray[np.float64]) -> Any:
    ensemble = fields.take("ensemble_")
    if type(ensemble) not in (Ensemble, Lines):
        raise ValueError("ensemble_ must be Trees or Lines")
    if len(ensemble) != max(1, steps.size):
        raise ValueError(f"ensemble_ has {len(ensemble)} learners after {steps.size} rounds")
    if steps.size == 0 and (isinstance(ensemble, Lines) or ensemble.feature.size > 1):
        raise ValueError("ensemble_ must be a constant where no rounds were added")
    check_features(ensemble, coders)
    if steps.size and isinstance(ensemble, Ensemble):
        largest = float(np.max(ensemble.gain)) / FARTHEST * max(1.0, float(np.max(np.abs(steps))))
        if not largest * ensemble.gain.size <= 1:
            raise ValueError("gain is so large that feature importances would overflow")
    return ensemble


def _calibrator(fields: Fields) -> Calibrator | None:
    calibrator = fields.take("calibrator_")
    if calibrator is not None and not isinstance(calibrator, Calibrator):
        raise ValueError("calibrator_ must be null or a calibrator")
    return calibrator


def _chosen(clf: BoostingClassifier, fields: Fields) -> dict[str, Any]:
    """Settings that held-out rows decided on: parameters that could be given as well."""
    chosen = fields.a("chosen_", dict)
    if not set(chosen) <= set(clf.get_params(deep=False)):
        raise ValueError(f"chosen_ has settings that {type(clf).__name__} does not have")
    _check_parameters(type(clf)(**clf.get_params(deep=False) | chosen))
    return chosen


def _shares(fields: Fields) -> dict[str, float]:
    """Weak learners and their weights in the score."""
    shares = fields.a("shares_", dict)
    if not set(shares) <= set(ESTIMATORS) or not all(
        isinstance(share, float) and 0 <= share <= 1 for share in shares.values()
    ):
        raise ValueError("shares_ must have a number from 0 to 1 for each weak learner")
    return shares


def _stages(fields: Fields, n_iter: int) -> dict[str, Any]:
    """Where each stage ends, and the line that calibrates it."""
    ends = fields.array("stage_ends_", np.int64, (None,))
    if not ends.size or ends[0] < 1 or ends[-1] != n_iter or np.any(np.diff(ends) < 0):
        raise ValueError("stage_ends_ must rise from at least 1 to n_iter_")
    return {
        "_stage_ends": ends,
        "_stage_slopes": fields.numbers("stage_slopes_", ends.size, 0.0, FARTHEST),
        "_stage_shifts": fields.numbers("stage_shifts_", ends.size, -FARTHEST, FARTHEST),
    }


def _votes(fields: Fields, steps: NDArray[np.float64]) -> float:
    """The sum of the sizes of the steps, which a share of votes is divided by."""
    votes = fields.number("votes_", 0.0, FARTHEST)
    total = float(np.sum(np.abs(steps / FARTHEST))) * FARTHEST
    if not abs(votes - total) <= ROUNDING * votes or (steps.size and votes == 0):
        raise ValueError("votes_ is not the sum of the sizes of estimator_weights_")
    return votes


def _check_answers(clf: BoostingClassifier) -> None:
    """Probabilities and decisions exist for every score that the ensemble can give."""
    ensemble, n = clf.ensemble_, clf.n_iter_
    if not 0 < clf._prior < 1 and clf._initial_weights == "balanced":
        raise ValueError("prior_ must be between 0 and 1 where classes are balanced")
    reach = 1.0
    if isinstance(ensemble, Ensemble):
        reach = float(np.maximum.reduceat(np.abs(ensemble.value), ensemble.first[:-1]).sum())
    score, deciding = np.array([-reach, 0.0, reach]), clf._deciding()
    with np.errstate(all="ignore"):
        for stage in {min(n, 1), n}:
            size = float(np.abs(clf.estimator_weights_[:stage]).sum())
            probability = deciding.probability(score, clf._trained_costs, size, stage)
            deciding.positive(score, clf._trained_costs, size, stage)
            if not np.all((probability >= 0) & (probability <= 1)):
                raise ValueError("the numbers of this model give no probabilities")


KINDS = tuple(
    Kind(cls.__name__, (cls,), _parts, partial(_classifier, cls), FOR_TRAINING) for cls in CLASSES
)
