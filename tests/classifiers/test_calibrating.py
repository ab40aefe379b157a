"""Calibrated classifiers: ranking, decisions under other costs, and quality of probabilities."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from classifiers.calibrated import (
    AMOUNT,
    CLASSIFIERS,
    EACH_WITH_ONE,
    FAMILIES,
    NAMES,
    PAIRS,
    ROWS,
    SEED,
    N,
    X,
    Y,
    assert_calibrated_by,
    by_hand,
    certainty,
    plain,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import (
    StratifiedKFold,
    train_test_split,
)
from sklearn.tree import DecisionTreeClassifier

from costboost._core.training import ensemble
from costboost.algorithms import (
    AdaBoostClassifier,
    AdaC2Classifier,
    AdaMECClassifier,
    AdaUBoostClassifier,
    CGAdaClassifier,
    CSAdaClassifier,
    LogitBoostClassifier,
    RealBoostClassifier,
)
from costboost.metrics import mean_cost

EACH = pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__[:-10])


# ---- tables --------------------------------------------------------------------------------------

JENA = 2


def frame(n: int = N) -> pd.DataFrame:
    """Missing numbers, categories with missing ones, and a category of one row."""
    rng = np.random.default_rng(4)
    town = np.array(["Bonn", "Kiel", "Ulm"], dtype=object)[rng.integers(0, 3, n)]
    town[X[:n, 1] > 1.5] = "Trier"
    town[JENA], town[rng.random(n) < 0.1] = "Jena", None
    number = np.where(rng.random(n) < 0.1, np.nan, X[:n, 0])
    return pd.DataFrame({"a": number, "town": pd.Categorical(town), "b": X[:n, 2]})


@pytest.mark.parametrize("split", [0.3, 4, PAIRS], ids=["share", "folds", "pairs"])
@FAMILIES
def test_missing_values_and_categories(cls: Any, split: Any) -> None:
    data = frame()
    clf = plain(cls, estimator="stump", calibration="platt", calibration_split=split)
    clf.fit(data, Y)
    if split == 0.3:
        pairs = [train_test_split(ROWS, test_size=0.3, stratify=Y, random_state=SEED)]
        pairs = [(np.sort(kept), np.sort(held)) for kept, held in pairs]
    elif split == 4:
        pairs = list(StratifiedKFold(4, shuffle=True, random_state=SEED).split(X, Y))
    else:
        pairs = PAIRS
    assert any(JENA in held for _, held in pairs)  # no other row has the category Jena
    assert_calibrated_by(clf, by_hand(clf, pairs, data), data)


def test_polars_pyarrow_and_sparse_are_split_alike() -> None:
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    clf = plain(CGAdaClassifier, calibration="isotonic", calibration_split=0.4)
    expected = clone(clf).fit(X, Y).predict_proba(X)
    for data in (polars.DataFrame(columns), pyarrow.table(columns), pd.DataFrame(columns)):
        assert_array_equal(clone(clf).fit(data, Y).predict_proba(data), expected)
    for kind in (sparse.csr_matrix, sparse.csc_array):
        assert_array_equal(clone(clf).fit(kind(X), Y).predict_proba(kind(X)), expected)


def test_a_scikit_learn_classifier_as_the_weak_learner() -> None:
    inner = DecisionTreeClassifier(max_depth=2, max_features=2)
    clf = plain(AdaBoostClassifier, estimator=inner, calibration="platt", calibration_split=PAIRS)
    assert_calibrated_by(clf.fit(X, Y), by_hand(clf, PAIRS))
    data = sparse.csr_matrix(np.where(np.abs(X) < 0.5, 0, X))
    clf.fit(data, Y)
    assert_array_equal(clf.predict_proba(data), clone(clf).fit(data, Y).predict_proba(data))


@pytest.mark.parametrize("split", [0.4, 3], ids=["share", "folds"])
@pytest.mark.parametrize(
    "options",
    [
        {"estimator": DecisionTreeClassifier(max_depth=1)},
        {"estimator": DecisionTreeClassifier(max_depth=1), "resample": True},
        {"early_stopping": True, "scoring": "roc_auc"},
        {"early_stopping": True, "scoring": "roc_auc", "validation_fraction": None},
    ],
    ids=["weights", "resample", "scorer", "scorer on training rows"],
)
def test_wrapped_classifiers_get_the_selected_rows_of_a_frame(options: Any, split: Any) -> None:
    """Learners and scorers of scikit-learn get values as they are, not as we read them."""
    polars = pytest.importorskip("polars")
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    clf = plain(AdaBoostClassifier, calibration="platt", calibration_split=split, **options)
    expected = clone(clf).fit(X, Y).predict_proba(X)
    for data in (
        pd.DataFrame(columns),
        pd.DataFrame(columns, index=-ROWS),
        polars.DataFrame(columns),
    ):
        assert_array_equal(clone(clf).fit(data, Y).predict_proba(data), expected)


# ---- what holds for all --------------------------------------------------------------------------


@pytest.mark.parametrize("calibration", NAMES)
@EACH
def test_probabilities_are_probabilities_and_rise_with_the_score(
    cls: Any, calibration: str
) -> None:
    labels = np.array(["good", "bad"])[Y]  # sorted, the positive class is the first
    data = sparse.csr_array(np.where(np.abs(X) < 0.3, 0, X))
    clf = plain(cls, pos_label="bad", fn_cost=2, calibration=calibration, calibration_split=3)
    clf.fit(data, labels)
    assert_array_equal(clf.classes_, ["bad", "good"])
    both = clf.predict_proba(data)
    assert np.all((both >= 0) & (both <= 1))
    assert_allclose(both.sum(axis=1), 1, rtol=1e-12)
    order = np.argsort(clf.decision_function(data), kind="stable")
    rise = np.diff(both[order, 1])
    assert np.all(rise >= 0)
    bad = plain(cls, fn_cost=2, calibration=calibration, calibration_split=3).fit(data, Y)
    assert_array_equal(both[:, 0], bad.predict_proba(data)[:, 1])
    expected = np.where(both[:, 0] > 1 / 3, "bad", "good")
    assert_array_equal(clf.predict(data), expected)
    if calibration != "isotonic":
        apart = np.diff(certainty(bad, data)[order[::-1]]) > 1e-9
        assert apart.any()
        assert np.all(rise[::-1][apart] > 0)


def test_scores_that_mislead_are_turned_round() -> None:
    """The sigmoid decreases if the labels of held-out rows are opposite to those of training."""
    data = np.repeat([[0.0], [1.0]], 40, axis=0)
    y = np.concatenate([np.arange(40) % 10 == 0, np.arange(40) % 10 != 0]).astype(int)
    wrong = np.concatenate([data, data]), np.concatenate([y, 1 - y])
    clf = plain(AdaBoostClassifier, calibration="platt", fn_cost=3)
    clf.set_params(calibration_split=[(np.arange(80), np.arange(80, 160))])
    keep_all = clf.fit(*wrong, sample_weight=np.repeat([1.0, 0.5], 80))
    low, high = keep_all.predict_proba([[0.0], [1.0]])[:, 1]
    assert low > 0.8 > 0.2 > high
    assert_array_equal(keep_all.raw_score([[0.0], [1.0]]) > 0, [False, True])
    assert_array_equal(keep_all.decision_function([[0.0], [1.0]]) > 0, [True, False])
    assert_array_equal(keep_all.predict([[0.0], [1.0]]), [1, 0])
    weight = np.repeat([1.0, 0.5], 80)
    paid = mean_cost(wrong[1], keep_all.predict(wrong[0]), fn_cost=3, sample_weight=weight)
    assert keep_all.train_cost_[-1] == pytest.approx(paid)
    assert costs_fall_with_fn_cost(keep_all, wrong[0])


def costs_fall_with_fn_cost(clf: Any, data: Any) -> bool:
    """Whether a higher false negative cost never makes a positive prediction negative."""
    positive = [clf.predict(data, fn_cost=fn, fp_cost=1) == 1 for fn in np.geomspace(0.01, 100, 9)]
    return all(np.all(before <= after) for before, after in pairwise(positive))


@EACH_WITH_ONE
def test_staged_predictions_end_with_the_final_ones(cls: Any, calibration: str) -> None:
    clf = plain(cls, calibration=calibration, calibration_split=0.3, fn_cost=4).fit(X, Y)
    assert_array_equal(list(clf.staged_predict(X))[-1], clf.predict(X))
    assert_allclose(list(clf.staged_predict_proba(X))[-1], clf.predict_proba(X), rtol=1e-9)
    assert len(list(clf.staged_predict(X, fn_cost=AMOUNT))) == clf.n_iter_
    assert clf.n_iter_ > 1 or cls is AdaUBoostClassifier  # it may end with one learner
    assert list(clf.staged_score(X, Y))[-1] == clf.score(X, Y)


def test_no_learner_at_all() -> None:
    """Constant rows: the share of the positives decides, under any costs."""
    clf = plain(AdaBoostClassifier, calibration="platt")
    data, y = np.zeros((40, 2)), np.arange(40) % 2
    with pytest.warns(UserWarning, match="added no learner"):
        clf.fit(data, y)
    assert_array_equal(clf.predict_proba(data), np.full((40, 2), 0.5))
    assert set(clf.predict(data, fn_cost=2, fp_cost=1)) == {1}
    assert set(clf.predict(data, fn_cost=1, fp_cost=2)) == {0}


# ---- decisions -----------------------------------------------------------------------------------

positive_cost = st.floats(1e-6, 1e6)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(fn=positive_cost, fp=positive_cost, seed=st.integers(0, 5))
def test_other_costs_are_another_threshold_and_no_training(fn: float, fp: float, seed: int) -> None:
    clf, trained = COUNTED[seed % len(COUNTED)]
    before = len(trained)
    p = clf.predict_proba(X)[:, 1]
    assert_array_equal(clf.predict(X, fn_cost=fn, fp_cost=fp), p > fp / (fp + fn))
    rng = np.random.default_rng(seed)
    each_fn, each_fp = fn * rng.lognormal(size=N), fp * rng.lognormal(size=N)
    assert_array_equal(
        clf.predict(X, fn_cost=each_fn, fp_cost=each_fp), p > each_fp / (each_fp + each_fn)
    )
    assert_array_equal(clf.predict(X, fn_cost=each_fn, fp_cost=fp), p > fp / (fp + each_fn))
    doubled = clf.predict(X, fn_cost=2 * fn, fp_cost=fp)
    assert np.all(doubled >= clf.predict(X, fn_cost=fn, fp_cost=fp))
    assert len(trained) == before > 0


TRAINING = ensemble._training


def counted(cls: Any, **options: Any) -> tuple[Any, list[int]]:
    """A classifier, fitted, and a list that grows whenever it is trained."""
    trained: list[int] = []

    def counting(problem: Any, settings: Any) -> Any:
        trained.append(problem.n_rows)
        return TRAINING(problem, settings)

    ensemble._training = counting
    try:
        return plain(cls, **options).fit(X, Y), trained
    finally:
        ensemble._training = TRAINING


COUNTED = [
    counted(CGAdaClassifier, fn_cost=5, calibration="platt"),
    counted(AdaC2Classifier, fn_cost=5, calibration="isotonic", calibration_split=0.3),
    counted(CSAdaClassifier, fn_cost=5, calibration="beta"),
    counted(LogitBoostClassifier, fn_cost=5, calibration="log-odds", calibration_split=3),
]


def test_as_many_trainings_as_promised() -> None:
    rows = [[len(trained), trained[-1]] for _, trained in COUNTED]
    assert rows == [[6, N], [1, N - round(0.3 * N)], [6, N], [4, N]]


def test_a_probability_at_the_threshold_is_negative() -> None:
    data = np.repeat([[0.0], [1.0]], 8, axis=0)
    y = np.array([0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1])
    halves = [
        (np.arange(0, 16, 2), np.arange(1, 16, 2)),
        (np.arange(1, 16, 2), np.arange(0, 16, 2)),
    ]
    clf = plain(AdaBoostClassifier, calibration="isotonic", calibration_split=halves).fit(data, y)
    assert_array_equal(clf.predict_proba([[0], [1]])[:, 1], [0.25, 0.75])
    assert_array_equal(clf.predict([[0], [1]], fn_cost=3, fp_cost=1), [0, 1])
    assert_array_equal(clf.predict([[0], [1]], fn_cost=3 + 1e-12, fp_cost=1), [1, 1])
    assert_array_equal(clf.predict([[0], [1]], fn_cost=1, fp_cost=3), [0, 0])
    assert_array_equal(clf.predict([[0], [1]], fn_cost=1, fp_cost=3 - 1e-12), [0, 1])


@pytest.mark.parametrize("cls", [AdaBoostClassifier, LogitBoostClassifier])
def test_the_cost_blind_decide_by_cost_once_calibrated(cls: Any) -> None:
    clf = plain(cls, fn_cost=50, calibration="platt").fit(X, Y)  # a warning would be an error
    called = clf.predict(X)
    assert_array_equal(called, clf.predict_proba(X)[:, 1] > 1 / 51)
    assert called.mean() > clf.predict(X, fn_cost=1).mean()
    with pytest.warns(UserWarning, match="ignores costs"):
        clf.set_params(calibration=None).fit(X, Y)
    with pytest.raises(ValueError, match=r"cannot be given other costs.*calibration='platt'"):
        clf.predict(X, fn_cost=2)


# ---- what it is good for -------------------------------------------------------------------------

OFF = [
    (AdaMECClassifier, {"n_estimators": 40, "probability": "votes"}),
    (AdaC2Classifier, {"n_estimators": 30, "fn_cost": 5}),
    (LogitBoostClassifier, {"n_estimators": 40, "estimator": "tree"}),
    (RealBoostClassifier, {"n_estimators": 40, "estimator": "tree"}),
]


@pytest.mark.parametrize("calibration", NAMES)
@pytest.mark.parametrize("case", OFF, ids=lambda case: case[0].__name__[:-10])
def test_the_brier_score_falls_where_probabilities_were_off(
    case: tuple[Any, dict[str, Any]], calibration: str
) -> None:
    cls, options = case
    data, y = make_classification(
        2600, n_features=8, n_informative=5, weights=[0.8], flip_y=0.3, random_state=1
    )
    train, test = np.arange(1100), np.arange(1100, 2600)
    clf = plain(cls, **options).fit(data[train], y[train])
    before = np.mean((clf.predict_proba(data[test])[:, 1] - y[test]) ** 2)
    clf.set_params(calibration=calibration, calibration_split=3).fit(data[train], y[train])
    after = np.mean((clf.predict_proba(data[test])[:, 1] - y[test]) ** 2)
    assert after < before - 0.02
    assert after < np.var(y[test])
