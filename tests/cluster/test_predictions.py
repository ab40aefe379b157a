"""Predictions for Dask collections: lazy, checked at once, and those of data in memory."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score

from costboost import ActionClassifier, CostBoostClassifier, CostSearchCV, OperatingPointClassifier
from costboost.algorithms import AdaBoostClassifier, AdaMECClassifier
from costboost.metrics import (
    brier_curve,
    calibration_error,
    make_cost_scorer,
    margins,
    mean_cost,
    staged_margins,
)
from costboost.monitoring import monitor
from costboost.multiclass import GBSEClassifier, MetaCostClassifier

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

N_ROWS = 60
METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "raw_score")


# ---- data and models -----------------------------------------------------------------------------


@cache
def numbers() -> tuple[Any, Any, Any]:
    """Rows with missing values, labels of two classes and of nine."""
    random = np.random.default_rng(0)
    X = random.normal(size=(N_ROWS, 5))
    score = X[:, 0] + X[:, 1] * X[:, 2]
    X[random.uniform(size=X.shape) < 0.1] = np.nan
    two = np.where(score > 0.3, "yes", "no")
    nine = np.argsort(np.argsort(score)) * 9 // N_ROWS
    return X, two, nine


@cache
def frame() -> tuple[Any, Any]:
    """Rows with text, categories and missing values, and labels of two classes."""
    random = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "number": random.normal(size=N_ROWS),
            "text": random.choice(["a", "bb", "ccc", None], size=N_ROWS),
            "kind": pd.Categorical(random.choice(["x", "y", "z"], size=N_ROWS)),
            "count": random.integers(0, 9, size=N_ROWS),
        }
    )
    X.loc[random.choice(N_ROWS, 8), ["number", "kind"]] = np.nan
    y = (X["text"].isin(["a", "bb"]) ^ (X["number"].fillna(0) > 0.2)).to_numpy()
    return X, y


def matrix() -> Any:
    costs = np.random.default_rng(2).uniform(1, 9, size=(9, 9))
    np.fill_diagonal(costs, 0)
    return costs


BINARY = {
    "costboost": CostBoostClassifier(n_estimators=8, fn_cost=4, random_state=0),
    "adaboost": AdaBoostClassifier(n_estimators=8),
    "trees": AdaMECClassifier(n_estimators=4, estimator="tree", max_depth=2, calibration="beta"),
    "search": CostSearchCV(AdaMECClassifier(n_estimators=4), fn_costs=[1, 3], cv=2, random_state=0),
    "point": OperatingPointClassifier(
        AdaMECClassifier(n_estimators=4), at_least=0.6, cv=2, random_state=0
    ),
}
SEVERAL = {
    "costboost": CostBoostClassifier(n_estimators=3, cost_matrix=matrix(), random_state=0),
    "adaboost": AdaBoostClassifier(n_estimators=4),
    "gbse": GBSEClassifier(n_estimators=3, cost_matrix=matrix(), random_state=0),
    "metacost": MetaCostClassifier(n_estimators=3, calibration="dirichlet", random_state=0),
}


@cache
def fitted(kind: str, name: str) -> tuple[Any, Any]:
    """A fitted classifier, and its rows."""
    X, two, nine = numbers()
    if kind == "frame":
        rows, y = frame()
        return BINARY[name].__class__(**BINARY[name].get_params(deep=False)).fit(rows, y), rows
    if kind == "two":
        rows = np.nan_to_num(X)
        return BINARY[name].fit(rows, two), rows
    return SEVERAL[name].fit(np.nan_to_num(X), nine), np.nan_to_num(X)


CASES = [*(("two", name) for name in BINARY), *(("several", name) for name in SEVERAL)]


@st.composite
def chunkings(draw: Any) -> tuple[int, ...]:
    """Lengths of the row blocks, some of which may be empty."""
    cuts = sorted(draw(st.lists(st.integers(0, N_ROWS), max_size=6)))
    return tuple(int(n) for n in np.diff([0, *cuts, N_ROWS]))


def in_partitions(rows: Any, chunks: tuple[int, ...]) -> Any:
    """A Dask data frame with partitions of these lengths."""
    ends = np.cumsum(chunks)
    parts = [rows.iloc[end - n : end] for n, end in zip(chunks, ends, strict=True)]
    return dd.from_map(lambda k: parts[k], range(len(parts)), meta=rows.iloc[:0])


def assert_same(lazy: Any, expected: Any) -> None:
    """Assert that a lazy array has the bits of an array, and told its layout before."""
    found = lazy.compute(scheduler="sync")
    assert type(found) is np.ndarray
    assert lazy.dtype == found.dtype == expected.dtype
    assert lazy.ndim == expected.ndim
    assert lazy.shape[1:] == expected.shape[1:]
    assert np.isnan(lazy.shape[0]) or lazy.shape == expected.shape
    np.testing.assert_array_equal(found, expected)


# ---- the same bits as in memory ------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "name"), CASES)
@settings(max_examples=5, deadline=None)
@given(chunks=chunkings(), width=st.integers(1, 5))
def test_arrays(kind: str, name: str, chunks: tuple[int, ...], width: int) -> None:
    clf, X = fitted(kind, name)
    rows = da.from_array(X, chunks=(chunks, width))
    for method in METHODS:
        if hasattr(clf, method):
            lazy = getattr(clf, method)(rows)
            assert lazy.chunks[0] == chunks
            assert_same(lazy, getattr(clf, method)(X))


@pytest.mark.parametrize("name", ["costboost", "trees"])
@settings(max_examples=5, deadline=None)
@given(chunks=chunkings())
def test_frames_with_text_and_categories(name: str, chunks: tuple[int, ...]) -> None:
    clf, X = fitted("frame", name)
    rows = in_partitions(X, chunks)
    for method in ("predict", "predict_proba", "decision_function"):
        assert_same(getattr(clf, method)(rows), getattr(clf, method)(X))


@settings(max_examples=8, deadline=None)
@given(chunks=chunkings())
def test_arrays_of_objects(chunks: tuple[int, ...]) -> None:
    X, y = frame()
    rows = X[["number", "text"]].to_numpy(dtype=object)
    clf = CostBoostClassifier(n_estimators=3, random_state=0).fit(rows, y)
    lazy = clf.predict_proba(da.from_array(rows, chunks=(chunks, 2)))
    assert_same(lazy, clf.predict_proba(rows))


@settings(max_examples=10, deadline=None)
@given(chunks=chunkings(), others=chunkings(), known=st.booleans())
def test_costs_of_rows(chunks: tuple[int, ...], others: tuple[int, ...], known: bool) -> None:
    clf, X = fitted("two", "costboost")
    random = np.random.default_rng(3)
    fn, fp = random.uniform(1, 9, size=(2, N_ROWS))
    rows = da.from_array(X, chunks=(chunks, 5))
    lazy_fn = da.from_array(fn, chunks=(others,))
    if not known:
        rows = in_partitions(pd.DataFrame(X), chunks).to_dask_array()
        lazy_fn = in_partitions(pd.DataFrame({"fn": fn}), chunks)["fn"]
    for method in ("predict", "decision_function"):
        expected = getattr(clf, method)(X, fn, 2.0)
        assert_same(getattr(clf, method)(rows, lazy_fn, fp_cost=2.0), expected)
        if known:
            assert_same(getattr(clf, method)(rows, fn_cost=list(fn), fp_cost=2.0), expected)
            expected = getattr(clf, method)(X, fn, fp)
            assert_same(getattr(clf, method)(rows, lazy_fn, pd.Series(fp)), expected)


@settings(max_examples=6, deadline=None)
@given(chunks=chunkings())
@pytest.mark.parametrize("lazy", [False, True])
def test_cost_matrices(lazy: bool, chunks: tuple[int, ...]) -> None:
    clf, X = fitted("several", "costboost")
    rows = da.from_array(X, chunks=(chunks, 5))
    every = np.random.default_rng(4).uniform(1, 9, size=(N_ROWS, 9, 9)) * (1 - np.eye(9))
    for costs in (every, every[0]):
        given_costs = da.from_array(costs, chunks=4) if lazy else costs
        expected = clf.predict(X, cost_matrix=costs)
        assert_same(clf.predict(rows, cost_matrix=given_costs), expected)
        expected = clf.decision_function(X, cost_matrix=costs)
        assert_same(clf.decision_function(rows, cost_matrix=given_costs), expected)


def test_wrapped_learners() -> None:
    X = fitted("two", "adaboost")[1]
    clf = AdaBoostClassifier(estimator=LogisticRegression(), n_estimators=2).fit(X, numbers()[1])
    assert_same(clf.predict_proba(da.from_array(X, chunks=17)), clf.predict_proba(X))
    point = OperatingPointClassifier(LogisticRegression(), at_least=0.5, random_state=0)
    point.fit(X, numbers()[1])
    assert_same(point.predict(da.from_array(X, chunks=17)), point.predict(X))


def test_on_a_cluster(client: Any) -> None:
    clf, X = fitted("frame", "costboost")
    rows = in_partitions(X, (10, 0, 31, 19))
    np.testing.assert_array_equal(clf.predict_proba(rows).compute(), clf.predict_proba(X))
    clf, X = fitted("several", "gbse")
    found = clf.predict(da.from_array(X, chunks=(13, 2))).persist()
    np.testing.assert_array_equal(found.compute(), clf.predict(X))


# ---- nothing is computed before ------------------------------------------------------------------


def _fail(block: Any) -> Any:
    raise AssertionError("a block was computed")


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_nothing_is_computed(kind: str, name: str) -> None:
    clf, X = fitted(kind, name)
    rows = da.from_array(X, chunks=10).map_blocks(_fail, meta=np.empty((0, 0)))
    for method in METHODS:
        if hasattr(clf, method):
            lazy = getattr(clf, method)(rows)
            with pytest.raises(AssertionError, match="a block was computed"):
                lazy.compute(scheduler="sync")
    cost = da.ones(N_ROWS, chunks=7).map_blocks(_fail, meta=np.empty(0))
    if (kind, name) == ("two", "costboost"):
        clf.predict(rows, fn_cost=cost)


def test_a_later_fit_does_not_change_a_prediction() -> None:
    X, two, _ = numbers()
    clf = AdaBoostClassifier(n_estimators=3).fit(X, two)
    before, lazy = clf.predict_proba(X), clf.predict_proba(da.from_array(X, chunks=20))
    clf.set_params(n_estimators=1).fit(X, two)
    assert_same(lazy, before)


def test_columns_are_checked_at_once() -> None:
    clf, X = fitted("frame", "costboost")
    rows = in_partitions(X, (30, 30))
    with pytest.raises(ValueError, match="feature names should match"):
        clf.predict(rows[["text", "number", "kind", "count"]])
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing"):
        clf.predict_proba(rows[["text", "number"]])
    with pytest.raises(ValueError, match="got 1D array instead"):
        clf.predict(rows["number"])
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        clf.predict(da.ones((4, 4), chunks=2))
    clf, X = fitted("two", "adaboost")
    with pytest.raises(ValueError, match="X has 4 features, but AdaBoostClassifier is expecting 5"):
        clf.predict(da.from_array(X[:, :4], chunks=10))
    with pytest.raises(NotFittedError):
        AdaBoostClassifier().predict(da.from_array(X, chunks=10))


def test_costs_that_do_not_match() -> None:
    clf, X = fitted("two", "costboost")
    rows = da.from_array(X, chunks=20)
    with pytest.raises(ValueError, match=r"one for each of the 60 rows, got an array of shape"):
        clf.predict(rows, fn_cost=np.ones(59))
    with pytest.raises(ValueError, match="fp_cost has 1 blocks of rows, and X has 3"):
        clf.predict(in_partitions(pd.DataFrame(X), (20, 20, 20)), fp_cost=np.ones(60))
    with pytest.raises(ValueError, match="fn_cost has 4 dimensions"):
        clf.predict(rows, fn_cost=np.ones((1, 1, 1, 1)))
    unknown = in_partitions(pd.DataFrame({"c": np.ones(60)}), (20, 19, 21))["c"]
    with pytest.raises(ValueError, match=r"one for each of the 20 rows, got .* \((19|21),\)"):
        clf.predict(rows, fn_cost=unknown).compute(scheduler="sync")
    with pytest.raises(ValueError, match="fn_cost must be finite and not negative"):
        clf.predict(rows, fn_cost=-1).compute(scheduler="sync")


def test_costs_in_a_column_of_files_that_dask_joins(tmp_path: Path) -> None:
    """Of few columns Dask joins more partitions than of many; costs still belong to their rows."""
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(1200, 5)), columns=list("abcde"))
    X["text"] = rng.choice(["some text", "another text"], 1200)
    y = (X["a"] + rng.normal(size=1200) > 0).astype(int)
    X["amount"] = rng.gamma(2, 50, 1200)
    for k in range(6):
        X[k * 200 : (k + 1) * 200].to_parquet(tmp_path / f"{k}.parquet")
    frame = dd.read_parquet(tmp_path)
    rows, amount = frame.drop(columns=["amount"]), frame["amount"]
    clf = CostBoostClassifier(n_estimators=3, random_state=0).fit(X.drop(columns="amount"), y)
    expected = clf.predict(X.drop(columns="amount"), fn_cost=X["amount"], fp_cost=60)
    fp_cost = 60 + 0 * frame["b"]
    assert_same(clf.predict(rows, fn_cost=amount, fp_cost=60), expected)
    assert_same(clf.predict(rows, fn_cost=amount, fp_cost=fp_cost), expected)
    assert_same(clf.predict(rows[rows["a"] > 0], amount[rows["a"] > 0], 60), expected[X["a"] > 0])


# ---- actions and monitoring ----------------------------------------------------------------------


@cache
def acting() -> tuple[Any, Any, Any]:
    """A classifier of actions with costs of rows, rows and labels."""
    X, y, _ = numbers()
    rows = pd.DataFrame(X, columns=list("abcde")).assign(amount=np.arange(1.0, N_ROWS + 1))
    costs = {
        "yes": {"block": 0, "review": 4, "allow": "amount"},
        "no": {"block": 12, "review": 4, "allow": 0},
    }
    inner = CostBoostClassifier(n_estimators=5, random_state=0, pos_label="yes")
    rates = {"recall": 0.9, "specificity": 0.95}
    return ActionClassifier(inner, costs=costs, reviewer=rates).fit(rows, y), rows, y


def test_actions_are_those_of_rows_in_memory() -> None:
    clf, X, y = acting()
    sizes = (20, 0, 40)
    rows, day = in_partitions(X, sizes), pd.Series(np.arange(N_ROWS) // 20, name="day")
    for other in ({}, {"prevalence": 0.1}, {"prices": {"review": 2.0}}):
        lazy = clf.predict(rows, **other)
        assert dask.is_dask_collection(lazy)
        np.testing.assert_array_equal(lazy.compute(scheduler="sync"), clf.predict(X, **other))
    costs = clf.expected_costs(rows).compute(scheduler="sync")
    np.testing.assert_array_equal(costs, clf.expected_costs(X))
    limit = {"review": 3}
    days = in_partitions(day.to_frame(), sizes)["day"]
    with dask.config.set(scheduler="sync"):
        assert str(clf.plan(rows, limit, days)) == str(clf.plan(X, limit, day))
        np.testing.assert_array_equal(
            clf.predict(rows, capacity=limit, groups=days),
            clf.predict(X, capacity=limit, groups=day),
        )
        labels = in_partitions(pd.DataFrame({"y": y}), sizes)["y"]
        assert str(clf.decision_report(rows, labels)) == str(clf.decision_report(X, y))
        assert clf.score(rows, y) == clf.score(X, y)
        with pytest.raises(ValueError, match="cannot be estimated block by block"):
            clf.predict(rows, prevalence="estimate")


@pytest.mark.parametrize("kind", ["actions", "classes"])
def test_monitoring_reads_blocks(kind: str) -> None:
    clf, X, y = acting()
    clf = clf if kind == "actions" else clf.estimator_
    costs = {} if kind == "actions" else {"fn_cost": X["amount"].to_numpy(), "fp_cost": 12}
    with dask.config.set(scheduler="sync"):
        found = monitor(clf, in_partitions(X, (20, 0, 40)), y, **costs)
        expected = monitor(clf, X, y, **costs).to_dict()
        assert found.n_rows == N_ROWS
        for name in ("expected_cost", "realised_cost", "loss", "slope"):
            assert found.to_dict()[name] == pytest.approx(expected[name])
        with pytest.raises(ValueError, match="y has 61 labels, but X has 60 rows"):
            monitor(clf, in_partitions(X, (20, 40)), [*y, "no"])


# ---- methods that need the rows ------------------------------------------------------------------


def test_methods_that_need_the_rows_refuse() -> None:
    clf, X = fitted("two", "adaboost")
    rows, y = da.from_array(X, chunks=20), numbers()[1]
    message = "X is a Dask Array, whose rows are not in memory.*pass X.compute"
    for call in (
        lambda: next(clf.staged_predict(rows)),
        lambda: next(clf.staged_predict_proba(rows)),
        lambda: next(clf.staged_raw_score(rows)),
        lambda: next(clf.staged_decision_function(rows)),
        lambda: next(clf.staged_score(rows, y)),
        lambda: next(staged_margins(clf, rows, y)),
        lambda: clf.explain(rows),
        lambda: next(fitted("several", "gbse")[0].staged_predict(rows)),
    ):
        with pytest.raises(ValueError, match=message):
            call()


# ---- measures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["costboost", "search", "point"])
def test_score(name: str) -> None:
    clf, X = fitted("two", name)
    y, weight = numbers()[1], np.arange(N_ROWS) % 3
    rows, lazy_y = da.from_array(X, chunks=20), da.from_array(y, chunks=11)
    expected = accuracy_score(y, clf.predict(X), sample_weight=weight)
    assert clf.score(X, y, weight) == expected
    assert clf.score(rows, lazy_y, da.from_array(weight, chunks=7)) == expected
    assert clf.score(rows, y) == clf.score(X, y)


def test_measures() -> None:
    clf, X = fitted("two", "costboost")
    y, cost = numbers()[1], np.random.default_rng(5).uniform(1, 9, size=N_ROWS)
    rows = in_partitions(pd.DataFrame(X), (20, 0, 40)).to_dask_array()
    lazy_y, lazy_cost = (in_partitions(pd.DataFrame({"v": v}), (20, 0, 40))["v"] for v in (y, cost))
    probability = clf.predict_proba(X)[:, 1]
    lazy = clf.predict_proba(rows)[:, 1]
    assert calibration_error(lazy_y, lazy, pos_label="yes") == calibration_error(
        y, probability, pos_label="yes"
    )
    for found, expected in zip(
        brier_curve(lazy_y, lazy, fn_cost=lazy_cost),
        brier_curve(y, probability, fn_cost=cost),
        strict=True,
    ):
        np.testing.assert_array_equal(found, expected)
    expected = mean_cost(y, clf.predict(X, cost), fn_cost=cost)
    assert mean_cost(lazy_y, clf.predict(rows, lazy_cost), fn_cost=lazy_cost) == expected
    assert make_cost_scorer()(clf, rows, lazy_y, fn_cost=lazy_cost) == -expected
    clf, X = fitted("two", "adaboost")
    np.testing.assert_array_equal(margins(clf, rows, lazy_y), margins(clf, X, y))


# ---- partitions that are not as the collection states --------------------------------------------


def reordered(k: int) -> Any:
    part = pd.DataFrame(numbers()[0][k * 20 : (k + 1) * 20])  # columns 0 to 4
    return part[part.columns[::-1]] if k == 1 else part


def test_partitions_with_columns_in_another_order_are_refused() -> None:
    """Names that are no text are not compared with those of the training rows."""
    X, y, _ = numbers()
    rows = dd.from_map(reordered, range(3), meta=reordered(0).iloc[:0])
    clf = AdaBoostClassifier(n_estimators=3).fit(X, y)
    said = "column 0 of a partition is 4, but 0 in the collection"
    with pytest.raises(ValueError, match=said):
        clf.predict(rows).compute()
    with pytest.raises(ValueError, match=said):
        AdaBoostClassifier(n_estimators=3).fit(X, rows)
