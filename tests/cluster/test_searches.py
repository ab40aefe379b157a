"""Searches and comparisons whose fits run on a Dask cluster by joblib's back end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_breast_cancer

from costboost import CostSearchCV, OperatingPointClassifier
from costboost import compare as compare_classifiers
from costboost.algorithms import AdaC2Classifier, AdaMECClassifier

da = pytest.importorskip("dask.array")
X, y = load_breast_cancer(return_X_y=True)
X, y = X[:200, :6], y[:200]
COST = np.random.default_rng(0).uniform(1, 9, size=len(y))

SEARCHES = {
    "costs": CostSearchCV(
        AdaC2Classifier(n_estimators=4), fn_costs=[1, 2, 4], fn_cost=3, cv=3, random_state=0
    ),
    "threshold": OperatingPointClassifier(
        AdaMECClassifier(n_estimators=4), at_least=0.9, cv=3, random_state=0
    ),
    "refit": OperatingPointClassifier(
        AdaC2Classifier(n_estimators=4),
        at_least=0.5,
        method="refit",
        fn_costs=[1, 4],
        cv=2,
        random_state=0,
    ),
}


def n_transitions(client: Any) -> int:
    """How often a task of the cluster has changed its state."""

    def count(dask_scheduler: Any) -> int:  # a function that is pickled by value
        return int(dask_scheduler.transition_counter)

    return int(client.run_on_scheduler(count))


@pytest.mark.parametrize("name", SEARCHES)
def test_searches_find_the_same(client: Any, name: str) -> None:
    def results() -> tuple[Any, Any]:
        found = SEARCHES[name].fit(X, y, fn_cost=COST)
        timed = {key: v for key, v in found.cv_results_.items() if "time" not in key}
        return timed, found.predict(X)

    local, predicted = results()
    before = n_transitions(client)
    with parallel_config(backend="dask"):
        on_cluster, found = results()
    assert n_transitions(client) > before
    assert local.keys() == on_cluster.keys()
    for key, value in local.items():
        np.testing.assert_array_equal(on_cluster[key], value)
    np.testing.assert_array_equal(found, predicted)


def test_compare_finds_the_same(client: Any) -> None:
    def results() -> list[dict[str, Any]]:
        both = [AdaC2Classifier(n_estimators=4), AdaMECClassifier(n_estimators=4)]
        found = compare_classifiers(both, X, y, fn_cost=COST, cv=3, random_state=0)
        return [
            {key: value for key, value in row.items() if "seconds" not in key}
            for row in found.rows()
        ]

    local = results()
    with parallel_config(backend="dask"):
        assert results() == local


def test_dask_collections_are_refused() -> None:
    rows = da.from_array(X, chunks=50)
    with pytest.raises(ValueError, match=r"CostSearchCV trains on many parts.*backend='dask'"):
        SEARCHES["costs"].fit(rows, y)
    with pytest.raises(ValueError, match="OperatingPointClassifier trains on many parts"):
        SEARCHES["threshold"].fit(X, da.from_array(y, chunks=50))
    with pytest.raises(ValueError, match="compare trains on many parts of the rows"):
        compare_classifiers([AdaC2Classifier()], rows, y)
