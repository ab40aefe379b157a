"""Parameters and learners that are refused, and in what words."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from classifiers.refusing import BAD_COSTS, CLASSIFIERS, METHODS, N, X, Y, call, changed, refuses
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost.algorithms import (
    CLASSES,
    AdaC1Classifier,
    AdaC3Classifier,
    AdaCostClassifier,
    AdaMECClassifier,
    CGAdaClassifier,
    CSAdaClassifier,
    CSLBClassifier,
    CSLogitBoostClassifier,
    CSRAClassifier,
    CSRealBoostClassifier,
    GLLBoostClassifier,
    LogitBoostClassifier,
    MultinomialLogitBoostClassifier,
    RareBoostClassifier,
    RealBoostClassifier,
)

# ---- parameters ----------------------------------------------------------------------------------

BAD_PARAMETERS: list[tuple[dict[str, Any], str]] = [
    ({"n_estimators": 0}, "n_estimators must be a whole number from 1 to 2147483647, got 0"),
    (
        {"n_estimators": 2**63},
        "n_estimators must be a whole number from 1 to 2147483647",
    ),
    ({"n_estimators": 2.5}, "n_estimators must be a whole number from 1 to 2147483647, got 2.5"),
    ({"n_estimators": True}, "n_estimators must be a whole number from 1 to 2147483647, got True"),
    (
        {"n_estimators": "many"},
        "n_estimators must be a whole number from 1 to 2147483647, got 'm",
    ),
    ({"n_estimators": None}, "n_estimators must be a whole number from 1 to 2147483647, got None"),
    ({"max_bins": 1}, "max_bins must be a whole number from 2 to 255, got 1"),
    ({"max_bins": 256}, "max_bins must be a whole number from 2 to 255, got 256"),
    ({"max_bins": 16.0}, "max_bins must be a whole number from 2 to 255, got 16.0"),
    ({"min_samples_leaf": 0}, "min_samples_leaf must be a whole number of at least 1, got 0"),
    ({"min_samples_leaf": 0.1}, "min_samples_leaf must be a whole number of at least 1, got 0.1"),
    ({"max_depth": 0}, "max_depth must be a whole number of at least 1, got 0"),
    ({"max_depth": "deep"}, "max_depth must be a whole number of at least 1, got 'deep'"),
    ({"max_leaf_nodes": 1}, "max_leaf_nodes must be a whole number of at least 2, got 1"),
    ({"splitter": "any"}, "splitter must be one of 'best', 'random', got 'any'"),
    ({"max_features": 0}, "max_features must be None (all features), a number of features"),
    ({"max_features": 1.5}, "a share of them above 0 and at most 1, 'sqrt' or 'log2', got 1.5"),
    ({"max_features": "all"}, "'sqrt' or 'log2', got 'all'"),
    ({"max_features": True}, "'sqrt' or 'log2', got True"),
    ({"subsample": 0}, "subsample must be a number above 0, got 0"),
    ({"subsample": 1.2}, "subsample must be above 0 and at most 1, got 1.2"),
    ({"l2_regularization": -1}, "l2_regularization must be a number of at least 0, got -1"),
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
    ({"monotonic_cst": "up"}, "monotonic_cst must be None, an array with -1, 0 or 1"),
    ({"monotonic_cst": [2, 0]}, "got 2 for feature 0"),
    ({"interaction_cst": "all"}, "interaction_cst must be None, 'pairwise', 'no_interactions'"),
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


@pytest.mark.parametrize(("parameters", "message"), BAD_PARAMETERS, ids=str)
def test_parameters_out_of_range(parameters: dict[str, Any], message: str) -> None:
    for classifier in CLASSIFIERS:
        refuses(message, clf=classifier(**parameters))


def test_unknown_probability() -> None:
    refuses(
        "probability must be one of 'logistic', 'votes', got 'odds'",
        clf=AdaMECClassifier(probability="odds"),
    )


def test_scoring_that_is_nothing_of_the_kind() -> None:
    refuses("scoring", clf=CGAdaClassifier(early_stopping=True, scoring=3))


def test_every_parameter_has_its_test() -> None:
    tested = {name for parameters, _ in BAD_PARAMETERS for name in parameters}
    costs = {"fn_cost", "fp_cost", "tp_cost", "tn_cost", "clip_costs", "costs"}
    elsewhere = {*costs, "pos_label", "probability"}
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
    GLLBoostClassifier,
    MultinomialLogitBoostClassifier,
    LogitBoostClassifier,
    CSLBClassifier,
    CSLogitBoostClassifier,
    costboost.algorithms.CSBoostClassifier,
    costboost.CostBoostClassifier,
]
OTHERS = [cls for cls in CLASSES if cls not in NEWTON]


@pytest.mark.parametrize("classifier", NEWTON)
def test_regressions_cannot_be_boosted_from_votes(classifier: Any) -> None:
    alternatives = "take one of 'stump', 'tree', 'lookup', 'linear'"
    refuses("cannot boost estimator='logistic'", alternatives, clf=classifier(estimator="logistic"))
    wrapped = classifier(estimator=DecisionTreeClassifier(max_depth=1))
    refuses("cannot boost a scikit-learn classifier", alternatives, clf=wrapped)
    resampled = classifier(estimator=KNeighborsClassifier(), resample=True)
    refuses("cannot boost a scikit-learn classifier", alternatives, clf=resampled)


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
    messages = (f"estimator={name!r} needs numbers", "'town' holds categories", "estimator='stump'")
    refuses(*messages, clf=clf, X=frame)
    polars = pl.DataFrame(
        {"size": X[:, 0], "town": ["Ulm", "Bonn"] * (N // 2)},
        schema_overrides={"town": pl.Categorical},
    )
    refuses(*messages, clf=clf, X=polars)
    table = pa.table({"size": X[:, 0], "town": pa.array(["a", "b"] * 6).dictionary_encode()})
    refuses(*messages, clf=clf, X=table)
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
    messages = (f"contains NaN, in column {column}", "takes none", "estimator='stump'")
    refuses(*messages, clf=clf, X=table)
    names = ["a", "debt"]
    whole = pd.DataFrame(X, columns=names) if column == "'debt'" else X
    clf.fit(whole, Y)
    for method in METHODS:
        with pytest.raises(ValueError, match=re.escape(messages[0])):
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
    linear = "linear" in (before, after)
    clf = (LogitBoostClassifier if linear else CGAdaClassifier)(n_estimators=2, warm_start=True)
    clf.set_params(estimator=before).fit(X, Y)
    clf.set_params(estimator=after, n_estimators=5)
    refuses("warm_start goes on with the same weak learner", before, after, clf=clf)


def test_weighting_of_cslogitboost() -> None:
    refuses(
        "weighting must be one of 'newton', 'margin', got 'paper'",
        clf=CSLogitBoostClassifier(weighting="paper"),
    )


@pytest.mark.parametrize(
    "classifier",
    [RealBoostClassifier, RareBoostClassifier, CSRAClassifier, CSRealBoostClassifier],
)
@pytest.mark.parametrize("smoothing", [0, 1e-13, 1.5, -1, np.nan, True, "0.1", None])
def test_smoothing_out_of_range(classifier: Any, smoothing: Any) -> None:
    refuses(
        f"smoothing must be a number from 1e-12 to 1, got {smoothing!r}",
        clf=classifier(smoothing=smoothing),
    )


@pytest.mark.parametrize("classifier", [AdaC1Classifier, AdaC3Classifier, AdaCostClassifier])
@pytest.mark.parametrize("max_cost", [0, -1, np.inf, np.nan, True, "most", [1.0]])
def test_max_cost_out_of_range(classifier: Any, max_cost: Any) -> None:
    refuses(
        f"max_cost must be a number above 0, got {max_cost!r}", clf=classifier(max_cost=max_cost)
    )


@pytest.mark.parametrize("classifier", [AdaC1Classifier, AdaC3Classifier, AdaCostClassifier])
def test_costs_too_great_to_be_squared(classifier: Any) -> None:
    refuses("max_cost must be at most 1e+100, got 1e+101", clf=classifier(max_cost=1e101))
    refuses(
        "costs that are not scaled must be at most 1e+100, got 1e+101; divide the costs, or set "
        "max_cost to a number",
        clf=classifier(max_cost=None, fn_cost=1e101, fp_cost=1e100),
    )
    clf = classifier(max_cost=None, n_estimators=3, fn_cost=1e100, fp_cost=1e99)
    with pytest.warns(UserWarning, match="not a finite real number"):
        clf.fit(X, Y)
    assert np.isfinite(clf.raw_score(X)).all()


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
    value, message = BAD_COSTS[kind]
    refuses("fn_cost must be", message, clf=classifier(fn_cost=value))
    refuses(
        "fp_cost must be", message, "row 4", clf=classifier(), fp_cost=changed(np.ones(N), 4, value)
    )
    clf = classifier(n_estimators=3).fit(X, Y)
    with pytest.raises(ValueError, match=r"cannot be given other costs after training.*CostBoost"):
        clf.predict(X, fn_cost=2)
