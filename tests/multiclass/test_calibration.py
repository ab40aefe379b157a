"""Probabilities of the classes, and other costs after training."""

from __future__ import annotations

import pickle
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from costboost import CostBoostClassifier, multiclass
from costboost._core.calibration.dirichlet import Dirichlet, softmax_regression
from costboost.calibration import BetaCalibrator
from costboost.multiclass import GBSEClassifier

CLASSES = [getattr(multiclass, name) for name in multiclass.__all__]
X, y = load_digits(return_X_y=True)
X, y = X[:1200], y[:1200]
MATRIX = np.random.default_rng(0).uniform(0.1, 10, size=(10, 10)) * (1 - np.eye(10))
MATRIX *= np.geomspace(1, 100, 10)[:, np.newaxis]
"""A mistake on a 9 costs a hundred times one on a 0, so that shares favour costly classes."""
OTHER = np.ascontiguousarray(MATRIX[::-1, ::-1])


def made(cls: Any, **options: Any) -> Any:
    usual = {"cost_matrix": MATRIX, "n_estimators": 8, "calibration": "dirichlet"}
    return cls(**(usual | {"random_state": 0, "n_jobs": 1} | options))


def brier(probability: np.ndarray, label: np.ndarray) -> float:
    return float(((probability - np.eye(10)[label]) ** 2).sum(axis=1).mean())


@pytest.mark.parametrize("cls", CLASSES)
def test_calibrated_probabilities_are_better_than_shares(cls: Any) -> None:
    shares = made(cls, calibration=None).fit(X[::2], y[::2]).predict_proba(X[1::2])
    clf = made(cls).fit(X[::2], y[::2])
    probability = clf.predict_proba(X[1::2])
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    assert brier(probability, y[1::2]) < brier(shares, y[1::2])
    known = np.clip(shares, 1e-3, None)  # a share of nothing is no claim of certainty
    known /= known.sum(axis=1, keepdims=True)
    assert log_loss(y[1::2], probability) < log_loss(y[1::2], known)


@pytest.mark.parametrize("cls", CLASSES)
def test_the_calibrated_decide_by_the_costs_of_training(cls: Any) -> None:
    votes, clf = (made(cls, calibration=c).fit(X[::2], y[::2]) for c in (None, "dirichlet"))
    rest = X[1::2]
    np.testing.assert_array_equal(
        clf.predict(rest), (clf.predict_proba(rest) @ MATRIX).argmin(axis=1)
    )
    np.testing.assert_array_equal(clf.predict(rest), clf.predict(rest, cost_matrix=MATRIX))
    np.testing.assert_array_equal(clf.train_cost_, votes.train_cost_)
    assert clf.rows_used_ == votes.rows_used_


def test_calibrated_votes_cost_less() -> None:
    """Calibrated probabilities cost less than votes, which count the cheapest class of samples."""
    votes, clf = (
        made(GBSEClassifier, calibration=c, n_estimators=30).fit(X[::2], y[::2])
        for c in (None, "dirichlet")
    )
    paid = [MATRIX[y[1::2], one.predict(X[1::2])].mean() for one in (votes, clf)]
    assert paid[1] < paid[0]


@pytest.mark.parametrize("cls", CLASSES)
def test_other_costs_decide_by_the_probabilities(cls: Any) -> None:
    clf = made(cls).fit(X[::2], y[::2])
    rest, other = X[1::2], OTHER
    y_pred = clf.predict(rest, cost_matrix=other)
    np.testing.assert_array_equal(y_pred, (clf.predict_proba(rest) @ other).argmin(axis=1))
    assert other[y[1::2], y_pred].mean() < other[y[1::2], clf.predict(rest)].mean()
    each = np.broadcast_to(other, (len(rest), 10, 10))
    np.testing.assert_array_equal(clf.predict(rest, cost_matrix=each), y_pred)
    with pytest.raises(ValueError, match="same cost for every prediction"):
        clf.predict(rest, cost_matrix=0 * each)
    *_, last = clf.staged_predict(rest, cost_matrix=other)
    np.testing.assert_array_equal(last, y_pred)
    *_, last = clf.staged_predict_proba(rest)
    np.testing.assert_array_equal(last, clf.predict_proba(rest))
    copy = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(copy.predict(rest, cost_matrix=other), y_pred)


class Counted(ClassifierMixin, BaseEstimator):
    """A tree that counts its fits."""

    fits: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any) -> Counted:
        Counted.fits.append(len(y))
        self.tree_ = DecisionTreeClassifier(max_depth=6, random_state=0).fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.tree_.predict(X)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(("split", "times"), [(None, 6), (3, 4), (0.5, 1)])
