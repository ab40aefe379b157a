"""What is saved is measured against the best rule that needs no model, on page and terminal."""

from __future__ import annotations

import re
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from report.browsing import Open
from report.examples import Example, of_classes, of_rows, tumours
from report.test_browser import check, expected, factors, lowered, predictions_of, style
from report.test_page import Reader

import costboost
from costboost import ActionClassifier, CostBoostClassifier, OperatingPointClassifier, report
from costboost._core.baselines import BY_COSTS
from costboost._core.names import COST_NAMES, MISTAKES
from costboost.app.report.interactive import shown
from costboost.app.report.markup import MINUS
from costboost.app.report.numbers import (
    TwoClassPredictions,
    all_negative,
    all_positive,
    difference,
    goal_result,
    predict_two_classes,
    saved_by,
    without_model,
)
from costboost.metrics import mean_cost, savings

ALARM = 5.0


def noise(seed: int, n: int = 1200) -> tuple[Any, Any, Any]:
    """Features that say nothing, labels at random, and amounts."""
    random = np.random.default_rng(seed)
    X, amount = random.normal(size=(n, 5)), random.lognormal(3.0, 1.0, n)
    return X, (random.random(n) < 0.2).astype(int), amount


@cache
def of_noise(seed: int) -> tuple[CostBoostClassifier, TwoClassPredictions]:
    """A model of noise, and its predictions of held-out rows."""
    X, y, amount = noise(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # one class for all training rows
        model = CostBoostClassifier(n_estimators=5, random_state=0).fit(X[:900], y[:900])
    held = slice(900, None)
    return model, predict_two_classes(
        model, X[held], y[held], {"fn_cost": amount[held], "fp_cost": ALARM}, None
    )


# ---- savings that the model did not make ---------------------------------------------------------


def test_a_model_of_noise_claims_no_savings() -> None:
    claims, against_constants = 0, 0
    for seed in range(20):
        _, rows = of_noise(seed)
        claims += saved_by(rows, rows.predicted).low > 0
        constants = all_negative(rows), all_positive(rows)
        against_constants += all(difference(rows, rows.predicted, c).low > 0 for c in constants)
    assert claims <= 1
    assert against_constants >= 10


def test_the_rule_by_costs_has_the_share_of_training() -> None:
    model, rows = of_noise(0)
    share = model.class_prior_[1]
    assert share != rows.positive.mean()
    found = without_model(rows)["costs"]
    assert np.array_equal(found, share > ALARM / (ALARM + rows.fn_cost))


@pytest.mark.parametrize("costs", [(10.0, 1.0), (np.full(228, 10.0), np.full(228, 1.0))])
def test_costs_of_classes_have_constants_only(costs: Any) -> None:
    example = of_classes()
    rows = predict_two_classes(
        example.model, example.X, example.y, dict(zip(MISTAKES, costs, strict=True)), None
    )
    assert list(without_model(rows)) == ["none", "all"]
    assert (
        BY_COSTS
        not in report.html(
            example.model, example.X, example.y, fn_cost=costs[0], fp_cost=costs[1]
        ).split("<footer")[0]
    )


def test_the_page_names_every_rule_and_compares_with_the_best() -> None:
    X, y, amount = noise(0)
    model, rows = of_noise(0)
    held = slice(900, None)
    costs = {"fn_cost": amount[held], "fp_cost": ALARM}
    text = Reader(report.html(model, X[held], y[held], unit="EUR", **costs)).text
    top = text.split("Try other costs")[0]
    for name in ("always predicting 0", "always predicting 1", BY_COSTS):
        assert name in top
    assert f"Cost without a model{_cost(rows, 'costs')} EUR{BY_COSTS}" in top
    assert re.search(rf"Not proven: here the model \w+ [\d.,]+ EUR.*{BY_COSTS}", top)
    assert "A cost below 0 is a gain" not in text


def _cost(rows: TwoClassPredictions, name: str) -> str:
    wrong = without_model(rows)[name] != rows.positive
    return f"{(rows.cost * wrong).sum():.1f}".removesuffix(".0")


def test_the_share_saved_is_that_of_the_metric() -> None:
    _, rows = of_noise(1)
    truth, y_pred = rows.positive.astype(int), rows.predicted.astype(int)
    by_costs = without_model(rows)["costs"].astype(int)
    costs = {"fn_cost": rows.fn_cost, "fp_cost": ALARM}
    found = shown(rows, rows.predicted, style(of_rows()))["saved-share"]
    share = 100 * savings(truth, y_pred, baseline=by_costs, **costs)
    assert found == f"{share:.1f} %".replace("-", MINUS).replace(".0 %", " %")


# ---- in a browser --------------------------------------------------------------------------------


@cache
def fixed_of_rows() -> Example:
    """Predictions that no cost changes, measured by costs of rows."""
    X, held, y, truth = tumours()
    model = costboost.algorithms.CGAdaClassifier(n_estimators=20, fn_cost=5, fp_cost=1).fit(X, y)
    fn = np.random.default_rng(5).integers(1, 40, len(truth)) / 4
    return Example(model, held, truth, fn, np.full(len(truth), 2.5))


def test_sliders_of_fixed_predictions_move_the_rule_by_costs(open_page: Open) -> None:
    example = fixed_of_rows()
    page = open_page(example)
    check(page, expected(example, 1, 1))
    seen = set()
    for fn, fp in [(30, 0), (0, 70), (-120, 40), (200, -200)]:
        page.slide("fn", fn)
        page.slide("fp", fp)
        check(page, expected(example, *factors(example, page)))
        seen.add(page.texts()["costs-cost"])
    assert len(seen) > 2
    page.slide("goal", 99)  # intervals against the rule by costs are then not too short
    rows = predictions_of(example, *factors(example, page))
    texts = shown(rows, lowered(rows, 0.99), style(example))
    left_out = ("threshold", "costs-low", "costs-high", "saved-low", "saved-high")
    check(page, {name: text for name, text in texts.items() if name not in left_out})
    assert page.errors() == []


# ---- one page, one verdict -----------------------------------------------------------------------


def test_actions_by_amount_are_compared_with_actions_by_costs_alone() -> None:
    X, y, amount = noise(3)
    costs = {0: {"pay": 0.0, "block": ALARM}, 1: {"pay": amount, "block": 0.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        inner = CostBoostClassifier(n_estimators=5, random_state=0)
        clf = ActionClassifier(inner, costs=costs).fit(X[:900], y[:900])
    held, of_held = slice(900, None), {**costs, 1: {"pay": amount[900:], "block": 0.0}}
    found = clf.decision_report(X[held], y[held], costs=of_held)
    share = y[:900].mean()
    blocked = share * amount[held] > (1 - share) * ALARM
    paid = np.where(blocked, ALARM * (y[held] == 0), amount[held] * (y[held] == 1))
    assert found.by_costs == pytest.approx(paid.sum())
    assert found.against == BY_COSTS
    assert found.savings == pytest.approx(paid.sum() - found.realised_cost.sum())
    assert found.saved.low < 0 < found.saved.high
    assert BY_COSTS in str(found)
    assert "too few to be sure" in str(found)
    page = report.html(clf, X[held], y[held], costs=of_held, unit="EUR")
    assert page.count('<p class="verdict') == 1
    assert page.count("<dt>Share saved</dt>") == page.count("<dt>Saved</dt>") == 1
    assert BY_COSTS in re.findall(r'<p class="verdict.*?</p>', page)[0]


def test_no_money_has_an_exponent() -> None:
    example = of_classes()
    costs = {"fn_cost": 3.7e6, "fp_cost": 1.3e5}
    text = Reader(report.html(example.model, example.X, example.y, unit="USD", **costs)).text
    assert "3,700,000 USD for a miss" in text
    assert not re.findall(r"[\d.]+e[+-]?\d+", text.split("Where the numbers come from")[0])
    table = {
        "malignant": {"treat": 0, "wait": 3.7e6},
        "benign": {"treat": 1.3e5, "wait": 0},
    }
    clf = ActionClassifier(CostBoostClassifier(n_estimators=5), costs=table)
    clf.fit(example.X, example.y)
    plan = clf.plan(example.X, capacity={"treat": 10})
    for shown_text in (str(clf.decision_report(example.X, example.y)), str(plan)):
        assert not re.findall(r"\de[+-]?\d", shown_text)


# ---- goals ---------------------------------------------------------------------------------------


def test_a_goal_for_the_mean_cost_counts_right_predictions() -> None:
    X, held, y, truth = tumours()
    costs = {"fn_cost": 10.0, "fp_cost": 1.5, "tp_cost": 1.0, "tn_cost": 0.5}
    inner = costboost.algorithms.AdaMECClassifier(n_estimators=10, pos_label="malignant", **costs)
    clf = OperatingPointClassifier(inner, target="cost", at_most=2.0, random_state=0)
    clf.fit(X, y, **costs)
    rows = predict_two_classes(
        clf, held, truth, dict(zip(COST_NAMES, (10.0, 1.5, 1.0, 0.5), strict=True)), None
    )
    found = goal_result(clf, rows)
    assert found is not None
    y_pred = clf.predict(held)
    assert found.value == pytest.approx(mean_cost(truth, y_pred, pos_label="malignant", **costs))
    assert found.low < found.value < found.high
