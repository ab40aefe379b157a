"""Normalised margins of the classifiers of this library, and of anything built alike."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost.algorithms import CLASSES, AdaBoostClassifier
from costboost.metrics import margins

X, Y = make_classification(200, random_state=0)
NAMES = [cls.__name__ for cls in CLASSES]


@pytest.mark.parametrize("learner", [None, "tree", DecisionTreeClassifier(max_depth=2)], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_between_minus_one_and_one(name: str, learner: Any) -> None:
    clf = getattr(costboost.algorithms, name)(n_estimators=15, estimator=learner)
    try:
        clf.fit(X, Y)
    except ValueError as error:
        pytest.skip(str(error))
    found = margins(clf, X, Y)
    assert found.shape == Y.shape
    score = clf.raw_score(X)
    right = score * np.where(clf.classes_[1] == Y, 1, -1)
    assert np.abs(right).max() > 0
    share = found[right != 0] / right[right != 0]
    assert_allclose(share, share[0], rtol=1e-12)  # one scale for all: nothing had to be cut
    assert share[0] > 0
    assert np.all(np.abs(found) <= 1)


def test_votes_by_hand() -> None:
    clf = AdaBoostClassifier(n_estimators=20).fit(X, Y)
    expected = (2 * Y - 1) * clf.raw_score(X) / clf.estimator_weights_.sum()
    assert_allclose(margins(clf, X, Y), expected, rtol=1e-12)


def test_pos_label_does_not_turn_margins() -> None:
    names = np.array(["no", "yes"])[Y]
    one, other = (AdaBoostClassifier(pos_label=label).fit(X, names) for label in ("no", "yes"))
    assert_allclose(margins(one, X, names), margins(other, X, names), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:.* added no learner")
@pytest.mark.parametrize("learner", [None, DecisionTreeClassifier(max_depth=1)], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_a_model_that_learnt_nothing(name: str, learner: Any) -> None:
    X, y = np.ones((4, 1)), [0, 1, 0, 1]
    try:
        clf = getattr(costboost.algorithms, name)(n_estimators=3, estimator=learner).fit(X, y)
    except ValueError as error:
        pytest.skip(str(error))
    found = margins(clf, X, y)
    assert np.all(np.isfinite(found))
    assert_array_equal(found[::2], -found[1::2])
    if clf.n_iter_ == 0:
        assert_array_equal(found, [1, -1, 1, -1])


def test_anything_with_steps_and_scores() -> None:
    clf = SimpleNamespace(
        classes_=np.array([0, 1]),
        estimator_weights_=np.array([1.0, -0.5]),
        decision_function=lambda X: np.array([1.5, 0.5, -0.5]),
    )
    assert_allclose(margins(clf, None, [1, 0, 0]), [1, -1 / 3, 1 / 3])


def test_bad_input() -> None:
    clf = AdaBoostClassifier(n_estimators=2)
    with pytest.raises(ValueError, match=r"AdaBoostClassifier has no classes_, .*fit it first"):
        margins(clf, X, Y)
    clf.fit(X, Y)
    with pytest.raises(ValueError, match="y contains 2, but the classes of the model are 0, 1"):
        margins(clf, X, Y + 1)
    with pytest.raises(ValueError, match="y_true has 5 rows, but X has 200"):
        margins(clf, X, Y[:5])
