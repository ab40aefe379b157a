"""Goals that make no sense, goals that cannot be met, and data that cannot be cut into folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from costboost import CostSearchCV
from costboost import OperatingPointClassifier as OperatingPoint
from costboost.algorithms import AdaMECClassifier, CGAdaClassifier

X, Y = make_classification(300, weights=[0.8], flip_y=0.5, random_state=0)
CV = StratifiedKFold(3, shuffle=True, random_state=0)
MEC = AdaMECClassifier(n_estimators=10, probability="logistic")


# ---- goals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({}, "there is no goal: state what recall has to be, by at_least="),
        ({"target": "fpr"}, "there is no goal: state what fpr has to be, by at_most="),
        ({"at_least": 1.01}, "at_least must be from 0 to 1 for a recall, got 1.01"),
        ({"at_least": -0.1}, "at_least must be from 0 to 1 for a recall, got -0.1"),
        ({"at_least": 95}, "at_least must be from 0 to 1 for a recall, got 95"),
        ({"at_least": np.nan}, "at_least must be from 0 to 1"),
        ({"at_least": "high"}, "at_least must be from 0 to 1 for a recall, got 'high'"),
        ({"at_least": True}, "at_least must be from 0 to 1"),
        ({"target": "fpr", "at_most": 2}, "at_most must be from 0 to 1 for a false positive rate"),
        ({"target": "cost", "at_most": -1}, "at_most must be at least 0 for a mean cost"),
        ({"target": "cost", "at_least": 1}, "state a budget, target='cost' with at_most"),
        (
            {"at_least": 0.9, "at_most": 0.8},
            "contradictory goal: no recall is at least 0.9 and at most 0.8",
        ),
        ({"target": "accuracy", "at_least": 0.9}, "target must be one of 'recall', 'precision'"),
        ({"target": ["recall"], "at_least": 0.9}, "target must be one of"),
        ({"at_least": 0.9, "margin": -1}, "margin must be a number from 0 to 1,000,000, got -1"),
        ({"at_least": 0.9, "margin": None}, "margin must be a number"),
        ({"at_least": 0.9, "method": "guess"}, "method must be one of 'auto', 'threshold'"),
        ({"at_least": 0.9, "fn_cost": 0}, "fn_cost must be above 0"),
        ({"at_least": 0.9, "method": "refit", "fn_costs": []}, "fn_costs must be a list"),
        ({"at_least": 0.9, "pos_label": 7}, "pos_label is 7, but the classes of y are 0, 1"),
    ],
)
def test_goals_that_make_no_sense(goal: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OperatingPoint(MEC, **goal).fit(X, Y)


def test_a_goal_that_cannot_be_met_reports_the_best_value() -> None:
    clf = OperatingPoint(MEC, target="precision", at_least=0.5, cv=CV).fit(X, Y)
    best = np.nanmax(clf.cv_results_["precision"])
    assert best < 1
    message = (
        f"precision of at least 0.999 cannot be met .* best achievable precision is {best:.4g}"
    )
    with pytest.raises(ValueError, match=message):
        clf.set_params(at_least=0.999).fit(X, Y)
    assert clf.achieved_ >= 0.5  # the earlier model stays whole
    assert clf.predict(X).shape == Y.shape


def test_a_budget_that_cannot_be_kept_reports_the_least_cost() -> None:
    clf = OperatingPoint(MEC, target="cost", at_most=10, fn_cost=1.5, cv=CV).fit(X, Y)
    with pytest.raises(ValueError, match=f"best achievable mean cost is {clf.cost_:.4g} "):
        clf.set_params(at_most=clf.cost_ * 0.99).fit(X, Y)


def test_a_margin_can_make_a_goal_impossible() -> None:
    clf = OperatingPoint(MEC, target="precision", at_least=0.6, cv=CV).fit(X, Y)
    assert clf.achieved_ >= 0.6
    with pytest.raises(ValueError, match=r"by a margin of 9 .* which the margin makes 0\."):
        clf.set_params(margin=9).fit(X, Y)


def test_a_narrow_range_names_the_closest_point() -> None:
    with pytest.raises(ValueError, match=r"at least 0\.123 and at most 0\.1231 cannot be met"):
        OperatingPoint(MEC, at_least=0.123, at_most=0.1231, cv=CV).fit(X, Y)


def test_a_training_cost_can_be_out_of_reach() -> None:
    clf = OperatingPoint(
        CGAdaClassifier(n_estimators=5), at_least=0.99, method="refit", fn_costs=[0.1, 1], cv=CV
    )
    with pytest.raises(ValueError, match=r"best achievable recall is .*training fn_cost 1:"):
        clf.fit(X, Y)
    never = OperatingPoint(Never(), target="precision", at_least=0.5, fn_costs=[1, 9], cv=CV)
    with pytest.raises(ValueError, match="no row is predicted positive"):
        never.fit(X, Y)


def test_a_goal_met_by_one_answer_for_all_is_met_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="gives every row the same prediction .threshold -inf"):
        clf = OperatingPoint(MEC, at_least=0.5, fn_cost=1e6, fp_cost=1e-6, margin=99, cv=CV).fit(
            X, Y
        )
    assert (clf.achieved_, clf.threshold_) == (1.0, -np.inf)
    assert clf.predict(X).all()


# ---- estimators ----------------------------------------------------------------------------------


class OnlyPredict(ClassifierMixin, BaseEstimator):
    """Has no score and no costs."""

    def fit(self, X: Any, y: Any) -> OnlyPredict:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)


class Never(OnlyPredict):
    """Has cost parameters and ignores them."""

    def __init__(self, fn_cost: float = 1.0, fp_cost: float = 1.0) -> None:
        self.fn_cost, self.fp_cost = fn_cost, fp_cost


class OnlyScore(OnlyPredict):
    def decision_function(self, X: Any) -> Any:
        return np.zeros(len(X))


class NotANumber(LogisticRegression):
    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), 2), np.nan)


def test_estimators_that_will_not_do() -> None:
    for nothing in (None, "tree", MEC.__class__, 3):
        with pytest.raises(ValueError, match="estimator must be a scikit-learn classifier"):
            OperatingPoint(nothing, at_least=0.9).fit(X, Y)
    with pytest.raises(ValueError, match="OnlyPredict has neither predict_proba nor"):
        OperatingPoint(OnlyPredict(), at_least=0.9, method="threshold").fit(X, Y)
    with pytest.raises(ValueError, match="OnlyPredict has no fn_cost and fp_cost"):
        OperatingPoint(OnlyPredict(), at_least=0.9).fit(X, Y)
    with pytest.raises(ValueError, match="NotANumber returns nan for some rows"):
        OperatingPoint(NotANumber(), at_least=0.9).fit(X, Y)
    with pytest.raises(ValueError, match="pos_label is 1, but that of the estimator is 0"):
        OperatingPoint(CGAdaClassifier(pos_label=0), at_least=0.9, pos_label=1).fit(X, Y)
    with pytest.raises(ValueError, match=r"OnlyScore\.fit takes no sample_weight"):
        OperatingPoint(OnlyScore(), at_least=0.9).fit(X, Y, sample_weight=np.ones(len(Y)))


def test_predicting_under_other_costs() -> None:
    refit = OperatingPoint(
        CGAdaClassifier(n_estimators=5), at_least=0.1, method="refit", fn_costs=[9], cv=CV
    ).fit(X, Y)
    with pytest.raises(ValueError, match="other costs need another fit with method='refit'"):
        refit.predict(X, fn_cost=3)
    clf = OperatingPoint(MEC, at_least=0.9, cv=CV).fit(X, Y)
    with pytest.raises(ValueError, match="fn_cost and fp_cost must be numbers here"):
        clf.predict(X, fn_cost=np.ones(len(Y)))
    with pytest.raises(ValueError, match="fp_cost must be finite and not negative"):
        clf.predict(X, fp_cost=-1)


# ---- data and folds ------------------------------------------------------------------------------


def test_fewer_rows_of_a_class_than_folds() -> None:
    few = np.zeros(len(Y), dtype=int)
    few[:4] = 1
    with pytest.raises(ValueError, match=r"cv=5 needs at least 5 rows of each class, .* has 4"):
        OperatingPoint(MEC, at_least=0.9).fit(X, few)
    weight = np.where(np.arange(len(Y)) < 2, 0, 1)
    with pytest.raises(ValueError, match=r"cv=3 needs at least 3 rows of each class, .* has 2"):
        OperatingPoint(MEC, at_least=0.9, cv=3).fit(X, few, sample_weight=weight)


def test_folds_that_will_not_do() -> None:
    for cv in (1, 0, True, -3):
        with pytest.raises(ValueError, match="cv must be a number of folds of at least 2"):
            OperatingPoint(MEC, at_least=0.9, cv=cv).fit(X, Y)
    for cv in ("five", 0.3):
        with pytest.raises(ValueError, match="cv must be a number of folds, a splitter or a list"):
            OperatingPoint(MEC, at_least=0.9, cv=cv).fit(X, Y)
    order = np.argsort(Y, kind="stable")
    with pytest.raises(ValueError, match="a training part that has rows of one class only"):
        OperatingPoint(MEC, at_least=0.9, cv=KFold(2)).fit(X[order], np.arange(300) >= 150)
    only = [(np.arange(100, 300), np.flatnonzero(Y[:100] == 0))]
    with pytest.raises(ValueError, match="cv holds out rows of one class only"):
        OperatingPoint(MEC, at_least=0.9, cv=only).fit(X, Y)
    with pytest.raises(ValueError, match=r"cv=\[\] has no folds; an iterator can be used once"):
        OperatingPoint(MEC, at_least=0.9, cv=[]).fit(X, Y)
    with pytest.raises(ValueError, match=r"cv=\[\(array.*500 is out of bounds.*pairs of row num"):
        OperatingPoint(MEC, at_least=0.9, cv=[(np.arange(300), [500])]).fit(X, Y)


def test_groups_are_given_as_pairs() -> None:
    groups = np.arange(300) % 20
    for clf in (OperatingPoint(MEC, at_least=0.9), CostSearchCV(MEC, fn_costs=[1, 2])):
        message = r"cv=GroupKFold.*groups.*list\(splitter.split\(X, y, groups\)\)"
        with pytest.raises(ValueError, match=message):
            clf.set_params(cv=GroupKFold(3)).fit(X, Y)
        pairs = list(GroupKFold(3).split(X, Y, groups))
        assert clf.set_params(cv=pairs).fit(X, Y).predict(X).shape == (300,)


def test_labels() -> None:
    clf = OperatingPoint(MEC, at_least=0.9)
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        clf.fit(X, np.arange(len(Y)) % 3)
    with pytest.raises(ValueError, match="one class only"):
        clf.fit(X, np.ones(len(Y)))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clf.fit(X, Y[:-1])
