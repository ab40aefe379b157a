"""The methods for several classes train on Dask collections as on the rows in memory."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_rows import DATA, DIVISIONS, N, array, frame, same_files
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from costboost.multiclass import (
    AverageCostClassifier,
    CostingClassifier,
    DSEClassifier,
    GBSEClassifier,
    IterativeWeightingClassifier,
    LpCSBClassifier,
    MetaCostClassifier,
)

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

RNG = np.random.default_rng(3)
LABELS = np.array(["low", "middle", "high"])[DATA.three]
MATRIX = [[0, 1, 4], [2, 0, 1], [9, 3, 0]]
COSTS = RNG.exponential(size=(N, 3)) + 2.0 * (DATA.three[:, None] != np.arange(3))

GBSE: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "rejection": ({}, {}),
    "matrix": ({"cost_matrix": MATRIX, "prune": False}, {}),
    "weights of pairs": ({"sampling": "weight", "variant": "gbse-t", "max_depth": 4}, {}),
    "costs of rows": ({"min_samples_leaf": 1, "max_samples": 0.5}, {"costs": COSTS}),
    "calibrated on a share": ({"calibration": "dirichlet", "calibration_split": 0.3}, {}),
}


@pytest.mark.parametrize("name", GBSE)
def test_gbse(client: Any, tmp_path: Path, name: str) -> None:
    params, given = GBSE[name]
    params = {"n_estimators": 5, "random_state": 0} | params
    sizes = DIVISIONS[2]
    local = GBSEClassifier(**params).fit(DATA.frame, LABELS, **given)
    far = {key: array(values, sizes) for key, values in given.items()}
    remote = GBSEClassifier(**params).fit(frame(DATA.frame, sizes), array(LABELS, sizes), **far)
    assert same_files(tmp_path, local, remote)
    assert remote.n_iter_ > 0
    rows = frame(DATA.frame, sizes)
    np.testing.assert_array_equal(remote.predict(rows).compute(), local.predict(DATA.frame))


def test_p_norms(client: Any, tmp_path: Path) -> None:
    params = {"n_estimators": 4, "random_state": 0, "p": 3.0, "sampling": "weight"}
    local = LpCSBClassifier(**params).fit(DATA.frame, LABELS, costs=COSTS)
    for sizes in DIVISIONS[1:]:
        far = frame(DATA.frame, sizes), array(LABELS, sizes)
        remote = LpCSBClassifier(**params).fit(*far, costs=array(COSTS, sizes))
        assert same_files(tmp_path, local, remote)
    assert local.n_iter_ == 4


@pytest.mark.parametrize("sizes", DIVISIONS)
def test_every_division(client: Any, tmp_path: Path, sizes: tuple[int, ...]) -> None:
    params = {"n_estimators": 3, "random_state": 0, "max_depth": 6}
    local = GBSEClassifier(**params).fit(DATA.X, costs=COSTS)
    remote = GBSEClassifier(**params).fit(array(DATA.X, sizes), costs=array(COSTS, sizes))
    assert same_files(tmp_path, local, remote)


def test_a_worker_without_rows_of_a_fold(client: Any, tmp_path: Path) -> None:
    params = {"n_estimators": 2, "random_state": 0, "max_depth": 4, "calibration": "dirichlet"}
    local = GBSEClassifier(**params).fit(DATA.X, LABELS)
    remote = GBSEClassifier(**params).fit(array(DATA.X, (N - 1, 1)), LABELS)
    assert same_files(tmp_path, local, remote)


# ---- methods that fit scikit-learn's tree to samples of the rows ---------------------------------

SAMPLED: dict[str, tuple[Any, dict[str, Any]]] = {
    "costing": (CostingClassifier(cost_matrix=MATRIX, max_depth=5), {}),
    "average cost": (AverageCostClassifier(cost_matrix=MATRIX, calibration="dirichlet"), {}),
    "every label": (DSEClassifier(max_samples=0.5), {"costs": COSTS}),
    "weights": (DSEClassifier(sampling="weight", min_samples_leaf=5), {"costs": COSTS}),
    "iterative weighting": (IterativeWeightingClassifier(n_costing=2), {"costs": COSTS}),
    "metacost": (MetaCostClassifier(cost_matrix=MATRIX, bootstrap=True), {}),
    "bagcost": (MetaCostClassifier(cost_matrix=MATRIX, relabel=False, max_depth=6), {}),
}


@pytest.mark.parametrize("name", SAMPLED)
def test_samples_of_the_rows(client: Any, name: str) -> None:
    clf, given = SAMPLED[name]
    local, remote = (clone(clf).set_params(n_estimators=3, random_state=0) for _ in range(2))
    sizes = DIVISIONS[2]
    far = {key: array(values, sizes) for key, values in given.items()}
    local.fit(DATA.frame, LABELS, **given)
    remote.fit(frame(DATA.frame, sizes), array(LABELS, sizes), **far)
    for attribute in ("classes", "rows_used", "train_cost", "importance", "labels"):
        found, expected = (getattr(clf.model_, attribute) for clf in (remote, local))
        np.testing.assert_array_equal(found, expected)
    assert list(map(bytes_of, trees(remote))) == list(map(bytes_of, trees(local)))
    np.testing.assert_array_equal(
        remote.predict_proba(frame(DATA.frame, sizes)).compute(), local.predict_proba(DATA.frame)
    )


def trees(clf: Any) -> list[Any]:
    """The fitted trees of all members."""
    shares = clf.model_.learnt.shares
    ensembles = [shares.members] if hasattr(shares, "members") else shares.ensembles
    return [member.estimator for ensemble in ensembles for member in ensemble]


def bytes_of(tree: Any) -> bytes:
    """A tree as bytes, which do not depend on which of its objects are identical."""
    return pickle.dumps([(name, pickle.dumps(value)) for name, value in sorted(vars(tree).items())])


def test_a_scikit_learn_classifier_is_refused(client: Any) -> None:
    X = array(DATA.X, DIVISIONS[1])
    for clf in (GBSEClassifier, CostingClassifier):
        with pytest.raises(ValueError, match=r"all rows in one process.*leave estimator=None, or"):
            clf(estimator=DecisionTreeClassifier()).fit(X, LABELS)
