"""Model file kinds of GBSE and Lp-CSB, and of trees over pairs of row and label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.calibration.dirichlet import Dirichlet
from costboost._core.engine._kernels import BINS
from costboost._core.engine.binning import Binning
from costboost._core.learners.pair_tree import MOST_LABELS, PairTree, PairTreeLearner
from costboost._core.parameters.parameter import check_parameters
from costboost._core.tables import Features
from costboost.io.parts import (
    FOR_TRAINING,
    check_children,
    check_coders,
    check_depth,
    check_features_in,
    check_threads,
    kept_fingerprint,
    make,
    parameter_parts,
    refuse_strange,
)
from costboost.io.tree import Fields, Kind, NotPlainError
from costboost.multiclass.base import Learnt, MulticlassModel, RelationalShares
from costboost.multiclass.components import TreeRelations
from costboost.multiclass.methods import GBSEClassifier, LpCSBClassifier, RelationalClassifier

MOST_CUTS = BINS - 2
"""Greatest number of cuts of a feature; one bin is for missing values."""
WORDS = 4
"""Number of 64-bit words that hold a bit for each bin or label."""


# ---- bins ----------------------------------------------------------------------------------------


def _bin_parts(binning: Binning) -> Mapping[str, Any]:
    numeric = [coder is None for coder in binning.coders]
    n_cuts = np.where(numeric, binning.n_cuts, 0).astype(np.int32)
    kept = [cuts[:n] for cuts, n in zip(binning.cuts, n_cuts.tolist(), strict=True)]
    return {"categories": binning.coders, "n_cuts": n_cuts, "cuts": np.concatenate(kept)}


def _bins(fields: Fields) -> Binning:
    coders = check_coders(fields, "categories")
    n_cuts = fields.array("n_cuts", np.int32, (len(coders),))
    if np.any(n_cuts < 0) or np.any(n_cuts > MOST_CUTS):
        raise ValueError(f"n_cuts must be from 0 to {MOST_CUTS}")
    if any(coder is not None and n for coder, n in zip(coders, n_cuts.tolist(), strict=True)):
        raise ValueError("n_cuts must be 0 for a feature of categories")
    fields.spend(len(coders) * (BINS - 1) * 8)
    every = fields.numbers("cuts", int(n_cuts.sum()))
    binning = Binning.__new__(Binning)
    binning.n_features, binning.coders = len(coders), coders
    binning.categorical = np.array([coder is not None for coder in coders], dtype=np.uint8)
    binning.cuts = np.full((len(coders), MOST_CUTS), np.inf)
    for j, cuts in enumerate(np.split(every, np.cumsum(n_cuts)[:-1])):
        if np.any(np.diff(cuts) <= 0):
            raise ValueError(f"cuts of feature {j} must rise")
        binning.cuts[j, : cuts.size] = cuts
    codes = [0 if coder is None else max(coder.n_codes - 1, 0) for coder in coders]
    binning.n_cuts = n_cuts + np.array(codes, dtype=np.int32)
    return binning


# ---- trees ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PairTrees:
    """The trees of all rounds, concatenated."""

    first: NDArray[np.int32]
    """Index of the first node of each tree, and the number of all nodes."""
    feature: NDArray[np.int32]
    left: NDArray[np.int32]
    """Left children, counted from the first node of all trees.

    After pruning, some nodes are not the child of any other.
    """
    goes_left: NDArray[np.uint64]
    accepts: NDArray[np.uint8]
    gain: NDArray[np.float64]

    @classmethod
    def of(cls, trees: Sequence[PairTree]) -> PairTrees:
        """Concatenate trees."""
        first = np.cumsum([0, *(tree.feature.size for tree in trees)]).astype(np.int32)
        left = [
            np.where(tree.left < 0, -1, tree.left + begin).astype(np.int32)
            for tree, begin in zip(trees, first.tolist(), strict=False)
        ]
        return cls(
            first,
            np.concatenate([tree.feature for tree in trees]),
            np.concatenate(left),
            np.concatenate([tree.goes_left for tree in trees]),
            np.concatenate([tree.accepts for tree in trees]),
            np.concatenate([tree.gain for tree in trees]),
        )

    def apart(self) -> list[PairTree]:
        """Split into separate trees."""
        cut = self.first[1:-1]
        begin = np.repeat(self.first[:-1], np.diff(self.first))
        own = np.where(self.left < 0, -1, self.left - begin).astype(np.int32)
        parts = [
            np.split(each, cut)
            for each in (self.feature, own, self.goes_left, self.accepts, self.gain)
        ]
        return [
            PairTree(*(np.ascontiguousarray(a) for a in one)) for one in zip(*parts, strict=True)
        ]


def _pair_trees(fields: Fields) -> PairTrees:
    first = fields.array("first", np.int32, (None,))
    feature = fields.array("feature", np.int32, (None,))
    n = feature.size
    trees = PairTrees(
        first,
        feature,
        fields.array("left", np.int32, (n,)),
        fields.array("goes_left", np.uint64, (n, WORDS)),
        fields.array("accepts", np.uint8, (n,)),
        fields.numbers("gain", n),
    )
    check_children(first.astype(np.int64), feature, trees.left.astype(np.int64))
    if np.any(trees.accepts > 1):
        raise ValueError("accepts must be 0 or 1")
    return trees


TREE_KINDS = (
    Kind("Bins", (Binning,), _bin_parts, _bins),
    Kind("PairTrees", (PairTrees,), lambda trees: dict(vars(trees)), _pair_trees),
)


# ---- GBSE and Lp-CSB with built-in trees ---------------------------------------------------------

MOST_PAIRS = 2**63 - 1


def _parts(clf: RelationalClassifier) -> Mapping[str, Any]:
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
    if model.class_prior is not None:
        parts["prior_"] = model.class_prior
    return parts


def _classifier(cls: type[RelationalClassifier], fields: Fields) -> RelationalClassifier:
    clf = make(cls, fields)
    if clf.estimator is not None:
        raise ValueError("estimator must be null")
    check_parameters(clf)
    check_threads(clf)
    if "classes_" in fields:
        clf.model_ = _model(clf, fields)
    return clf


def _model(clf: RelationalClassifier, fields: Fields) -> MulticlassModel:
    n_classes, n_iter = fields.whole("n_classes_", 2, MOST_LABELS), fields.whole("n_iter_", 1)
    binning, trees = fields.a("bins_", Binning), fields.a("trees_", PairTrees)
    if trees.first.size != n_iter + 1:
        raise ValueError(f"trees_ has {trees.first.size - 1} trees after {n_iter} rounds")
    if np.any(trees.feature > binning.n_features):
        raise ValueError(f"trees_ tests features other than 0 to {binning.n_features}")
    check_depth(trees.feature, trees.left, binning.n_features + 1)  # the last is the label
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
        prior=fields.numbers("prior_", n_classes, 0.0, 1.0) if "prior_" in fields else None,
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


def _relations(clf: RelationalClassifier, binning: Binning, n_classes: int) -> TreeRelations:
    relations = TreeRelations.__new__(TreeRelations)
    relations.binning, relations.n_labels, relations.n_jobs = binning, n_classes, clf.n_jobs
    relations.learner = PairTreeLearner(
        binning, n_classes, clf.max_depth, clf.min_samples_leaf, bool(clf.prune)
    )
    return relations


KINDS = tuple(
    Kind(cls.__name__, (cls,), _parts, partial(_classifier, cls), FOR_TRAINING)
    for cls in (GBSEClassifier, LpCSBClassifier)
)
