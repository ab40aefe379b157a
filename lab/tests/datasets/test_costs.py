"""Costs of data sets: the formulas against sums, and the costs of the other label."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from costboost import Costs, compare
from costboost.algorithms import CGAdaClassifier
from costboost_lab.datasets import load
from costboost_lab.datasets.records import TidyTable, costs_of


def profit(amount: float, months: int, interest: float, funding: float) -> float:
    """Payments of a loan, month by month, each worth less the later it comes."""
    payment = _payment(amount, months, interest / 12)
    worth = sum(payment / (1 + funding / 12) ** k for k in range(1, months + 1))
    return worth - amount


def _payment(amount: float, months: int, rate: float) -> float:
    """The payment that brings the debt to nothing: found by bisection on the balance."""
    low, high = 0.0, 2 * amount
    for _ in range(200):
        middle, debt = (low + high) / 2, amount
        for _ in range(months):
            debt = debt * (1 + rate) - middle
        low, high = (middle, high) if debt > 0 else (low, middle)
    return low


def test_lending_month_by_month() -> None:
    amounts, months = np.array([1000.0, 2500.0, 400.0]), np.array([12, 24, 6])
    found = Costs.lending(
        amounts, default_rate=0.2, months=months, interest=0.1, funding=0.03, loss_given_default=0.6
    )
    profits = np.array([profit(a, m, 0.1, 0.03) for a, m in zip(amounts, months, strict=True)])
    instead = 0.2 * 0.6 * amounts.mean() - 0.8 * profits.mean()
    np.testing.assert_allclose(found.fn_cost, 0.6 * amounts)
    np.testing.assert_allclose(found.fp_cost, profits + instead, rtol=1e-9)
    assert found.tp_cost == found.tn_cost == 0


def test_lending_never_costs_less_than_nothing() -> None:
    found = Costs.lending([10.0, 1e6], default_rate=1e-6, interest=0.5)
    assert found.fp_cost[0] == 0 < found.fp_cost[1]


def test_costboost_takes_them() -> None:
    costs = Costs.outcomes(fn_cost=20.0, fp_cost=1.0, tp_cost=1.0)
    X, y = load_breast_cancer(return_X_y=True)
    clf = [CGAdaClassifier(n_estimators=5)]
    same = compare(clf, X, y, fn_cost=20, tp_cost=1, cv=2, random_state=0)
    found = compare(clf, {"data": (X, y, costs)}, cv=2, random_state=0)
    assert found.rows()[0]["cost"] == same.rows()[0]["cost"]


def a_table(**columns: Any) -> TidyTable:
    frame = pd.DataFrame(columns)
    return TidyTable(X=frame, y=np.array([1, 0, 1, 0]), extra=frame)


def test_costs_in_columns() -> None:
    table = a_table(a=[1, 2, 3, 4], b=[5, 6, 7, 8], c=[0, 0, 1, 1], d=[0, 0, 0, 0])
    options = {"kind": "columns", "fn": "a", "fp": "b", "tp": "c", "tn": "d", "unit": "u"}
    costs = costs_of(options, table, 1)
    np.testing.assert_array_equal(costs.net.fn, [1, 2, 2, 3])
    np.testing.assert_array_equal(costs.net.fp, [5, 6, 7, 8])
    assert costs.unit == "u"


def test_costs_of_deposits() -> None:
    table = a_table(balance=[-100, 0, 100, 1000])
    options = {"kind": "deposit", "balance": "balance", "contact": 1.0, "share": 0.25, "rate": 0.1}
    costs = costs_of(options, table, 1)
    np.testing.assert_allclose(costs.fn_cost, [1, 1, 2.5, 25])
    np.testing.assert_allclose(costs.net.fn, [0, 0, 1.5, 24])
    assert costs.fp_cost == 1


def test_costs_of_a_mailing() -> None:
    table = a_table(gift=[10.0, np.nan, 20.0, 0.0])
    costs = costs_of({"kind": "mailing", "gift": "gift", "postage": 0.5}, table, 1)
    np.testing.assert_allclose(costs.fn_cost, [10, 15, 20, 15])
    np.testing.assert_allclose(costs.net.fn, [9.5, 14.5, 19.5, 14.5])


def test_a_matrix() -> None:
    options = {"kind": "matrix", "labels": ("a", "b"), "values": ((0, 1), (2, 0)), "column": "c"}
    costs = costs_of(options, a_table(c=list("abab")), None)
    assert costs.table.tolist() == [[0, 1], [2, 0]]
    assert costs.classes == ("a", "b")


# ---- the choice of the positive label ------------------------------------------------------------


def test_the_other_label_swaps_the_costs(places: Any) -> None:
    places.put(places.data_file)
    data, other = load("toy"), load("toy", pos_label="no")
    assert (data.pos_label, *data.costs.net) == ("yes", 4.5, 1.0)
    assert (other.pos_label, *other.costs.net) == ("no", 1.0, 4.5)
    np.testing.assert_array_equal(data.y, other.y)
    assert load("toy", pos_label="yes").costs == data.costs


def test_one_label_against_the_rest(places: Any, toy: Any) -> None:
    several = replace(toy, classes={"no": 2, "yes": 2, "maybe": 1}, positive=None, costs=None)
    raw = pd.DataFrame({"size": [1, 2, None, None, 3], "colour": list("abcab"), "weight": range(5)})
    table = raw.assign(target=["yes", "no", "maybe", "yes", "no"])
    places.patch.setattr("costboost_lab.datasets.records.record", lambda name: several)
    places.patch.setattr("costboost_lab.datasets.loading.read_original", lambda path, record: table)
    places.put(places.data_file)

    data = load("toy")
    assert data.pos_label is data.costs is None
    assert data.y.tolist() == ["yes", "no", "maybe", "yes", "no"]
    view = load("toy", pos_label="yes")
    assert (view.pos_label, view.costs) == (1, None)
    assert view.y.tolist() == [1, 0, 0, 1, 0]
    assert view.y.dtype == np.int64


def test_a_label_that_does_not_exist(places: Any) -> None:
    with pytest.raises(ValueError, match=r"'toy' has no label 'maybe', only \['no', 'yes'\]"):
        load("toy", pos_label="maybe")


def test_fields_have_the_names_of_scikit_learn(places: Any) -> None:
    places.put(places.data_file)
    data = load("toy")
    assert data.data is data.X
    assert data.target is data.y
