"""Effects of features are drawn as the steps they are, where the rows lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import costboost
from costboost.app.report.numbers import (
    predict_two_classes,
)
from costboost.app.report.page import make
from costboost.app.report.plot_data import effects


def skewed(estimator: str, n: int = 600) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(0)
    X = pd.DataFrame({"income": random.lognormal(0, 1, n), "x": random.normal(size=n)})
    X.loc[:2, "income"] = 1e6
    cities = ["Aix", "Bonn", "Cork", "Dijon", "Ely"]
    drawn = random.choice(cities, n, p=[0.01, 0.2, 0.7, 0.09, 0])
    X["city"] = pd.Categorical(drawn, categories=cities)
    y = (X.income + X.x + (X.city == "Bonn") > 2).astype(int)
    clf = costboost.algorithms.LogitBoostClassifier(estimator=estimator, n_estimators=15).fit(X, y)
    return clf, X, y


@pytest.mark.parametrize("estimator", ["stump", "tree"])
def test_effects_are_drawn_where_the_rows_lie(estimator: str) -> None:
    clf, X, y = skewed(estimator)
    rows = predict_two_classes(clf, X, y, {}, None)
    found = {effect.feature: effect for effect in effects(clf, X, rows, 0).found}
    income = found[0]
    assert_allclose(income.x[[0, -1]], np.quantile(X.income, [0.01, 0.99], method="inverted_cdf"))
    assert np.all(np.diff(income.x) >= 0)
    assert np.all((np.diff(income.x) == 0) | (np.diff(income.y) == 0))
    assert income.rows.sum() == X.income.between(income.x[0], income.x[-1]).sum()
    city = found[2]
    assert city.x == ["Cork", "Bonn", "Dijon", "Aix"]
    assert city.rows.tolist() == X.city.value_counts()[city.x].tolist()


@pytest.mark.parametrize("step", [0, 3, 300])
def test_numbers_between_which_there_are_few_floats(step: int) -> None:
    """Identifiers near 2^60: only every 256th whole number is a float."""
    random = np.random.default_rng(0)
    ids = 2**60 + random.permutation(2000) * step
    X = pd.DataFrame({"id": ids, "x": random.normal(size=2000)})
    y = (ids - 2**60 + random.normal(size=2000) * 1000 * step + X.x > 1000 * step).astype(int)
    clf = costboost.algorithms.AdaMECClassifier(n_estimators=5).fit(X, y)
    rows = predict_two_classes(clf, X, y, {}, None)
    found = {effect.feature: effect for effect in effects(clf, X, rows, 0).found}
    assert (0 in found) == (step > 0)
    if step:
        floats = X.id.astype(float)
        shown = floats.between(found[0].x[0], found[0].x[-1])
        assert found[0].rows.sum() == shown.sum()
    make(clf, X, y, fn_cost=2)


def test_an_axis_follows_the_weights() -> None:
    clf, X, y = skewed("stump")
    weight = (X.income < 1).astype(float) + 1e-6
    rows = predict_two_classes(clf, X, y, {}, weight)
    income = next(one for one in effects(clf, X, rows, 0).found if one.feature == 0)
    assert income.x[-1] < 1


def test_a_line_stays_a_line() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    clf = costboost.algorithms.CSLogitBoostClassifier(n_estimators=3).fit(X, X[:, 0] > 0)
    rows = predict_two_classes(clf, X, X[:, 0] > 0, {}, None)
    for effect in effects(clf, X, rows, 0).found:
        assert effect.x.size == 2


def test_pictures_show_rows_and_pale_bars() -> None:
    clf, X, y = skewed("tree")
    text = make(clf, X[300:], y[300:], fn_cost=2).text
    assert 'class="rows"' in text
    assert 'class="f0 pale"' in text
    assert "fewer than 20 rows" in text
