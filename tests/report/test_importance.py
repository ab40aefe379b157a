"""Features are worth the money that is lost if their values are shuffled."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

from costboost import CostBoostClassifier, OperatingPointClassifier
from costboost._core.names import MISTAKES
from costboost.algorithms import AdaBoostClassifier, AdaMECClassifier
from costboost.app.report.importance import (
    MOST_ROWS,
    used_features,
    with_shuffled,
    worth_to_several,
    worth_to_two,
)
from costboost.app.report.numbers import predict_several_classes, predict_two_classes
from costboost.app.report.page import make


@cache
def data(n_classes: int = 2) -> tuple[pd.DataFrame, np.ndarray]:
    """Two features that tell, and text that has almost as many values as there are rows."""
    random = np.random.default_rng(0)
    n = 2400
    X = pd.DataFrame(random.normal(size=(n, 2)), columns=["strong", "weak"])
    X["text"] = pd.Categorical([f"id {k}" for k in random.integers(0, n, n)])
    X["level"] = pd.Categorical(random.integers(0, 200, n).astype(str))
    score = 2 * X.strong + 0.7 * X.weak + random.logistic(size=n)
    return X, np.digitize(score, [1.5] if n_classes == 2 else [-1, 1.5])


@cache
def fitted(n_classes: int = 2) -> Any:
    X, y = data(n_classes)
    return CostBoostClassifier(n_estimators=20, random_state=0).fit(X[:1600], y[:1600])


def worth(model: Any, X: Any, costs: tuple[Any, Any] = (5.0, 1.0), seed: Any = None) -> Any:
    rows = predict_two_classes(
        model, X, data()[1][1600:], dict(zip(MISTAKES, costs, strict=True)), None
    )
    return worth_to_two(model, X, rows, seed)


def test_noise_is_worth_nothing() -> None:
    X, _ = data()
    clf = fitted()
    gain = dict(zip(X.columns, clf.feature_importances_, strict=True))
    assert gain["text"] + gain["level"] > 0.1
    found = worth(clf, X[1600:])
    names = [X.columns[j] for j in found.features]
    assert names[0] == "strong"
    assert found.lost[0].low > 0.1 * 800
    lost = dict(zip(names, found.lost, strict=True))
    for name in ("text", "level"):
        assert lost[name].low <= 0 < 0.1 * lost["strong"].money - lost[name].money


def test_it_is_the_mean_cost_of_decisions_on_shuffled_rows() -> None:
    """For a model of one feature with class costs, the expectation is known."""
    X, y = data()
    one = AdaMECClassifier(n_estimators=1).fit(X[["strong"]][:1600], y[:1600])
    held, truth = X[["strong"]][1600:], y[1600:]
    rows = predict_two_classes(one, held, truth, {"fn_cost": 5.0, "fp_cost": 1.0}, None)
    found = worth_to_two(one, held, rows, 0)
    called = one.predict(held, fn_cost=5.0, fp_cost=1.0) == 1
    positive = truth == 1
    before = np.mean(np.where(positive, 5.0 * ~called, 1.0 * called))
    after = positive.mean() * 5.0 * (1 - called.mean()) + (1 - positive.mean()) * called.mean()
    assert found.lost[0].money == pytest.approx(800 * (after - before), rel=0.1)
    assert found.features.tolist() == [0]


def test_costs_of_rows_count() -> None:
    """Ten times the costs is ten times the money; rows that cost little count little."""
    X, _ = data()
    held = X[1600:]
    cost = np.where(held.strong > 0, 8.0, 2.0)
    once, tenfold = (worth(fitted(), held, (k * cost, k * 1.5)) for k in (1.0, 10.0))
    assert [one.money for one in tenfold.lost] == pytest.approx([10 * x.money for x in once.lost])
    little = worth(fitted(), held, (1e-6 * cost, np.where(held.strong > 0, 1e-6, 1e-9)))
    assert abs(little.lost[0].money) < 800 * 1e-4


def test_the_seed_is_fixed() -> None:
    X, _ = data()
    first, again = (worth(fitted(), X[1600:]) for _ in range(2))
    assert first.lost == again.lost
    assert worth(fitted(), X[1600:], seed=1).lost != first.lost


@pytest.mark.parametrize("container", [pa.Table.from_pandas, pl.from_pandas])
def test_containers_have_the_same_importances(container: Any) -> None:
    X, _ = data()
    held = X[1600:].reset_index(drop=True)
    assert worth(fitted(), container(held)).lost == worth(fitted(), held).lost


@pytest.mark.parametrize(
    "container", [np.asarray, sparse.csr_array, sparse.coo_matrix, pd.DataFrame, pl.DataFrame]
)
def test_a_column_is_shuffled_alone(container: Any) -> None:
    values = np.random.default_rng(0).normal(size=(9, 3))
    X, order = container(values), np.random.default_rng(1).permutation(9)
    X = X.tocsr() if sparse.issparse(X) else X
    found = with_shuffled(X, 1, order)
    found = found.toarray() if sparse.issparse(found) else np.asarray(found)
    expected = values.copy()
    expected[:, 1] = values[order, 1]
    np.testing.assert_array_equal(found, expected)
    again = X.toarray() if sparse.issparse(X) else np.asarray(X)
    np.testing.assert_array_equal(again, values)


def test_several_classes() -> None:
    X, y = data(3)
    matrix = np.array([[0, 1, 1], [2, 0, 1], [9, 1, 0]])
    clf = fitted(3)
    rows = predict_several_classes(clf, X[1600:], y[1600:], matrix)
    found = worth_to_several(clf, X[1600:], rows, None)
    assert found.features[0] == 0
    assert found.lost[0].low > 0
    text = make(clf, X[1600:], y[1600:], cost_matrix=matrix, unit="EUR").text
    assert "What the features are worth" in text


def test_rows_and_features_are_bounded() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(MOST_ROWS + 500, 60))
    y = (X.sum(axis=1) > 0).astype(int)
    clf = AdaMECClassifier(n_estimators=200).fit(X[:800], y[:800])
    rows = predict_two_classes(clf, X, y, {}, None)
    found = worth_to_two(clf, X, rows, 0)
    assert (found.n_rows, len(found.lost)) == (MOST_ROWS, 40)
    assert found.n_used == np.count_nonzero(clf.feature_importances_) > 40


def test_models_around_others_and_learners_of_others() -> None:
    X, y = data()
    numbers = X[["strong", "weak"]]
    inner = CostBoostClassifier(n_estimators=5, random_state=0)
    goal = OperatingPointClassifier(inner, at_least=0.8, cv=2)
    tree = AdaBoostClassifier(n_estimators=3, estimator=DecisionTreeClassifier(max_depth=2))
    for clf in (goal, tree):
        clf.fit(numbers[:1600], y[:1600])
        assert worth(clf, numbers[1600:]).features[0] == 0
    assert set(used_features(tree)) == {0, 1}


def test_the_page_states_money_and_unit() -> None:
    X, y = data()
    text = make(fitted(), X[1600:], y[1600:], fn_cost=5, unit="EUR", rows_are="loans").text
    assert "What these loans would cost more in EUR if the values of a feature were" in text
    assert "measured on 800 rows, over 3 shuffles" in text
    assert "Importance of the features" not in text
