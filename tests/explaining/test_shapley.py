"""Shapley values against their definition."""

from __future__ import annotations

from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost.explaining import contributions


def rows_of(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = make_classification(
        300, 5, n_informative=4, n_redundant=0, class_sep=0.7, random_state=seed
    )
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame.loc[::6, "b"] = np.nan
    frame["e"] = pd.Categorical(np.digitize(X[:, 4], [-1, 0, 1]).astype(str))
    return frame, y


def by_definition(model: Any, X: pd.DataFrame, background: pd.DataFrame) -> np.ndarray:
    """All coalitions, all background rows."""
    names = list(X.columns)
    n = len(names)
    worth = {}
    for size in range(n + 1):
        for known in combinations(names, size):
            means = []
            for k in range(len(X)):
                mixed = background.copy()
                for name in known:
                    same = [X[name].iloc[k]] * len(mixed)
                    mixed[name] = pd.Series(same, mixed.index).astype(X[name].dtype)
                means.append(model.raw_score(mixed).mean())
            worth[known] = np.array(means)
    values = np.zeros((len(X), n))
    for j, name in enumerate(names):
        for known, before in worth.items():
            if name in known:
                continue
            after = worth[tuple(sorted((*known, name), key=names.index))]
            share = factorial(len(known)) * factorial(n - len(known) - 1) / factorial(n)
            values[:, j] += share * (after - before)
    return values


@pytest.mark.parametrize(
    "options",
    [
        {"estimator": "stump"},
        {"estimator": "lookup"},
        {"estimator": "tree", "max_depth": 2},
        {"estimator": "tree", "max_depth": None, "max_leaf_nodes": 12},
    ],
)
@pytest.mark.parametrize("pos_label", [0, 1])
def test_values_are_those_of_the_definition(options: dict[str, Any], pos_label: int) -> None:
    X, y = rows_of(0)
    model = costboost.RealBoostClassifier(n_estimators=8, pos_label=pos_label, **options).fit(X, y)
    some, background = X[:3], X[100:112]
    found = model.explain(some, background)
    assert np.allclose(found, by_definition(model, some, background), atol=1e-10)


@pytest.mark.parametrize("estimator", ["stump", "tree", "lookup", "logistic"])
def test_values_add_up_to_the_score(estimator: str) -> None:
    X, y = rows_of(1)
    X = X.drop(columns="e") if estimator == "logistic" else X
    model = costboost.AdaBoostClassifier(n_estimators=20, estimator=estimator).fit(X, y)
    found = model.explain(X)
    score = model.raw_score(X)
    assert found.shape == X.shape
    assert np.allclose(found.sum(axis=1), score - score.mean(), atol=1e-9)


def test_many_patterns_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = rows_of(4)
    model = costboost.AdaBoostClassifier(n_estimators=3, estimator="tree", max_depth=6).fit(X, y)
    whole = model.explain(X)
    monkeypatch.setattr(contributions, "CELLS", 10)
    assert np.array_equal(model.explain(X), whole)
    monkeypatch.setattr(contributions, "MOST_FEATURES", 2)
    with pytest.raises(ValueError, match="train with a smaller max_depth"):
        model.explain(X)


def test_a_feature_that_is_not_used_has_no_value() -> None:
    X, y = rows_of(2)
    model = costboost.AdaBoostClassifier(n_estimators=3, estimator="tree").fit(X, y)
    unused = model.feature_importances_ == 0
    assert np.all(model.explain(X)[:, unused] == 0)


def test_bad_input() -> None:
    X, y = rows_of(3)
    model = costboost.AdaBoostClassifier(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="pass the rows to compare it with"):
        model.explain(X[:1])
    with pytest.raises(ValueError, match="feature names"):
        model.explain(X, X.rename(columns={"a": "z"}))
    numbers = X[["a", "c", "d"]]
    wrapped = costboost.AdaBoostClassifier(
        n_estimators=3, estimator=DecisionTreeClassifier(max_depth=1)
    ).fit(numbers, y)
    with pytest.raises(ValueError, match="cannot be explained"):
        wrapped.explain(numbers)
