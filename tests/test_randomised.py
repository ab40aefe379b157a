"""Rows and features drawn for each round, and penalised leaf values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone

from costboost import AdaBoostClassifier, LogitBoostClassifier, RealBoostClassifier
from costboost.engine._kernels import draw_features, draw_rows, hash_of

FAMILIES = [LogitBoostClassifier, AdaBoostClassifier, RealBoostClassifier]


def noisy(n: int = 300, d: int = 6, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows of two classes that overlap, with ties and missing values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(1)
    X[rng.random((n, d)) < 0.05] = np.nan
    score = np.nansum(X[:, :3], axis=1) + X[:, 3] ** 2 + rng.normal(size=n)
    return X, (score > np.nanmedian(score)).astype(int)


def model(clf: Any) -> list[Any]:
    """Everything that training determines."""
    ensemble = clf.ensemble_
    arrays = [getattr(ensemble, name) for name in ("feature", "threshold", "left", "value")]
    return [clf.n_iter_, *(np.asarray(a).tobytes() for a in (*arrays, clf.estimator_weights_))]


# ---- draws ---------------------------------------------------------------------------------------


def test_shares_of_rows_and_features() -> None:
    n, share = 20_000, 0.3
    numbers, out = np.arange(n), np.empty(n, dtype=np.uint32)
    drawn = np.zeros((20, n), dtype=bool)
    for m in range(20):
        a, b, c, d = draw_rows(hash_of(5, m), share, numbers, 7_000, out)
        assert (a, b) == (0, c)
        np.testing.assert_array_equal(out[:d] < 7_000, np.arange(d) < b)
        drawn[m, out[:d]] = True
    assert abs(drawn.mean() - share) < 4 * np.sqrt(share * (1 - share) / drawn.size)
    assert abs(drawn[:, :7_000].mean() - share) < 0.006
    together = (drawn[:-1] & drawn[1:]).mean()  # rounds are independent of each other
    assert abs(together - share**2) < 0.003
    times = np.zeros((10, 10), dtype=int)
    for key in range(2_000):
        times[np.arange(10), draw_features(hash_of(key, 1), 10)] += 1
    assert np.all(times.sum(axis=0) == 2_000)
    assert np.all(abs(times - 200) < 5 * np.sqrt(200 * 0.9))


def test_all_rows_or_none() -> None:
    numbers, out = np.arange(50), np.empty(50, dtype=np.uint32)
    assert draw_rows(1, 1.0, numbers, 20, out) == [0, 20, 20, 50]
    np.testing.assert_array_equal(out, numbers)
    assert draw_rows(1, 0.0, numbers, 20, out) == [0, 0, 0, 0]


# ---- models --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", FAMILIES)
@pytest.mark.parametrize("learner", ["stump", "tree", "lookup"])
def test_warm_start_continues_the_draws(cls: Any, learner: str) -> None:
    X, y = noisy()
    given: Any = {"estimator": learner, "subsample": 0.6, "max_features": 2}
    if cls is LogitBoostClassifier:
        given["l2_regularization"] = 1.0
    whole = cls(n_estimators=12, random_state=3, **given).fit(X, y)
    part = cls(n_estimators=5, random_state=3, warm_start=True, **given).fit(X, y)
    assert model(part) != model(whole)
    assert model(part.set_params(n_estimators=12).fit(X, y)) == model(whole)
    assert model(clone(whole).set_params(random_state=4).fit(X, y)) != model(whole)


def test_warm_start_without_a_random_state() -> None:
    X, y = noisy()
    given: Any = {"estimator": "tree", "subsample": 0.5, "n_estimators": 4, "warm_start": True}
    clf = LogitBoostClassifier(**given).fit(X, y)
    first = np.asarray(clf.ensemble_.feature)
    seed = clf.model_.seed
    assert seed is not None
    clf.set_params(n_estimators=8).fit(X, y)
    assert clf.model_.seed == seed
    np.testing.assert_array_equal(clf.ensemble_.feature[: first.size], first)


@pytest.mark.parametrize("cls", FAMILIES)
@pytest.mark.parametrize("learner", ["stump", "tree"])
def test_threads_do_not_matter(cls: Any, learner: str) -> None:
    X, y = noisy(3_000, 40)
    given: Any = {"estimator": learner, "subsample": 0.5, "max_features": "sqrt", "random_state": 0}
    models = [model(cls(n_estimators=6, n_jobs=n, **given).fit(X, y)) for n in (1, 2, 5)]
    assert models[0] == models[1] == models[2]
