"""Every container of rows gives the same model; categories and missing values are learnt from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from classifiers.trying import problem, row_costs, same_model
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

from costboost.algorithms import AdaBoostClassifier, CGAdaClassifier

# ---- tables --------------------------------------------------------------------------------------


def with_missing() -> tuple[np.ndarray, np.ndarray]:
    X, y = problem()
    X[np.random.default_rng(3).random(X.shape) < 0.1] = np.nan
    return X, y


def frames(X: np.ndarray) -> dict[str, Any]:
    names = list("abcd")[: X.shape[1]]
    columns = {name: X[:, j] for j, name in enumerate(names)}
    nulls = {
        name: [None if np.isnan(v) else v for v in values.tolist()]
        for name, values in columns.items()
    }
    return {
        "list": X.tolist(),
        "Fortran": np.asfortranarray(X),
        "strided": np.repeat(X, 2, axis=0)[::2],
        "objects": X.astype(object),
        "pandas": pd.DataFrame(X, columns=names),
        "pandas nullable": pd.DataFrame(nulls).convert_dtypes(),
        "pandas float32": pd.DataFrame(X.astype(np.float32), columns=names),
        "pandas pyarrow": pd.DataFrame(X, columns=names).astype("float64[pyarrow]"),
        "polars": pl.DataFrame(columns),
        "polars nulls": pl.DataFrame(nulls),
        "pyarrow": pa.table(columns),
        "pyarrow nulls": pa.table(nulls),
        "csr": sparse.csr_matrix(X),
        "csc": sparse.csc_matrix(X),
        "coo": sparse.coo_array(X),
        "csr float32": sparse.csr_array(X.astype(np.float32)),
    }


@pytest.mark.parametrize("kind", frames(np.zeros((2, 4))))
@pytest.mark.parametrize("learner", [None, "tree"])
def test_every_table_gives_the_same_model(learner: Any, kind: str) -> None:
    X, y = with_missing()
    expected = CGAdaClassifier(estimator=learner, n_estimators=12, fn_cost=3).fit(X, y)
    table = frames(X)[kind]
    clf = CGAdaClassifier(estimator=learner, n_estimators=12, fn_cost=3).fit(table, y)
    same_model(clf, expected)
    np.testing.assert_array_equal(clf.decision_function(table), expected.decision_function(X))
    np.testing.assert_array_equal(clf.predict(table), expected.predict(X))
    for ours, theirs in zip(
        clf.staged_decision_function(table), expected.staged_decision_function(X), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


def test_columns_of_whole_numbers_and_flags() -> None:
    X, y = problem()
    numbers, flags = (X[:, 0] * 4).astype(np.int32), X[:, 1] > 5
    plain = np.column_stack([numbers, flags]).astype(float)
    expected = CGAdaClassifier(n_estimators=12).fit(plain, y)
    columns = {"a": numbers, "b": flags}
    for table in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        clf = CGAdaClassifier(n_estimators=12).fit(table, y)
        same_model(clf, expected)
        np.testing.assert_array_equal(clf.predict(table), expected.predict(plain))
    same_model(CGAdaClassifier(n_estimators=12).fit(plain.astype(np.int64), y), expected)
    same_model(CGAdaClassifier(n_estimators=12).fit(plain.astype(np.uint8), y), expected)


def test_mostly_empty_sparse_matrix() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(1, 9, (300, 30)) * (rng.random((300, 30)) < 0.05).astype(float)
    y = (X[:, :9].sum(axis=1) > 3).astype(int)
    expected = CGAdaClassifier(n_estimators=20).fit(X, y)
    explicit = sparse.csr_matrix(X)
    explicit.data[::3] = 0  # stored zeros are zeros
    dense = explicit.toarray()
    for matrix in (sparse.csr_matrix(X), sparse.csc_array(X)):
        clf = CGAdaClassifier(n_estimators=20).fit(matrix, y)
        same_model(clf, expected)
        np.testing.assert_array_equal(clf.predict(matrix), expected.predict(X))
    same_model(
        CGAdaClassifier(n_estimators=20).fit(explicit, y),
        CGAdaClassifier(n_estimators=20).fit(dense, y),
    )


def test_weights_and_costs_may_be_series() -> None:
    X, y = problem()
    weight, costs = np.random.default_rng(0).uniform(1, 2, len(y)), row_costs(len(y))
    expected = CGAdaClassifier(n_estimators=9).fit(X, y, sample_weight=weight, **costs)
    for series in (pd.Series, pl.Series, pa.array, list):
        clf = CGAdaClassifier(n_estimators=9).fit(
            X, y, sample_weight=series(weight), **{k: series(v) for k, v in costs.items()}
        )
        same_model(clf, expected)


def test_wrapped_learners_see_the_table_as_it_is() -> None:
    X, y = problem()
    frame = pd.DataFrame(X, columns=list("abcd"))
    inner = DecisionTreeClassifier(max_depth=2, random_state=0)
    by_frame = CGAdaClassifier(estimator=inner, n_estimators=5, random_state=0).fit(frame, y)
    by_array = CGAdaClassifier(estimator=inner, n_estimators=5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(by_frame.decision_function(frame), by_array.decision_function(X))
    matrix = sparse.csr_matrix(X)
    by_sparse = CGAdaClassifier(estimator=inner, n_estimators=5, random_state=0).fit(matrix, y)
    np.testing.assert_array_equal(by_sparse.predict(matrix), by_array.predict(X))


# ---- categories ----------------------------------------------------------------------------------

TOWNS = np.array(["Bonn", "Jena", "Trier", "Ulm"])


def towns(seed: int = 0, n: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes, a number, and labels that only Jena and Ulm together explain."""
    rng = np.random.default_rng(seed)
    codes, number = rng.integers(0, 4, n), rng.integers(0, 5, n).astype(float)
    y = (np.isin(codes, [1, 3]) ^ (rng.random(n) < 0.1)).astype(int)
    return codes, number, y


