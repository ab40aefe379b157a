"""Every algorithm on every learner, on odd data, categories, and other costs and rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from classifiers.learning import (
    CLASSIFIERS,
    SPREADS,
    costs_of,
    each,
    each_new,
    problem,
    same,
    with_holes,
)
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier

from costboost._core.checks import UnseenCategoryWarning
from costboost.algorithms import AdaBoostClassifier, AdaBoostRegClassifier, CGAdaClassifier

ignore_empty = pytest.mark.filterwarnings("ignore:.* added no learner")


# ---- odd data ------------------------------------------------------------------------------------


@each
@ignore_empty
def test_one_feature(classifier: Any, learner: str) -> None:
    X, y = problem()
    clf = classifier(estimator=learner, n_estimators=5, **costs_of(classifier)).fit(X[:, :1], y)
    assert clf.n_iter_ > 0
    assert clf.feature_importances_.tolist() == [1.0]
    assert np.isfinite(clf.decision_function(X[:, :1])).all()


@each
def test_constant_features_are_never_used(classifier: Any, learner: str) -> None:
    X, y = problem()
    wide = np.column_stack([np.full(len(y), 3.0), X[:, 0], np.zeros(len(y)), X[:, 2]])
    options = costs_of(classifier) | {"estimator": learner, "n_estimators": 6}
    clf = classifier(**options).fit(wide, y)
    narrow = classifier(**options).fit(X[:, [0, 2]], y)
    assert clf.feature_importances_[[0, 2]].tolist() == [0, 0]
    assert clf.decision_function(wide).tobytes() == narrow.decision_function(X[:, [0, 2]]).tobytes()


@each
@ignore_empty
def test_nothing_but_constant_features(classifier: Any, learner: str) -> None:
    X, y = np.ones((8, 2)), np.array([1, 0, 0, 0, 0, 0, 0, 1])
    clf = classifier(estimator=learner, n_estimators=5).fit(X, y)
    assert np.isfinite(clf.decision_function(X)).all()
    assert (clf.predict(X) == 0).all()


@each
@ignore_empty
def test_features_that_are_missing_everywhere(classifier: Any, learner: str) -> None:
    if learner == "linear":
        return
    X, y = problem()
    options = costs_of(classifier) | {"estimator": learner, "n_estimators": 6}
    holes = np.column_stack([np.full(len(y), np.nan), X])
    clf, plain = classifier(**options).fit(holes, y), classifier(**options).fit(X, y)
    assert clf.feature_importances_[0] == 0
    assert clf.decision_function(holes).tobytes() == plain.decision_function(X).tobytes()
    nothing = np.full((len(y), 2), np.nan)
    empty = classifier(**options).fit(nothing, y)
    assert np.isfinite(empty.decision_function(nothing)).all()
    assert np.isin(empty.predict(nothing), [0, 1]).all()


@each
def test_float32_is_decided_as_float64(classifier: Any, learner: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2)).astype(np.float32)
    y = (X[:, 0] + rng.normal(size=120) > 0.5).astype(int)
    options = costs_of(classifier) | {"estimator": learner, "n_estimators": 5}
    clf, wide = classifier(**options).fit(X, y), classifier(**options).fit(X.astype(float), y)
    same(clf, wide)
    assert clf.decision_function(X).tobytes() == wide.decision_function(X.astype(float)).tobytes()
    assert clf.decision_function(X.astype(float)).tobytes() == clf.decision_function(X).tobytes()


def frames(X: np.ndarray) -> dict[str, Any]:
    columns = {name: X[:, j] for j, name in enumerate("abc")}
    nulls = {k: [None if np.isnan(v) else v for v in c.tolist()] for k, c in columns.items()}
    return {
        "Fortran": np.asfortranarray(X),
        "objects": X.astype(object),
        "pandas": pd.DataFrame(columns),
        "pandas nullable": pd.DataFrame(nulls).convert_dtypes(),
        "polars": pl.DataFrame(nulls),
        "pyarrow": pa.table(nulls),
        "csr": sparse.csr_matrix(X),
        "csc": sparse.csc_array(X),
    }


@each_new
@pytest.mark.parametrize("kind", frames(np.zeros((2, 3))))
def test_every_table_gives_the_same_model(classifier: Any, learner: str, kind: str) -> None:
    X, y = problem()
    X = with_holes(X, learner)
    options = costs_of(classifier) | {"estimator": learner, "n_estimators": 6}
    expected, table = classifier(**options).fit(X, y), frames(X)[kind]
    clf = classifier(**options).fit(table, y)
    same(clf, expected)
    assert clf.decision_function(table).tobytes() == expected.decision_function(X).tobytes()
    stages = list(clf.staged_decision_function(table))
    assert stages[-1].tobytes() == expected.decision_function(X).tobytes()


# ---- categories ----------------------------------------------------------------------------------

TOWNS = np.array(["Bonn", "Jena", "Trier", "Ulm", None], dtype=object)


def towns(kind: str, codes: np.ndarray, number: np.ndarray) -> Any:
    names = TOWNS[codes].tolist()
    if kind == "pandas":
        return pd.DataFrame({"town": pd.Categorical(names), "number": number})
    if kind == "polars":
        schema = {"town": pl.Categorical}
        return pl.DataFrame({"town": names, "number": number}, schema_overrides=schema)
    if kind == "pyarrow":
        return pa.table({"town": pa.array(names).dictionary_encode(), "number": number})
    return np.column_stack([np.where(codes == 4, np.nan, codes), number])


LOOKUPS = [c for c in CLASSIFIERS if "lookup" in c.rule.learners]


@pytest.mark.parametrize("classifier", LOOKUPS, ids=lambda c: c.__name__)
def test_lookups_of_categories(classifier: Any) -> None:
    """Models are equal for every kind of table; unknown categories count as missing."""
    rng = np.random.default_rng(0)
    codes, number = rng.integers(0, 5, 120), rng.integers(0, 4, 120).astype(float)
    y = (np.isin(codes, [1, 3, 4]) ^ (rng.random(120) < 0.1)).astype(int)
    options = costs_of(classifier) | {"estimator": "lookup", "n_estimators": 5}
    plain = classifier(categorical_features=[0], **options).fit(towns("codes", codes, number), y)
    expected = plain.decision_function(towns("codes", codes, number))
    for kind in ("pandas", "polars", "pyarrow"):
        clf = classifier(**options).fit(towns(kind, codes, number), y)
        same(clf, plain)
        assert clf.decision_function(towns(kind, codes, number)).tobytes() == expected.tobytes()
    odd = np.array([[99.0, 2.0], [np.nan, 2.0], [-3.0, 2.0], [1.5, 2.0]])
    with pytest.warns(UnseenCategoryWarning, match="3 of 3 values"):
        scores = plain.decision_function(odd)
    assert (scores == scores[1]).all()
    warm = classifier(categorical_features=[0], warm_start=True, **options | {"n_estimators": 2})
    if classifier not in SPREADS:
        warm.fit(towns("codes", codes, number), y).set_params(n_estimators=5)
        same(warm.fit(towns("codes", codes, number), y), plain)


# ---- other costs and rows ------------------------------------------------------------------------


@each
@ignore_empty
def test_a_whole_weight_is_a_row_written_so_often(classifier: Any, learner: str) -> None:
    if classifier is AdaBoostRegClassifier:  # forgives a row by its weight, however it came to it
        return
    X, y = problem()
    weight = np.random.default_rng(4).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    options = costs_of(classifier) | {"estimator": learner, "n_estimators": 5}
    weighted = classifier(**options).fit(X, y, sample_weight=weight)
    written = classifier(**options).fit(X[rows], y[rows])
    np.testing.assert_allclose(
        weighted.decision_function(X), written.decision_function(X), rtol=1e-8, atol=1e-8
    )


@each
def test_row_costs_that_are_all_the_same(classifier: Any, learner: str) -> None:
    """Another way to the same model: row by row instead of cell by cell."""
    if classifier.rule.cost_blind:
        return
    X, y = problem()
    X = with_holes(X, learner)
    options = {"estimator": learner, "n_estimators": 5}
    ones = np.ones(len(y))
    classes = classifier(**options).fit(X, y, fn_cost=4.0, fp_cost=1.5)
    by_row = classifier(**options).fit(X, y, fn_cost=4.0 * ones, fp_cost=1.5 * ones)
    np.testing.assert_allclose(
        by_row.decision_function(X), classes.decision_function(X), rtol=1e-8, atol=1e-8
    )


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: c.__name__)
def test_rows_drawn_by_weight(classifier: Any) -> None:
    """Every algorithm that takes scikit-learn's classifiers takes one without weights."""
    X, y = problem()
    clf = classifier(
        estimator=KNeighborsClassifier(5), resample=True, n_estimators=4, random_state=0,
        **costs_of(classifier),
    )  # fmt: skip
    if "wrapped" not in classifier.rule.learners:
        with pytest.raises(ValueError, match="cannot boost a scikit-learn classifier"):
            clf.fit(X, y)
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* added no learner")
        scores = clf.fit(X, y).decision_function(X)
    assert np.isfinite(scores).all()
    if clf.n_iter_:
        assert list(clf.staged_decision_function(X))[-1].tobytes() == scores.tobytes()


def test_blind_algorithms_say_so_with_every_learner() -> None:
    X, y = problem()
    for learner in AdaBoostClassifier.rule.learners[:-1]:
        with pytest.warns(UserWarning, match="ignores costs"):
            AdaBoostClassifier(estimator=learner, n_estimators=2, fn_cost=3.0).fit(X, y)


ROUNDS: dict[str, Callable[[Any], int]] = {
    "stump": lambda clf: int(np.diff(clf.ensemble_.first).max()),
    "lookup": lambda clf: int(np.diff(clf.ensemble_.first).max()),
    "tree": lambda clf: int(np.diff(clf.ensemble_.first).max()),
}


def test_learners_differ() -> None:
    """A stump has three nodes, a tree more, a lookup one leaf a bin and one for the missing."""
    X, y = problem()
    sizes = {
        learner: size(CGAdaClassifier(estimator=learner, n_estimators=3).fit(X, y))
        for learner, size in ROUNDS.items()
    }
    assert sizes["stump"] == 3
    assert sizes["tree"] > 9
    assert sizes["lookup"] == 2 * 13 - 1
