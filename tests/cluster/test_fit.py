"""A fit on a Dask collection has the bytes of a fit on the rows in memory."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cluster_rows import DATA, DIVISIONS, N, array, frame, same_files
from scipy import sparse
from sklearn.base import clone

from costboost import algorithms as cb
from costboost._core.backends.dask import cluster as dask_cluster
from costboost._core.engine import _kernels
from costboost._core.engine.binning import SAMPLE_ROWS

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "votes": (cb.AdaBoostClassifier(), {}),
    "votes, class costs": (cb.CGAdaClassifier(fn_cost=5), {}),
    "votes, trees": (cb.AdaC2Classifier(fn_cost=3, estimator="tree"), {}),
    "leaves": (cb.AdaBoostClassifier(estimator="tree", min_samples_leaf=20), {}),
    "real-valued leaves": (cb.RealBoostClassifier(estimator="tree", max_leaf_nodes=9), {}),
    "tables": (cb.RealBoostClassifier(estimator="lookup"), {}),
    "joint": (cb.CSAdaClassifier(fn_cost=4), {}),
    "joint, two exponentials": (cb.AdaDBClassifier(fn_cost=4), {}),
    "Newton, stumps": (cb.LogitBoostClassifier(), {}),
    "Newton, trees": (cb.CSLogitBoostClassifier(fn_cost=4, estimator="tree"), {}),
    "scores": (cb.WeightBoostClassifier(), {}),
    "cumulative costs": (cb.AdaCC2Classifier(), {}),
    "uneven, costs of rows": (
        cb.AdaUBoostClassifier(n_estimators=4), {"fn_cost": DATA.fn_cost, "fp_cost": DATA.fp_cost},
    ),
    "expected cost of rows": (
        cb.CSBoostClassifier(n_estimators=4, estimator="tree"),
        {"fn_cost": DATA.fn_cost, "fp_cost": DATA.fp_cost},
    ),
    "scores, line search": (cb.AdaBoostRegClassifier(), {}),
    "weights": (cb.AdaBoostClassifier(), {"sample_weight": DATA.weight}),
    "relative weights": (cb.AdaBoostClassifier(), {"sample_weight": DATA.weight + 0.5}),
    "row costs": (cb.AdaC2Classifier(), {"fn_cost": DATA.fn_cost, "fp_cost": DATA.fp_cost}),
    "row costs above 1": (cb.AdaC1Classifier(), {"fn_cost": DATA.fn_cost, "fp_cost": DATA.fp_cost}),
    "row costs, raw": (cb.AdaCostClassifier(), {"fn_cost": DATA.fn_cost, "fp_cost": DATA.fp_cost}),
    "row costs, joint": (
        cb.CSAdaClassifier(n_estimators=4), {"fn_cost": DATA.fn_cost, "fp_cost": DATA.fp_cost},
    ),
    "row costs, trees": (
        cb.CSRealBoostClassifier(estimator="tree", max_depth=2, n_estimators=1),
        {"fn_cost": DATA.fn_cost, "fp_cost": DATA.fp_cost},
    ),
    "early stopping": (cb.AdaBoostClassifier(early_stopping=True, n_iter_no_change=3), {}),
    "early stopping, log loss": (cb.LogitBoostClassifier(early_stopping=True, tol=0.01), {}),
    "calibrated on folds": (cb.AdaMECClassifier(calibration="isotonic", fn_cost=2), {}),
    "calibrated on a share": (
        cb.AdaBoostClassifier(calibration="platt", calibration_split=0.3), {},
    ),
    "drawn, votes": (cb.AdaBoostClassifier(subsample=0.5, max_features=2), {}),
    "drawn, trees": (cb.CGAdaClassifier(estimator="tree", subsample=0.5, max_features=2), {}),
    "drawn, Newton": (
        cb.LogitBoostClassifier(
            estimator="tree", subsample=0.5, max_features=2, l2_regularization=1.0
        ),
        {"sample_weight": DATA.weight},
    ),
    "drawn, row costs": (
        cb.CSAdaClassifier(n_estimators=3, subsample=0.5, max_features=2),
        {"fn_cost": DATA.fn_cost, "fp_cost": DATA.fp_cost},
    ),
    "drawn, folds": (
        cb.CostBoostClassifier(subsample=0.5, max_features=2, calibration_split=2), {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_every_family(client: Any, tmp_path: Path, name: str) -> None:
    clf, given = CASES[name]
    params = {"n_estimators": 8, "random_state": 0} | _changed(clf)
    local, remote = (type(clf)(**params) for _ in range(2))
    local.fit(DATA.X, DATA.y, **given)
    sizes = DIVISIONS[2]
    given = {key: array(values, sizes) for key, values in given.items()}
    remote.fit(array(DATA.X, sizes), array(DATA.y, sizes), **given)
    assert same_files(tmp_path, local, remote)
    assert remote.n_iter_ > 0


@pytest.mark.parametrize("name", ["SAMME", "SAMMEC2", "AdaC2M1", "BAdaCost"])
@pytest.mark.parametrize("estimator", ["stump", "tree"])
def test_votes(client: Any, tmp_path: Path, name: str, estimator: str) -> None:
    cls = getattr(cb, f"{name}Classifier")
    params: dict[str, Any] = {"n_estimators": 3, "estimator": estimator}
    params["cost_matrix"] = [[0, 1, 2], [1, 0, 1], [3, 1, 0]]
    if estimator == "tree":
        params["interaction_cst"] = "pairwise"
    local = cls(**params).fit(DATA.frame, DATA.three, sample_weight=DATA.weight)
    for sizes in DIVISIONS[1:]:
        given = array(DATA.three, sizes), array(DATA.weight, sizes)
        remote = cls(**params).fit(frame(DATA.frame, sizes), *given)
        assert same_files(tmp_path, local, remote)


def _changed(clf: Any) -> dict[str, Any]:
    """The parameters that are not those of the constructor."""
    usual = type(clf)().get_params()
    return {key: value for key, value in clf.get_params().items() if value != usual[key]}


@pytest.mark.parametrize("sizes", DIVISIONS)
def test_categories_and_every_division(client: Any, tmp_path: Path, sizes: tuple[int, ...]) -> None:
    local = cb.CGAdaClassifier(n_estimators=15, fn_cost=3).fit(DATA.frame, DATA.y)
    y = array(DATA.y, sizes)
    remote = cb.CGAdaClassifier(n_estimators=15, fn_cost=3).fit(frame(DATA.frame, sizes), y)
    assert same_files(tmp_path, local, remote)


@pytest.mark.parametrize("name", ["calibrated on folds", "early stopping", "calibrated on a share"])
def test_a_worker_without_rows_of_a_fold(client: Any, tmp_path: Path, name: str) -> None:
    clf, sizes = CASES[name][0], (N - 1, 1)
    params = {"n_estimators": 3, "random_state": 0} | _changed(clf)
    local = type(clf)(**params).fit(DATA.X, DATA.y)
    remote = type(clf)(**params).fit(array(DATA.X, sizes), DATA.y)
    assert same_files(tmp_path, local, remote)


def test_costboost(client: Any, tmp_path: Path) -> None:
    params = {"n_estimators": 10, "fn_cost": 5, "random_state": 0}
    local = cb.CostBoostClassifier(**params).fit(DATA.frame, DATA.y)
    sizes = DIVISIONS[2]
    remote = cb.CostBoostClassifier(**params).fit(frame(DATA.frame, sizes), array(DATA.y, sizes))
    assert same_files(tmp_path, local, remote)


def test_rows_written_again_share_a_fold(client: Any, tmp_path: Path) -> None:
    """Rows of different partitions are known to be equal by hashes of their values."""
    rng = np.random.default_rng(2)
    once = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("abc"))
    once["text"] = rng.choice(["u", "v", None], 400)
    y = rng.random(400) < 1 / (1 + np.exp(-2 * once.a.to_numpy()))
    twice, y_twice = pd.concat([once, once], ignore_index=True), np.r_[y, y]
    single, local, remote = (cb.CostBoostClassifier(random_state=0) for _ in range(3))
    single.fit(once, y)
    local.fit(twice, y_twice)
    sizes = (400, 150, 250)
    remote.fit(frame(twice, sizes), array(y_twice, sizes))
    assert same_files(tmp_path, local, remote)

    fresh = pd.DataFrame(rng.normal(size=(4_000, 3)), columns=list("abc"))
    fresh["text"] = rng.choice(["u", "v", None], 4_000)
    truth = 1 / (1 + np.exp(-2 * fresh.a.to_numpy()))

    def loss(clf: Any) -> float:
        p = np.clip(clf.predict_proba(fresh)[:, 1], 1e-9, 1 - 1e-9)
        return float(-np.mean(truth * np.log(p) + (1 - truth) * np.log(1 - p)))

    assert remote.predict_proba(fresh).tobytes() == local.predict_proba(fresh).tobytes()
    assert loss(remote) < loss(single) + 0.02


@pytest.mark.parametrize("sizes", DIVISIONS)
def test_constant_columns(client: Any, tmp_path: Path, sizes: tuple[int, ...]) -> None:
    """Whether a column varies is decided by the rows of all workers."""
    columns = DATA.frame.assign(first=np.arange(N) < sizes[0], constant=2.0)
    clf = cb.LogitBoostClassifier(
        estimator="tree", n_estimators=3, max_features=2, splitter="random", random_state=0
    )
    remote = clone(clf).fit(frame(columns, sizes), array(DATA.y, sizes))
    assert same_files(tmp_path, clone(clf).fit(columns, DATA.y), remote)
    narrow = columns.drop(columns="constant")
    found = clf.fit(narrow, DATA.y).predict_proba(narrow)
    assert remote.predict_proba(columns).tobytes() == found.tobytes()


def test_several_classes(client: Any, tmp_path: Path) -> None:
    params = {"n_estimators": 6, "random_state": 0, "calibration": "platt"}
    local = cb.LogitBoostClassifier(**params).fit(DATA.X, DATA.three)
    sizes = DIVISIONS[3]
    remote = cb.LogitBoostClassifier(**params).fit(array(DATA.X, sizes), array(DATA.three, sizes))
    assert same_files(tmp_path, local, remote)


SEVERAL: dict[str, Any] = {
    "multinomial": cb.MultinomialLogitBoostClassifier(),
    "trees, drawn": cb.MultinomialLogitBoostClassifier(
        estimator="tree", subsample=0.5, max_features=2, l2_regularization=1.0
    ),
    "costs": cb.GLLBoostClassifier(estimator="tree", cost_matrix=[[0, 1, 5], [2, 0, 1], [9, 1, 0]]),
    "exponential": cb.GELBoostClassifier(early_stopping=True, n_iter_no_change=2),
    "tables": cb.MultinomialLogitBoostClassifier(estimator="lookup", calibration="isotonic"),
    "CostBoost": cb.CostBoostClassifier(calibration_split=2),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_a_score_for_each_class(client: Any, tmp_path: Path, name: str) -> None:
    params = {"n_estimators": 3, "random_state": 0} | _changed(SEVERAL[name])
    local, remote = (type(SEVERAL[name])(**params) for _ in range(2))
    local.fit(DATA.frame, DATA.three, sample_weight=DATA.weight)
    sizes = DIVISIONS[2]
    given = {"sample_weight": array(DATA.weight, sizes)}
    remote.fit(frame(DATA.frame, sizes), array(DATA.three, sizes), **given)
    assert same_files(tmp_path, local, remote)
    assert remote.n_iter_ > 0


CONSTRAINED: dict[str, Any] = {
    "stumps": cb.RealBoostClassifier(),
    "trees": cb.LogitBoostClassifier(estimator="tree", interaction_cst="pairwise"),
    "tables": cb.GentleBoostClassifier(estimator="lookup"),
    "trees that vote": cb.AdaBoostClassifier(estimator="tree", interaction_cst=[["a", "b"]]),
    "calibrated": cb.CSRealBoostClassifier(estimator="tree", fn_cost=3, calibration="platt"),
}


@pytest.mark.parametrize("name", CONSTRAINED)
def test_constraints(client: Any, tmp_path: Path, name: str) -> None:
    params = {"n_estimators": 3, "random_state": 0} | _changed(CONSTRAINED[name])
    params["monotonic_cst"] = {"a": 1, "b": 1, "d": -1}
    local, remote = (type(CONSTRAINED[name])(**params) for _ in range(2))
    local.fit(DATA.frame, DATA.y)
    for sizes in DIVISIONS[2:]:
        remote.fit(frame(DATA.frame, sizes), array(DATA.y, sizes))
        assert same_files(tmp_path, local, remote)
    assert remote.n_iter_ > 0


def test_a_warm_start_continues(client: Any, tmp_path: Path) -> None:
    local, remote = (cb.AdaBoostClassifier(n_estimators=4, warm_start=True) for _ in range(2))
    local.fit(DATA.X, DATA.y).set_params(n_estimators=9).fit(DATA.X, DATA.y)
    X, y = array(DATA.X, DIVISIONS[1]), array(DATA.y, DIVISIONS[1])
    remote.fit(X, y).set_params(n_estimators=9).fit(X, y)
    assert same_files(tmp_path, local, remote)


def test_cuts_of_a_sample(client: Any, tmp_path: Path) -> None:
    """More rows than quantiles are taken from, with values that only a few rows have."""
    rng = np.random.default_rng(1)
    n = 70_000
    noise, rare = rng.normal(size=n), rng.random(n) < 1e-4
    same, missing = np.ones(n), np.ones(n)
    X = np.column_stack([noise, rng.integers(0, 30, n), rare, same, missing, rare * noise])
    X[5, 1] = 1e9
    unseen = np.setdiff1d(np.arange(n), _kernels.sample_rows(0, n, n, SAMPLE_ROWS))
    X[unseen, 4] = np.nan
    y, weight = (X[:, 0] + X[:, 1] / 10 > 1).astype(int), rng.integers(1, 4, n).astype(float)
    X[unseen, 0], y[unseen] = -1.0, 1
    sizes = (20_000, 1, 49_999)
    for given in ({}, {"sample_weight": weight}):
        local = cb.AdaBoostClassifier(n_estimators=8).fit(X, y, **given)
        assert 4 in local.model_.ensemble.feature
        remote = cb.AdaBoostClassifier(n_estimators=8).fit(array(X, sizes), y, **given)
        assert same_files(tmp_path, local, remote)


@pytest.fixture(scope="module")
def four() -> Iterator[Any]:
    """A client of four workers."""
    with (
        distributed.LocalCluster(
            n_workers=4,
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.mark.slow
@pytest.mark.parametrize("name", ["votes", "Newton, trees", "row costs", "tables"])
def test_four_workers(four: Any, tmp_path: Path, name: str) -> None:
    clf, given = CASES[name]
    params = {"n_estimators": 6, "random_state": 0} | _changed(clf)
    local = type(clf)(**params).fit(DATA.X, DATA.y, **given)
    with four.as_current():
        remote = type(clf)(**params).fit(array(DATA.X, DIVISIONS[3]), DATA.y, **given)
    assert same_files(tmp_path, local, remote)


def test_calls_through_dask_give_the_same(client: Any, tmp_path: Path) -> None:
    """Where no direct connection is possible."""
    local = cb.LogitBoostClassifier(n_estimators=4).fit(DATA.X, DATA.y)
    with dask.config.set({"costboost.direct": False}):
        remote = cb.LogitBoostClassifier(n_estimators=4).fit(array(DATA.X, DIVISIONS[1]), DATA.y)
    assert same_files(tmp_path, local, remote)


def test_workers_in_threads_have_direct_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls through Dask's event loops take far longer."""
    opened = []

    class Noted(dask_cluster.Channel):
        def __init__(self, *given: Any) -> None:
            opened.append(given)
            super().__init__(*given)

    monkeypatch.setattr(dask_cluster, "Channel", Noted)
    local = cb.LogitBoostClassifier(n_estimators=4).fit(DATA.X, DATA.y)
    with distributed.Client(processes=False, n_workers=2, dashboard_address=":0"):
        remote = cb.LogitBoostClassifier(n_estimators=4).fit(array(DATA.X, DIVISIONS[1]), DATA.y)
    assert same_files(tmp_path, local, remote)
    assert opened


