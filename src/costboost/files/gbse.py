"""GBSE, the method for several classes that grows its trees on the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.engine.binning import Binning
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
from costboost.files.pairs import PairTrees
from costboost.files.tree import Kind, NotPlainError
from costboost.learners.tree import MOST_LABELS, PairTreeLearner
from costboost.multiclass.calibrating import Dirichlet
from costboost.multiclass.gbse import GBSEClassifier
from costboost.multiclass.relations import TreeRelations

MOST_PAIRS = 2**63 - 1
FITTED = {
    "n_features_in_": "n_features_in_",
    "feature_names_in_": "feature_names_in_",
    "classes_": "classes_",
    "n_iter_": "n_iter_",
    "rows_used_": "rows_used_",
    "stop_reason_": "stop_reason_",
    "train_cost_": "train_cost_",
    "_alpha": "alpha_",
    "_matrix": "matrix_",
    "_calibrator": "calibrator_",
    "_fingerprint": FIELD,
}
"""Attributes when fitted, and what files call them."""


def _parts(clf: GBSEClassifier) -> Mapping[str, Any]:
    relations = getattr(clf, "_relations", None)
    if clf._wraps() or not isinstance(relations, (TreeRelations, type(None))):
        inner = type(clf.estimator).__name__ if clf._wraps() else "scikit-learn classifier"
        raise NotPlainError(f"boosts a {inner}")
    parts = {**parameter_parts(clf), **fitted_parts(clf, FITTED)}
    if relations is None:
        return parts
    return parts | {
        "n_classes_": relations.n_labels,
        "bins_": relations.binning,
        "trees_": PairTrees.of(clf._hypotheses),
    }


def _classifier(fields: Fields) -> GBSEClassifier:
    clf = make(GBSEClassifier, fields)
    if clf._wraps():
        raise ValueError("estimator must be null")
    clf._check()
    check_threads(clf)
    if "classes_" in fields:
        clf.__dict__.update(_fitted(clf, fields))
    return clf


def _fitted(clf: GBSEClassifier, fields: Fields) -> dict[str, Any]:
    n_classes, n_iter = fields.whole("n_classes_", 2, MOST_LABELS), fields.whole("n_iter_", 1)
    binning, trees = fields.a("bins_", Binning), fields.a("trees_", PairTrees)
    if trees.first.size != n_iter + 1:
        raise ValueError(f"trees_ has {trees.first.size - 1} trees after {n_iter} rounds")
    if np.any(trees.feature > binning.n_features):
        raise ValueError(f"trees_ tests features other than 0 to {binning.n_features}")
    return {
        **check_features_in(fields, binning.n_features),
        **kept_fingerprint(fields),
        "classes_": fields.labels("classes_", n_classes),
        "n_iter_": n_iter,
        "rows_used_": fields.whole("rows_used_", 0, MOST_PAIRS),
        "stop_reason_": fields.text("stop_reason_"),
        "train_cost_": fields.floats("train_cost_", n_iter),
        "_alpha": _alpha(fields),
        "_matrix": _matrix(fields, n_classes),
        "_calibrator": _calibrator(fields, n_classes),
        "_relations": _relations(clf, binning, n_classes),
        "_hypotheses": trees.apart(),
    }


def _matrix(fields: Fields, n_classes: int) -> NDArray[np.float64]:
    matrix = fields.array("matrix_", np.float64, (n_classes, n_classes))
    if not np.all(np.isfinite(matrix) & (matrix >= 0)):
        raise ValueError("matrix_ must be finite and not negative")
    return matrix


def _calibrator(fields: Fields, n_classes: int) -> Dirichlet | None:
    calibrator = fields.take("calibrator_")
    if calibrator is not None and not isinstance(calibrator, Dirichlet):
        raise ValueError("calibrator_ must be null or a DirichletCalibrator")
    if calibrator is not None and calibrator.weights_.shape[1] != n_classes:
        raise ValueError(f"calibrator_ must be for {n_classes} classes")
    return calibrator


def _alpha(fields: Fields) -> float | None:
    alpha = fields.take("alpha_")
    if alpha is not None and not (isinstance(alpha, (int, float)) and 0 < alpha <= 1):
        raise ValueError("alpha_ must be null or a number above 0 and at most 1")
    return alpha


def _relations(clf: GBSEClassifier, binning: Binning, n_classes: int) -> TreeRelations:
    relations = TreeRelations.__new__(TreeRelations)
    relations.binning, relations.n_labels, relations.n_jobs = binning, n_classes, clf.n_jobs
    relations.learner = PairTreeLearner(
        binning, n_classes, clf.max_depth, clf.min_samples_leaf, bool(clf.prune)
    )
    return relations


KINDS = (Kind("GBSEClassifier", (GBSEClassifier,), _parts, _classifier, FOR_TRAINING),)
