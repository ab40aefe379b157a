"""The page on more than two classes: the library's numbers, and nothing that does not apply."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from report.test_page import Reader
from sklearn.datasets import load_digits, load_wine
from sklearn.metrics import confusion_matrix

import costboost
from costboost import multiclass, report
from costboost._core.baselines import Z
from costboost.app.report import page as page_module
from costboost.app.report.markup import Style, number, share
from costboost.app.report.numbers import IGNORING, MODEL, predict_several_classes
from costboost.app.report.page import make

MATRIX = np.array([[0.0, 1.5, 2.0], [3.0, 0.0, 1.0], [60.0, 40.0, 0.0]])
NAMES = np.array(["<b>barolo</b>", "grignolino", "barbera & co"])


@cache
def wines() -> tuple[Any, Any, Any]:
    """Half of the rows to train on and half to hold out; names that are HTML."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X.rename(columns={"alcohol": "<i>alcohol</i>"}), NAMES[y], np.arange(len(y)) % 2 == 0


@cache
def fitted(name: str = "AdaMEC") -> Any:
    X, y, train = wines()
    made = {
        "AdaMEC": costboost.algorithms.AdaMECClassifier(n_estimators=20, cost_matrix=MATRIX),
        "CGAda": costboost.algorithms.CGAdaClassifier(n_estimators=20, cost_matrix=MATRIX),
        "GBSE": multiclass.GBSEClassifier(n_estimators=5, cost_matrix=MATRIX, random_state=0),
        "MetaCost": multiclass.MetaCostClassifier(n_estimators=5, relabel=False, random_state=0),
    }
    return made[name].fit(X[train], y[train])


def held() -> tuple[Any, Any]:
    X, y, train = wines()
    return X[~train], y[~train]


MODELS = ["AdaMEC", "CGAda", "GBSE", "MetaCost"]


# ---- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weights", [False, True])
def test_numbers_are_the_library_s(name: str, weights: bool) -> None:
    model, (X, y) = fitted(name), held()
    weight = np.arange(len(y)) % 4 / 2 if weights else np.ones(len(y))
    rows = predict_several_classes(model, X, y, sample_weight=weight if weights else None)
    y_pred = model.predict(X)
    table = confusion_matrix(y, y_pred, labels=model.classes_, sample_weight=weight)
    matrix = MATRIX if name != "MetaCost" else 1 - np.eye(3)
    np.testing.assert_allclose(rows.confusion(rows.predicted.code), table)
    assert rows.cost(rows.predicted.code) == pytest.approx((table * matrix).sum())
    always = [(table.sum(axis=1) @ matrix)[j] for j in range(3)]
    assert rows.best_constant == int(np.argmin(always))
    assert rows.savings is not None
    assert rows.savings.money == pytest.approx(1 - rows.cost(rows.predicted.code) / min(always))
    assert (IGNORING in rows.ways) == (name in ("AdaMEC", "CGAda", "MetaCost"))


def test_what_is_saved_has_the_interval_of_a_sum() -> None:
    X, y = held()
    rows = predict_several_classes(fitted(), X, y)
    code = {label: k for k, label in enumerate(fitted().classes_)}
    truth = np.array([code[label] for label in y])
    constant = np.full(len(y), rows.best_constant)
    paid = MATRIX[truth, constant] - MATRIX[truth, rows.predicted.code]
    found = rows.saved(constant)
    half = Z * np.sqrt(len(y)) * paid.std(ddof=1)
    np.testing.assert_allclose(found, [paid.sum(), paid.sum() - half, paid.sum() + half])


def test_other_costs_decide_where_they_can() -> None:
    X, y = held()
    other = 1 - np.eye(3)
    rows = predict_several_classes(fitted(), X, y, other)
    np.testing.assert_array_equal(
        fitted().classes_[rows.predicted.code], fitted().predict(X, cost_matrix=other)
    )
    for name in ("CGAda", "GBSE"):
        rows = predict_several_classes(fitted(name), X, y, other)
        np.testing.assert_array_equal(
            fitted(name).classes_[rows.predicted.code], fitted(name).predict(X)
        )
        assert rows.cost(rows.predicted.code) == rows.wrong(rows.predicted.code)


# ---- the page ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_the_page_is_whole_and_safe(name: str) -> None:
    X, y = held()
    page = Reader(report.html(fitted(name), X, y, unit="EUR", trained_on="half of the wines"))
    assert len(set(page.ids)) == len(page.ids)
    tags = [tag for tag, _ in page.elements]
    assert not {"script", "b", "i", "input"} & set(tags)
    assert "<b>barolo</b>" in page.text
    assert "half of the wines" in page.text
    assert "there are no sliders" in page.text
    assert "nan" not in page.text.lower().split()
    headings = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
    assert all(b <= a + 1 for a, b in itertools.pairwise(headings))
    for tag, attributes in page.elements:
        assert tag != "th" or "scope" in attributes
        if tag == "svg":
            assert set(str(attributes["aria-labelledby"]).split()) <= set(page.ids)
    assert "<i>alcohol</i>" in page.text
    assert ("no calibration to show" in page.text) == (name == "GBSE")


