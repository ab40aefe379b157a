"""Folds, weights and tables of all kinds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from decisions.setting import CV, MEC, X, Y
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_matrix
from sklearn.base import clone
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedShuffleSplit,
)

from costboost import OperatingPointClassifier as OperatingPoint
from costboost.algorithms import CGAdaClassifier

# ---- weights and folds ---------------------------------------------------------------------------


def test_a_weight_of_two_is_a_row_written_twice() -> None:
    rng = np.random.default_rng(3)
    weight = rng.integers(0, 3, len(Y))
    fold = rng.integers(0, 4, len(Y))
    twice = np.repeat(np.arange(len(Y)), weight)
    rough = X.round(1)  # few values, so that bins do not depend on how often they occur

    def splits(fold: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]

    for method in ({"method": "threshold"}, {"method": "refit", "fn_costs": [1, 5, 30]}):
        clf = OperatingPoint(CGAdaClassifier(n_estimators=9), at_least=0.7, **method)
        weighted = clone(clf).set_params(cv=splits(fold)).fit(rough, Y, sample_weight=weight)
        written = clone(clf).set_params(cv=splits(fold[twice])).fit(rough[twice], Y[twice])
        assert weighted.measures_ == pytest.approx(written.measures_)
        assert_allclose(weighted.fold_values_, written.fold_values_)
        assert_allclose(weighted.interval_, written.interval_)
        assert_array_equal(weighted.predict(rough), written.predict(rough))


def test_the_margin_counts_equal_weights() -> None:
    """The unit of weights does not matter; unequal weights are a smaller sample than equal ones."""
    goal = {"at_least": 0.8, "margin": 2, "cv": CV}
    by_unit = [
        OperatingPoint(MEC, **goal).fit(X, Y, sample_weight=np.full(len(Y), unit)).threshold_
        for unit in (1.0, 1e-6, 1e6)
    ]
    assert_allclose(by_unit, by_unit[0])
    uneven = OperatingPoint(MEC, **goal).fit(
        X, Y, sample_weight=np.where(Y, 1, 1 + np.arange(len(Y)) % 9)
    )
    outcomes = uneven._points.outcomes
    assert len(Y) / 2 < outcomes.rows_per_weight * outcomes.weight < len(Y)


def test_rows_of_weight_zero_take_no_part() -> None:
    weight = (np.arange(len(Y)) % 3 > 0).astype(float)
    some = weight > 0
    goal = {"at_least": 0.9, "random_state": 0}
    weighted = OperatingPoint(MEC, **goal).fit(X, Y, sample_weight=weight)
    fewer = OperatingPoint(MEC, **goal).fit(X[some], Y[some])
    assert weighted.threshold_ == fewer.threshold_
    assert_array_equal(weighted.predict(X), fewer.predict(X))


def test_repeated_folds_and_a_single_part() -> None:
    repeated = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    clf = OperatingPoint(MEC, at_least=0.9, margin=1, cv=repeated).fit(X, Y)
    assert clf.fold_values_.shape == (12,)
    assert clf.cv_results_["recall"].size <= 3 * len(Y) + 1
    bound = clf._goal.target.bounds(clf._points.outcomes, 1.0)[0]
    at = np.searchsorted(clf._points.at, clf.threshold_)
    n, v = np.sum(Y == 1), clf.achieved_  # rows, not rows times repeats
    wilson = (v + 1 / (2 * n) - np.sqrt(v * (1 - v) / n + 1 / (4 * n**2))) / (1 + 1 / n)
    assert bound[at] == pytest.approx(wilson)
    single = StratifiedShuffleSplit(1, test_size=0.4, random_state=0)
    clf = OperatingPoint(MEC, at_least=0.9, cv=single).fit(X, Y)
    assert clf.fold_values_ == pytest.approx(clf.achieved_)
    assert np.isnan(clf.interval_).all()


def test_the_seed_matters_and_the_number_of_jobs_does_not() -> None:
    with parallel_config(backend="threading"):
        one, two, other = (
            OperatingPoint(MEC, at_least=0.9, random_state=seed, n_jobs=n_jobs).fit(X, Y)
            for seed, n_jobs in ((5, None), (5, 2), (6, None))
        )
    assert one.threshold_ == two.threshold_ != other.threshold_
    assert_array_equal(one.fold_values_, two.fold_values_)


# ---- data ----------------------------------------------------------------------------------------


def test_all_kinds_of_tables() -> None:
    expected = OperatingPoint(MEC, at_least=0.9, cv=CV).fit(X, Y)
    names = [f"x{j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names, index=np.arange(len(Y))[::-1])
    for table in (
        frame,
        pl.DataFrame(X, schema=names),
        pa.Table.from_pandas(frame, preserve_index=False),
        coo_matrix(X),
        X.tolist(),
    ):
        clf = OperatingPoint(MEC, at_least=0.9, cv=CV).fit(table, Y.tolist())
        assert clf.threshold_ == expected.threshold_
        assert_array_equal(clf.predict(table), expected.predict(X))
    clf.fit(frame, pd.Series(Y, index=frame.index))
    assert clf.threshold_ == expected.threshold_
    assert_array_equal(clf.feature_names_in_, names)