def test_other_costs_never_refit(cls: Any, split: Any, times: int) -> None:
    Counted.fits.clear()
    made(cls, estimator=Counted(), n_estimators=2, calibration=None).fit(X[:500], y[:500])
    once = len(Counted.fits)
    clf = made(cls, estimator=Counted(), n_estimators=2, calibration_split=split)
    clf.fit(X[:500], y[:500])
    assert len(Counted.fits) == once * (1 + times)
    for factor in (1, 5, 50):
        clf.predict(X, cost_matrix=MATRIX * np.where(np.arange(10) == 3, factor, 1)[:, None])
    assert len(Counted.fits) == once * (1 + times)


# ---- the map -------------------------------------------------------------------------------------


def test_the_map_is_a_regression_on_log_shares() -> None:
    rng = np.random.default_rng(0)
    shares = rng.dirichlet([1, 1, 1, 1], size=3000)
    truth = np.array([rng.choice(4, p=row) for row in (shares**2 / (shares**2).sum(1)[:, None])])
    found = Dirichlet(shares, truth).probability(shares)
    wanted = shares**2 / (shares**2).sum(axis=1, keepdims=True)
    assert np.abs(found - wanted).mean() < 0.02
    logs = np.log((shares + 0.01) / 1.04)
    model = LogisticRegression(max_iter=1000).fit(logs, truth)
    np.testing.assert_allclose(found, model.predict_proba(logs), atol=1e-3)


def test_votes_for_one_class_may_speak_for_another() -> None:
    """Rows of class 0 get votes for 1 and 2, which cost little; the calibrator detects them."""
    shares = np.array([[0.0, 0.5, 0.5], [0, 0.9, 0.1], [0, 0.1, 0.9]])
    truth = np.repeat([0, 1, 2], 100)
    found = Dirichlet(shares[truth], truth).probability(shares)
    np.testing.assert_array_equal(found.argmax(axis=1), [0, 1, 2])
    assert found.max(axis=1).min() > 0.8


def test_two_classes_are_calibrated_as_by_beta() -> None:
    rng = np.random.default_rng(0)
    share = rng.beta(2, 2, size=5000)
    truth = (rng.random(5000) < share**2 / (share**2 + (1 - share) ** 1.5)).astype(int)
    both = np.column_stack([1 - share, share])
    beta = BetaCalibrator().fit(share, truth).probability(share)
    np.testing.assert_allclose(Dirichlet(both, truth).probability(both)[:, 1], beta, atol=0.03)


@pytest.mark.parametrize("cls", CLASSES)
def test_two_classes_decide_as_the_binary_path(cls: Any) -> None:
    rows, label = load_breast_cancer(return_X_y=True)
    clf = made(cls, cost_matrix=None).fit(rows[::2], label[::2])
    probability = clf.predict_proba(rows)[:, 1]
    for fn_cost, fp_cost in ((1, 1), (5, 1), (1, 20)):
        y_pred = clf.predict(rows, cost_matrix=[[0, fp_cost], [fn_cost, 0]])
        np.testing.assert_array_equal(y_pred, probability * fn_cost > (1 - probability) * fp_cost)


# ---- which rows ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [multiclass.MetaCostClassifier, CostBoostClassifier])
def test_a_cheap_row_beside_dear_ones_is_decided_by_its_own_costs(cls: Any) -> None:
    options = {"relabel": False} if cls is multiclass.MetaCostClassifier else {}
    clf = cls(n_estimators=5, random_state=0, **options).fit(X, y)
    one = clf.predict(X, cost_matrix=MATRIX)
    scale = np.logspace(-12, 12, len(X))[:, np.newaxis, np.newaxis]
    of_rows = MATRIX * scale
    np.testing.assert_array_equal(clf.predict(X, cost_matrix=of_rows), one)
    of_rows[7] = 0  # no decision costs anything: the first class
    assert clf.predict(X, cost_matrix=of_rows)[7] == clf.classes_[0]


def test_a_splitter_and_pairs_are_the_same() -> None:
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    pairs = list(folds.split(X, y))
    found = [
        made(GBSEClassifier, calibration_split=split).fit(X, y).predict_proba(X)
        for split in (folds, pairs)
    ]
    np.testing.assert_array_equal(*found)


