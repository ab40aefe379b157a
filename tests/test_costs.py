"""`Costs`: its constructors, its rows and its money, and clipping in classifiers."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone

import costboost
from costboost import CostBoostClassifier, Costs
from costboost._core.names import COST_NAMES
from costboost.algorithms import AdaC2Classifier, CGAdaClassifier
from costboost.metrics import mean_cost, total_cost

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
        (lambda: Costs.outcomes().clip(0), "quantile must be a quantile above 0 and at most 1"),
        (lambda: Costs.outcomes().clip(True), "such as 0.99, got True"),
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


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