def test_without_a_client_rows_are_computed(tmp_path: Path) -> None:
    local = cb.AdaBoostClassifier(n_estimators=4).fit(DATA.X, DATA.y)
    remote = cb.AdaBoostClassifier(n_estimators=4).fit(array(DATA.X, DIVISIONS[1]), DATA.y)
    assert same_files(tmp_path, local, remote)


# ---- what is refused -----------------------------------------------------------------------------


def test_learners_that_need_all_rows_are_refused(client: Any) -> None:
    from sklearn.tree import DecisionTreeClassifier

    X = array(DATA.X, DIVISIONS[1])
    for estimator in (DecisionTreeClassifier(max_depth=1), "logistic"):
        with pytest.raises(ValueError, match="needs all rows in one process"):
            cb.AdaBoostClassifier(estimator=estimator).fit(X, DATA.y)


def test_scorers_are_refused_before_anything_is_read(client: Any) -> None:
    def read(block: Any) -> Any:
        raise AssertionError("rows were read")

    X, y = array(DATA.X, DIVISIONS[1]).map_blocks(read, meta=DATA.X), array(DATA.y, DIVISIONS[1])
    clf = cb.AdaBoostClassifier(early_stopping=True, scoring="accuracy")
    with pytest.raises(ValueError, match=r"scoring needs the rows in memory.*take scoring=None"):
        clf.fit(X, y.map_blocks(read, meta=DATA.y))


