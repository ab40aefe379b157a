"""Actions of least expected cost: costs of rows, reviewers, capacities, bad input."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from decisions.setting import MEC, X, Y
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import costboost
from costboost import ActionClassifier, CostBoostClassifier

TABLE: dict[Any, dict[str, Any]] = {
    0: {"block": 20, "review": 4, "allow": 0},
    1: {"block": 0, "review": 4, "allow": 60},
}
LR = make_pipeline(StandardScaler(), LogisticRegression())
FITTED = clone(LR).fit(X, Y)
P = FITTED.predict_proba(X)
FROZEN = FrozenEstimator(FITTED)
FRAME = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])]).assign(
    amount=np.random.default_rng(0).gamma(2, 30, len(X)).round(2)
)


def made(costs: Any = TABLE, **given: Any) -> Any:
    return ActionClassifier(FROZEN, costs=costs, **given).fit(X)


# ---- expected costs ------------------------------------------------------------------------------


def test_expected_costs_are_sums_over_the_classes() -> None:
    clf = made()
    found = clf.expected_costs(X)
    naive = [
        [sum(P[i, k] * TABLE[k][action] for k in (0, 1)) for action in TABLE[0]] for i in range(600)
    ]
    assert_allclose(found, naive)
    assert clf.actions_.tolist() == ["block", "review", "allow"]
    assert_array_equal(clf.predict(X), clf.actions_[found.argmin(axis=1)])
    assert_array_equal(clf.predict_proba(X), P)


def test_the_order_of_rows_in_the_table_does_not_matter() -> None:
    turned = {1: TABLE[1], 0: TABLE[0]}
    frame = pd.DataFrame(TABLE).T
    expected = made().expected_costs(X)
    for table in (turned, frame, frame.loc[[1, 0]]):
        assert_array_equal(made(table).expected_costs(X), expected)


def test_ties_take_the_first_action_listed() -> None:
    table = {0: {"a": 0.1, "b": 0.3, "c": 0.3}, 1: {"a": 0.5, "b": 0.3, "c": 0.2}}

    class Half(LogisticRegression):
        def predict_proba(self, X: Any) -> Any:
            return np.full((len(X), 2), 0.5)

    half = FrozenEstimator(Half().fit(X, Y))
    clf = ActionClassifier(half, costs={t: {"c": 9, **row} for t, row in table.items()}).fit(X)
    assert set(clf.predict(X)) == {"c"}
    tied = {t: {"b": row["b"], "a": row["a"]} for t, row in table.items()}
    assert set(ActionClassifier(half, costs=tied).fit(X).predict(X)) == {"b"}
    tied = {t: {"a": row["a"], "b": row["b"]} for t, row in table.items()}
    assert set(ActionClassifier(half, costs=tied).fit(X).predict(X)) == {"a"}


def test_two_actions_named_as_the_classes_decide_as_least_expected_cost() -> None:
    clf = CostBoostClassifier(n_estimators=20, fn_cost=7.0, random_state=0).fit(X, Y)
    costs = {0: {"no": 0, "yes": 1}, 1: {"no": 7, "yes": 0}}
    actions = ActionClassifier(FrozenEstimator(clf), costs=costs).fit(X).predict(X)
    assert_array_equal(actions == "yes", clf.predict(X) == 1)


def test_gains_are_negative_costs() -> None:
    lower = {t: {a: c - 100 for a, c in row.items()} for t, row in TABLE.items()}
    assert_array_equal(made(lower).predict(X), made().predict(X))


# ---- costs of rows -------------------------------------------------------------------------------


def test_columns_and_arrays_are_costs_of_rows() -> None:
    amount = FRAME["amount"].to_numpy()
    by_column = {0: TABLE[0], 1: {**TABLE[1], "allow": "amount"}}
    by_array = {0: TABLE[0], 1: {**TABLE[1], "allow": amount}}
    naive = np.column_stack([P[:, 0] * 20, 4 * P.sum(axis=1), P[:, 1] * amount])
    assert_allclose(made(by_array).expected_costs(X), naive)
    assert_allclose(made().expected_costs(X, costs=by_array), naive)
    assert_array_equal(made().predict(X, costs=by_array), made(by_array).predict(X))
    model = ActionClassifier(LR, costs=by_column).fit(FRAME, Y)
    p = model.predict_proba(FRAME)
    assert_allclose(model.expected_costs(FRAME)[:, 2], p[:, 1] * amount)
    boosted = ActionClassifier(CostBoostClassifier(n_estimators=5), costs=by_column).fit(FRAME, Y)
    expected = boosted.predict(FRAME)
    for other in (pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME)):
        assert_array_equal(boosted.predict(other), expected)


# ---- reviewers -----------------------------------------------------------------------------------


def test_a_review_costs_what_follows_from_the_errors_of_the_reviewer() -> None:
    clf = made(reviewer={"recall": 0.9, "specificity": 0.95})
    of_fraud = 4 + 0.9 * 0 + 0.1 * 60  # found: block; missed: allow
    of_honest = 4 + 0.95 * 0 + 0.05 * 20
    naive = P @ np.array([of_honest, of_fraud])
    assert_allclose(clf.expected_costs(X)[:, 1], naive)
    turned = made(reviewer={"recall": 0.95, "specificity": 0.9}, pos_label=0)
    assert_allclose(turned.expected_costs(X), clf.expected_costs(X))


def test_what_follows_a_review_is_cheapest_for_each_row() -> None:
    amount = FRAME["amount"].to_numpy()
    table = {
        0: {"block": 20, "review": 4, "allow": 0},
        1: {"block": 30, "review": 4, "allow": amount},
    }
    clf = made(table, reviewer={"recall": 0.9, "specificity": 1.0})
    best = np.minimum(30, amount)
    of_fraud = 4 + 0.9 * best + 0.1 * amount
    # where the amount is below 30, a row that the reviewer states to be fraud is allowed too
    assert_allclose(clf.expected_costs(X)[:, 1], P[:, 0] * 4 + P[:, 1] * of_fraud)


def test_a_table_of_rates_for_several_classes() -> None:
    data, y = load_iris(return_X_y=True)
    costs = pd.DataFrame(
        [[0, 5, 9, 1.0], [4, 0, 6, 1.0], [8, 7, 0, 1.0]], columns=["a", "b", "c", "ask"]
    )
    rates = {0: {0: 1.0}, 1: {0: 0.2, 1: 0.7, 2: 0.1}, 2: {1: 0.5, 2: 0.5}}
    model = FrozenEstimator(LogisticRegression(max_iter=500).fit(data, y))
    for table in (rates, pd.DataFrame(rates).T.fillna(0.0)):
        clf = ActionClassifier(model, costs=costs, reviewer={"ask": table}).fit(data)
        of_class = [1.0, 1 + 0.2 * 4 + 0.1 * 6, 1 + 0.5 * 7]
        naive = model.predict_proba(data) @ np.array(of_class)
        assert_allclose(clf.expected_costs(data)[:, 3], naive)


# ---- plans, prices and reports -------------------------------------------------------------------


def test_plans_and_prices() -> None:
    clf, day = made(), pd.Series(np.arange(600) // 60, name="day")
    plan = clf.plan(X, {"review": 3}, day)
    assert_array_equal(clf.predict(X, capacity={"review": 3}, groups=day), plan.actions)
    assert np.all(plan.usage["review"] <= 3)
    assert "one more review is worth" in str(plan)
    assert str(plan).endswith("a day")
    codes = np.argmax(plan.actions[:, None] == clf.actions_, axis=1)
    assert_allclose(plan.expected_cost, clf.expected_costs(X)[np.arange(600), codes].sum())
    prices = clf.fit_prices(X, {"review": 3}, day)
    chosen = clf.predict(X, prices="fitted")
    assert prices.usage["review"] == np.sum(chosen == "review") / 10
    assert_array_equal(clf.predict(X, prices=prices), chosen)
    assert_array_equal(clf.predict(X, prices={"review": prices.prices["review"]}), chosen)
    one_by_one = [clf.predict(row[None], prices="fitted")[0] for row in X[:20]]
    assert_array_equal(one_by_one, chosen[:20])
    assert not hasattr(clone(clf).fit(X), "prices_")


def test_the_report_adds_up() -> None:
    clf = made(reviewer={"recall": 0.9, "specificity": 0.95})
    chosen, table = clf.predict(X), {0: (20, 5.0, 0), 1: (0, 10.0, 60)}
    report = clf.decision_report(X, Y)
    for k, action in enumerate(clf.actions_):
        rows = chosen == action
        assert report.rows[k] == rows.sum()
        assert_allclose(report.expected_cost[k], clf.expected_costs(X)[rows, k].sum())
        assert_allclose(report.realised_cost[k], sum(table[t][k] for t in Y[rows]))
        assert_allclose(report.if_all[k], sum(table[t][k] for t in Y))
    assert_allclose(clf.score(X, Y), -report.realised_cost.sum() / 600)
    assert_allclose(report.savings, report.if_all.min() - report.realised_cost.sum())
    assert report.to_dict()["block"]["rows"] == report.rows[0]
    assert str(report).splitlines()[0].split()[:3] == ["action", "rows", "share"]
    twice = clf.decision_report(X, Y, sample_weight=np.full(600, 2.0))
    assert_allclose(twice.realised_cost, 2 * report.realised_cost)
    limited = clf.decision_report(X, Y, capacity={"review": 5})
    assert limited.rows[1] == 5


# ---- in scikit-learn -----------------------------------------------------------------------------


def test_within_scikit_learn() -> None:
    clf = ActionClassifier(clone(LR), costs=TABLE)
    assert is_classifier(clf)
    with pytest.raises(NotFittedError):
        clf.predict(X)
    fitted = clone(clf).fit(X, Y)
    assert_array_equal(fitted.predict(X), made().predict(X))
    assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))
    assert fitted.n_features_in_ == X.shape[1]
    assert not hasattr(clf.estimator, "classes_")
    assert np.all(cross_val_score(clf, X, Y, cv=3) <= 0)
    grid = {"estimator__logisticregression__C": [1e-4, 1.0]}
    search = GridSearchCV(clf, grid, cv=3).fit(X, Y)
    assert search.best_score_ <= 0
    piped = make_pipeline(StandardScaler(), ActionClassifier(LogisticRegression(), costs=TABLE))
    assert_array_equal(piped.fit(X, Y).predict(X), fitted.predict(X))


def test_weights_reach_the_estimator() -> None:
    weight = np.where(Y == 1, 5.0, 1.0)
    clf = ActionClassifier(LogisticRegression(), costs=TABLE).fit(X, Y, sample_weight=weight)
    own = LogisticRegression().fit(X, Y, sample_weight=weight)
    assert_array_equal(clf.predict_proba(X), own.predict_proba(X))
    with sklearn.config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=True)
        clf = ActionClassifier(inner, costs=TABLE).fit(X, Y, sample_weight=weight)
    assert_array_equal(clf.predict_proba(X), own.predict_proba(X))


def test_a_model_file_keeps_costs_and_prices(tmp_path: Any) -> None:
    table = {0: {**TABLE[0], "block": (10, 30)}, 1: {**TABLE[1], "allow": stats.norm(60.0, 5.0)}}
    day = np.arange(600) // 60
    for estimator in (MEC, FrozenEstimator(clone(MEC).fit(X, Y))):
        for costs in (table, pd.DataFrame(table).T):
            clf = ActionClassifier(
                estimator, costs=costs, reviewer={"recall": 0.9, "specificity": 0.9}
            ).fit(X, Y)
            clf.fit_prices(X, {"review": 3}, day)
            costboost.save(clf, tmp_path / "model.costboost")
            again = costboost.load(tmp_path / "model.costboost")
            assert_array_equal(again.expected_costs(X), clf.expected_costs(X))
            assert_array_equal(again.predict(X, prices="fitted"), clf.predict(X, prices="fitted"))
            assert again.prices_ == clf.prices_
            assert_array_equal(again.robustness(X).regret, clf.robustness(X).regret)
            assert_array_equal(again.fit(X, Y).predict(X), clf.predict(X))
    with pytest.raises(ValueError, match="cannot save ActionClassifier"):
        costboost.save(made(), tmp_path / "other.costboost")


# ---- bad input -----------------------------------------------------------------------------------


def row(**changed: Any) -> dict[Any, dict[str, Any]]:
    return {0: TABLE[0], 1: {**TABLE[1], **changed}}


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (None, "costs is missing"),
        (5, "costs must be a pandas frame or a dict of dicts"),
        ({0: 5, 1: 3}, "costs must be a pandas frame or a dict of dicts"),
        ({0: TABLE[0]}, "costs has no row for the class 1"),
        ({**TABLE, 2: TABLE[0]}, "a row for 2, which is none of the classes 0, 1"),
        ({0: TABLE[0], 1: {"block": 0}}, "no cell for the action 'review' where 1 is true"),
        ({0: {"a": 1}, 1: {"a": 2}}, "at least two actions"),
        ({0: {1: 1, 2: 3}, 1: {1: 2, 2: 5}}, "must be named by texts, got 1"),
        (row(allow=np.nan), "cost of 'allow' where 1 is true must be finite, got nan"),
        (row(allow=None), "cost of 'allow' where 1 is true must be a number, the name of a column"),
        (row(allow=np.inf), "must be finite, got inf"),
        (row(allow=True), "must be a number, the name of a column"),
        (row(allow=np.ones((2, 2))), "must be a number, the name of a column"),
        (row(allow=np.array([1.0, np.nan])), "must be finite, got nan in row 1"),
        (row(allow=(1, 2, 3)), r"must be a range \(low, high\)"),
        (row(allow="amount"), "refers to the column 'amount', which X does not have: it has no"),
        (pd.DataFrame(TABLE).T.iloc[[0, 0, 1]], "costs has two rows named 0"),
        (pd.DataFrame(TABLE).T.iloc[:, [0, 0, 1]], "costs has two columns named 'block'"),
        (
            {t: {**one, "stop": one["block"]} for t, one in TABLE.items()},
            "actions 'block' and 'stop' have the same costs whatever is true",
        ),
    ],
)
def test_bad_tables(costs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made(costs)


@pytest.mark.parametrize(
    ("reviewer", "message"),
    [
        (0.9, "reviewer must be a dict such as"),
        ({}, "reviewer must be a dict such as"),
        ({"recall": 0.9}, "reviewer of 'review' must be"),
        ({"recall": 1.2, "specificity": 1}, "recall of 'review' must be a rate from 0 to 1"),
        ({"ask": {"recall": 1, "specificity": 1}}, "for the action 'ask', which is none of"),
        ({"review": {0: {0: 0.5}, 1: {1: 1}}}, "where 0 is true must add up to 1, got 0.5"),
        ({"review": {0: {0: 1}}}, "a table {true class: {stated class: rate}} for the classes 0"),
        (
            {name: {"recall": 1, "specificity": 1} for name in TABLE[0]},
            "leaves no action to take after a review",
        ),
    ],
)
def test_bad_reviewers(reviewer: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made(reviewer=reviewer)


def test_bad_parameters() -> None:
    with pytest.raises(ValueError, match="uncertain must be one of 'mean', 'regret', got 'max'"):
        made(uncertain="max")
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba"):
        ActionClassifier(LinearSVC(), costs=TABLE).fit(X, Y)
    with pytest.raises(ValueError, match="y is missing"):
        ActionClassifier(LR, costs=TABLE).fit(X)
    with pytest.raises(ValueError, match="pos_label is 5, but the classes are"):
        made(pos_label=5)
    no_review = {t: {"ask": one["review"], "allow": one["allow"]} for t, one in TABLE.items()}
    with pytest.raises(ValueError, match="for the action 'review', which is none of ask, allow;"):
        made(no_review, reviewer={"recall": 0.9, "specificity": 0.9})
    data, y = load_iris(return_X_y=True)
    three = pd.DataFrame([[0, 1.0, 2], [1, 0, 2], [0, 3, 1]], columns=["a", "review", "c"])
    with pytest.raises(ValueError, match="rates of two classes, but there are 3"):
        ActionClassifier(
            LogisticRegression(), costs=three, reviewer={"recall": 0.9, "specificity": 0.9}
        ).fit(data, y)


def test_bad_arguments_of_predict() -> None:
    clf = made()
    with pytest.raises(ValueError, match="capacity and prices exclude each other"):
        clf.predict(X, capacity={"review": 1}, prices={"review": 1})
    with pytest.raises(ValueError, match="groups share a capacity"):
        clf.predict(X, groups=Y)
    with pytest.raises(ValueError, match="call fit_prices with past rows first"):
        clf.predict(X, prices="fitted")
    with pytest.raises(ValueError, match="capacity has the action 'ask'"):
        clf.predict(X, capacity={"ask": 1})
    with pytest.raises(ValueError, match="is an array of 2 costs, but X has 600 rows"):
        clf.predict(X, costs=row(allow=np.ones(2)))
    with pytest.raises(ValueError, match="costs has the action 'stop', which is none of"):
        clf.predict(X, costs={t: {**one, "stop": 1} for t, one in TABLE.items()})
    with pytest.raises(ValueError, match="costs has no column for the action 'allow'"):
        clf.predict(X, costs={t: {"block": 1, "review": 2} for t in TABLE})
    with pytest.raises(ValueError, match="y contains 7"):
        clf.decision_report(X, np.where(Y == 1, 7, 0))
    with pytest.raises(ValueError, match="X has 600 rows, but y has 3"):
        clf.decision_report(X, Y[:3])
    amounts = FRAME.assign(amount="much")
    model = ActionClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()), costs=row(allow="amount")
    )
    with pytest.raises(ValueError, match="column 'amount', which costs refers to"):
        model.fit(amounts, Y)
    with pytest.raises(ValueError, match="must be finite, got nan in row 3"):
        model.fit(FRAME.assign(amount=FRAME["amount"].where(FRAME.index != 3)), Y)


# ---- prevalence ----------------------------------------------------------------------------------


def test_actions_at_another_prevalence() -> None:
    inner = CostBoostClassifier(n_estimators=10, random_state=0).fit(X, Y)
    clf = ActionClassifier(FrozenEstimator(inner), costs=TABLE).fit(X)
    p = inner.predict_proba(X, prevalence=0.7)
    expected = p @ [list(TABLE[k].values()) for k in (0, 1)]
    assert_allclose(clf.expected_costs(X, prevalence=0.7), expected)
    plan = clf.plan(X, {"review": 600}, prevalence=0.7)
    assert plan.expected_cost == pytest.approx(expected.min(axis=1).sum())
    assert_array_equal(plan.actions, clf.predict(X, prevalence=0.7))
    report = clf.decision_report(X, Y, prevalence=0.7)
    assert report.expected_cost.sum() == pytest.approx(plan.expected_cost)
    with pytest.raises(ValueError, match=r"prevalence must be above 0 and below 1, got 1\.2"):
        clf.plan(X, {"review": 3}, prevalence=1.2)


def test_another_prevalence_around_any_classifier() -> None:
    clf = ActionClassifier(clone(LR), costs=TABLE).fit(X, Y)
    share, wanted = np.mean(Y), 0.6
    assert_allclose(clf.class_prior_, [1 - share, share])
    odds = P[:, 1] / P[:, 0] * (wanted / (1 - wanted)) / (share / (1 - share))
    found = clf.predict_proba(X, prevalence=wanted)
    assert_allclose(found[:, 1], odds / (1 + odds))
    assert_array_equal(clf.predict_proba(X, prevalence={0: 0.4, 1: wanted}), found)
    assert_allclose(
        clf.expected_costs(X, prevalence=wanted)[:, 0], 20 * found[:, 0] + 0 * found[:, 1]
    )
    estimated = costboost.estimate_prevalence(clf, X).value
    assert_allclose(
        clf.predict_proba(X, prevalence="estimate"), clf.predict_proba(X, prevalence=estimated)
    )
    weight = np.where(Y == 1, 2.0, 1.0)
    weighted = ActionClassifier(LogisticRegression(), costs=TABLE).fit(X, Y, sample_weight=weight)
    assert_allclose(weighted.class_prior_[1], weight[Y == 1].sum() / weight.sum())
    with pytest.raises(ValueError, match="prevalence must be above 0 and below 1, got 0"):
        clf.predict(X, prevalence=0)
    with pytest.raises(ValueError, match="inside takes no prevalence"):
        made().predict(X, prevalence=0.2)


@pytest.mark.parametrize("stated", ["outside", "inside"])
def test_a_prevalence_is_that_of_the_positive_class(stated: str) -> None:
    y = np.where(Y == 1, "bad", "good")  # the greater label is not the positive one
    table = {"good": TABLE[0], "bad": TABLE[1]}
    inner = MEC if stated == "outside" else clone(MEC).set_params(pos_label="bad")
    given = {"pos_label": "bad"} if stated == "outside" else {}
    clf = ActionClassifier(inner, costs=table, **given).fit(X, y)
    assert clf.estimator_.pos_label == "bad"
    by_name = clf.predict_proba(X, prevalence={"bad": 0.01})
    assert_array_equal(clf.predict_proba(X, prevalence=0.01), by_name)
    assert by_name[:, 0].mean() < 0.05
