"""Partial dependence of trees is the mean score with a feature set by force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import costboost
from costboost._core.explaining import Steps, mean_effect, partial_dependence
from costboost.classifiers.predictions import read_rows


def data(n: int = 150) -> tuple[pd.DataFrame, Any]:
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(n, 2)).round(1), columns=["a", "b"])
    X["count"] = random.choice([0, 1, 98], n, p=[0.6, 0.3, 0.1]).astype(float)
    X["city"] = pd.Categorical(random.choice(["Rome", "Oslo", "Lima"], n))
    X.loc[::7, "b"] = np.nan
    X.loc[3::11, "city"] = np.nan
    y = (X.a * (X["count"] > 0) + (X.city == "Oslo") + X.b.fillna(1) > 0.5).astype(int)
    return X, y.to_numpy()


@pytest.mark.parametrize("estimator", ["tree", "stump", "lookup"])
@pytest.mark.parametrize("j", range(4))
def test_it_is_the_mean_of_changed_rows(estimator: str, j: int) -> None:
    X, y = data()
    clf = costboost.algorithms.LogitBoostClassifier(estimator=estimator, n_estimators=8).fit(X, y)
    block = clf.model_.numbers(read_rows(clf, X))
    (shape,) = partial_dependence(clf.ensemble_, [j], clf.model_.coders, block)
    at = np.unique(block[:, j][~np.isnan(block[:, j])])
    between = (at[1:] + at[:-1]) / 2 if clf.model_.coders[j] is None else at
    ends = [at[0] - 1, at[-1] + 1] if clf.model_.coders[j] is None else []
    values = np.concatenate([at, between, ends, [np.nan]])

    def mean(value: float) -> float:
        changed = block.copy()
        changed[:, j] = value
        score = np.zeros(len(changed))
        clf.ensemble_.add_scores(iter([(slice(0, len(changed)), changed)]), score, 1)
        return float(score.mean())

    wanted = np.array([mean(value) for value in values])
    found = shape(values)
    assert_allclose(found - found[0], wanted - wanted[0], atol=1e-12)


def test_there_are_no_steps_where_the_model_has_none() -> None:
    """Of 0, 1 and 98, nothing is known in between but on which side of a threshold it lies."""
    X, y = data()
    clf = costboost.algorithms.LogitBoostClassifier(estimator="tree", n_estimators=8).fit(X, y)
    (shape,) = partial_dependence(
        clf.ensemble_, [2], clf.model_.coders, clf.model_.numbers(read_rows(clf, X))
    )
    assert isinstance(shape, Steps)
    assert 1 <= shape.cut.size <= 2
    assert len(set(shape(np.array([50.0, 60.0, 97.0])).tolist())) == 1


@pytest.mark.parametrize("j", [0, 3])
def test_the_mean_effect_over_the_rows_is_0(j: int) -> None:
    X, y = data()
    clf = costboost.algorithms.AdaMECClassifier(n_estimators=15, estimator="tree", max_depth=3).fit(
        X, y
    )
    rows = clf.model_.numbers(read_rows(clf, X))
    (shape,) = partial_dependence(clf.ensemble_, [j], clf.model_.coders, rows)
    found = mean_effect(clf.model_, rows, j)
    assert found is not None
    column = rows[:, j]
    assert found(column).mean() == pytest.approx(0, abs=1e-12)
    assert_allclose(found(column), shape(column) - shape(column).mean(), atol=1e-12)


def test_a_feature_that_no_tree_tests() -> None:
    X, y = data()
    X = X.assign(same=1.0)
    clf = costboost.algorithms.LogitBoostClassifier(estimator="tree", n_estimators=3).fit(X, y)
    assert mean_effect(clf.model_, clf.model_.numbers(read_rows(clf, X)), 4) is None
