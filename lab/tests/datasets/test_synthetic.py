"""The made-up problems have the properties that their papers state."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from costboost.algorithms import AdaBoostClassifier
from costboost_lab.datasets import (
    make_banana,
    make_clusters,
    make_gaussians,
    make_ten_points,
    make_three_points,
)

RANDOM: list[Callable[..., Any]] = [make_gaussians, make_clusters, make_banana]


@pytest.mark.parametrize("make", RANDOM)
def test_the_seed_decides(make: Callable[..., Any]) -> None:
    X, y = make(500, random_state=3)
    again, _ = make(500, random_state=3)
    other, _ = make(500, random_state=4)
    np.testing.assert_array_equal(X, again)
    assert not np.array_equal(X, other)
    assert y.dtype == np.int64
    assert set(y.tolist()) == {-1, 1}
    assert (np.diff(y) != 0).sum() > 100, "the classes are mixed"


@pytest.mark.parametrize("make", RANDOM)
@pytest.mark.parametrize("n", [0, -1, 2.5])
def test_a_number_of_rows_that_makes_no_sense(make: Callable[..., Any], n: Any) -> None:
    with pytest.raises(ValueError, match="whole number of at least 1"):
        make(n)


def test_gaussians() -> None:
    X, y = make_gaussians(random_state=0)
    assert X.shape == (20_000, 1)
    assert (y == 1).sum() == 10_000
    for label in (-1, 1):
        assert X[y == label].mean() == pytest.approx(label, abs=0.04)
        assert X[y == label].std() == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("ratio", [1, 5, 20])
def test_gaussians_have_the_boundary_of_the_paper(ratio: int) -> None:
    X, y = make_gaussians(200_000, random_state=0)
    places = np.linspace(-3, 1, 401)
    costs = [np.mean(np.where(y == 1, ratio * (X[:, 0] <= x), X[:, 0] > x)) for x in places]
    assert places[np.argmin(costs)] == pytest.approx(-log(ratio) / 2, abs=0.1)


def test_clusters() -> None:
    X, y = make_clusters(random_state=0)
    assert X.shape == (2000, 2)
    np.testing.assert_allclose(X[y == 1].mean(axis=0), [0, 0], atol=0.15)
    np.testing.assert_allclose(X[y == -1].mean(axis=0), [3, 3], atol=0.15)


def test_banana_is_as_hard_as_the_benchmark() -> None:
    (X, y), (X_test, y_test) = make_banana(random_state=0), make_banana(random_state=1)
    assert (y == 1).mean() == pytest.approx(0.45, abs=0.02)
    error = 1 - KNeighborsClassifier(30).fit(X, y).score(X_test, y_test)
    assert 0.08 < error < 0.13


def test_three_points() -> None:
    X, y = make_three_points()
    assert AdaBoostClassifier(n_estimators=1).fit(X, y).score(X, y) < 1
    assert AdaBoostClassifier(n_estimators=4).fit(X, y).score(X, y) == 1


def test_ten_points_take_three_rounds() -> None:
    X, y = make_ten_points()
    clf = AdaBoostClassifier(n_estimators=3).fit(X, y)
    np.testing.assert_allclose(clf.estimator_errors_, [3 / 10, 3 / 14, 3 / 22])
    np.testing.assert_allclose(clf.estimator_weights_, [0.42, 0.65, 0.92], atol=0.005)
    np.testing.assert_array_equal(clf.predict(X), y)
