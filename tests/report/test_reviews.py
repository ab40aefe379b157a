"""Reviews by a person, decided again in a browser: the numbers are those of ActionClassifier."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report.browsing import Open, Page
from report.examples import EXAMPLES, Example, of_classes, of_rows
from report.test_browser import style
from report.test_page import Reader, read
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator

from costboost import ActionClassifier, report
from costboost._core.baselines import interval, least_favourable
from costboost.app.report.markup import number, share

DECIDED = ["classes", "rows", "ties", "mixed"]
"""Examples without weights that decide by cost."""


class SharesOfTraining(ClassifierMixin, BaseEstimator):
    """No model: every row has the shares of the classes in the training of another."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.classes_ = model.classes_
        self.n_features_in_ = model.n_features_in_

    def fit(self, X: Any, y: Any) -> SharesOfTraining:
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[self.model.class_prior_.argmax()], len(X))

    def predict_proba(self, X: Any) -> Any:
        return np.repeat(self.model.class_prior_[np.newaxis], len(X), axis=0)


def library(example: Example, page: Page) -> dict[str, str]:
    """Texts of the page by the library: actions, realised costs, shadow price."""
    fn, fp = (
        page.box(name) * cost if np.ndim(cost) else np.full(len(example.y), page.box(name))
        for name, cost in (("fn", example.fn_cost), ("fp", example.fp_cost))
    )
    recall, specificity = page.box("recall") / 100, page.box("specificity") / 100
    label = example.label
    other = next(one for one in example.model.classes_ if one != label)
    free, review = np.zeros(len(fn)), np.full(len(fn), page.box("review"))
    costs = {
        label: {"negative": fn, "positive": free, "review": review},
        other: {"negative": free, "positive": fp, "review": review},
    }
    options = {
        "costs": costs,
        "reviewer": {"recall": recall, "specificity": specificity},
        "pos_label": label,
    }
    plan, blind = (
        ActionClassifier(FrozenEstimator(model), **options)
        .fit(example.X)
        .plan(example.X, capacity={"review": int(page.box("capacity"))})
        for model in (example.model, SharesOfTraining(example.model))
    )
    positive = np.asarray(example.y == label)
    paid = {
        "negative": np.where(positive, fn, 0),
        "positive": np.where(positive, 0, fp),
        "review": review + np.where(positive, (1 - recall) * fn, (1 - specificity) * fp),
    }
    own = np.select([plan.actions == name for name in paid], list(paid.values()))
    y_pred = example.model.predict(example.X, fn_cost=fn, fp_cost=fp)
    without = np.where(y_pred == label, paid["positive"], paid["negative"])
    by_costs = np.select([blind.actions == name for name in paid], list(paid.values()))
    rules = paid["negative"], paid["positive"], by_costs
    n, form = len(own), style(example)
    texts = {
        "review-cost": form.money(own.sum()),
        "review-rows": f"{plan.usage['review'][0]}",
        "review-share": share(plan.usage["review"][0] / n),
        "review-positive": f"{plan.usage['positive'][0]}",
        "review-negative": f"{plan.usage['negative'][0]}",
        "review-price": form.money(plan.shadow_prices["review"][0], mean=True),
    }
    for name, others in (("less", [without]), ("saved", rules)):
        saved = least_favourable(interval(other - own) for other in others)
        texts[f"review-{name}"] = form.money(saved.money)
        texts[f"review-{name}-low"] = number(saved.low, form.total)
        texts[f"review-{name}-high"] = form.money(saved.high)
    return texts


def check(example: Example, page: Page) -> dict[str, str]:
    found, texts = page.texts(), library(example, page)
    assert {name: found[name] for name in texts} == texts
    return texts


