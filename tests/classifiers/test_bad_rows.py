"""Rows, labels, costs and weights that are refused, and in what words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from classifiers.refusing import BAD_COSTS, CLASSIFIERS, LEARNERS, N, X, Y, changed, refuses
from scipy import sparse
from sklearn.base import clone

from costboost.algorithms import AdaBoostClassifier, AdaMECClassifier, CGAdaClassifier
from costboost.metrics import mean_cost
from costboost.multiclass import GBSEClassifier

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
    clf = CGAdaClassifier(estimator=learner, categorical_features=["size"])
    refuses("column 'colour' is not numeric", "categorical_features", clf=clf, X=frame)
    clf.set_params(categorical_features=["colour"]).fit(frame, Y)


def test_text_in_an_array_of_text_names_the_column_number() -> None:
    text = np.array([[str(a), "red"] for a, _ in X])
    refuses("column 1 is not numeric", "categorical", X=text)


def test_dates_are_not_numbers() -> None:
    frame = pd.DataFrame({"size": X[:, 0], "when": pd.to_datetime(["2024-05-01"] * N)})
    refuses("column 'when' is not numeric", "datetime", X=frame)


DATES = (X * 1e5).astype("datetime64[s]")


@pytest.mark.parametrize(
    "dates",
    [DATES, DATES - DATES[0], DATES.tolist(), list(map(list, DATES)), DATES.astype(object)],
    ids=["datetime64", "timedelta64", "list", "list of datetime64", "objects"],
)
@pytest.mark.parametrize("learner", [None, "tree"])
def test_dates_of_arrays_are_refused_as_those_of_frames(learner: Any, dates: Any) -> None:
    clf = CGAdaClassifier(estimator=learner)
    refuses("column 0 is not numeric", "categorical_features", clf=clf, X=dates)
    with pytest.raises(ValueError, match="column 0 is not numeric"):
        clone(clf).fit(X, Y).predict(dates)


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame])
def test_dates_may_be_categories(kind: Any) -> None:
    dates = np.where(X == 3, np.datetime64("NaT"), DATES)
    clf = CGAdaClassifier(n_estimators=5, categorical_features=[0, 1]).fit(kind(dates), Y)
    labels = np.where(X == 3, np.nan, X)
    by_number = CGAdaClassifier(n_estimators=5, categorical_features=[0, 1]).fit(labels, Y)
    np.testing.assert_array_equal(
        clf.decision_function(kind(dates)), by_number.decision_function(labels)
    )


def test_complex_features() -> None:
    refuses("Complex data not supported", X=X + 1j)
    refuses("Complex data not supported", X=(X + 1j).tolist())
    refuses("Complex data not supported", X=sparse.csr_array(X + 1j))
    refuses("column 0 is not numeric (complex)", X=(X + 1j).astype(object))


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


def test_complex_labels() -> None:
    refuses("Complex data not supported", y=Y + 0j)


@pytest.mark.parametrize(
    "empty", [[], np.array([]), np.array([], dtype=int), pd.Series([], dtype=str)]
)
@pytest.mark.parametrize("classifier", [*CLASSIFIERS, GBSEClassifier])
def test_no_labels(classifier: Any, empty: Any) -> None:
    refuses("y is empty: it has 0 labels", "two classes", clf=classifier(), y=empty)


def test_y_without_a_date() -> None:
    days = Y.astype("datetime64[D]")
    days[3] = np.datetime64("NaT")
    refuses("Input y contains NaN", "1 of 12 labels are missing", "row 3", y=days)


def test_unknown_pos_label() -> None:
    refuses("pos_label is 7", "classes of y are 0, 1", clf=CGAdaClassifier(pos_label=7))
    refuses("pos_label is 'yes'", clf=CGAdaClassifier(pos_label="yes"))


# ---- costs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fn_cost", "fp_cost"])
@pytest.mark.parametrize("kind", BAD_COSTS)
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_bad_costs(classifier: Any, kind: str, name: str) -> None:
    value, message = BAD_COSTS[kind]
    refuses(f"{name} must be", message, clf=classifier(**{name: value}))
    refuses(f"{name} must be", message, clf=classifier(), **{name: value})
    per_row = changed(np.ones(N), 4, value)
    refuses(f"{name} must be", message, "row 4", clf=classifier(), **{name: per_row})


@pytest.mark.parametrize("name", ["fn_cost", "fp_cost"])
def test_costs_of_the_wrong_length(name: str) -> None:
    refuses(
        f"{name} must be one number or one for each of the 12 rows", "(11,)", **{name: [1] * 11}
    )
    refuses(f"{name} must be one number", "(12, 1)", **{name: np.ones((N, 1))})
    refuses(f"{name} must be one number", "(0,)", **{name: []})


@pytest.mark.parametrize("value", ["costly", None, {}, [1, "x"] * 6], ids=repr)
def test_costs_that_are_no_numbers(value: Any) -> None:
    clf = CGAdaClassifier(fn_cost=value)
    refuses("fn_cost must be", clf=clf)


def test_costs_of_many_rows_are_not_quoted_in_full() -> None:
    with pytest.raises(ValueError, match="fn_cost must be a number or an array") as error:
        CGAdaClassifier().fit(X, Y, fn_cost=["costly"] * 5000)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("name", ["fn_cost", "fp_cost"])
@pytest.mark.parametrize("kind", BAD_COSTS)
def test_bad_costs_at_prediction(kind: str, name: str) -> None:
    clf = AdaMECClassifier(n_estimators=3).fit(X, Y)
    value, message = BAD_COSTS[kind]
    for costs in (value, changed(np.ones(N), 4, value)):
        with pytest.raises(ValueError, match=f"{name} must be.*{message}"):
            clf.predict(X, **{name: costs})
        with pytest.raises(ValueError, match=f"{name} must be.*{message}"):
            list(clf.staged_predict(X, **{name: costs}))
    with pytest.raises(ValueError, match=f"{name} must be one number or one for each of the 12"):
        clf.predict(X, **{name: np.ones(N + 1)})


@pytest.mark.parametrize("classifier", [AdaBoostClassifier, CGAdaClassifier])
def test_costs_at_prediction_where_they_come_too_late(classifier: Any) -> None:
    clf = classifier(n_estimators=3).fit(X, Y)
    with pytest.raises(ValueError, match=r"cannot be given other costs after training.*CostBoost"):
        clf.predict(X, fn_cost=2)
    with pytest.raises(ValueError, match=r"cannot be given other costs after training.*CostBoost"):
        list(clf.staged_predict(X, fp_cost=2))


NO_REALS = {
    "complex": np.full(N, 2 + 0j),
    "complex scalar": np.complex128(2),
    "complex objects": np.full(N, 2 + 1j).astype(object),
    "dates": np.arange(1, N + 1).astype("datetime64[D]"),
    "durations": np.arange(1, N + 1).astype("timedelta64[D]"),
    "text": np.full(N, "2"),
    "too large": [10**400] * N,
}


@pytest.mark.parametrize("what", NO_REALS)
def test_weights_and_costs_are_real_numbers(what: str) -> None:
    values = NO_REALS[what]
    refuses("sample_weight must be a number", sample_weight=values)
    refuses("fn_cost must be a number", fn_cost=values)
    fitted = AdaMECClassifier(n_estimators=3).fit(X, Y)
    with pytest.raises(ValueError, match="fp_cost must be a number"):
        fitted.predict(X, fp_cost=values)
    with pytest.raises(ValueError, match="sample_weight must be numbers"):
        mean_cost(Y, Y, fn_cost=2, fp_cost=1, sample_weight=values)


@pytest.mark.parametrize("kind", [complex, "datetime64[D]", "timedelta64[D]", str])
def test_cost_matrices_are_real_numbers(kind: Any) -> None:
    matrix = np.array([[0, 1], [2, 0]]).astype(kind)
    refuses("cost_matrix must be an array of numbers", clf=CGAdaClassifier(cost_matrix=matrix))
    refuses("cost_matrix must be an array of numbers", clf=GBSEClassifier(cost_matrix=matrix))
    refuses("costs must be an array of numbers", clf=GBSEClassifier(), costs=matrix[Y])


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
    refuses("sample_weight must be a number", "got 'often'", clf=clf, sample_weight="often")
    much = np.where(Y == 1, 1e308, 1e307)
    refuses("sample_weight", "1e+308, adds up to more", "divide", clf=clf, sample_weight=much)
