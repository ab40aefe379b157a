"""Limits on trees that no machine integer holds: no limit, or no split at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from classifiers.trying import problem, row_costs, same_model

from costboost import load, save
from costboost.algorithms import AdaBoostClassifier, CGAdaClassifier, LogitBoostClassifier
from costboost.multiclass import DSEClassifier, GBSEClassifier

HUGE = [2**31, 2**63, 10**30]


@pytest.mark.parametrize("huge", HUGE)
@pytest.mark.parametrize("classifier", [AdaBoostClassifier, LogitBoostClassifier])
def test_a_tree_may_be_of_any_size(classifier: Any, huge: int) -> None:
    X, y = problem(120)
    options = {"estimator": "tree", "n_estimators": 3}
    free = classifier(max_depth=None, **options).fit(X, y)
    limited = classifier(max_depth=huge, max_leaf_nodes=huge, **options).fit(X, y)
    same_model(limited, free)


@pytest.mark.filterwarnings("ignore:.* added no learner:UserWarning")
@pytest.mark.parametrize("learner", ["stump", "tree"])
@pytest.mark.parametrize("by_row", [False, True])
@pytest.mark.parametrize("huge", HUGE)
def test_more_rows_in_a_leaf_than_there_are(learner: str, by_row: bool, huge: int) -> None:
    X, y = problem(120)
    costs = row_costs(len(y)) if by_row else {}
    options = {"estimator": learner, "n_estimators": 3}
    expected = CGAdaClassifier(min_samples_leaf=1000, **options).fit(X, y, **costs)
    clf = CGAdaClassifier(min_samples_leaf=huge, **options).fit(X, y, **costs)
    same_model(clf, expected)
    LogitBoostClassifier(min_samples_leaf=huge, **options).fit(X, y)


@pytest.mark.parametrize("huge", HUGE)
@pytest.mark.parametrize("classifier", [GBSEClassifier, DSEClassifier])
def test_several_classes(classifier: Any, huge: int, tmp_path: Path) -> None:
    X, y = problem(120)
    y = y + (X[:, 1] > 0)
    options = {"n_estimators": 2, "random_state": 0}
    free = classifier(max_depth=None, **options).fit(X, y)
    deep = classifier(max_depth=huge, **options).fit(X, y)
    np.testing.assert_array_equal(deep.predict(X), free.predict(X))
    flat = classifier(min_samples_leaf=huge, **options).fit(X, y)
    assert np.unique(flat.predict(X)).size == 1
    if classifier is GBSEClassifier:
        save(deep, tmp_path / "model")
        np.testing.assert_array_equal(load(tmp_path / "model").predict(X), free.predict(X))