def town_tables(codes: np.ndarray, number: np.ndarray) -> dict[str, tuple[Any, Any]]:
    """Tables of equal content, and the categorical_features that each needs."""
    names = TOWNS[codes]
    shuffled = pd.Categorical(names, categories=["Ulm", "Oslo", "Bonn", "Trier", "Jena"])
    columns = {"town": names.tolist(), "number": number}
    enum = pl.Enum(["Jena", "Ulm", "Trier", "Bonn"])
    return {
        "pandas": (pd.DataFrame({"town": shuffled, "number": number}), "from_dtype"),
        "pandas text": (pd.DataFrame(columns), ["town"]),
        "polars": (pl.DataFrame(columns, schema_overrides={"town": pl.Categorical}), "from_dtype"),
        "polars enum": (pl.DataFrame(columns, schema_overrides={"town": enum}), "from_dtype"),
        "polars text": (pl.DataFrame(columns), [0]),
        "pyarrow": (
            pa.table({"town": pa.array(columns["town"]).dictionary_encode(), "number": number}),
            "from_dtype",
        ),
        "pyarrow text": (pa.table(columns), [True, False]),
        "objects": (np.column_stack([names.astype(object), number.astype(object)]), [0]),
        "codes": (np.column_stack([codes, number]).astype(float), [0]),
        "integer codes": (np.column_stack([codes, number]).astype(int), [0]),
        "sparse codes": (sparse.csr_matrix(np.column_stack([codes, number])).astype(float), [0]),
    }


KINDS = list(town_tables(*towns()[:2]))


@pytest.mark.parametrize("learner", [None, "tree"])
@pytest.mark.parametrize("kind", KINDS)
def test_categories_are_the_same_in_every_table(kind: str, learner: Any) -> None:
    codes, number, y = towns()
    expected: Any = None
    for name in ("codes", kind):
        table, features = town_tables(codes, number)[name]
        clf = CGAdaClassifier(estimator=learner, n_estimators=9, categorical_features=features)
        clf.fit(table, y)
        if expected is None:
            expected = clf
        same_model(clf, expected)
        fresh = towns(1)
        np.testing.assert_array_equal(
            clf.decision_function(town_tables(*fresh[:2])[name][0]),
            expected.decision_function(town_tables(*fresh[:2])["codes"][0]),
        )


def test_one_stump_splits_any_set_of_categories() -> None:
    codes, number, _ = towns()
    y = np.isin(codes, [1, 3]).astype(int)
    table, features = town_tables(codes, number)["codes"]
    clf = AdaBoostClassifier(categorical_features=features).fit(table, y)
    assert clf.n_iter_ == 1
    np.testing.assert_array_equal(clf.predict(table), y)
    ordered = AdaBoostClassifier(categorical_features=None).fit(table, y)
    assert ordered.n_iter_ > 1


@pytest.mark.parametrize("learner", [None, "tree"])
def test_categories_are_the_best_of_all_partitions(learner: Any) -> None:
    codes, number, y = towns()
    table, features = town_tables(codes, number)["codes"]
    clf = AdaBoostClassifier(
        estimator=learner, max_depth=1, n_estimators=1, categorical_features=features
    ).fit(table[:, :1], y)
    errors = []
    for subset in range(16):
        called = (subset >> codes) & 1
        errors.append(np.mean(called != y))
    assert clf.estimator_errors_[0] == pytest.approx(min(errors))