@pytest.mark.parametrize("name", DECIDED)
def test_reviews_are_those_of_the_library(open_page: Open, name: str) -> None:
    example = EXAMPLES[name]()
    page = open_page(example)
    page.check("reviewed")
    n, seen = len(example.y), set()
    first = check(example, page)
    for review, capacity, recall, specificity, fn in [
        (-100, n, 100, 100, 0),
        (-60, 11, 100, 100, 0),
        (-60, 3, 90, 95, 40),
        (-150, 0, 100, 100, 0),
        (-150, 40, 80, 99.5, -70),
        (30, n, 100, 100, 90),
        (200, n, 100, 100, 0),
    ]:
        page.slide("review", review)
        page.slide("capacity", capacity)
        page.slide("recall", recall)
        page.slide("specificity", specificity)
        page.slide("fn", fn)
        texts = check(example, page)
        assert int(texts["review-rows"]) <= capacity
        seen.add(texts["review-rows"])
    assert len(seen) > 3
    page.run("document.getElementById('reset').click()")
    assert check(example, page) == first
    assert page.errors() == []


@pytest.mark.parametrize("name", ["ties", "rows"])
def test_of_equal_rows_the_first_are_reviewed(open_page: Open, name: str) -> None:
    """Every number of reviews, with many rows that have the same savings."""
    example = EXAMPLES[name]()
    page = open_page(example)
    page.check("reviewed")
    page.slide("review", -130)
    wanted = int(page.texts()["review-rows"])
    assert wanted > 10
    for capacity in range(0, wanted + 2, 3):
        page.slide("capacity", capacity)
        texts = check(example, page)
        assert int(texts["review-rows"]) == min(capacity, wanted)
        assert (texts["review-price"] in ("0", "0 EUR")) == (capacity >= wanted)


def test_reviews_are_off_until_they_are_chosen(open_page: Open) -> None:
    page = open_page(of_classes())
    displayed = (
        "return ['review-controls', 'review-result'].map(id =>"
        "document.getElementById(id).getBoundingClientRect().height > 0)"
    )
    before = page.texts()
    assert page.run(displayed) == [False, False]
    assert before["review-cost"] == "–"
    page.check("reviewed")
    assert page.run(displayed) == [True, True]
    after = page.texts()
    assert {k: v for k, v in after.items() if not k.startswith("review")} == {
        k: v for k, v in before.items() if not k.startswith("review")
    }
    page.check("reviewed")
    assert page.run(displayed) == [False, False]


@pytest.mark.parametrize(
    ("name", "typed", "message"),
    [
        ("review", "-1", "-1 is not used: a cost must be above 0. In use: 0.5 EUR."),
        ("capacity", "2.5", "2.5 is not used: a number of reviews is whole and at least 0. "
         "In use: no limit."),
        ("recall", "101", "101 is not used: a rate is from 0 to 100 %. In use: 100 %."),
    ],
)  # fmt: skip
def test_bad_numbers_are_refused(
    open_page: Open,
    name: str,
    typed: str,
    message: str,
) -> None:
    page = open_page(of_classes())
    page.check("reviewed")
    before = page.texts()
    page.type(name, typed)
    page.leave(name)
    assert page.refused(name) == message
    assert page.texts() == before


def test_many_rows_are_decided_again_at_once(chrome: Any, tmp_path: Path) -> None:
    example, random = of_rows(), np.random.default_rng(0)
    rows = random.integers(0, len(example.y), 40_000)
    fn = random.gamma(2.0, 100.0, rows.size)
    path = report.write(
        tmp_path / "many.html",
        example.model,
        example.X.iloc[rows].reset_index(drop=True),
        example.y[rows],
        fn_cost=fn,
        fp_cost=20.0,
        random_state=0,
    )
    page = Page(chrome, path)
    page.check("reviewed")
    took = page.run(
        "const slider = document.getElementById('capacity'), start = performance.now();"
        "slider.value = 500; slider.dispatchEvent(new Event('input'));"
        "return performance.now() - start"
    )
    assert page.texts()["review-rows"] == "500"
    assert took < 1000


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("fixed", "this classifier does not decide by expected cost from probabilities"),
        ("weighted", "sample weights are given, and a review is of one row"),
    ],
)
def test_a_page_without_reviews_states_why(name: str, reason: str) -> None:
    page = read(name)
    assert f"No reviews by a person on this page: {reason}." in page.text
    assert "reviewed" not in page.ids


def test_many_rows_have_no_reviews(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("costboost.app.report.interactive.MOST_REVIEWED", 50)
    example = of_classes()
    page = Reader(report.html(example.model, example.X, example.y))
    assert "there are more than 50 rows" in page.text
