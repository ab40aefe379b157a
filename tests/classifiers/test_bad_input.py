"""Whatever a user gets wrong ends in a ValueError: what, which value, what to do instead."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost import (
    AdaBoostClassifier,
    AdaMECClassifier,
    CGAdaClassifier,
    CSAdaClassifier,
    CSLBClassifier,
    CSLogitBoostClassifier,
    CSRealBoostClassifier,
    LogitBoostClassifier,
)

CLASSIFIERS = [AdaBoostClassifier, CGAdaClassifier, AdaMECClassifier]
LEARNERS = [None, "tree", DecisionTreeClassifier(max_depth=1)]

X = np.arange(24.0).reshape(12, 2) % 7
Y = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0])
N = len(Y)


def refuses(*said: str, clf: Any = None, X: Any = X, y: Any = Y, **given: Any) -> None:
    """The fit ends in a ValueError whose message holds all of `said`."""
    clf = CGAdaClassifier() if clf is None else clf
    with pytest.raises(ValueError, match=re.escape(said[0])) as caught:
        clf.fit(X, y, **given)
    for words in said[1:]:
        assert words in str(caught.value)


def changed(values: Any, row: int, to: Any) -> np.ndarray:
    values = np.array(values, dtype=float)
    values[row] = to
    return values


# ---- rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize(
    "empty",
    [
        np.empty((0, 2)),
        sparse.csr_matrix((0, 2)),
        pd.DataFrame({"a": [], "b": []}),
        pl.DataFrame({"a": [], "b": []}),
        pa.table({"a": [], "b": []}),
    ],
    ids=lambda X: type(X).__module__.split(".")[0],
)
def test_no_rows(empty: Any, learner: Any) -> None:
    clf = CGAdaClassifier(estimator=learner)
    refuses("0 sample(s)", "minimum of 1 is required", clf=clf, X=empty, y=[])


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_no_columns(learner: Any) -> None:
    clf = CGAdaClassifier(estimator=learner)
    refuses("0 feature(s)", "minimum of 1 is required", clf=clf, X=np.empty((N, 0)))
    refuses("0 feature(s)", clf=clf, X=pd.DataFrame(index=range(N)))


def test_one_dimensional_x() -> None:
    refuses("Expected 2D array, got 1D array", "Reshape your data", X=X[:, 0])


def test_y_of_another_length() -> None:
    refuses("y has 11 labels", "12 rows", y=Y[:-1])


def test_no_y() -> None:
    refuses("requires y to be passed", "None", y=None)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("learner", [None, "tree"])
def test_infinite_features(learner: Any, value: float) -> None:
    bad = X.copy()
    bad[5, 1] = value
    clf = CGAdaClassifier(estimator=learner)
    refuses("infinity", clf=clf, X=bad)
    refuses("infinity", clf=clf, X=bad.astype(np.float32))
    refuses("infinity", clf=clf, X=sparse.csc_matrix(bad))
    refuses(
        "'debt' contains infinity", "finite", clf=clf, X=pd.DataFrame(bad, columns=["a", "debt"])
    )
    refuses("'debt' contains infinity", clf=clf, X=pl.DataFrame(bad, schema=["a", "debt"]))
    table = pa.table({"a": bad[:, 0], "debt": bad[:, 1]})
    refuses("'debt' contains infinity", clf=clf, X=table)
    good = clf.fit(X, Y)
    with pytest.raises(ValueError, match="infinity"):
        good.predict(bad)


def text_frames() -> dict[str, Any]:
    number, text = X[:, 0], np.array(["red", "green", "blue"])[Y + 1 * (X[:, 0] > 3)].tolist()
    return {
        "pandas": pd.DataFrame({"size": number, "colour": text}),
        "pandas object": pd.DataFrame({"size": number, "colour": np.array(text, dtype=object)}),
        "polars": pl.DataFrame({"size": number, "colour": text}),
        "pyarrow": pa.table({"size": number, "colour": text}),
    }


@pytest.mark.parametrize("kind", text_frames())
@pytest.mark.parametrize("learner", [None, "tree"])
def test_text_columns_that_are_not_categorical(learner: Any, kind: str) -> None:
    frame = text_frames()[kind]
    clf = CGAdaClassifier(estimator=learner)
    refuses("column 'colour' is not numeric", "categorical_features", clf=clf, X=frame)
    clf.set_params(categorical_features=["colour"]).fit(frame, Y)


@pytest.mark.parametrize("dtype", [object, str])
def test_text_in_an_array_names_the_column_number(dtype: Any) -> None:
    text = np.array([[str(a), "red"] for a, _ in X], dtype=dtype)
    refuses("column 1 is not numeric", "categorical", X=text)


def test_dates_are_not_numbers() -> None:
    frame = pd.DataFrame({"size": X[:, 0], "when": pd.to_datetime(["2024-05-01"] * N)})
    refuses("column 'when' is not numeric", "datetime", X=frame)


def test_complex_features() -> None:
    refuses("Complex data not supported", X=X + 1j)


# ---- labels --------------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_one_class(classifier: Any) -> None:
    refuses("one class only, 1", "two classes", clf=classifier(), y=np.ones(N, int))
    refuses("one class only, 'yes'", clf=classifier(), y=np.array(["yes"] * N))


def test_one_class_among_the_rows_that_count() -> None:
    refuses("one class only", "sample_weight", "two classes", sample_weight=Y.astype(float))


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_costs_of_two_classes_for_three(classifier: Any) -> None:
    three = np.arange(N) % 3
    refuses("for two classes, but y has 3", "cost_matrix", clf=classifier(fn_cost=2), y=three)
    refuses("for two classes, but y has 3", clf=classifier(), y=three, fp_cost=np.ones(N))
    refuses("pos_label is for two classes", clf=classifier(pos_label=1), y=three)


def test_numbers_that_are_no_classes() -> None:
    refuses("Unknown label type: continuous", y=np.linspace(0, 1, N))


@pytest.mark.parametrize(
    "y",
    [
        np.where(Y, 1.0, np.nan),
        changed(Y, 3, np.nan),
        np.array(["no", None, "yes"] * 4, dtype=object),
        pd.Series(["no", None, "yes"] * 4),
        pd.Series([0, None, 1] * 4, dtype="Int64"),
        pl.Series([0, None, 1] * 4),
    ],
    ids=["float", "one", "object", "pandas str", "pandas Int64", "polars"],
)
def test_y_with_nan(y: Any) -> None:
    refuses("y contains NaN", "row", "drop those rows or label them", y=y)


def test_y_with_infinity() -> None:
    refuses("y contains infinity", y=changed(Y, 3, np.inf))


def test_y_with_two_columns() -> None:
    refuses("y should be a 1d array", y=np.column_stack([Y, Y]))


def test_unknown_pos_label() -> None:
    refuses("pos_label is 7", "classes of y are 0, 1", clf=CGAdaClassifier(pos_label=7))
    refuses("pos_label is 'yes'", clf=CGAdaClassifier(pos_label="yes"))


# ---- costs ---------------------------------------------------------------------------------------

BAD_COSTS = {
    "NaN": (np.nan, "NaN"),
    "infinite": (np.inf, "infinity"),
    "negative": (-2.0, "-2"),
    "zero": (0.0, "above 0"),
}


@pytest.mark.parametrize("name", ["fn_cost", "fp_cost"])
@pytest.mark.parametrize("kind", BAD_COSTS)
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_bad_costs(classifier: Any, kind: str, name: str) -> None:
    value, said = BAD_COSTS[kind]
    refuses(f"{name} must be", said, clf=classifier(**{name: value}))
    refuses(f"{name} must be", said, clf=classifier(), **{name: value})
    per_row = changed(np.ones(N), 4, value)
    refuses(f"{name} must be", said, "row 4", clf=classifier(), **{name: per_row})


@pytest.mark.parametrize("name", ["fn_cost", "fp_cost"])
def test_costs_of_the_wrong_length(name: str) -> None:
    refuses(
        f"{name} must be one number or one for each of the 12 rows", "(11,)", **{name: [1] * 11}
    )
    refuses(f"{name} must be one number", "(12, 1)", **{name: np.ones((N, 1))})
    refuses(f"{name} must be one number", "(0,)", **{name: []})


@pytest.mark.parametrize("value", ["dear", None, {}, [1, "x"] * 6], ids=repr)
def test_costs_that_are_no_numbers(value: Any) -> None:
    clf = CGAdaClassifier(fn_cost=value)
    refuses("fn_cost must be", clf=clf)


@pytest.mark.parametrize("name", ["fn_cost", "fp_cost"])
@pytest.mark.parametrize("kind", BAD_COSTS)
def test_bad_costs_at_prediction(kind: str, name: str) -> None:
    clf = AdaMECClassifier(n_estimators=3).fit(X, Y)
    value, said = BAD_COSTS[kind]
    for costs in (value, changed(np.ones(N), 4, value)):
        with pytest.raises(ValueError, match=f"{name} must be.*{said}"):
            clf.predict(X, **{name: costs})
        with pytest.raises(ValueError, match=f"{name} must be.*{said}"):
            list(clf.staged_predict(X, **{name: costs}))
    with pytest.raises(ValueError, match=f"{name} must be one number or one for each of the 12"):
        clf.predict(X, **{name: np.ones(N + 1)})


@pytest.mark.parametrize("classifier", [AdaBoostClassifier, CGAdaClassifier])
def test_costs_at_prediction_where_they_come_too_late(classifier: Any) -> None:
    clf = classifier(n_estimators=3).fit(X, Y)
    with pytest.raises(ValueError, match=r"cannot be given other costs after training.*AdaMEC"):
        clf.predict(X, fn_cost=2)
    with pytest.raises(ValueError, match=r"cannot be given other costs after training.*AdaMEC"):
        list(clf.staged_predict(X, fp_cost=2))


# ---- weights -------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_bad_weights(learner: Any) -> None:
    clf, ones = CGAdaClassifier(estimator=learner), np.ones(N)
    must = "sample_weight must be finite and not negative"
    refuses(must, "NaN in row 4", clf=clf, sample_weight=changed(ones, 4, np.nan))
    refuses(must, "infinity in row 4", clf=clf, sample_weight=changed(ones, 4, np.inf))
    refuses(must, "-1 in row 4", clf=clf, sample_weight=changed(ones, 4, -1))
    refuses("sample_weight", "for every row", "must count", clf=clf, sample_weight=0 * ones)
    refuses("sample_weight has 11 values", "12 rows", clf=clf, sample_weight=ones[:-1])
    refuses("must be 1D array", clf=clf, sample_weight=np.ones((N, 2)))


# ---- parameters ----------------------------------------------------------------------------------

BAD_PARAMETERS: list[tuple[dict[str, Any], str]] = [
    ({"n_estimators": 0}, "n_estimators must be a whole number of at least 1, got 0"),
    ({"n_estimators": 2.5}, "n_estimators must be a whole number of at least 1, got 2.5"),
    ({"n_estimators": True}, "n_estimators must be a whole number of at least 1, got True"),
    ({"n_estimators": "many"}, "n_estimators must be a whole number of at least 1, got 'many'"),
    ({"n_estimators": None}, "n_estimators must be a whole number of at least 1, got None"),
    ({"max_bins": 1}, "max_bins must be a whole number from 2 to 255, got 1"),
    ({"max_bins": 256}, "max_bins must be a whole number from 2 to 255, got 256"),
    ({"max_bins": 16.0}, "max_bins must be a whole number from 2 to 255, got 16.0"),
    ({"min_samples_leaf": 0}, "min_samples_leaf must be a whole number of at least 1, got 0"),
    ({"min_samples_leaf": 0.1}, "min_samples_leaf must be a whole number of at least 1, got 0.1"),
    ({"max_depth": 0}, "max_depth must be a whole number of at least 1, got 0"),
    ({"max_depth": "deep"}, "max_depth must be a whole number of at least 1, got 'deep'"),
    ({"max_leaf_nodes": 1}, "max_leaf_nodes must be a whole number of at least 2, got 1"),
    ({"n_iter_no_change": 0}, "n_iter_no_change must be a whole number of at least 1, got 0"),
    ({"n_jobs": 0}, "n_jobs must not be 0"),
    ({"n_jobs": 1.5}, "n_jobs must be a whole number, got 1.5"),
    ({"learning_rate": 0}, "learning_rate must be a number above 0, got 0"),
    ({"learning_rate": -0.1}, "learning_rate must be a number above 0, got -0.1"),
    ({"learning_rate": np.nan}, "learning_rate must be a number above 0, got nan"),
    ({"learning_rate": np.inf}, "learning_rate must be a number above 0, got inf"),
    ({"learning_rate": "fast"}, "learning_rate must be a number above 0, got 'fast'"),
    ({"tol": -1e-3}, "tol must be a number of at least 0, got -0.001"),
    ({"tol": np.nan}, "tol must be a number of at least 0, got nan"),
    ({"validation_fraction": 0.0}, "validation_fraction must be a number above 0, got 0.0"),
    ({"validation_fraction": 1.0}, "validation_fraction must be below 1, got 1.0"),
    ({"validation_fraction": "all"}, "validation_fraction must be a number above 0, got 'all'"),
    ({"initial_weights": "heavy"}, "initial_weights must be one of 'auto', 'uniform', 'cost'"),
    ({"negative_step": "flip"}, "negative_step must be one of 'stop', 'keep', got 'flip'"),
    ({"negative_step": None}, "negative_step must be one of 'stop', 'keep', got None"),
    ({"early_stopping": "yes"}, "early_stopping must be True or False, got 'yes'"),
    ({"warm_start": 1}, "warm_start must be True or False, got 1"),
    (
        {"estimator": "forest"},
        "estimator must be one of 'stump', 'tree', 'lookup', 'linear', 'logistic', got 'forest'",
    ),
    ({"estimator": 7}, "estimator must be None, one of 'stump', 'tree', 'lookup', 'linear'"),
    ({"estimator": "linear"}, "cannot boost estimator='linear'; take one of 'stump', 'tree'"),
    ({"resample": 1}, "resample must be True or False, got 1"),
    ({"calibration": "pratt"}, "calibration must be one of 'platt', 'isotonic', 'beta'"),
    ({"calibration_split": 1}, "calibration_split must be None (5 folds), a share of the rows"),
    ({"calibration_split": 1.5}, "calibration_split must be None (5 folds), a share of the rows"),
    ({"calibration_split": "all"}, "calibration_split must be None (5 folds), a share of the rows"),
    ({"calibration_split": True}, "calibration_split must be None (5 folds), a share of the rows"),
    ({"resample": True}, "resample=True is for scikit-learn estimators"),
    ({"estimator": DecisionTreeClassifier}, "estimator must be"),
    ({"categorical_features": "all"}, "categorical_features must be 'from_dtype', None, or"),
    (
        {"categorical_features": [2]},
        "categorical_features names column 2, but X has columns 0 to 1",
    ),
    ({"categorical_features": [-1]}, "categorical_features names column -1, but X has columns"),
    ({"categorical_features": [True]}, "categorical_features is a mask of length 1, but X has 2"),
    ({"categorical_features": [[0]]}, "categorical_features must be one-dimensional"),
    ({"categorical_features": ["a"]}, "categorical_features names column 'a', which X does not"),
    ({"random_state": "lucky"}, "'lucky' cannot be used to seed"),
    ({"cost_matrix": np.eye(3)}, "cost_matrix must have the shape (2, 2)"),
    ({"cost_matrix": [[0, -1], [1, 0]]}, "cost_matrix[0, 1] is -1"),
    ({"verbose": "loud"}, "verbose"),
    ({"verbose": -1}, "verbose"),
    ({"scoring": "elegance", "early_stopping": True}, "'scoring' parameter"),
]


@pytest.mark.parametrize(("parameters", "said"), BAD_PARAMETERS, ids=str)
def test_parameters_out_of_range(parameters: dict[str, Any], said: str) -> None:
    for classifier in CLASSIFIERS:
        refuses(said, clf=classifier(**parameters))


def test_unknown_probability() -> None:
    refuses(
        "probability must be one of 'votes', 'logistic', got 'odds'",
        clf=AdaMECClassifier(probability="odds"),
    )


def test_scoring_that_is_nothing_of_the_kind() -> None:
    refuses("scoring", clf=CGAdaClassifier(early_stopping=True, scoring=3))


def test_every_parameter_has_its_test() -> None:
    tested = {name for parameters, _ in BAD_PARAMETERS for name in parameters}
    elsewhere = {"fn_cost", "fp_cost", "pos_label", "probability"}
    assert set(AdaMECClassifier().get_params()) == tested | elsewhere


def test_a_learner_without_sample_weight() -> None:
    clf = CGAdaClassifier(estimator=KNeighborsClassifier())
    refuses("KNeighborsClassifier does not take sample_weight", "an estimator that does", clf=clf)


def test_parameters_are_judged_by_fit_and_not_before() -> None:
    clf = CGAdaClassifier(n_estimators=-5, estimator="forest", fn_cost=np.nan)
    assert clf.n_estimators == -5


def test_too_few_rows_to_hold_some_out() -> None:
    clf = CGAdaClassifier(early_stopping=True, validation_fraction=0.1)
    refuses(
        "validation_fraction=0.1", "4 rows", "validation_fraction=None", clf=clf, X=X[:4], y=Y[:4]
    )


# ---- learners and what they take -----------------------------------------------------------------

NEWTON = [
    LogitBoostClassifier,
    CSLBClassifier,
    CSLogitBoostClassifier,
    costboost.CostBoostClassifier,
]
OTHERS = [
    getattr(costboost, name)
    for name in costboost.__all__
    if hasattr(getattr(costboost, name), "rule") and getattr(costboost, name) not in NEWTON
]


@pytest.mark.parametrize("classifier", NEWTON)
def test_regressions_cannot_be_boosted_from_votes(classifier: Any) -> None:
    said = "take one of 'stump', 'tree', 'lookup', 'linear'"
    refuses("cannot boost estimator='logistic'", said, clf=classifier(estimator="logistic"))
    wrapped = classifier(estimator=DecisionTreeClassifier(max_depth=1))
    refuses("cannot boost a scikit-learn classifier", said, clf=wrapped)
    resampled = classifier(estimator=KNeighborsClassifier(), resample=True)
    refuses("cannot boost a scikit-learn classifier", said, clf=resampled)


@pytest.mark.parametrize("classifier", OTHERS)
def test_votes_cannot_be_boosted_from_lines(classifier: Any) -> None:
    refuses(
        "cannot boost estimator='linear'",
        "take one of 'stump', 'tree', 'lookup', 'logistic'",
        clf=classifier(estimator="linear"),
    )


@pytest.mark.parametrize("learner", ["stump", "tree", "lookup", "logistic"])
def test_built_in_learners_are_not_resampled(learner: str) -> None:
    clf = CGAdaClassifier(estimator=learner, resample=True)
    refuses("resample=True is for scikit-learn estimators", learner, "leave it out", clf=clf)
    refuses("resample=True", "linear", clf=CSLogitBoostClassifier(resample=True))
    refuses("resample=True", "lookup", clf=CSRealBoostClassifier(resample=True))


@pytest.mark.parametrize(
    "clf",
    [
        CSLogitBoostClassifier(),
        LogitBoostClassifier(estimator="linear"),
        CGAdaClassifier(estimator="logistic"),
    ],
    ids=["CSLogitBoost", "LogitBoost", "CGAda"],
)
def test_categories_where_numbers_are_needed(clf: Any) -> None:
    name = clf.estimator or "linear"
    frame = pd.DataFrame({"size": X[:, 0], "town": pd.Categorical(["Ulm", "Bonn"] * (N // 2))})
    said = (f"estimator={name!r} needs numbers", "'town' holds categories", "estimator='stump'")
    refuses(*said, clf=clf, X=frame)
    polars = pl.DataFrame(
        {"size": X[:, 0], "town": ["Ulm", "Bonn"] * (N // 2)},
        schema_overrides={"town": pl.Categorical},
    )
    refuses(*said, clf=clf, X=polars)
    table = pa.table({"size": X[:, 0], "town": pa.array(["a", "b"] * 6).dictionary_encode()})
    refuses(*said, clf=clf, X=table)
    clf.set_params(categorical_features=[1])
    refuses(f"estimator={name!r} needs numbers", "column 1 holds categories", clf=clf)
    clf.set_params(categorical_features="from_dtype")
    clf.fit(X, Y)


def tables_with_a_hole() -> dict[str, tuple[Any, str]]:
    holes = changed_cell(np.nan)
    columns = {"a": holes[:, 0], "debt": holes[:, 1]}
    nulls = {name: [None if np.isnan(v) else v for v in c] for name, c in columns.items()}
    return {
        "array": (holes, "1"),
        "float32": (holes.astype(np.float32), "1"),
        "sparse": (sparse.csr_matrix(holes), "1"),
        "objects": (holes.astype(object), "1"),
        "pandas": (pd.DataFrame(columns), "'debt'"),
        "pandas nullable": (pd.DataFrame(nulls).convert_dtypes(), "'debt'"),
        "polars": (pl.DataFrame(nulls), "'debt'"),
        "pyarrow": (pa.table(nulls), "'debt'"),
    }


def changed_cell(value: float) -> np.ndarray:
    values = X.copy()
    values[5, 1] = value
    return values


@pytest.mark.parametrize("kind", tables_with_a_hole())
@pytest.mark.parametrize("classifier", NEWTON)
def test_lines_take_no_missing_values(classifier: Any, kind: str) -> None:
    """At training and at prediction, and the message names the column."""
    table, column = tables_with_a_hole()[kind]
    clf = classifier(estimator="linear", n_estimators=3)
    said = (f"contains NaN, in column {column}", "takes none", "estimator='stump'")
    refuses(*said, clf=clf, X=table)
    names = ["a", "debt"]
    whole = pd.DataFrame(X, columns=names) if column == "'debt'" else X
    clf.fit(whole, Y)
    for method in METHODS:
        with pytest.raises(ValueError, match=re.escape(said[0])):
            call(clf, method, table)
    classifier(estimator="stump", n_estimators=3, min_samples_leaf=1).fit(table, Y)


def test_lines_take_no_missing_values_by_default() -> None:
    refuses(
        "contains NaN, in column 1",
        "takes none",
        clf=CSLogitBoostClassifier(),
        X=changed_cell(np.nan),
    )


@pytest.mark.parametrize("learner", ["lookup", "linear", "logistic"])
def test_infinite_features_with_every_learner(learner: str) -> None:
    clf = (LogitBoostClassifier if learner == "linear" else CGAdaClassifier)(
        estimator=learner, n_estimators=3
    )
    bad = changed_cell(np.inf)
    refuses("infinity", clf=clf, X=bad)
    refuses("'debt' contains infinity", clf=clf, X=pd.DataFrame(bad, columns=["a", "debt"]))
    clf.fit(np.column_stack([X[:, 0], Y]), Y)
    with pytest.raises(ValueError, match="infinity"):
        clf.predict(bad)


@pytest.mark.parametrize("learner", ["lookup", "logistic", KNeighborsClassifier(2)], ids=str)
def test_other_columns_with_every_learner(learner: Any) -> None:
    resample = not isinstance(learner, str)
    clf = CGAdaClassifier(estimator=learner, resample=resample, n_estimators=3, random_state=0)
    clf.fit(X, Y)
    for method in METHODS:
        with pytest.raises(ValueError, match=r"X has 3 features.*expecting 2 features"):
            call(clf, method, np.ones((4, 3)))
    line = CSLogitBoostClassifier(n_estimators=3).fit(X, Y)
    with pytest.raises(ValueError, match=r"X has 3 features.*expecting 2 features"):
        line.predict(np.ones((4, 3)))


@pytest.mark.parametrize("before", ["stump", "lookup", "logistic", "linear"])
@pytest.mark.parametrize("after", ["stump", "lookup", "logistic", "linear"])
def test_warm_start_between_learners(before: str, after: str) -> None:
    if before == after or {before, after} >= {"linear", "logistic"}:
        return
    lines = "linear" in (before, after)
    clf = (LogitBoostClassifier if lines else CGAdaClassifier)(n_estimators=2, warm_start=True)
    clf.set_params(estimator=before).fit(X, Y)
    clf.set_params(estimator=after, n_estimators=5)
    refuses("warm_start goes on with the same weak learner", before, after, clf=clf)


def test_weighting_of_cslogitboost() -> None:
    refuses(
        "weighting must be one of 'newton', 'margin', got 'paper'",
        clf=CSLogitBoostClassifier(weighting="paper"),
    )


@pytest.mark.parametrize("failure", ["hole", "categories"])
def test_a_failed_fit_leaves_the_earlier_lines(failure: str) -> None:
    clf = CSLogitBoostClassifier(n_estimators=4).fit(X, Y)
    expected = clf.decision_function(X)
    bad: Any = changed_cell(np.nan)
    if failure == "categories":
        bad = pd.DataFrame({"a": X[:, 0], "b": pd.Categorical(["x", "y"] * 6)})
    with pytest.raises(ValueError):  # noqa: PT011
        clf.fit(bad, Y)
    np.testing.assert_array_equal(clf.decision_function(X), expected)
    assert not hasattr(clf, "feature_names_in_")


@pytest.mark.parametrize("classifier", [CSAdaClassifier, CSRealBoostClassifier, CSLBClassifier])
@pytest.mark.parametrize("kind", BAD_COSTS)
def test_bad_costs_of_the_other_families(classifier: Any, kind: str) -> None:
    value, said = BAD_COSTS[kind]
    refuses("fn_cost must be", said, clf=classifier(fn_cost=value))
    refuses(
        "fp_cost must be", said, "row 4", clf=classifier(), fp_cost=changed(np.ones(N), 4, value)
    )
    clf = classifier(n_estimators=3).fit(X, Y)
    with pytest.raises(ValueError, match=r"cannot be given other costs after training.*AdaMEC"):
        clf.predict(X, fn_cost=2)


# ---- prediction ----------------------------------------------------------------------------------

METHODS = [
    "predict",
    "predict_proba",
    "decision_function",
    "staged_predict",
    "staged_predict_proba",
    "staged_decision_function",
]


def call(clf: Any, method: str, X: Any) -> Any:
    result = getattr(clf, method)(X)
    return list(result) if method.startswith("staged") else result


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_predict_before_fit(classifier: Any) -> None:
    for method in METHODS:
        with pytest.raises(NotFittedError, match=r"is not fitted yet\. Call 'fit'"):
            call(classifier(), method, X)
    with pytest.raises(NotFittedError):
        classifier().score(X, Y)
    with pytest.raises(NotFittedError):
        list(classifier().staged_score(X, Y))
    with pytest.raises(NotFittedError):
        _ = classifier().feature_importances_


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_predict_with_other_columns(learner: Any, method: str) -> None:
    clf = CGAdaClassifier(estimator=learner, n_estimators=3).fit(X, Y)
    for width in (1, 3):
        with pytest.raises(ValueError, match=f"X has {width} features.*expecting 2 features"):
            call(clf, method, np.ones((4, width)))
    with pytest.raises(ValueError, match="Expected 2D array"):
        call(clf, method, X[:, 0])
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        call(clf, method, X[:0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pd", "pl", "pa"])
def test_predict_with_other_names_or_another_order(frame: Any, learner: Any, method: str) -> None:
    a, b = X.T
    clf = CGAdaClassifier(estimator=learner, n_estimators=3).fit(frame({"a": a, "b": b}), Y)
    call(clf, method, frame({"a": a, "b": b}))
    with pytest.raises(ValueError, match="must be in the same order"):
        call(clf, method, frame({"b": b, "a": a}))
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*unseen.*- c"):
        call(clf, method, frame({"a": a, "c": b}))
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*missing.*- b"):
        call(clf, method, frame({"a": a}))


def test_predict_with_text_where_numbers_were() -> None:
    frame = pd.DataFrame(X, columns=["a", "b"])
    clf = CGAdaClassifier(n_estimators=3).fit(frame, Y)
    with pytest.raises(ValueError, match="column 'b' is not numeric"):
        clf.predict(frame.assign(b="x"))


# ---- warm start ----------------------------------------------------------------------------------


def test_warm_start_with_fewer_rounds() -> None:
    clf = CGAdaClassifier(n_estimators=5, warm_start=True).fit(X, Y)
    assert clf.n_iter_ > 2
    clf.set_params(n_estimators=2)
    refuses("n_estimators=2 must be at least the", "rounds already there", clf=clf)


@pytest.mark.parametrize("learner", ["stump", "tree"])
def test_warm_start_on_other_data(learner: str) -> None:
    clf = CGAdaClassifier(estimator=learner, n_estimators=3, warm_start=True).fit(X, Y)
    clf.set_params(n_estimators=6)
    refuses("warm_start continues a fit on the same data", "warm_start=False", clf=clf, X=X + 0.3)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_warm_start_on_other_columns(learner: Any) -> None:
    clf = CGAdaClassifier(estimator=learner, n_estimators=3, warm_start=True).fit(X[:, ::-1], Y)
    clf.set_params(n_estimators=6)
    refuses("feature", clf=clf, X=X[:, :1])


@pytest.mark.parametrize(("before", "after"), [("stump", "tree"), ("tree", "stump")])
def test_warm_start_with_another_learner(before: str, after: str) -> None:
    """Either it is refused, or every round so far stays as it was."""
    clf = CGAdaClassifier(estimator=before, n_estimators=3, warm_start=True).fit(X, Y)
    old = [clf.ensemble_.tree(t) for t in range(clf.n_iter_)]
    clf.set_params(estimator=after, n_estimators=6)
    try:
        clf.fit(X, Y)
    except ValueError as error:
        assert "warm_start" in str(error)  # noqa: PT017
    else:
        assert repr([clf.ensemble_.tree(t) for t in range(len(old))]) == repr(old)


@pytest.mark.parametrize("after", ["stump", DecisionTreeClassifier(max_depth=1)], ids=str)
def test_warm_start_between_wrapped_and_built_in(after: Any) -> None:
    before = DecisionTreeClassifier(max_depth=1) if after == "stump" else "stump"
    clf = CGAdaClassifier(estimator=before, n_estimators=3, warm_start=True).fit(X, Y)
    clf.set_params(estimator=after, n_estimators=6)
    refuses("warm_start", "estimator", clf=clf)


# ---- after a failed fit --------------------------------------------------------------------------

FAILURES: dict[str, dict[str, Any]] = {
    "one class": {"y": np.ones(N, int)},
    "other classes": {"y": np.arange(N) % 3, "fn_cost": 2.0},
    "weights": {"sample_weight": np.full(N, np.nan)},
    "one class counts": {"sample_weight": Y.astype(float)},
    "costs": {"fn_cost": -1},
    "columns": {"X": X[:, :1], "y": np.ones(N, int)},
    "more columns": {"X": np.column_stack([X, X]), "y": np.ones(N, int)},
    "names": {"X": pd.DataFrame(X, columns=["a", "b"]), "y": np.ones(N, int)},
    "text": {"X": np.array([["x", "y"]] * N, dtype=object)},
    "labels": {"y": np.array(["no", "yes"])[Y], "fn_cost": np.nan},
}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_a_failed_fit_leaves_the_earlier_model_or_none(learner: Any, failure: str) -> None:
    clf = CGAdaClassifier(estimator=learner, n_estimators=4).fit(X, Y)
    expected = clf.predict(X)
    given = {"X": X, "y": Y} | FAILURES[failure]
    with pytest.raises(ValueError):  # noqa: PT011
        clf.fit(given.pop("X"), given.pop("y"), **given)
    try:
        result = clf.predict(X)
    except NotFittedError:
        return
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("learner", [None, "tree"])
def test_a_failed_fit_never_reads_beyond_the_row(learner: Any) -> None:
    """A model of ten columns is not asked about rows of one."""
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(50, 10))
    y = (wide[:, 9] > 0).astype(int)
    clf = CGAdaClassifier(estimator=learner, n_estimators=4).fit(wide, y)
    with pytest.raises(ValueError, match="one class"):
        clf.fit(wide[:, :1], np.ones(50, int))
    with pytest.raises((ValueError, NotFittedError)):
        clf.predict(wide[:, :1])
