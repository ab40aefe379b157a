"""The search over training costs, against a plain loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from costboost import CostSearchCV
from costboost.algorithms import AdaC2Classifier, AdaMECClassifier, CGAdaClassifier, CSAdaClassifier
from costboost.metrics import mean_cost

X, Y = make_classification(500, n_informative=4, weights=[0.7], flip_y=0.1, random_state=0)
CV = StratifiedKFold(3, shuffle=True, random_state=0)
GRID = [1.0, 1.2, 2.0, 6.0, 20.0]


def by_hand(model: Any, grid: Any, weight: Any = None, **true: Any) -> np.ndarray:
    """Mean over the folds of the mean cost, for each training cost."""
    table = []
    for fn_cost in grid:
        costs = []
        for train, test in CV.split(X, Y):
            clf = clone(model).set_params(fn_cost=fn_cost)
            own = {} if weight is None else {"sample_weight": weight[train]}
            y_pred = clf.fit(X[train], Y[train], **own).predict(X[test])
            costs_of_test = {k: v[test] if np.ndim(v) else v for k, v in true.items()}
            counts = None if weight is None else weight[test]
            costs.append(mean_cost(Y[test], y_pred, sample_weight=counts, **costs_of_test))
        table.append(np.mean(costs))
    return np.array(table)


@pytest.mark.parametrize("classifier", [CGAdaClassifier, AdaC2Classifier, CSAdaClassifier])
def test_every_training_cost_is_measured_by_the_true_one(classifier: Any) -> None:
    model = classifier(n_estimators=15)
    search = CostSearchCV(model, fn_costs=GRID, fn_cost=6, cv=CV).fit(X, Y)
    expected = by_hand(model, GRID, fn_cost=6)
    assert_allclose(search.cv_results_["mean_test_cost"], expected)
    assert_array_equal(search.cv_results_["fn_cost"], GRID)
    assert_array_equal(search.cv_results_["param_fn_cost"], GRID)
    assert search.best_fn_cost_ == GRID[int(np.argmin(expected))]
    assert search.best_cost_ == pytest.approx(expected.min())
    alone = clone(model).set_params(fn_cost=search.best_fn_cost_).fit(X, Y)
    assert search.best_estimator_.ensemble_ == alone.ensemble_
    assert_array_equal(search.predict(X), alone.predict(X))
    assert_array_equal(search.predict_proba(X), alone.predict_proba(X))


def test_a_saturated_algorithm_is_better_with_smaller_costs() -> None:
    """AdaC2 multiplies the cost in again and again: Masnadi's reason to search."""
    search = CostSearchCV(AdaC2Classifier(n_estimators=30), fn_cost=10, cv=CV).fit(X, Y)
    assert search.cv_results_["fn_cost"].size == 17
    at_true = np.flatnonzero(np.isclose(search.cv_results_["fn_cost"], 10))
    assert search.best_fn_cost_ < 10
    assert search.best_cost_ < search.cv_results_["mean_test_cost"][at_true]


def test_weights_and_costs_of_rows_are_in_the_mean() -> None:
    rng = np.random.default_rng(0)
    weight, amount = rng.integers(0, 4, len(Y)).astype(float), rng.lognormal(1, 1, len(Y))
    model = CGAdaClassifier(n_estimators=10)
    search = CostSearchCV(model, fn_costs=GRID, cv=CV)
    search.fit(X, Y, sample_weight=weight, fn_cost=amount)
    expected = by_hand(model, GRID, weight, fn_cost=amount)
    assert_allclose(search.cv_results_["mean_test_cost"], expected)
    alone = CGAdaClassifier(n_estimators=10, fn_cost=search.best_fn_cost_)
    assert search.best_estimator_.ensemble_ == alone.fit(X, Y, sample_weight=weight).ensemble_
    search.fit(X, Y, fn_cost=amount)
    assert_allclose(search.cv_results_["mean_test_cost"], by_hand(model, GRID, fn_cost=amount))


def test_of_equally_cheap_ones_the_nearest_to_the_true_cost() -> None:
    model = AdaMECClassifier(n_estimators=1)  # one learner, two probabilities: most costs are alike
    search = CostSearchCV(model, fn_costs=[0.9, 1, 1.1, 1.2, 1.3], fn_cost=1.1, cv=CV).fit(X, Y)
    cost = search.cv_results_["mean_test_cost"]
    alike = search.cv_results_["fn_cost"][np.isclose(cost, cost.min())]
    assert 1.1 in alike
    assert len(alike) > 1
    assert search.best_fn_cost_ == 1.1


def test_the_costs_of_whatever_is_inside() -> None:
    pipeline = make_pipeline(StandardScaler(), CGAdaClassifier(n_estimators=10))
    search = CostSearchCV(pipeline, fn_costs=[1, 5], fn_cost=5, fp_cost=2, pos_label=0, cv=CV)
    inside = search.fit(X, Y).best_estimator_[-1]
    assert (inside.fn_cost, inside.fp_cost) == (search.best_fn_cost_, 2)
    assert inside.pos_label == 0
    voting = VotingClassifier([("a", CGAdaClassifier()), ("b", CSAdaClassifier())], voting="soft")
    search = CostSearchCV(voting, fn_costs=[3], cv=CV).fit(X, Y)
    assert [one.fn_cost for one in search.best_estimator_.estimators_] == [3, 3]


def test_without_refit() -> None:
    search = CostSearchCV(CGAdaClassifier(n_estimators=5), fn_costs=[1, 9], cv=CV, refit=False)
    search.fit(X, Y)
    assert search.best_fn_cost_ in (1, 9)
    assert not hasattr(search, "best_estimator_")
    for method in (search.predict, search.predict_proba, search.decision_function):
        with pytest.raises(NotFittedError, match=r"fitted with refit=False.*take refit=True"):
            method(X)


def test_other_costs_are_for_the_classifier_to_take() -> None:
    search = CostSearchCV(AdaMECClassifier(n_estimators=10), fn_costs=[1, 3], cv=CV).fit(X, Y)
    again = search.best_estimator_.predict(X, fn_cost=1.5)
    assert_array_equal(search.predict(X, fn_cost=1.5), again)
    search = CostSearchCV(CGAdaClassifier(n_estimators=10), fn_costs=[1, 3], cv=CV).fit(X, Y)
    with pytest.raises(ValueError, match="cannot be given other costs"):
        search.predict(X, fn_cost=2)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="LogisticRegression has no fn_cost and fp_cost"):
        CostSearchCV(LogisticRegression()).fit(X, Y)
    for fn_costs in ([], [0, 1], [[1, 2]], [np.inf], "many", 3):
        with pytest.raises(ValueError, match="fn_costs must be"):
            CostSearchCV(CGAdaClassifier(), fn_costs=fn_costs).fit(X, Y)
    with pytest.raises(ValueError, match="refit must be True or False"):
        CostSearchCV(CGAdaClassifier(), refit="yes").fit(X, Y)
    with pytest.raises(ValueError, match="fn_cost must be above 0"):
        CostSearchCV(CGAdaClassifier(), fn_cost=0).fit(X, Y)
    with pytest.raises(ValueError, match="cv=5 needs at least 5 rows of each class"):
        CostSearchCV(CGAdaClassifier()).fit(X[:20], np.arange(20) < 2)
