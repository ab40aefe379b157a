"""Classifiers of scikit-learn as weak learners: with weights, or on rows drawn by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from costboost._core.learners.wrapped import Committee, RawRows, Vote, WrappedLearner
from costboost._core.rules.record import Criterion
from costboost._core.tables import RawTable
from costboost.algorithms import (
    AdaBoostClassifier,
    CGAdaClassifier,
    CSAdaClassifier,
    RealBoostClassifier,
)

VOTE = Criterion("vote")


def problem(n: int = 120, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=n) > 0.3).astype(int)


class Witness(ClassifierMixin, BaseEstimator):
    """Remembers the rows it was shown, and votes by the first column."""

    shown: list[tuple[np.ndarray, np.ndarray]] = []  # noqa: RUF012

    def fit(self, X: Any, y: Any) -> Witness:
        self.shown.append((np.asarray(X), np.asarray(y)))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.where(np.asarray(X)[:, 0] > 0, 1.0, -1.0)


@pytest.fixture
def shown() -> list[tuple[np.ndarray, np.ndarray]]:
    Witness.shown.clear()
    return Witness.shown


def raw_rows(X: np.ndarray, y: np.ndarray, weight: Any = None) -> RawRows:
    rows = RawRows(RawTable(X), np.where(y == 1, 1.0, -1.0))
    rows.set_row_weights(np.ones(len(y)) if weight is None else weight)
    return rows


# ---- cells ---------------------------------------------------------------------------------------


def test_cells_of_a_vote() -> None:
    X, y = problem()
    weight = np.random.default_rng(1).exponential(size=len(y))
    rows = raw_rows(X, y, weight)
    vote = Vote(DecisionTreeClassifier(max_depth=2).fit(X, rows.label), rows)
    called = vote.estimator.predict(X) > 0
    share = weight / weight.sum()
    expected = [share[(y == z) & (called == side)].sum() for z in (1, 0) for side in (False, True)]
    np.testing.assert_allclose(vote.weight, expected)
    np.testing.assert_array_equal(vote.outcome.margin, [-1, 1, 1, -1])
    np.testing.assert_array_equal(vote.scores(rows), np.where(called, 1, -1))
    np.testing.assert_array_equal(rows.scores(vote), np.where(called, 1, -1))
    vote.take_values(np.array([-0.25, 0.75]))
    np.testing.assert_array_equal(vote.scores(rows), np.where(called, 0.75, -0.25))
    vote.reweigh(rows, np.array([2.0, 3.0, 5.0, 7.0]))
    factor = np.array([2.0, 3.0, 5.0, 7.0])[2 * (y == 0) + called]
    np.testing.assert_allclose(rows.weight, share * factor / (share * factor).sum())


def test_weights_of_any_size_are_shares() -> None:
    X, y = problem(4)
    rows = raw_rows(X, y, np.array([1e-300, 1e300, 1e300, 0.0]))
    assert rows.weight.tolist() == [0.0, 0.5, 0.5, 0.0]


def test_a_committee_adds_its_votes() -> None:
    X, y = problem()
    members = [DecisionTreeClassifier(max_depth=k).fit(X, np.where(y, 1.0, -1.0)) for k in (1, 3)]
    committee = Committee(members, np.array([[-0.5, 0.25], [-2.0, 1.0]]))
    score = np.full(len(y), 10.0)
    committee.add_scores(X, score)
    first, second = (member.predict(X) > 0 for member in members)
    expected = 10 + np.where(first, 0.25, -0.5) + np.where(second, 1.0, -2.0)
    np.testing.assert_array_equal(score, expected)
    part = np.zeros(len(y))
    committee.add_scores(X, part, 1, 2)
    np.testing.assert_array_equal(part, np.where(second, 1.0, -2.0))
    assert len(committee) == 2
    score = np.zeros(len(y))
    Committee([], np.empty((0, 2)), -1.0).add_scores(X, score)
    assert (score == -1).all()


# ---- rows drawn by weight ------------------------------------------------------------------------


def test_as_many_rows_are_drawn_as_there_are(shown: list[Any]) -> None:
    X, y = problem()
    clf = CGAdaClassifier(estimator=Witness(), resample=True, n_estimators=1, random_state=0)
    clf.fit(X, y)
    (rows, labels), *_ = shown
    assert len(rows) == len(y)
    known = {tuple(row): label for row, label in zip(X.tolist(), y.tolist(), strict=True)}
    assert all(known[tuple(row)] == (label > 0) for row, label in zip(rows, labels, strict=True))
    assert len({tuple(row) for row in rows}) < len(y)  # with repetitions


def test_rows_are_drawn_by_their_weights() -> None:
    X, y = problem(40)
    weight = np.random.default_rng(2).uniform(0, 1, 40) ** 3
    rows = raw_rows(X, y, weight)
    learner = WrappedLearner(Witness(), np.random.RandomState(0), resample=True)
    drawn = np.concatenate([learner._draw(rows) for _ in range(500)])
    share = np.bincount(drawn, minlength=40) / drawn.size
    np.testing.assert_allclose(share, rows.weight, atol=6e-3)


@pytest.mark.parametrize("sign", [1, -1])
def test_samples_contain_both_classes(sign: int) -> None:
    """Where chance left one out, its heaviest row takes the place of the last one drawn."""
    X, y = problem(30)
    rare = y == (1 if sign == 1 else 0)
    weight = np.where(rare, 1e-9, 1.0)
    weight[np.flatnonzero(rare)[2]] = 2e-9
    rows = raw_rows(X, y, weight)
    learner = WrappedLearner(Witness(), np.random.RandomState(0), resample=True)
    for _ in range(20):
        drawn = learner._draw(rows)
        assert drawn.size == 30
        assert drawn[-1] == np.flatnonzero(rare)[2]
        assert not rare[drawn[:-1]].any()


def test_samples_of_one_class_do_not_break_a_learner() -> None:
    X, y = problem(30)
    weight = np.where(y == 1, 1e-12, 1.0)
    clf = CGAdaClassifier(
        estimator=LogisticRegression(), resample=True, n_estimators=5, random_state=0
    ).fit(X, y, sample_weight=weight)  # on one class alone it would raise
    assert np.isfinite(clf.decision_function(X)).all()


@pytest.mark.filterwarnings("ignore:.* added no learner")
def test_two_rows() -> None:
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    for seed in range(5):
        clf = AdaBoostClassifier(
            estimator=KNeighborsClassifier(1), resample=True, random_state=seed
        ).fit(X, y)
        np.testing.assert_array_equal(clf.predict(X), y)


# ---- random numbers ------------------------------------------------------------------------------

NEIGHBOURS = KNeighborsClassifier(3)


@pytest.mark.parametrize("classifier", [CGAdaClassifier, RealBoostClassifier, CSAdaClassifier])
def test_random_state_determines_which_rows_are_drawn(classifier: Any) -> None:
    X, y = problem()
    scores = [
        classifier(estimator=NEIGHBOURS, resample=True, n_estimators=5, random_state=seed)
        .fit(X, y)
        .decision_function(X)
        .tobytes()
        for seed in (0, 0, 1, np.random.RandomState(0), np.random.RandomState(0))
    ]
    assert scores[0] == scores[1] == scores[3] == scores[4]
    assert scores[0] != scores[2]


def test_the_global_random_numbers_are_left_alone() -> None:
    X, y = problem()
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    CGAdaClassifier(estimator=NEIGHBOURS, resample=True, n_estimators=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@pytest.mark.parametrize(
    "inner", [NEIGHBOURS, DecisionTreeClassifier(max_depth=2, splitter="random")], ids=str
)
def test_a_resampled_ensemble_is_continued(inner: Any) -> None:
    X, y = problem()
    options = {"estimator": inner, "resample": True, "random_state": 3, "fn_cost": 2.0}
    warm = CGAdaClassifier(n_estimators=4, warm_start=True, **options).fit(X, y)
    warm.set_params(n_estimators=9).fit(X, y)
    cold = CGAdaClassifier(n_estimators=9, **options).fit(X, y)
    assert cold.n_iter_ > 4
    assert warm.decision_function(X).tobytes() == cold.decision_function(X).tobytes()
    assert warm.estimator_weights_.tobytes() == cold.estimator_weights_.tobytes()
    assert warm.train_cost_.tobytes() == cold.train_cost_.tobytes()


def test_nested_random_states_are_seeded() -> None:
    X, y = problem()
    inner = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=1, splitter="random"))
    scores = [
        CGAdaClassifier(estimator=inner, resample=True, n_estimators=5, random_state=seed)
        .fit(X, y)
        .decision_function(X)
        .tobytes()
        for seed in (0, 0, 1)
    ]
    assert scores[0] == scores[1] != scores[2]


# ---- tables --------------------------------------------------------------------------------------


def tables(X: np.ndarray) -> dict[str, Any]:
    columns = {name: X[:, j] for j, name in enumerate("abc")}
    return {
        "float32": X.astype(np.float32).astype(float),
        "Fortran": np.asfortranarray(X),
        "pandas": pd.DataFrame(columns),
        "pandas with an index": pd.DataFrame(columns, index=np.arange(len(X))[::-1] * 7),
        "polars": pl.DataFrame(columns),
        "pyarrow": pa.table(columns),
        "csr": sparse.csr_matrix(X),
        "csc": sparse.csc_array(X),
    }


@pytest.mark.parametrize("kind", tables(np.zeros((2, 3))))
@pytest.mark.parametrize("resample", [False, True])
def test_every_table_gives_the_same_model(kind: str, resample: bool) -> None:
    X, y = problem()
    X = X.astype(np.float32).astype(float)
    inner = NEIGHBOURS if resample else LogisticRegression()
    if kind == "pyarrow" and not hasattr(pa.Table, "__array__"):
        pytest.skip("scikit-learn cannot read it")
    options = {"estimator": inner, "resample": resample, "n_estimators": 5, "random_state": 0}
    expected = CGAdaClassifier(**options).fit(X, y)
    table = tables(X)[kind]
    clf = CGAdaClassifier(**options).fit(table, y)
    np.testing.assert_allclose(
        clf.decision_function(table), expected.decision_function(X), atol=1e-6
    )
    stages = list(clf.staged_decision_function(table))
    assert stages[-1].tobytes() == clf.decision_function(table).tobytes()


def test_resampling_takes_part_in_early_stopping() -> None:
    X, y = problem(200)
    clf = CGAdaClassifier(
        estimator=NEIGHBOURS, resample=True, n_estimators=40, early_stopping=True,
        n_iter_no_change=3, random_state=0,
    ).fit(X, y)  # fmt: skip
    assert clf.n_iter_ < 40
    assert len(clf.validation_score_) == clf.n_iter_


def test_a_learner_without_information_ends_the_ensemble() -> None:
    X, y = problem()
    y[: len(y) // 2] = 1
    y[len(y) // 2 :] = 0
    inner = DummyClassifier(strategy="constant", constant=-1)
    with pytest.warns(UserWarning, match="added no learner"):
        clf = AdaBoostClassifier(estimator=inner, resample=True, random_state=0).fit(X, y)
    assert clf.n_iter_ == 0
