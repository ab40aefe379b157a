"""`Costs`: its constructors, its rows and its money, and clipping in classifiers."""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import costboost
from costboost import (
    ActionClassifier,
    CostBoostClassifier,
    Costs,
    CostSearchCV,
    OperatingPointClassifier,
)
from costboost._core.names import COST_NAMES
from costboost._core.rules.record import NetCosts
from costboost.algorithms import AdaC2Classifier, CGAdaClassifier
from costboost.metrics import make_cost_scorer, mean_cost, savings, total_cost

RNG = np.random.default_rng(2)
N = 150
X = RNG.normal(size=(N, 3))
Y = (X[:, 0] + RNG.normal(size=N) > 0.4).astype(int)
AMOUNT = RNG.lognormal(3, 1, N)

cells = arrays(np.float64, (4, 12), elements=st.integers(-9, 9).map(float))


def of_values(values: Any) -> Costs:
    return Costs.outcomes(**dict(zip(COST_NAMES, values, strict=True)))


# ---- a record ------------------------------------------------------------------------------------


def test_it_is_passed_on_as_one_object() -> None:
    costs = Costs.fraud(AMOUNT, review_cost=4.0)
    clf = CostBoostClassifier(n_estimators=5, random_state=0).fit(X, Y, costs=costs)
    p = clf.predict_proba(X)[:, 1]
    assert np.array_equal(clf.predict(X, costs=costs), p * (AMOUNT - 4) > (1 - p) * 4)


ROUTED = [Costs.fraud(AMOUNT, review_cost=4.0), Costs.outcomes(fn_cost=5.0, tn_cost=-1.0)]


@pytest.mark.parametrize("costs", ROUTED, ids=["rows", "classes"])
def test_scikit_learn_routes_one_object(costs: Costs) -> None:
    """Costs of rows are cut into folds as the rows are; others are passed on unchanged."""
    clf = CostBoostClassifier(n_estimators=4, random_state=0)
    folds = list(KFold(3).split(X))
    by_hand = []
    for train, held in folds:
        own = clone(clf).fit(X[train], Y[train], costs=costs.rows(train))
        y_pred = own.predict(X[held], costs=costs.rows(held))
        by_hand.append(-mean_cost(Y[held], y_pred, costs=costs.rows(held)))
    with sklearn.config_context(enable_metadata_routing=True):
        routed = clone(clf).set_fit_request(costs=True).set_predict_request(costs=True)
        pipe = make_pipeline(FunctionTransformer(), routed)
        scorer = make_cost_scorer().set_score_request(costs=True)
        scores = cross_validate(
            pipe, X, Y, params={"costs": costs}, scoring=scorer, cv=folds, error_score="raise"
        )
        name = "costboostclassifier__random_state"
        search = GridSearchCV(pipe, {name: [0, 1]}, scoring=scorer, cv=folds, error_score="raise")
        search.fit(X, Y, costs=costs)
        predicted = search.best_estimator_.predict(X, costs=costs)
    assert scores["test_score"] == pytest.approx(by_hand)
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(np.mean(by_hand))
    best = clone(clf).set_params(random_state=search.best_params_[name])
    assert np.array_equal(predicted, best.fit(X, Y, costs=costs).predict(X, costs=costs))


@pytest.mark.parametrize("costs", ROUTED, ids=["rows", "classes"])
def test_one_record_is_the_four_arguments(costs: Costs) -> None:
    clf = CostBoostClassifier(n_estimators=4, random_state=0)
    one, four = clone(clf).fit(X, Y, costs=costs), clone(clf).fit(X, Y, **costs.arguments)
    assert one.ensemble_ == four.ensemble_
    assert one.model_.stated_costs == four.model_.stated_costs
    for method in ("predict", "decision_function"):
        by_record = getattr(one, method)(X, costs=costs)
        assert np.array_equal(by_record, getattr(one, method)(X, **costs.arguments))
    staged = zip(
        one.staged_predict(X, costs=costs),
        one.staged_predict(X, **costs.arguments),
        strict=True,
    )
    assert all(np.array_equal(a, b) for a, b in staged)
    in_constructor = clone(clf).set_params(costs=costs).fit(X, Y)
    assert in_constructor.model_.stated_costs == one.model_.stated_costs
    for kind in (OperatingPointClassifier, CostSearchCV):
        made = kind(clone(clf), random_state=0, cv=2)
        if kind is OperatingPointClassifier:
            made.set_params(at_least=0.5)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            by_record = clone(made).fit(X, Y, costs=costs)
            by_name = clone(made).fit(X, Y, **costs.arguments)
            in_constructor = clone(made).set_params(costs=costs).fit(X, Y)
        for fitted in (by_name, in_constructor):
            assert np.array_equal(fitted.predict(X), by_record.predict(X))


