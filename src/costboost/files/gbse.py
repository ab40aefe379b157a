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
    make,
    parameter_parts,
    refuse_strange,
)
from costboost.files.fields import Fields
from costboost.files.fingerprints import kept_fingerprint
from costboost.files.pairs import PairTrees
from costboost.files.tree import Kind, NotPlainError
from costboost.learners.tree import MOST_LABELS, PairTreeLearner
from costboost.multiclass.base import check_for_fit
from costboost.multiclass.calibrating import Dirichlet
from costboost.multiclass.gbse import GBSEClassifier
from costboost.multiclass.model import Learnt, MulticlassModel, RelationalShares
from costboost.multiclass.relations import TreeRelations
from costboost.tables import Features

MOST_PAIRS = 2**63 - 1


def _parts(clf: GBSEClassifier) -> Mapping[str, Any]:
    model: MulticlassModel | None = getattr(clf, "model_", None)
    if clf.estimator is not None or (model is not None and model.learner == "wrapped"):
        wraps = clf.estimator is not None
        inner = type(clf.estimator).__name__ if wraps else "scikit-learn classifier"
        raise NotPlainError(f"boosts a {inner}")
    refuse_strange(clf, {"model_"})
    if model is None:
        return parameter_parts(clf)
    shares = model.learnt.shares
    assert isinstance(shares, RelationalShares)
    parts = {
        **parameter_parts(clf),
        "n_features_in_": model.n_features_in,
        "classes_": model.classes,
        "n_iter_": model.n_iter,
        "rows_used_": model.rows_used,
        "stop_reason_": model.stop_reason,
        "train_cost_": model.train_cost,
        "alpha_": shares.alpha,
        "matrix_": model.matrix,
        "calibrator_": model.calibrator,
        "fingerprint_": model.fingerprint,
        "n_classes_": shares.n_classes,
        "bins_": shares.relations.binning,
        "trees_": PairTrees.of(shares.hypotheses),
    }
    if model.feature_names_in is not None:
        parts["feature_names_in_"] = model.feature_names_in
    return parts


def _classifier(fields: Fields) -> GBSEClassifier:
    clf = make(GBSEClassifier, fields)
    if clf.estimator is not None:
        raise ValueError("estimator must be null")
    check_for_fit(clf)
    check_threads(clf)
    if "classes_" in fields:
        clf.model_ = _model(clf, fields)
    return clf


def _model(clf: GBSEClassifier, fields: Fields) -> MulticlassModel:
    n_classes, n_iter = fields.whole("n_classes_", 2, MOST_LABELS), fields.whole("n_iter_", 1)
    binning, trees = fields.a("bins_", Binning), fields.a("trees_", PairTrees)
    if trees.first.size != n_iter + 1:
        raise ValueError(f"trees_ has {trees.first.size - 1} trees after {n_iter} rounds")
    if np.any(trees.feature > binning.n_features):
        raise ValueError(f"trees_ tests features other than 0 to {binning.n_features}")
    relations = _relations(clf, binning, n_classes)
    learnt = Learnt(
        shares=RelationalShares(relations, trees.apart(), _alpha(fields), n_classes),
        n_iter=n_iter,
        rows_used=fields.whole("rows_used_", 0, MOST_PAIRS),
        stop_reason=fields.text("stop_reason_"),
        train_cost=fields.floats("train_cost_", n_iter),
    )
    return MulticlassModel(
        features=Features(**check_features_in(fields, binning.n_features)),
        fingerprint=kept_fingerprint(fields),
        classes=fields.labels("classes_", n_classes),
        learnt=learnt,
        matrix=_matrix(fields, n_classes),
        calibrator=_calibrator(fields, n_classes),
        learner="tree",
    )


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
