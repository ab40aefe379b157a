"""A classifier that predicts one class for all of its training rows warns."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from classifiers.trying import problem
from sklearn.tree import DecisionTreeClassifier

from costboost import CostBoostClassifier, CostSearchCV, OperatingPointClassifier
from costboost._core.checks import SAMPLE, only_class
from costboost.algorithms import CLASSES, AdaC3Classifier, AdaMECClassifier, CSB2Classifier
from costboost.multiclass import CostingClassifier, GBSEClassifier, MetaCostClassifier

ALL = list(CLASSES)
X, Y = problem(300)
rng = np.random.default_rng(0)
COARSE = rng.integers(0, 2, size=(600, 4))
LABEL = (rng.random(600) < 0.01 + 0.15 * COARSE.sum(axis=1)).astype(int)
ONE_CLASS = "predicts one class for all training rows"


def one_class_warnings(clf: Any, *rows: Any, **given: Any) -> list[str]:
    """Messages of the warnings of a fit about one predicted class."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf.fit(*rows, **given)
    return [str(one.message) for one in caught if ONE_CLASS in str(one.message)]


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("ratio", [1, 10, 1e6])
def test_there_is_a_warning_exactly_where_one_class_is_predicted(cls: Any, ratio: float) -> None:
    clf = cls(n_estimators=10, fn_cost=ratio)
    messages = one_class_warnings(clf, X, Y)
    collapsed = len(np.unique(clf.predict(X))) == 1
    assert len(messages) == (collapsed and clf.n_iter_ > 0)
    for message in messages:
        assert message.startswith(f"{cls.__name__} {ONE_CLASS}, 1:")


@pytest.mark.parametrize("cls", [CSB2Classifier, AdaC3Classifier])
def test_the_remedy_is_named_and_helps(cls: Any) -> None:
    with pytest.warns(UserWarning, match=r"Take CostBoostClassifier, or calibration='platt'\."):
        cls(fn_cost=10).fit(COARSE, LABEL)
    assert not one_class_warnings(CostBoostClassifier(fn_cost=10, random_state=0), COARSE, LABEL)


def test_votes_collapse_and_the_default_does_not() -> None:
    assert one_class_warnings(AdaMECClassifier(probability="votes", fn_cost=30), X, Y)
    assert not one_class_warnings(AdaMECClassifier(fn_cost=30), X, Y)
    platt = AdaMECClassifier(probability="votes", fn_cost=10, calibration="platt", random_state=0)
    assert not one_class_warnings(platt, X, Y)


def test_where_it_is_the_cheapest_decision() -> None:
    clf = CostBoostClassifier(fn_cost=1e5, n_estimators=5, random_state=0)
    with pytest.warns(UserWarning, match="calibrated probabilities .* Check the costs"):
        clf.fit(X, Y)
    clf.set_params(calibration=None)
    with pytest.warns(UserWarning, match="Take its default, calibration='auto'"):
        clf.fit(X, Y)


def test_the_label_and_the_side() -> None:
    names = np.array(["well", "ill"])[Y]
    clf = AdaMECClassifier(probability="votes", fp_cost=1e4, pos_label="ill")
    assert one_class_warnings(clf, X, names)[0].startswith(f"AdaMECClassifier {ONE_CLASS}, 'well':")


def test_costs_of_rows_decide() -> None:
    """Under the mean of the costs all rows would be of one class, under their own they are not."""
    clf = AdaMECClassifier(probability="votes")
    own = np.where(np.arange(300) % 2, 1e6, 1e-6)
    assert not one_class_warnings(clf, X, Y, fn_cost=own)
    assert len(np.unique(clf.predict(X))) == 1
    assert one_class_warnings(clf, X, Y, fn_cost=np.abs(own) + 1e5)


def test_rows_without_weight_do_not_count() -> None:
    weight = np.where(np.arange(300) < 150, 1.0, 0.0)
    far = np.where(weight[:, None] > 0, X, -X - 1)
    cut = AdaMECClassifier(probability="votes", fn_cost=50)
    assert one_class_warnings(cut, far, Y, sample_weight=weight)


def test_several_classes() -> None:
    three = Y + (X[:, 0] > 6)
    costs = np.ones((3, 3)) - np.eye(3)
    assert not one_class_warnings(AdaMECClassifier(n_estimators=5, cost_matrix=costs), X, three)
    costs[2] *= 1e9
    for clf in (AdaMECClassifier(n_estimators=5), CostBoostClassifier(n_estimators=3)):
        (message,) = one_class_warnings(clf.set_params(cost_matrix=costs), X, three)
        assert f"{ONE_CLASS}, 2:" in message


@pytest.mark.parametrize("cls", [GBSEClassifier, CostingClassifier, MetaCostClassifier])
def test_methods_for_several_classes(cls: Any) -> None:
    three = Y + (X[:, 0] > 6)
    costs = np.ones((3, 3)) - np.eye(3)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    usual = {"n_estimators": 3, "estimator": tree, "random_state": 0}
    assert not one_class_warnings(cls(**usual, cost_matrix=costs), X, three)
    costs[2] *= 1e6
    clf = cls(**usual, cost_matrix=costs)
    messages = one_class_warnings(clf, X, three)
    assert len(messages) == (len(np.unique(clf.predict(X))) == 1)
    for message in messages:
        assert "Take CostBoostClassifier, or calibration='dirichlet'" in message
    blind = cls(**usual | {"estimator": DecisionTreeClassifier(min_samples_leaf=300)})
    assert one_class_warnings(blind, X, three)


def test_a_search_warns_of_its_choice_only() -> None:
    model = AdaMECClassifier(n_estimators=50, probability="votes")
    search = CostSearchCV(model, fn_cost=2, fn_costs=[1.2, 1e5, 1e6], cv=2)
    assert not one_class_warnings(search, X, Y)
    search = CostSearchCV(model, fn_cost=1e6, fn_costs=[1e5, 1e6], cv=2)
    (message,) = one_class_warnings(search, X, Y)
    assert message.startswith(f"CostSearchCV {ONE_CLASS}, 1:")


def test_an_operating_point_moves_the_threshold() -> None:
    model = AdaMECClassifier(n_estimators=20, probability="votes", fn_cost=1e5)
    clf = OperatingPointClassifier(model, at_least=0.8, cv=2, random_state=0)
    assert not one_class_warnings(clf, X, Y)
    assert len(np.unique(clf.predict(X))) == 2


def test_all_rows_are_looked_at_if_need_be() -> None:
    n = 5 * SAMPLE + 3
    sizes: list[int] = []

    def decide(rows: np.ndarray, odd: int | None) -> np.ndarray:
        sizes.append(rows.size)
        return np.where(rows == odd, "b", "a")

    assert only_class(n, lambda rows: decide(rows, 0)) is None
    assert max(sizes) <= SAMPLE
    assert only_class(n, lambda rows: decide(rows, n - 1)) is None
    assert only_class(n, lambda rows: decide(rows, None)) == "a"
    assert sizes[-1] == n
    assert only_class(1, lambda rows: decide(rows, None)) == "a"
