"""Predictions and second fits that are refused, and what a failed fit leaves behind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from classifiers.refusing import CLASSIFIERS, LEARNERS, METHODS, N, X, Y, call, refuses
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from costboost.algorithms import CGAdaClassifier

# ---- prediction ----------------------------------------------------------------------------------


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
    "text": {"X": np.array([["x", "y"]] * N)},
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
    """A model trained on ten columns does not predict rows of one column."""
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(50, 10))
    y = (wide[:, 9] > 0).astype(int)
    clf = CGAdaClassifier(estimator=learner, n_estimators=4).fit(wide, y)
    with pytest.raises(ValueError, match="one class"):
        clf.fit(wide[:, :1], np.ones(50, int))
    with pytest.raises((ValueError, NotFittedError)):
        clf.predict(wide[:, :1])