def test_content_of_the_page() -> None:
    X, y = held()
    rows = predict_several_classes(fitted(), X, y)
    page = Reader(report.html(fitted(), X, y, unit="EUR"))
    style = Style.of("EUR", rows.greatest_cost, rows.weight)
    assert f"the predictions cost {style.money(rows.cost(rows.predicted.code))}:" in page.text
    assert rows.savings is not None
    assert share(rows.savings.money) in page.text
    rounds = sum(one.n_iter_ for one in fitted().estimators_)
    assert f"{rounds} in all, one classifier for each class: " in page.text
    for name, code in rows.ways.items():
        assert name in page.text
        assert number(rows.cost(code), style.total) in page.text
        if name != MODEL:
            assert number(rows.saved(code).low, style.total) in page.text


def test_many_classes_are_listed_by_what_they_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_digits(return_X_y=True)
    clf = costboost.algorithms.AdaMECClassifier(n_estimators=5).fit(X[::2], y[::2])
    rows = predict_several_classes(clf, X[1::2], y[1::2])
    many = replace(rows, classes=np.array([f"class {k}" for k in range(10)]))
    style = Style.of("", many.greatest_cost, many.weight)
    assert "predicted class 3" in page_module._confusion(many, style)
    assert "every error" in page_module.costs_card(many, style)
    monkeypatch.setattr(page_module, "MOST_IN_TABLE", 5)
    assert "costliest confusions of 10 classes" in page_module._confusion(many, style)
    costly = replace(many, matrix=many.matrix * np.arange(1, 11))
    assert "greatest" in page_module.costs_card(costly, style)


def test_bad_input() -> None:
    X, y = held()
    with pytest.raises(ValueError, match="give cost_matrix"):
        report.html(fitted(), X, y, fn_cost=2)
    with pytest.raises(ValueError, match="y contains 'merlot'"):
        report.html(fitted(), X, np.where(np.arange(len(y)) == 3, "merlot", y))
    with pytest.raises(ValueError, match=r"must have the shape \(3, 3\)"):
        report.html(fitted(), X, y, cost_matrix=np.eye(2))
    with pytest.raises(ValueError, match="has 89 rows, but y has 88"):
        report.html(fitted(), X, y[1:])
    two = costboost.algorithms.AdaMECClassifier(n_estimators=3).fit(X, y == NAMES[0])
    with pytest.raises(ValueError, match="cost_matrix is for more than two classes"):
        report.html(two, X, y == NAMES[0], cost_matrix=MATRIX)


def test_the_file_is_written(tmp_path: Path) -> None:
    X, y = held()
    path = report.write(tmp_path / "r.html", fitted(), pd.DataFrame(X), y, cost_matrix=MATRIX.T)
    assert path.read_text().startswith("<!DOCTYPE html>")


# ---- in a browser --------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [320, 390, 768, 1440])
def test_nothing_sticks_out(chrome: Any, tmp_path: Path, width: int) -> None:
    X, y = held()
    path = report.write(tmp_path / "r.html", fitted(), X, y, unit="EUR")
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        chrome.get(path.as_uri())
        assert chrome.execute_script("return document.documentElement.scrollWidth") <= width
        outside = chrome.execute_script(
            "return [...document.querySelectorAll('svg, dd, h1, h3')]"
            ".filter(node => node.getBoundingClientRect().right > arguments[0] + 0.5)"
            ".map(node => node.outerHTML.slice(0, 80))",
            width,
        )
        assert outside == []
        reachable = chrome.execute_script(
            "return [...document.querySelectorAll('.scroll')].every(node => node.tabIndex === 0"
            " && node.getAttribute('aria-label'))"
        )
        assert reachable
        assert [one for one in chrome.get_log("browser") if one["level"] != "DEBUG"] == []
    finally:
        chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_rounds_of_every_class_are_given() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(240, 2))
    y = np.array(["x", "y", "z"])[np.digitize(X[:, 0] + 0.3 * random.normal(size=240), [-1.2, 0.2])]
    clf = costboost.algorithms.AdaMECClassifier(
        n_estimators=60, early_stopping=True, n_iter_no_change=3, random_state=0
    ).fit(X[:150], y[:150])
    rounds = [one.n_iter_ for one in clf.estimators_]
    assert len(set(rounds)) > 1
    text = make(clf, X[150:], y[150:]).text
    each = ", ".join(f"{name} {n}" for name, n in zip("xyz", rounds, strict=True))
    assert f"{sum(rounds)} in all, one classifier for each class: {each}<" in text