def test_a_share_is_trained_on_the_others() -> None:
    kept, held = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    clf = made(GBSEClassifier, calibration_split=0.5).fit(X, y)
    assert clf.rows_used_ < made(GBSEClassifier).fit(X, y).rows_used_
    by_hand = made(GBSEClassifier, calibration=None).fit(X[kept], y[kept])
    calibrator = Dirichlet(by_hand.predict_proba(X[held]), y[held])
    own = brier(calibrator.probability(by_hand.predict_proba(X[held])), y[held])
    assert brier(clf.predict_proba(X[held]), y[held]) == pytest.approx(own, rel=0.5)


def test_costs_of_rows_and_no_labels() -> None:
    clf = made(GBSEClassifier, cost_matrix=None).fit(X, costs=MATRIX[y])
    same = made(GBSEClassifier).fit(X, y)
    np.testing.assert_allclose(clf.predict_proba(X), same.predict_proba(X))


def test_costs_of_rows_decide_by_their_means() -> None:
    costs = MATRIX[y] * np.random.default_rng(0).uniform(0.5, 2, size=(len(y), 1))
    clf = made(GBSEClassifier, cost_matrix=None).fit(X, y, costs=costs)
    mean = np.stack([costs[y == label].mean(axis=0) for label in range(10)])
    np.testing.assert_array_equal(clf.predict(X), (clf.predict_proba(X) @ mean).argmin(axis=1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"calibration": "platt"}, "calibration must be one of 'dirichlet', got 'platt'"),
        ({"calibration_split": 1.5}, "calibration_split must be None"),
        ({"calibration_split": 60}, "needs at least 60 rows of each class.*smallest one has 48"),
        ({"calibration_split": 0.001}, "cannot hold out and train on rows of every class"),
        (
            {"calibration_split": [(np.arange(178), np.arange(100))]},
            "no row of the class 2 is among the 100",
        ),
        (
            {"calibration_split": [(np.arange(50), np.arange(178))]},
            "50 rows to train on that are not of two classes",
        ),
    ],
)
def test_bad_splits_are_refused(options: dict[str, Any], message: str) -> None:
    rows, label = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        made(GBSEClassifier, **({"cost_matrix": None} | options)).fit(rows, label)


def test_too_few_rows_are_refused() -> None:
    rows, label = load_wine(return_X_y=True)
    label[0] = 3
    with pytest.raises(ValueError, match=r"at least 2 rows of each class.*smallest one has 1"):
        made(GBSEClassifier, cost_matrix=None).fit(rows, label)
    costs = np.tile([0.0, 1.0], (len(rows), 1))
    with pytest.raises(ValueError, match="all rows are of one class"):
        made(GBSEClassifier, cost_matrix=None).fit(rows, costs=costs)


@pytest.mark.filterwarnings("ignore:59 of 60 rows have several cheapest classes")
@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("split", [None, 3, "loo", [(np.arange(9, 60), np.arange(9))]])
def test_folds_without_a_row_to_learn_from(split: Any, cls: Any) -> None:
    """All predictions cost the same on all rows but one, which is held out once."""
    random = np.random.default_rng(0)
    rows, code = random.normal(size=(60, 2)), np.arange(60) % 3
    costs = np.ones((60, 3))
    costs[0] = [0, 1, 2]
    clf = cls(n_estimators=2, calibration="dirichlet", calibration_split=split, random_state=0)
    if cls is multiclass.MetaCostClassifier:  # learns labels
        assert np.isfinite(clf.fit(rows, code, costs=costs).predict_proba(rows)).all()
        return
    with pytest.raises(ValueError, match=r"costs the same: .* differ on 1 of 60 rows; hold"):
        clf.fit(rows, code, costs=costs)


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_the_regression_is_that_of_scikit_learn(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    logits = rng.normal(size=(400, n_classes))
    code = (logits + rng.gumbel(size=logits.shape)).argmax(axis=1)
    logits -= logits.mean(axis=0)
    weights, offset = softmax_regression(logits, code, n_classes)
    model = LogisticRegression(max_iter=10_000, tol=1e-9).fit(logits, code)
    rows = slice(1, None) if n_classes == 2 else slice(None)
    np.testing.assert_allclose(weights[rows], model.coef_, atol=1e-5)
    np.testing.assert_allclose(offset[rows], model.intercept_, atol=1e-5)
    if n_classes == 2:
        assert not weights[0].any()
        assert offset[0] == 0


def test_the_regression_of_separated_classes_is_finite() -> None:
    X = np.repeat(np.eye(3), 20, axis=0) * 1e3
    weights, offset = softmax_regression(X - X.mean(axis=0), np.repeat(np.arange(3), 20), 3)
    assert np.isfinite(weights).all()
    assert np.isfinite(offset).all()
