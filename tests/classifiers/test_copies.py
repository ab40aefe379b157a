"""A weight of 2 is the row written twice: in bins, in leaves, in everything but random folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from containers import read
from hypothesis import given, settings
from hypothesis import strategies as st

import costboost
from costboost import CostBoostClassifier
from costboost._core.engine import _kernels as kernels
from costboost._core.engine.binning import Binning
from costboost._core.training.problem import are_relative
from costboost.algorithms import CLASSES, LogitBoostClassifier

# ---- bins ----------------------------------------------------------------------------------------

columns = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def column(rng: np.random.Generator, n: int) -> np.ndarray:
    """Many values or few, heavy ones among them, some missing."""
    kind = rng.integers(4)
    x = rng.normal(size=n) if kind < 2 else rng.lognormal(size=n).round(2)
    if kind % 2:
        x[rng.random(n) < rng.choice([0.1, 0.6])] = 0.0
    x[rng.random(n) < rng.choice([0.0, 0.2])] = np.nan
    return x


@settings(max_examples=200, deadline=None)
@given(columns, st.sampled_from([2, 3, 7, 16, 40, 255]), st.sampled_from([np.float32, np.float64]))
def test_cuts_are_those_of_the_rows_written_so_often(rng: Any, max_bins: int, dtype: Any) -> None:
    n = int(rng.integers(1, 700))
    x = np.column_stack([column(rng, n) for _ in range(3)]).astype(dtype)
    copies = rng.integers(1, rng.choice([2, 3, 6, 500]), n)
    given_copies = kernels.find_cuts(x, None, max_bins, 1, copies)
    written = kernels.find_cuts(np.repeat(x, copies, axis=0), None, max_bins, 1)
    for one, other in zip(given_copies, written, strict=True):
        np.testing.assert_array_equal(one, other)


@settings(max_examples=50, deadline=None)
@given(columns, st.sampled_from([7, 40, 255]))
def test_one_copy_of_each_is_no_copies(rng: Any, max_bins: int) -> None:
    x = np.column_stack([column(rng, 600) for _ in range(3)])
    plain = kernels.find_cuts(x, None, max_bins, 1)
    ones = kernels.find_cuts(x, None, max_bins, 1, np.ones(600, dtype=np.int64))
    for one, other in zip(plain, ones, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_binding_wants_copies_of_every_row() -> None:
    with pytest.raises(ValueError, match="copies has length 2, expected 3"):
        kernels.find_cuts(np.zeros((3, 1)), None, 255, 1, np.ones(2, dtype=np.int64))


def test_the_most_frequent_categories_have_codes() -> None:
    labels = [*"aabbccdd", "e"]
    copies = np.array([1, 1, 2, 2, 1, 1, 3, 3, 9])
    frame = pd.DataFrame({"x": pd.Categorical(labels)})
    weighted = Binning(read(frame), 3, "from_dtype", 1, copies).coders[0]
    written = Binning(read(frame.loc[np.repeat(np.arange(9), copies)]), 3, "from_dtype", 1)
    assert weighted is not None
    assert sorted(weighted.code_of) == ["d", "e"]
    assert weighted.code_of == written.coders[0].code_of  # type: ignore[union-attr]


# ---- models --------------------------------------------------------------------------------------


def problem(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X = np.column_stack([column(rng, n) for _ in range(3)])
    score = np.nan_to_num(X[:, 0]) - np.nan_to_num(X[:, 1]) + rng.normal(size=n)
    return X, (score > np.median(score)).astype(int), rng.integers(1, 5, n)


LEARNERS: dict[str, dict[str, Any]] = {
    "stump": {"estimator": "stump", "min_samples_leaf": 9},
    "tree": {"estimator": "tree", "max_depth": None, "max_leaf_nodes": 6, "min_samples_leaf": 11},
    "lookup": {"estimator": "lookup"},
    "logistic": {"estimator": "logistic"},
    "linear": {"estimator": "linear"},
}


def same_predictions(one: Any, other: Any, X: np.ndarray) -> None:
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-8)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-8)


ALL = [
    (cls, learner)
    for cls in CLASSES
    if cls is not costboost.algorithms.AdaBoostRegClassifier  # see docs/conventions.md
    for learner in LEARNERS
    if learner in cls.rule.learners
]


@pytest.mark.filterwarnings("ignore:.* added no learner:UserWarning", "ignore:.*one class")
@pytest.mark.parametrize(("classifier", "learner"), ALL)
@settings(max_examples=3, deadline=None, derandomize=True)
@given(rng=columns, costs=st.sampled_from(["same", "classes", "rows"]))
def test_a_whole_weight_is_a_row_written_so_often(
    classifier: Any, learner: str, rng: Any, costs: str
) -> None:
    """With more values than bins, and leaves that need several rows."""
    X, y, weight = problem(rng, 150)
    if learner in ("logistic", "linear"):
        X = np.nan_to_num(X)
    rows = np.repeat(np.arange(len(y)), weight)
    options = LEARNERS[learner] | {"n_estimators": 4, "max_bins": 12, "calibration": None}
    own: dict[str, np.ndarray] = {}
    if not classifier.rule.cost_blind and costs != "same":
        own = {"fn_cost": rng.uniform(1, 2, len(y)) if costs == "rows" else np.full(len(y), 2.0)}
    weighted = classifier(**options).fit(X, y, sample_weight=weight, **own)
    repeated = {name: cost[rows] for name, cost in own.items()}
    written = classifier(**options).fit(X[rows], y[rows], **repeated)
    same_predictions(weighted, written, X)


@settings(max_examples=5, deadline=None, derandomize=True)
@given(columns, st.sampled_from([None, "tree", "stump"]))
def test_costboost_on_given_folds(rng: Any, learner: str | None) -> None:
    X, y, weight = problem(rng, 200)
    rows = np.repeat(np.arange(len(y)), weight)
    fold = rng.integers(0, 3, len(y))
    folds = [
        [(np.flatnonzero(of != k), np.flatnonzero(of == k)) for k in range(3)]
        for of in (fold, fold[rows])
    ]
    options = {"estimator": learner, "n_estimators": 10, "random_state": 0}
    weighted = CostBoostClassifier(calibration_split=folds[0], **options)
    weighted.fit(X, y, sample_weight=weight)
    written = CostBoostClassifier(calibration_split=folds[1], **options).fit(X[rows], y[rows])
    same_predictions(weighted, written, X)
    assert weighted.shares_ == pytest.approx(written.shares_, abs=1e-8)


@pytest.mark.parametrize("times", [2, 3])
def test_equal_whole_weights_are_rows_written_so_often(times: int) -> None:
    X, y, _ = problem(np.random.default_rng(0), 300)
    options = LEARNERS["tree"] | {"n_estimators": 5, "max_bins": 12}
    weighted = LogitBoostClassifier(**options).fit(X, y, sample_weight=np.full(300, times))
    written = LogitBoostClassifier(**options).fit(np.repeat(X, times, 0), np.repeat(y, times))
    same_predictions(weighted, written, X)
    plain = LogitBoostClassifier(**options).fit(X, y)
    assert (plain.decision_function(X) != weighted.decision_function(X)).any()


def test_weights_that_are_not_whole_are_relative() -> None:
    """They may add up to 1: leaves of 20 rows are still found."""
    rng = np.random.default_rng(0)
    X, y, _ = problem(rng, 400)
    weight = rng.uniform(0.5, 1.5, 400)
    options = {"estimator": "tree", "min_samples_leaf": 20, "n_estimators": 5, "max_bins": 30}
    models = [
        LogitBoostClassifier(**options).fit(X, y, sample_weight=w)
        for w in (weight, weight / weight.sum(), 1e6 * weight)
    ]
    assert (np.diff(models[0].ensemble_.first) > 3).any()
    for other in models[1:]:
        same_predictions(models[0], other, X)
    even = LogitBoostClassifier(**options).fit(X, y, sample_weight=np.full(400, 1 / 400))
    same_predictions(even, LogitBoostClassifier(**options).fit(X, y), X)


def test_weights_that_are_numbers_of_rows() -> None:
    assert not are_relative(None, 1.0)
    assert not are_relative(None, 3.0)
    assert are_relative(None, 0.25)
    assert not are_relative(np.array([1.0, 0.0, 5.0]), 1.0)
    assert are_relative(np.array([0.5, 0.0, 1.5]), 0.5)
    assert are_relative(np.array([1e300, 2e300]), 1e300)  # more rows than can be counted