def test_what_has_no_rows_and_columns_is_refused(client: Any) -> None:
    frame = dd.from_pandas(pd.DataFrame({"a": np.arange(10.0)}), npartitions=2)
    with pytest.raises(ValueError, match="got 1D array instead: X must be a Dask array of shape"):
        cb.AdaBoostClassifier().fit(frame["a"], np.arange(10) % 2)
    with pytest.raises(ValueError, match="X is a Dask Future, whose rows are on a worker"):
        cb.AdaBoostClassifier().fit(client.scatter(np.ones((10, 2))), np.arange(10) % 2)


def test_labels_of_another_length(client: Any) -> None:
    with pytest.raises(ValueError, match="y has 10 labels, but X has 1200 rows"):
        cb.AdaBoostClassifier().fit(array(DATA.X, DIVISIONS[1]), DATA.y[:10])


def test_infinity_is_refused(client: Any) -> None:
    X = DATA.X.copy()
    X[700, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        cb.AdaBoostClassifier().fit(array(X, DIVISIONS[1]), DATA.y)


def test_a_column_of_text_and_numbers_is_refused(client: Any) -> None:
    numbers = pd.DataFrame({"a": np.arange(5.0), "b": np.arange(5.0).astype(object)})
    text = pd.DataFrame({"a": np.arange(5.0), "b": list("uvwxy")}, dtype=object)
    text["a"] = text["a"].astype(float)
    with dask.config.set({"dataframe.convert-string": False}):
        X = dd.from_delayed([dask.delayed(one) for one in (numbers, text)], meta=text.iloc[:0])
        with pytest.raises(ValueError, match="column 'b' holds text or categories in some"):
            cb.AdaBoostClassifier().fit(X, np.arange(10) % 2)


def test_sparse_blocks(client: Any, tmp_path: Path) -> None:
    rows = sparse.csr_matrix(np.nan_to_num(DATA.X) * (DATA.X > 0))
    X = array(DATA.X, DIVISIONS[1]).map_blocks(
        lambda block: sparse.csr_matrix(np.nan_to_num(block) * (block > 0)), dtype=float
    )
    local = cb.AdaBoostClassifier(n_estimators=5).fit(rows, DATA.y)
    remote = cb.AdaBoostClassifier(n_estimators=5).fit(X, DATA.y)
    assert same_files(tmp_path, local, remote)
    np.testing.assert_array_equal(remote.predict(X).compute(), local.predict(rows))


def test_actors_are_freed(client: Any) -> None:
    cb.AdaBoostClassifier(n_estimators=3).fit(array(DATA.X, DIVISIONS[1]), DATA.y)
    assert not any(_actors(client).values())


def _actors(client: Any) -> dict[str, int]:
    from time import sleep

    found: dict[str, int] = {}
    for _ in range(50):
        found = client.run(lambda dask_worker: len(dask_worker.state.actors))
        if not any(found.values()):
            break
        sleep(0.1)
    return found


def other_columns(k: int, change: Any) -> Any:
    part = DATA.frame.iloc[k * 100 : (k + 1) * 100]
    return change(part) if k == 1 else part


CHANGES: dict[str, tuple[Any, str]] = {
    "another order": (lambda part: part[part.columns[::-1]], r"column 0 of partition 1 of X is"),
    "another name": (
        lambda part: part.rename(columns={"b": "z"}),
        r"column 1 of partition 1 of X is 'z', but 'b' in the collection",
    ),
    "narrower": (lambda part: part.drop(columns="b"), r"partition 1 of X has the shape \(100, "),
    "wider": (lambda part: part.assign(z=0), r"partition 1 of X has the shape \(100, "),
}


@pytest.mark.parametrize("how", CHANGES)
def test_partitions_with_other_columns_are_refused(client: Any, how: str) -> None:
    change, said = CHANGES[how]
    X = dd.from_map(other_columns, range(3), change=change, meta=DATA.frame.iloc[:0])
    with pytest.raises(ValueError, match=said):
        cb.AdaBoostClassifier(n_estimators=2).fit(X, DATA.y[:300])


def test_blocks_of_another_width_are_refused(client: Any) -> None:
    blocks = [dask.delayed(np.ones)((10, width)) for width in (3, 2)]
    X = da.concatenate([da.from_delayed(one, (10, 3), float) for one in blocks])
    said = r"partition 1 of X has the shape \(10, 2\), but all partitions must have 3 columns"
    with pytest.raises(ValueError, match=said):
        cb.AdaBoostClassifier(n_estimators=2).fit(X, np.arange(20) % 2)


def test_partitions_without_rows_may_have_other_columns(client: Any, tmp_path: Path) -> None:
    change: Any = lambda part: pd.DataFrame()  # noqa: E731
    X = dd.from_map(other_columns, range(3), change=change, meta=DATA.frame.iloc[:0])
    rows = np.r_[:100, 200:300]
    remote = cb.AdaBoostClassifier(n_estimators=2).fit(X, DATA.y[rows])
    local = cb.AdaBoostClassifier(n_estimators=2).fit(DATA.frame.iloc[rows], DATA.y[rows])
    assert same_files(tmp_path, local, remote)
