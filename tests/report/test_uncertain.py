"""Uncertain costs and actions in the report: equal to the numbers of the library."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from report.browsing import Page
from report.examples import fixed, of_classes, tumours
from scipy import stats
from sklearn.frozen import FrozenEstimator

from costboost import ActionClassifier, CostBoostClassifier, report
from costboost.app.report.actions import of_two_classes
from costboost.app.report.markup import Style, escape, number, share
from costboost.app.report.numbers import predict_two_classes
from costboost.app.report.words import Words
from costboost.metrics import total_cost
from costboost.plots import UncertainCostDisplay

RANGES: dict[str, Any] = {"fn_cost": (4.0, 30.0), "fp_cost": stats.gamma(4, scale=0.5)}


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def section_of(page: str, identity: str) -> str:
    found = re.search(rf'<section aria-labelledby="{identity}">.*?</section>', page, re.DOTALL)
    assert found is not None
    return text_of(found[0])


def test_costs_within_the_ranges_equal_a_search_over_their_ends() -> None:
    example = of_classes()
    rows = predict_two_classes(example.model, example.X, example.y, RANGES, None)
    part = of_two_classes(rows, Words())
    assert part is not None
    low, high = stats.gamma(4, scale=0.5).interval(0.95)
    predicted = example.model.predict(example.X, fn_cost=17.0, fp_cost=2.0)
    ways = [predicted, np.full_like(predicted, "benign"), np.full_like(predicted, "malignant")]
    cost = np.array([
        [total_cost(example.y, one, fn_cost=fn, fp_cost=fp) for one in ways]
        for fn, fp in itertools.product((4.0, 30.0), (low, high))
    ])  # fmt: skip
    means = [total_cost(example.y, one, fn_cost=17.0, fp_cost=2.0) for one in ways]
    for k in range(3):
        codes = None if k == 0 else np.full_like(part.truth, k - 1)
        found = part.decided.total(part.truth, codes)
        assert_allclose(found, [means[k], cost[:, k].min(), cost[:, k].max()])
    for k in (1, 2):
        saved = cost[:, k] - cost[:, 0]
        found = part.decided.saved(part.truth, np.full_like(part.truth, k - 1))
        assert_allclose(found, [means[k] - means[0], saved.min(), saved.max()])


def test_the_band_equals_the_display() -> None:
    example = of_classes()
    rows = predict_two_classes(example.model, example.X, example.y, RANGES, None)
    decided = rows.uncertain()
    assert decided is not None
    fn, fp = RANGES.values()
    table = {
        "benign": {"negative": 0, "positive": fp},
        "malignant": {"negative": fn, "positive": 0},
    }
    clf = ActionClassifier(FrozenEstimator(example.model), costs=table).fit(example.X)
    for cell in decided.cells():
        display = UncertainCostDisplay.from_estimator(clf, example.X, cell=cell)
        found = decided.move(cell)
        assert_allclose(found.cost, display.cost)
        assert_allclose(found.known, display.known)
        for mine, theirs in zip(
            (found.decided, found.lower, found.upper), display.decided[:3], strict=True
        ):
            assert_allclose(mine, theirs)
    assert_allclose(decided.regret, clf.robustness(example.X).regret)
    page = report.html(example.model, example.X, example.y, **RANGES, unit="EUR")
    shown = section_of(page, "uncertain")
    robust = clf.robustness(example.X)
    style = Style.of("EUR", rows.greatest_cost, rows.weight)
    assert f"Decisions that hold {share(robust.share)}" in shown
    assert f"At stake in the others {style.money(robust.at_stake)}" in shown
    ends = decided.total(rows.positive.astype(np.intp))
    assert f"{style.money(ends.mean)} {number(ends.low, style.total)} to " in shown
    assert "4 to 30 EUR (17 on average) for a miss" in text_of(page)
    assert "uncertain: 4 EUR to 30 EUR, 17 EUR on average" in text_of(page)
    assert page.count("<polygon") == 2


def test_ranges_of_rows_weights_and_fixed_predictions() -> None:
    example = fixed()
    n = len(example.y)
    random = np.random.default_rng(0)
    low = random.uniform(1, 2, n)
    costs = (low, low + 3)
    weight = random.integers(0, 3, n).astype(float)
    rows = predict_two_classes(
        example.model, example.X, example.y, {"fn_cost": costs, "fp_cost": 1.0}, weight
    )
    decided = rows.uncertain()
    assert decided is not None
    predicted = example.model.predict(example.X)
    ends = [
        total_cost(example.y, predicted, fn_cost=cost, fp_cost=1.0, sample_weight=weight)
        for cost in (low + 1.5, *costs)
    ]
    assert_allclose(decided.total(rows.positive.astype(np.intp)), ends)
    page = report.html(example.model, example.X, example.y, fn_cost=costs, sample_weight=weight)
    shown = section_of(page, "uncertain")
    assert "Decisions that hold" not in shown  # they are not those of least cost
    assert "share of its range" in page


def test_no_section_without_ranges() -> None:
    example = of_classes()
    page = report.html(example.model, example.X, example.y, fn_cost=10, fp_cost=1)
    assert 'id="uncertain' not in page
    assert 'id="actions"' not in page


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ((9.0, 4.0), "fn_cost must be a range from low to high, got 9 to 4"),
        ((1.0, np.nan), "fn_cost must be finite, got nan"),
        (("a", "b"), "fn_cost"),
        (stats.cauchy(), "fn_cost is a distribution whose mean"),
    ],
)
def test_bad_ranges(cost: Any, message: str) -> None:
    example = of_classes()
    with pytest.raises(ValueError, match=message):
        report.html(example.model, example.X, example.y, fn_cost=cost)


@pytest.mark.parametrize("frozen", [False, True])
def test_actions(frozen: bool) -> None:
    X, held, y, truth = tumours()
    inner: Any = CostBoostClassifier(n_estimators=10, random_state=0)
    inner = FrozenEstimator(inner.fit(X, y)) if frozen else inner
    costs = {
        "malignant": {"treat": 0, "wait": (50, 400), "look": 5},
        "benign": {"treat": 40, "wait": 0, "look": 5},
    }
    clf = ActionClassifier(inner, costs=costs).fit(X, y)
    page = report.html(clf, held, truth, unit="EUR", fn_cost=100, fp_cost=10)
    (verdict,) = re.findall(r'<p class="verdict.*?</p>', page)
    assert "for all rows" in verdict
    assert page.count("Share saved") == 1
    found = clf.decision_report(held, truth)
    style = Style.of("EUR", *greatest(clf, held, truth))
    shown = section_of(page, "actions")
    assert f"Cost with the model {style.money(found.realised_cost.sum())}" in text_of(page)
    assert f"{style.money(abs(found.savings))} less than" in text_of(page)
    for k, action in enumerate(found.actions):
        numbers = (found.expected_cost[k], found.realised_cost[k], found.if_all[k])
        cells = " ".join(number(one, style.total) for one in numbers)
        assert f"{action} {number(found.rows[k], 0)} {share(found.share[k])} {cells}" in shown
    shown = section_of(page, "uncertain-actions")
    robust = clf.robustness(held)
    assert f"At stake in the others {style.money(robust.at_stake)}" in shown
    assert escape("cost of wait where malignant is true") in page


def greatest(clf: Any, X: Any, y: Any) -> tuple[float, Any]:
    inner = getattr(clf.estimator_, "estimator", None) or clf.estimator_
    rows = predict_two_classes(inner, X, y, {"fn_cost": 100, "fp_cost": 10}, None)
    table = {truth: [0, 225, 5] if truth == "malignant" else [40, 0, 5] for truth in set(y)}
    greatest = sum(max(table[truth]) for truth in y)
    return max(rows.greatest_cost, greatest), rows.weight


def test_actions_of_several_classes() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 3))
    y = np.digitize(X[:, 0] + random.normal(0, 0.3, 300), [-0.5, 0.5])
    costs = {k: {a: abs(k - j) * 2.0 for j, a in enumerate("abc")} for k in range(3)}
    for row in costs.values():
        row["ask"] = 0.7
    clf = ActionClassifier(CostBoostClassifier(n_estimators=5), costs=costs).fit(X, y)
    assert "ask" in section_of(report.html(clf, X + 0.01, y), "actions")


PAYMENTS: dict[str, dict[str, Any]] = {
    "malignant": {"treat": 2, "wait": 200, "look": 6},
    "benign": {"treat": 40, "wait": 0, "look": 6},
}


def test_the_verdict_is_on_the_actions() -> None:
    """Savings and interval by hand; no caution about predictions at costs that were not given."""
    X, held, y, truth = tumours()
    inner = CostBoostClassifier(n_estimators=10, random_state=0)
    clf = ActionClassifier(inner, costs=PAYMENTS, pos_label="malignant").fit(X, y)
    actions = clf.predict(held)
    paid = np.array([PAYMENTS[k][a] for k, a in zip(truth, actions, strict=True)], dtype=float)
    constant = {a: np.array([PAYMENTS[k][a] for k in truth], dtype=float) for a in clf.actions_}
    best = min(constant, key=lambda a: constant[a].sum())
    saved = constant[best] - paid
    half = 1.96 * np.sqrt(saved.size * saved.var(ddof=1))
    page = report.html(clf, held, truth, unit="EUR", rows_are="patients")
    text = text_of(page)
    words = f'Using the model saves {saved.sum():,.0f} EUR on these patients against "{best}"'
    assert words in text.replace("&quot;", '"')
    assert f"interval {saved.sum() - half:,.0f} to {saved.sum() + half:,.0f}" in text
    always = dict(PAYMENTS, benign={"treat": 40, "wait": 10, "look": 6})
    blind = ActionClassifier(inner, costs=always).fit(X, y)
    shown = text_of(report.html(blind, held, np.asarray(truth)))
    assert "is predicted" not in shown.split("Actions")[0]


@pytest.mark.parametrize(
    ("table", "reviewer"),
    [
        (PAYMENTS, {"recall": 0.9, "specificity": 0.95}),
        ({"malignant": {"wait": 200, "treat": 0, "look": 6},
          "benign": {"wait": 0, "treat": 40, "look": 6}}, None),
    ],
)  # fmt: skip
def test_reviews_of_the_page_start_as_the_model_decides(
    chrome: Any, tmp_path: Path, table: Any, reviewer: Any
) -> None:
    X, held, y, truth = tumours()
    inner = CostBoostClassifier(n_estimators=10, random_state=0)
    named = {} if reviewer is None else {"reviewer": {"look": reviewer}}
    clf = ActionClassifier(inner, costs=table, pos_label="malignant", **named).fit(X, y)
    page = Page(chrome, report.write(tmp_path / "page.html", clf, held, truth, unit="EUR"))
    page.check("reviewed")
    found, own = page.texts(), clf.decision_report(held, truth)
    rows = dict(zip(own.actions, own.rows, strict=True))
    assert found["review-rows"] == f"{rows['look']:.0f}"
    assert (found["review-positive"], found["review-negative"]) == (
        f"{rows['treat']:.0f}", f"{rows['wait']:.0f}"
    )  # fmt: skip
    assert float(found["review-cost"].split()[0].replace(",", "")) == pytest.approx(
        own.realised_cost.sum(), abs=0.51
    )
    page.set("capacity", 3)
    plan = clf.plan(held, capacity={"look": 3})
    assert page.texts()["review-rows"] == f"{plan.usage['look'][0]}"
    price = float(page.texts()["review-price"].split()[0])
    assert price == pytest.approx(plan.shadow_prices["look"][0], abs=0.01)
    assert not page.errors()