def test_a_matrix_is_brought_into_the_order_of_the_classes() -> None:
    y = np.array(["b", "c", "a"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    table = np.array([[0.0, 1.0, 4.0], [3.0, 0.0, 2.0], [9.0, 5.0, 0.0]])
    costs = Costs.matrix(table, classes=["c", "a", "b"])
    order = [1, 2, 0]
    clf = CostBoostClassifier(n_estimators=4, random_state=0)
    same = clone(clf).set_params(cost_matrix=table[np.ix_(order, order)]).fit(X, y)
    for fitted in (clone(clf).set_params(costs=costs).fit(X, y), clone(clf).fit(X, y, costs=costs)):
        assert np.array_equal(fitted.model_.matrix, same.model_.matrix)
    y_pred = same.predict(X, costs=costs)
    truth, code = (np.searchsorted(["c", "a", "b"], part, sorter=order) for part in (y, y_pred))
    paid = table[np.array(order)[truth], np.array(order)[code]]
    assert total_cost(y, y_pred, costs=costs) == pytest.approx(paid.sum())
    with pytest.raises(ValueError, match="the classes of costs are named"):
        clone(clf).fit(X, np.where(y == "c", "d", y), costs=costs)


def test_savings_do_not_depend_on_how_costs_are_stated() -> None:
    four = {"fn_cost": 9.0, "fp_cost": 2.0, "tp_cost": 1.0, "tn_cost": 0.5}
    matrix = [[0.5, 2.0], [9.0, 1.0]]
    y_pred = (X[:, 0] > 0.2).astype(int)
    for counted in ("all", "avoidable"):
        found = [
            savings(Y, y_pred, counted=counted, **costs)
            for costs in (
                four,
                {"cost_matrix": matrix},
                {"costs": Costs.outcomes(**four)},
                {"costs": Costs.matrix(matrix)},
                {"costs": Costs.matrix([[1.0, 9.0], [2.0, 0.5]], classes=[1, 0])},
                {"costs": np.array(matrix)[Y]},
                {"costs": Costs.per_prediction(np.array(matrix)[Y])},
            )
        ]
        assert found == pytest.approx([found[0]] * len(found))


@given(arrays(np.float64, 2, elements=st.floats(1e-3, 1e3)), st.floats(-99, 99), st.floats(-99, 99))
def test_net_costs_keep_their_last_bit(net: Any, tp: float, tn: float) -> None:
    costs = Costs.from_net(NetCosts(*net.tolist()), (tp, tn))
    assert costs.net == tuple(net)
    assert costs.right == (tp, tn)
    assert costs.rows([0]).net == tuple(net)


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 4), st.booleans())
@settings(max_examples=60, deadline=None)
def test_actions_of_least_expected_cost(seed: int, k: int, m: int, of_rows: bool) -> None:
    """`expected`, `choose`, `beyond_least` and `realised` against loops over the table."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-9, 9, (7, k, m)).astype(float)
    if not of_rows:
        values[:] = values[0]
    cell = (lambda i, j: values[:, i, j]) if of_rows else (lambda i, j: float(values[0, i, j]))
    costs = Costs.by_action({i: {f"a{j}": cell(i, j) for j in range(m)} for i in range(k)})
    p, truth = rng.dirichlet(np.ones(k), 7), rng.integers(0, k, 7)
    loops = [[sum(p[r, i] * values[r, i, j] for i in range(k)) for j in range(m)] for r in range(7)]
    assert costs.expected(p) == pytest.approx(np.array(loops))
    least = np.min(loops, axis=1)
    assert costs.beyond_least(p) == pytest.approx(np.array(loops) - least[:, None])
    assert np.array(loops)[np.arange(7), costs.choose(p)] == pytest.approx(least)
    assert np.array_equal(costs.realised(truth), values[np.arange(7), truth])
    back = costs.for_classes(list(range(k))[::-1])
    assert np.array_equal(back.realised(k - 1 - truth), costs.realised(truth))


def test_actions_and_their_reviewer_in_one_record() -> None:
    table = {
        1: {"block": 0.0, "allow": (50.0, 150.0), "review": 4.0},
        0: {"block": 9.0, "allow": 0.0, "review": 4.0},
    }
    rates = {"recall": 0.9, "specificity": 0.8}
    clf = CostBoostClassifier(n_estimators=4, random_state=0)
    one = ActionClassifier(clf, costs=Costs.by_action(table, reviewer=rates, pos_label=1))
    same = ActionClassifier(clf, costs=table, reviewer=rates)
    assert np.array_equal(one.fit(X, Y).predict(X), same.fit(X, Y).predict(X))
    assert np.array_equal(one.expected_costs(X), same.expected_costs(X))
    other = {truth: row | {"review": 90.0} for truth, row in table.items()}
    assert np.array_equal(
        one.predict(X, costs=Costs.by_action(other)), same.predict(X, costs=other)
    )
    with pytest.raises(ValueError, match=r"costs must be those of actions, as Costs\.by_action"):
        ActionClassifier(clf, costs=Costs.outcomes()).fit(X, Y)
    with pytest.raises(ValueError, match="costs of actions do not decide between classes"):
        clf.fit(X, Y, costs=one.costs)


def test_files_have_the_numbers_of_a_record(tmp_path: Path) -> None:
    costs = Costs.outcomes(fn_cost=5.0, tp_cost=-1.0)
    clf = CostBoostClassifier(n_estimators=4, random_state=0, costs=costs).fit(X, Y)
    costboost.save(clf, tmp_path / "m.costboost")
    loaded = costboost.load(tmp_path / "m.costboost")
    assert (loaded.costs, loaded.fn_cost, loaded.tp_cost) == (None, 5.0, -1.0)
    assert np.array_equal(loaded.predict(X), clf.predict(X))
    assert loaded.fit(X, Y).model_.stated_costs == clf.model_.stated_costs


def test_files_keep_the_reviewer_of_a_record(tmp_path: Path) -> None:
    table = {0: {"block": 9, "allow": 0, "review": 4}, 1: {"block": 0, "allow": 99, "review": 4}}
    costs = Costs.by_action(table, reviewer={"recall": 0.9, "specificity": 0.8})
    clf = ActionClassifier(CostBoostClassifier(n_estimators=4, random_state=0), costs=costs)
    costboost.save(clf.fit(X, Y), tmp_path / "m.costboost")
    loaded = costboost.load(tmp_path / "m.costboost")
    assert np.array_equal(loaded.expected_costs(X), clf.expected_costs(X))


def test_repr_and_copies() -> None:
    costs = Costs.outcomes(fn_cost=[1.0, 20.0], fp_cost=2)
    assert (
        repr(costs) == "Costs.outcomes(fn_cost=<2 rows, 1 to 20>, fp_cost=2, tp_cost=0, tn_cost=0)"
    )
    assert pickle.loads(pickle.dumps(costs)) == costs == copy.deepcopy(costs)
    assert costs != Costs.outcomes(fn_cost=[1.0, 21.0], fp_cost=2)
    assert costs != {"fn_cost": 1}
    assert costs.n_rows == 2
    assert Costs.outcomes().n_rows is None
    with pytest.raises(ValueError, match="read-only"):
        costs.fn_cost[0] = 3


def test_tables() -> None:
    costs = Costs.outcomes(fn_cost=[1.0, 3.0], tp_cost=-1, fp_cost=7)
    assert costs.table.tolist() == [[[0, 7], [1, -1]], [[0, 7], [3, -1]]]
    assert costs.to_frame().shape == (2, 4)
    assert Costs.outcomes().to_frame().to_dict("records") == [Costs.outcomes().named]
    assert costs.swapped().named | {"fp_cost": 0} == {
        "tp_cost": 0, "tn_cost": -1, "fn_cost": 7, "fp_cost": 0
    }  # fmt: skip


@given(cells, arrays(np.bool_, 12), arrays(np.bool_, 12))
@settings(max_examples=50, deadline=None)
def test_totals(values: Any, y: Any, predicted: Any) -> None:
    costs, expected = of_values(values), 0.0
    for row in range(12):
        fn, fp, tp, tn = values[:, row]
        expected += (tp if predicted[row] else fn) if y[row] else (fp if predicted[row] else tn)
    label = {"pos_label": True}
    assert total_cost(y, predicted, costs=costs, **label) == pytest.approx(expected)
    assert mean_cost(y, predicted, costs=costs, **label) == pytest.approx(expected / 12)
    other = total_cost(y, predicted, costs=costs.swapped(), pos_label=False)
    assert other == pytest.approx(expected)
    net = costs.net.of_class(y)[y != predicted].sum()
    assert net + np.where(y, *costs.right).sum() == pytest.approx(expected)
    paid = costs.realised(y.astype(int))[np.arange(12), predicted.astype(int)]
    assert paid.sum() == pytest.approx(expected)


@given(cells, st.lists(st.integers(-12, 11), max_size=8), arrays(np.bool_, 12))
@settings(max_examples=50, deadline=None)
def test_rows(values: Any, numbers: list[int], mask: Any) -> None:
    costs = of_values(values)
    assert costs.rows(numbers) == of_values(values[:, np.array(numbers, dtype=int)])
    assert costs.rows(mask) == of_values(values[:, mask])
    assert costs.rows(slice(2, 9, 3)) == of_values(values[:, 2:9:3])
    assert costs.rows(-1) == of_values(values[:, [-1]])
    assert Costs.outcomes(fn_cost=3).rows(mask) == Costs.outcomes(fn_cost=3)


def test_dominated_rows() -> None:
    costs = Costs.fraud([1.0, 4.0, 9.0], review_cost=4.0)
    assert costs.net.dominated.tolist() == [True, True, False]


# ---- usual cases ---------------------------------------------------------------------------------


def test_formulas() -> None:
    assert (Costs.fraud(100, 4, recovered=0.9)).named == {
        "tp_cost": pytest.approx(14), "fp_cost": 4, "fn_cost": 100, "tn_cost": 0
    }  # fmt: skip
    credit = Costs.credit([1000.0, 3000.0], margin=0.1, loss_given_default=0.5)
    assert credit.fn_cost.tolist() == [500, 1500]
    assert credit.fp_cost.tolist() == [100, 300]
    credit = Costs.credit([1000.0, 3000.0], margin=0.1, default_rate=0.2)
    alternative = 0.2 * 0.75 * 2000 - 0.8 * 0.1 * 2000
    assert credit.fp_cost == pytest.approx([100 + alternative, 300 + alternative])
    churn = Costs.churn(200, incentive=10, contact_cost=1, acceptance_rate=0.3)
    assert churn.named == {
        "tp_cost": pytest.approx(1 - 0.3 * 190), "fp_cost": 11, "fn_cost": 0, "tn_cost": 0
    }  # fmt: skip
    assert (Costs.maintenance(500, 20, repair_cost=50)).named == {
        "tp_cost": 70, "fp_cost": 20, "fn_cost": 500, "tn_cost": 0
    }  # fmt: skip
    assert (Costs.direct_mail(15)).named == {
        "tp_cost": pytest.approx(-14.32), "fp_cost": 0.68, "fn_cost": 0, "tn_cost": 0
    }  # fmt: skip
    assert (Costs.triage(9, 1)).named == {
        "tp_cost": -9, "fp_cost": 1, "fn_cost": 0, "tn_cost": 0
    }  # fmt: skip


def test_churn_is_the_profit_of_verbraken() -> None:
    """N CLV [(gamma (1 - delta) - phi) pi0 F0 - (delta + phi) pi1 F1], their equation 4."""
    predicted = (X[:, 0] > 0).astype(int)
    value, incentive, contact, gamma = 200.0, 10.0, 1.0, 0.3
    delta, phi = incentive / value, contact / value
    hits, alarms = (predicted * Y).sum(), (predicted * (1 - Y)).sum()
    profit = value * ((gamma * (1 - delta) - phi) * hits - (delta + phi) * alarms)
    costs = Costs.churn(value, incentive=incentive, contact_cost=contact, acceptance_rate=gamma)
    assert -total_cost(Y, predicted, costs=costs) == pytest.approx(profit)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Costs.outcomes(fn_cost=np.inf), "fn_cost must be finite, got inf"),
        (lambda: Costs.outcomes(fn_cost=np.nan), "fn_cost must be finite, got nan"),
        (lambda: Costs.outcomes(fn_cost="dear"), "fn_cost must be a number"),
        (lambda: Costs.outcomes(fn_cost=[[1.0]]), r"got an array of shape \(1, 1\)"),
        (lambda: Costs.outcomes(fn_cost=[1, 2], fp_cost=[1]), "fn_cost has 2 and fp_cost 1"),
        (lambda: Costs.fraud([1, -5], 4), "amount must not be negative, got -5 in row 1"),
        (lambda: Costs.fraud(1, 4, recovered=2), "recovered must be a number from 0 to 1"),
        (lambda: Costs.triage(-1, 4), "benefit must not be negative, got -1"),
        (
            lambda: Costs.credit(1, margin=0.1, default_rate=-0.1),
            "default_rate must be a number from 0 to 1, got -0.1",
        ),
        (lambda: Costs.matrix([[0, 1]]), r"got an array of shape \(1, 2\)"),
        (lambda: Costs.matrix(np.eye(2), classes=[1]), "has 2 classes, but classes has 1"),
        (lambda: Costs.per_prediction([0, 1]), r"got an array of shape \(2,\)"),
        (lambda: Costs.matrix(np.eye(3)).fn_cost, "only two classes have false negatives"),
        (lambda: Costs.by_action({0: {"a": 1}}), "at least two actions"),
        (lambda: Costs.outcomes().clip(0), "quantile must be a quantile above 0 and at most 1"),
        (lambda: Costs.outcomes().clip(True), "such as 0.99, got True"),
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("costs", "more", "message"),
    [
        (Costs.outcomes(), {"fn_cost": 2}, "given twice: pass costs, or fn_cost, but not both"),
        (np.ones((N, 2)), {}, r"costs must be costboost\.Costs, such as Costs\.outcomes"),
        (Costs.per_prediction(np.ones((N, 2))), {}, "costs of every prediction do not decide"),
        (Costs.outcomes(fn_cost=[1.0, 2.0]), {}, "one for each of the 150 rows"),
    ],
)
def test_costs_that_classifiers_refuse(costs: Any, more: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CostBoostClassifier().fit(X, Y, costs=costs, **more)
    fitted = CostBoostClassifier(n_estimators=2).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        fitted.predict(X, costs=costs, **more)


def test_costs_that_fit_is_not_given_are_those_of_the_constructor() -> None:
    own = Costs.outcomes(fn_cost=5.0, fp_cost=2.0, tp_cost=1.0)
    clf = CostBoostClassifier(n_estimators=3, random_state=0, costs=own)
    found = clone(clf).fit(X, Y, fn_cost=AMOUNT).model_.stated_costs
    four = {"fp_cost": 2.0, "tp_cost": 1.0, "fn_cost": AMOUNT}
    assert found == CostBoostClassifier(n_estimators=3).fit(X, Y, **four).model_.stated_costs
    search = CostSearchCV(clf, fn_costs=[1, 4], fn_cost=4, cv=2, random_state=0).fit(X, Y)
    assert search.best_estimator_.costs is None
    with pytest.warns(UserWarning, match="is the accuracy, in which all mistakes count the same"):
        search.score(X, Y)


def test_costs_are_given_once_to_a_constructor() -> None:
    for more in ({"fn_cost": 2}, {"cost_matrix": [[0, 1], [5, 0]]}):
        with pytest.raises(ValueError, match="costs are given twice"):
            CostBoostClassifier(costs=Costs.outcomes(fn_cost=5), **more).fit(X, Y)


def test_unobserved_costs_are_refused_by_classifiers() -> None:
    donation = np.where(Y == 1, 10.0, np.nan)
    with pytest.raises(ValueError, match=r"tp_cost must be finite .* contains nan in row"):
        CostBoostClassifier().fit(X, Y, costs=Costs.direct_mail(donation))


# ---- clipping ------------------------------------------------------------------------------------


def test_clip() -> None:
    amount = np.arange(1.0, 101)
    costs = Costs.maintenance(amount, 4, repair_cost=2)
    low = costs.clip(0.9)
    net = amount - 6
    limit = np.quantile(net[net > 0], 0.9)
    assert low.net.fn == pytest.approx(np.minimum(net, limit))
    assert low.tp_cost == 6
    assert low.fp_cost == 4
    assert costs.clip(1.0).fn_cost == pytest.approx(costs.fn_cost)
    assert Costs.outcomes().clip(0.5) == Costs.outcomes()


def test_top_share() -> None:
    amount = np.r_[np.ones(99), 901.0]
    assert Costs.fraud(amount, 0).top_share == pytest.approx(0.901)
    assert np.isnan(Costs.outcomes().top_share)
    assert Costs.fraud(amount, 0).clip(0.9).top_share == pytest.approx(0.01)


@pytest.mark.parametrize("cls", [CGAdaClassifier, AdaC2Classifier])
def test_classifiers_clip_the_costs_of_training(cls: Any, tmp_path: Path) -> None:
    fn = np.r_[AMOUNT[:-1], 1e6]
    y = np.r_[Y[:-1], 1]
    clf = cls(n_estimators=5, clip_costs=0.95, fp_cost=20)
    clf.fit(X, y, fn_cost=fn)
    limit = np.quantile(fn, 0.95)
    same = cls(n_estimators=5, fp_cost=20).fit(X, y, fn_cost=np.minimum(fn, limit))
    assert clf.ensemble_ == same.ensemble_
    assert clf.clipped_share_ == pytest.approx(np.mean((fn > limit) & (y == 1)))
    assert not hasattr(same, "clipped_share_")
    costboost.save(clf, tmp_path / "m.costboost")
    loaded = costboost.load(tmp_path / "m.costboost")
    assert loaded.clipped_share_ == clf.clipped_share_
    assert loaded.get_params() == clf.get_params() == clone(clf).get_params()


def test_a_row_without_weight_is_not_clipped_to() -> None:
    fn = np.r_[AMOUNT[:-1], 1e6]
    weight = np.r_[np.ones(N - 1), 0.0]
    clf = CGAdaClassifier(n_estimators=5, clip_costs=0.9, fp_cost=20)
    clf.fit(X, Y, fn_cost=fn, sample_weight=weight)
    fewer = clone(clf).fit(X[:-1], Y[:-1], fn_cost=fn[:-1])
    assert clf.ensemble_ == fewer.ensemble_
    assert clf.clipped_share_ == pytest.approx(fewer.clipped_share_)


def test_a_warning_of_few_costly_rows() -> None:
    fn = np.r_[AMOUNT[:-1], 1e6]
    y = np.r_[Y[:-1], 1]
    clf = CGAdaClassifier(n_estimators=5, fp_cost=20)
    with pytest.warns(UserWarning, match=r"the costliest 1% of the rows have \d\d+% of the total"):
        clf.fit(X, y, fn_cost=fn)
    CGAdaClassifier(n_estimators=5, fp_cost=20, clip_costs=0.95).fit(X, y, fn_cost=fn)
    CostBoostClassifier(n_estimators=5).fit(X, y, fn_cost=fn)


@pytest.mark.parametrize("value", [0, 1.5, "0.9", True, np.nan])
def test_bad_quantiles(value: Any) -> None:
    with pytest.raises(ValueError, match="clip_costs must be a quantile above 0 and at most 1"):
        CGAdaClassifier(clip_costs=value).fit(X, Y)