@pytest.mark.filterwarnings("ignore:.*categories that training had no rows of")
@pytest.mark.parametrize("learner", [None, "tree"])
def test_unseen_categories_count_as_missing(learner: Any) -> None:
    codes, number, y = towns()
    frame = pd.DataFrame({"town": pd.Categorical(TOWNS[codes]), "number": number})
    clf = CGAdaClassifier(estimator=learner, n_estimators=9).fit(frame, y)
    fresh = pd.DataFrame({"town": pd.Categorical(["Oslo", None, "Rom"]), "number": [2.0] * 3})
    scores = clf.decision_function(fresh)
    assert np.isfinite(scores).all()
    assert scores[0] == scores[1] == scores[2]
    codes_clf = CGAdaClassifier(estimator=learner, n_estimators=9, categorical_features=[0])
    codes_clf.fit(np.column_stack([codes, number]), y)
    odd = np.array([[99.0, 2.0], [np.nan, 2.0], [-3.0, 2.0], [1.5, 2.0]])
    np.testing.assert_array_equal(codes_clf.decision_function(odd), np.repeat(scores[:1], 4))


def test_missing_categories_are_learnt() -> None:
    town = pd.Categorical(["Ulm", "Jena", None, "Bonn"] * 20)
    y = pd.isna(town).astype(int)
    clf = AdaBoostClassifier().fit(pd.DataFrame({"town": town}), y)
    np.testing.assert_array_equal(clf.predict(pd.DataFrame({"town": town})), y)


@pytest.mark.parametrize("max_bins", [255, 8])
def test_more_categories_than_bins(max_bins: int) -> None:
    """The most frequent ones have a bin each; the others share one, unseen ones included."""
    rng = np.random.default_rng(0)
    town = np.concatenate([np.arange(1000), rng.integers(0, 6, 3000)]).astype(float)
    y = np.isin(town, [1, 4]).astype(int)
    clf = AdaBoostClassifier(categorical_features=[0], max_bins=max_bins, n_estimators=20)
    clf.fit(town[:, None], y)
    np.testing.assert_array_equal(clf.predict(np.arange(6.0)[:, None]), [0, 1, 0, 0, 1, 0])
    rare = clf.decision_function(np.array([[997.0], [998.0], [12345.0]]))
    assert rare[0] == rare[1] == rare[2]


def test_categories_can_be_read_as_numbers() -> None:
    X, y = problem()
    frame = pd.DataFrame({"a": pd.Categorical(X[:, 0]), "b": X[:, 1]})
    clf = CGAdaClassifier(n_estimators=9, categorical_features=None).fit(frame, y)
    same_model(clf, CGAdaClassifier(n_estimators=9).fit(X[:, :2], y))


# ---- missing values ------------------------------------------------------------------------------


def test_missing_values_at_prediction_only_follow_the_heavier_side() -> None:
    X = np.arange(10.0)[:, None]
    for cut in (3, 7):
        y = (X[:, 0] >= cut).astype(int)
        clf = AdaBoostClassifier().fit(X, y)
        assert clf.predict([[np.nan]]) == (1 if cut == 3 else 0)
        weight = np.where(X[:, 0] >= cut, 0.1, 9.0) if cut == 3 else np.where(X[:, 0] >= 7, 9, 0.1)
        clf.fit(X, y, sample_weight=weight)
        assert clf.predict([[np.nan]]) == (0 if cut == 3 else 1)


@pytest.mark.parametrize("learner", [None, "tree"])
def test_missing_values_at_prediction_only_are_scored(learner: Any) -> None:
    X, y = problem()
    clf = CGAdaClassifier(estimator=learner, n_estimators=20).fit(X, y)
    holes = X.copy()
    holes[np.random.default_rng(0).random(X.shape) < 0.3] = np.nan
    for table in (holes, pd.DataFrame(holes), np.full((3, 4), np.nan)):
        values = table.to_numpy() if isinstance(table, pd.DataFrame) else table
        scores = clf.decision_function(values)
        assert np.isfinite(scores).all()
    whole = ~np.isnan(holes).any(axis=1)
    np.testing.assert_array_equal(
        clf.decision_function(holes)[whole], clf.decision_function(X)[whole]
    )


def test_missing_values_at_training_go_where_they_are_right() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0], [np.nan], [np.nan]])
    for where in (0, 1):
        y = np.array([0, 0, 1, 1, where, where])
        clf = AdaBoostClassifier().fit(X, y)
        assert clf.n_iter_ == 1
        np.testing.assert_array_equal(clf.predict(X), y)


def test_a_column_of_nothing_but_missing_values() -> None:
    X, y = problem()
    holes = np.column_stack([np.full(len(y), np.nan), X])
    clf = CGAdaClassifier(n_estimators=9).fit(holes, y)
    assert clf.feature_importances_[0] == 0
    expected = CGAdaClassifier(n_estimators=9).fit(X, y)
    np.testing.assert_array_equal(clf.decision_function(holes), expected.decision_function(X))
