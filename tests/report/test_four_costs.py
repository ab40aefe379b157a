"""Costs of all four outcomes: money on the page and in a browser is that of the metrics."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from report.browsing import Open, Page
from report.examples import Example, of_classes, of_rows
from report.test_page import Reader
from sklearn.frozen import FrozenEstimator

import costboost
from costboost import ActionClassifier, report
from costboost._core.names import COST_NAMES
from costboost._core.rules.record import NetCosts
from costboost.app.report.markup import Style, number, share
from costboost.app.report.numbers import predict_two_classes
from costboost.metrics import savings, total_cost

GAINS = {"tp_cost": -4.0, "tn_cost": 0.5}


@cache
def by_class() -> Example:
    """Costs of classes; a hit gains something."""
    example = of_classes()
    return replace(example, more={"unit": "EUR", **GAINS})


@cache
def by_row() -> Example:
    """Costs of rows; for some rows a miss is cheaper than a hit, for some a false alarm is free."""
    example = of_rows()
    n = len(example.y)
    random = np.random.default_rng(3)
    tp, tn = random.integers(0, 12, n) / 4, -random.integers(0, 5, n) / 4
    fn, fp = np.asarray(example.fn_cost), np.where(np.arange(n) % 17 == 0, tn, 2.5)
    fn = np.where((fn < tp) & (fp <= tn), tp + 1, fn)
    assert (fn < tp).sum() > 3
    return replace(
        example, fn_cost=fn, fp_cost=fp, more={"unit": "EUR", "tp_cost": tp, "tn_cost": tn}
    )


def costs_on(example: Example, page: Page) -> dict[str, Any]:
    """The four costs at the values of the boxes; those of rows are multiplied beyond the right."""
    tp, tn = example.more["tp_cost"], example.more["tn_cost"]
    fn, fp = page.box("fn"), page.box("fp")
    if np.ndim(example.fn_cost):
        fn = tp + fn * (example.fn_cost - tp)
        fp = tn + fp * (example.fp_cost - tn)
    return {"fn_cost": fn, "fp_cost": fp, "tp_cost": tp, "tn_cost": tn}


def style_of(example: Example) -> Style:
    given = example.options
    costs = {name: given[name] for name in COST_NAMES}
    rows = predict_two_classes(example.model, example.X, example.y, costs, None)
    return Style.of("EUR", rows.greatest_cost, rows.weight)


@pytest.mark.parametrize("make", [by_class, by_row])
def test_sliders_show_the_money_of_the_metrics(open_page: Open, make: Any) -> None:
    example = make()
    page, form, seen = open_page(example), style_of(example), set()
    for fn, fp in [(0, 0), (60, 0), (-80, 30), (0, 150), (-200, 0), (200, -200)]:
        page.slide("fn", fn)
        page.slide("fp", fp)
        costs = costs_on(example, page)
        y_pred = example.model.predict(example.X, **costs)
        found = page.texts()
        scored = {**costs, "pos_label": example.label}
        cost = total_cost(example.y, y_pred, **scored)
        net = NetCosts(costs["fn_cost"] - costs["tp_cost"], costs["fp_cost"] - costs["tn_cost"])
        by_costs = np.where(
            example.model.model_.prior > net.threshold, example.label, _other(example)
        )
        baselines = ["constant", np.broadcast_to(by_costs, len(y_pred))]
        assert found["cost"] == form.money(cost)
        how = {**scored, "counted": "avoidable"}
        least = min(savings(example.y, y_pred, baseline=one, **how) for one in baselines)
        assert found["saved-share"] == share(least)
        assert ("costs-cost" in found) == (make is by_row)
        for name, label in (("none", False), ("all", True)):
            constant = np.where(label, example.label, _other(example))
            every = total_cost(example.y, np.full(len(example.y), constant), **scored)
            assert found[f"{name}-cost"] == number(every, form.total)
            assert found[f"{name}-saved"] == number(every - cost, form.total)
        seen.add(found["cost"])
    assert len(seen) > 3
    assert page.errors() == []


def _other(example: Example) -> Any:
    return next(one for one in example.model.classes_ if one != example.label)


@pytest.mark.parametrize("make", [by_class, by_row])
def test_reviews_count_all_four_costs(open_page: Open, make: Any) -> None:
    example = make()
    page, form = open_page(example), style_of(example)
    page.check("reviewed")
    n = len(example.y)
    for review, capacity, recall in [(-60, n, 100), (-60, 9, 100), (-130, 20, 90)]:
        page.slide("review", review)
        page.slide("capacity", capacity)
        page.slide("recall", recall)
        cost = {k: np.broadcast_to(v, n) for k, v in costs_on(example, page).items()}
        free = np.full(n, page.box("review"))
        table = {
            example.label: {
                "negative": cost["fn_cost"],
                "positive": cost["tp_cost"],
                "review": free,
            },
            _other(example): {
                "negative": cost["tn_cost"],
                "positive": cost["fp_cost"],
                "review": free,
            },
        }
        clf = ActionClassifier(
            FrozenEstimator(example.model),
            costs=table,
            reviewer={"recall": recall / 100, "specificity": 1.0},
            pos_label=example.label,
        ).fit(example.X)
        limit = {"review": int(page.box("capacity"))}
        plan = clf.plan(example.X, capacity=limit)
        realised = clf.decision_report(example.X, example.y, capacity=limit).realised_cost.sum()
        found = page.texts()
        assert found["review-rows"] == f"{plan.usage['review'][0]}"
        assert found["review-cost"] == form.money(realised)
        assert found["review-price"] == form.money(plan.shadow_prices["review"][0], mean=True)


def test_the_page_states_all_four_costs() -> None:
    example = by_class()
    text = Reader(report.html(example.model, example.X, example.y, **example.options)).text
    assert (
        "10 EUR for a miss (false negative), 1 EUR for a false alarm (false positive), -4 EUR for "
        "a hit (true positive) and 0.5 EUR for a right negative (true negative)"
    ) in text
    assert "of what perfect decisions would save" in text
    assert "beyond that of right predictions" in text
    assert "A cost below 0 is a gain." in text
    assert "cost of a hit−4 EUR" in text


def test_costs_of_training_are_used() -> None:
    """A model that was trained with four costs needs none for a report."""
    example = of_classes()
    costs = {"fn_cost": 10, "fp_cost": 1, **GAINS}
    model = costboost.algorithms.AdaMECClassifier(n_estimators=5, **costs, pos_label="malignant")
    X, y = example.X, example.y
    model.fit(X[:150], y[:150])
    stated = report.html(model, X[150:], y[150:], **costs)
    assert report.html(model, X[150:], y[150:]) == stated


def test_a_cost_must_be_above_that_of_the_right_prediction(open_page: Open) -> None:
    page = open_page(by_class())
    page.type("fp", "0.25")
    page.leave("fp")
    assert page.refused("fp") == (
        "0.25 is not used: a cost must be above 0.5, that of the right prediction. In use: 1 EUR."
    )


def test_one_prediction_for_all_rows_is_nothing_to_report() -> None:
    example = of_classes()
    with pytest.raises(ValueError, match="fn_cost - tp_cost is -2 and fp_cost - tn_cost is 1"):
        report.html(example.model, example.X, example.y, fn_cost=1, fp_cost=1, tp_cost=3)
