"""How the methods behave: stages, samples, threads, other costs after training."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
import pytest
from memory import peak
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from costboost import multiclass
from costboost.multiclass import (
    CostingClassifier,
    DSEClassifier,
    GBSEClassifier,
    IterativeWeightingClassifier,
    MetaCostClassifier,
)
from costboost.multiclass.base import stochastic
from costboost.multiclass.components import rejected
from costboost.multiclass.methods import NOTHING_TO_GAIN

CLASSES = [getattr(multiclass, name) for name in multiclass.__all__]
X, y = load_digits(return_X_y=True)
X, y = X[:600], y[:600]
RNG = np.random.default_rng(0)
MATRIX = RNG.uniform(0.1, 10, size=(10, 10)) * (1 - np.eye(10))


def made(cls: Any, **options: Any) -> Any:
    return cls(**({"cost_matrix": MATRIX, "n_estimators": 6, "random_state": 0} | options))


@pytest.mark.parametrize("cls", CLASSES)
def test_stages_lead_to_the_prediction(cls: Any) -> None:
    clf = made(cls).fit(X, y)
    stages = list(clf.staged_predict_proba(X))
    assert len(stages) == len(clf.train_cost_)
    for shares in stages:
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        assert shares.min() >= 0
    np.testing.assert_array_equal(stages[-1], clf.predict_proba(X))
    staged = list(clf.staged_predict(X))
    np.testing.assert_array_equal(staged[-1], clf.predict(X))
    costs = [MATRIX[y, codes].mean() for codes in staged]
    np.testing.assert_allclose(clf.train_cost_, costs)
    assert list(clf.staged_score(X, y))[-1] == clf.score(X, y)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"calibration": "dirichlet", "calibration_split": 0.3}])
@pytest.mark.parametrize("cls", CLASSES)
def test_memory_of_predictions_does_not_grow_with_the_rounds(
    cls: Any, options: dict[str, Any]
) -> None:
    tree = DecisionTreeClassifier(max_depth=2)
    few, many = (made(cls, n_estimators=n, estimator=tree, **options).fit(X, y) for n in (3, 40))
    rows = np.tile(X, (5, 1))
    stage = len(rows) * 10 * 8
    for method in ("predict", "predict_proba"):
        more = peak(lambda m=method: getattr(many, m)(rows))
        assert more < peak(lambda m=method: getattr(few, m)(rows)) + 2 * stage


def test_memory_of_relabelling_does_not_grow_with_the_rounds() -> None:
    """Only the codes of the last round are kept in memory."""
    rows = np.tile(X[:, :2], (10, 1))
    code = np.arange(len(rows)) % 10
    few, many = (
        peak(
            lambda n=n: made(
                MetaCostClassifier, n_estimators=n, estimator=DummyClassifier(), max_samples=0.01
            ).fit(rows, code)
        )
        for n in (3, 60)
    )
    assert many < few + 20 * len(rows) * 8


@pytest.mark.parametrize("cls", CLASSES)
def test_costs_are_heeded(cls: Any) -> None:
    """A mistake on a 9 costs a hundred times any other."""
    matrix = 1 - np.eye(10)
    matrix[9] *= 100
    plain, costly = (
        made(cls, cost_matrix=m, n_estimators=20).fit(X[::2], y[::2]) for m in (None, matrix)
    )
    costs = [matrix[y[1::2], clf.predict(X[1::2])].mean() for clf in (plain, costly)]
    assert costs[1] < costs[0]


@pytest.mark.parametrize("cls", CLASSES)
def test_the_seed_decides_and_threads_do_not(cls: Any) -> None:
    one, two = (made(cls, n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert one.rows_used_ == two.rows_used_
    other = made(cls, random_state=1).fit(X, y)
    assert (other.predict_proba(X) != one.predict_proba(X)).any()


@pytest.mark.parametrize("cls", CLASSES)
def test_sparse_rows_are_the_same_rows(cls: Any) -> None:
    dense, thin = made(cls).fit(X, y), made(cls).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(
        dense.predict_proba(X), thin.predict_proba(sparse.csc_matrix(X)), atol=1e-9
    )


@pytest.mark.parametrize("cls", CLASSES)
def test_the_bar(cls: Any, capfd: pytest.CaptureFixture[str]) -> None:
    made(cls, verbose=1).fit(X, y)
    assert "6 rounds in" in capfd.readouterr().err
    made(cls, verbose=1, calibration="dirichlet", calibration_split=2).fit(X, y)
    shown = capfd.readouterr().err
    assert shown.index("2 ensembles of folds in") < shown.index("6 rounds in")


# ---- samples -------------------------------------------------------------------------------------


def test_rejection_keeps_in_proportion() -> None:
    weight = np.array([[0.0, 1.0], [-2.0, 4.0]])
    random = np.random.RandomState(0)
    kept = np.mean([rejected(weight, 1.0, random) for _ in range(20_000)], axis=0)
    np.testing.assert_allclose(kept, [[0, 0.25], [0.5, 1.0]], atol=0.02)
    half = np.mean([rejected(weight, 0.5, random) for _ in range(20_000)], axis=0)
    np.testing.assert_allclose(half[1, 0], 0.25, atol=0.02)
    assert rejected(weight, 1e-9, random).sum() == 1


def test_rows_used() -> None:
    weighted = made(GBSEClassifier, sampling="weight").fit(X, y)
    assert weighted.rows_used_ == 6 * 600 * 10
    drawn = made(GBSEClassifier).fit(X, y)
    assert 0 < drawn.rows_used_ < weighted.rows_used_
    less = made(GBSEClassifier, max_samples=0.1).fit(X, y)
    assert less.rows_used_ == pytest.approx(drawn.rows_used_ / 10, rel=0.3)
    assert made(DSEClassifier, sampling="weight").fit(X, y).rows_used_ == 600 * 9
    assert made(CostingClassifier, sampling="weight").fit(X, y).rows_used_ == 600
    assert made(MetaCostClassifier).fit(X, y).rows_used_ == 6 * 400 + 600
    assert made(MetaCostClassifier, relabel=False).fit(X, y).rows_used_ == 6 * 400


def test_a_learner_without_weights_needs_samples() -> None:
    near = KNeighborsClassifier(3)
    for cls in (GBSEClassifier, DSEClassifier, IterativeWeightingClassifier):
        with pytest.raises(ValueError, match="KNeighborsClassifier does not take sample_weight"):
            made(cls, estimator=near, sampling="weight").fit(X, y)
        made(cls, estimator=near, n_estimators=2).fit(X[:200], y[:200])


# ---- GBSE ----------------------------------------------------------------------------------------


def test_stochastic() -> None:
    H = np.array([[0.2, 0.3, 0.5]] * 3)
    accepted = np.array([[True, False, True], [False, False, False], [False, True, False]])
    np.testing.assert_array_equal(
        stochastic(accepted, H), [[0.5, 0, 0.5], [0.2, 0.3, 0.5], [0, 1, 0]]
    )


def test_gbse_ends_where_nothing_is_left_to_gain() -> None:
    rows = np.arange(30.0).reshape(-1, 1)
    clf = GBSEClassifier(sampling="weight", min_samples_leaf=1).fit(rows, np.arange(30) // 10)
    assert clf.n_iter_ < 30
    assert clf.stop_reason_ == NOTHING_TO_GAIN
    assert clf.train_cost_[-1] == 0


def test_gbse_refuses_more_classes_than_the_engine_knows() -> None:
    rows = np.arange(600.0).reshape(-1, 1)
    with pytest.raises(ValueError, match="there are 300 classes"):
        GBSEClassifier(n_estimators=1).fit(rows, np.arange(600) // 2)
    wrapped = GBSEClassifier(n_estimators=1, estimator=DecisionTreeClassifier())
    wrapped.fit(rows[:60], np.arange(60) // 2)


def test_the_engine_and_a_wrapped_tree_are_as_good() -> None:
    costs = []
    for estimator in (None, DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)):
        clf = made(GBSEClassifier, estimator=estimator, n_estimators=20).fit(X[::2], y[::2])
        costs.append(MATRIX[y[1::2], clf.predict(X[1::2])].mean())
    assert costs[0] < 1.2 * costs[1]


# ---- other costs after training ------------------------------------------------------------------


def test_metacost_decides_under_other_costs() -> None:
    clf = made(MetaCostClassifier, relabel=False).fit(X[::2], y[::2])
    rest = X[1::2]
    other = MATRIX.T
    expected = (clf.predict_proba(rest) @ other).argmin(axis=1)
    np.testing.assert_array_equal(clf.predict(rest, cost_matrix=other), expected)
    each = np.broadcast_to(other, (len(rest), 10, 10))
    np.testing.assert_array_equal(clf.predict(rest, cost_matrix=each), expected)
    own = made(MetaCostClassifier, relabel=False, cost_matrix=other).fit(X[::2], y[::2])
    np.testing.assert_array_equal(own.predict(rest), expected)
    with pytest.raises(ValueError, match=r"shape \(300, 10, 10\)"):
        clf.predict(rest, cost_matrix=each[:7])


@pytest.mark.parametrize("cls", CLASSES)
def test_others_say_that_they_cannot(cls: Any) -> None:
    clf = made(cls).fit(X, y)
    with pytest.raises(ValueError, match="cannot be given other costs after training"):
        clf.predict(X, cost_matrix=MATRIX)


# ---- size ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampling", ["rejection", "weight"])
def test_letters_in_good_time(sampling: str) -> None:
    """The size of the data set letter: 20,000 rows, 16 features of 16 values, 26 classes."""
    rng = np.random.default_rng(0)
    label = rng.integers(0, 26, 20_000)
    centre = rng.integers(0, 16, size=(26, 16))
    rows = np.clip(centre[label] + rng.normal(scale=2.5, size=(20_000, 16)).round(), 0, 15)
    matrix = rng.uniform(0, 2000, size=(26, 26)) * (1 - np.eye(26))
    start = time.process_time()
    clf = GBSEClassifier(
        cost_matrix=matrix, sampling=sampling, n_estimators=3, random_state=0, n_jobs=1
    ).fit(rows, label)
    assert time.process_time() - start < (30 if "CI" in os.environ else 15)
    assert clf.train_cost_[-1] < 500
