"""Models of several classes do not depend on shards and threads, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from time import sleep
from typing import Any

import numpy as np
import pandas as pd
import pytest
from divided import in_shards
from sklearn.base import clone

from costboost import algorithms as cb
from costboost._core.threads.team import each

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* ignores costs"),
    pytest.mark.filterwarnings("ignore:.* added no learner"),
    pytest.mark.filterwarnings("ignore:.* predicts one class"),
]
COSTS = [[0, 1, 5, 2], [2, 0, 1, 1], [9, 1, 0, 3], [1, 2, 1, 0]]
TREE: dict[str, Any] = {"estimator": "tree", "max_depth": 3}
DRAWN: dict[str, Any] = {"subsample": 0.6, "max_features": 2, "random_state": 0}
MODELS: dict[str, Any] = {
    "multinomial stumps": cb.MultinomialLogitBoostClassifier(),
    "multinomial trees": cb.MultinomialLogitBoostClassifier(**TREE, l2_regularization=1.0),
    "multinomial tables": cb.MultinomialLogitBoostClassifier(estimator="lookup"),
    "multinomial, drawn": cb.MultinomialLogitBoostClassifier(**TREE, **DRAWN),
    "GLL": cb.GLLBoostClassifier(**TREE, cost_matrix=COSTS),
    "GEL": cb.GELBoostClassifier(cost_matrix=COSTS),
    "SAMME stumps": cb.SAMMEClassifier(),
    "SAMME trees": cb.SAMMEClassifier(**TREE, interaction_cst="pairwise"),
    "SAMME, drawn": cb.SAMMEClassifier(**TREE, **DRAWN),
    "SAMME.C2": cb.SAMMEC2Classifier(**TREE, cost_matrix=COSTS),
    "AdaC2.M1": cb.AdaC2M1Classifier(**TREE, cost_matrix=COSTS),
    "BAdaCost stumps": cb.BAdaCostClassifier(cost_matrix=COSTS),
    "BAdaCost trees": cb.BAdaCostClassifier(**TREE, cost_matrix=COSTS),
}


def rows(n: int) -> tuple[Any, Any, Any]:
    """Numbers with ties and missing values, categories, labels and weights."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(n, 3)).round(2), columns=list("abc"))
    score = X.a + X.b * X.c + rng.normal(size=n)
    X["kind"] = pd.Categorical(rng.choice(list("uvwxy"), n))
    y = np.digitize(score + (X.kind == "u"), [-1, 0, 1])
    return X.mask(rng.random(X.shape) < 0.05), y, rng.uniform(0.5, 2, n)


def trained(clf: Any) -> list[Any]:
    """Everything that training determines."""
    ensemble = clf.ensemble_
    arrays = [getattr(ensemble, name) for name in ("feature", "threshold", "left", "value")]
    return [clf.n_iter_, *(np.asarray(one).tobytes() for one in (*arrays, ensemble.column))]


@pytest.mark.parametrize("name", MODELS)
def test_shards_do_not_matter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, weight = rows(240)
    clf = clone(MODELS[name]).set_params(n_estimators=4)
    one = trained(clone(clf).fit(X, y, sample_weight=weight))
    assert one[0] > 0
    for n_shards in (2, 5):
        in_shards(monkeypatch, n_shards)
        assert trained(clone(clf).fit(X, y, sample_weight=weight)) == one


@pytest.mark.parametrize("name", MODELS)
def test_threads_do_not_matter(name: str) -> None:
    X, y, weight = rows(6_000)
    clf = clone(MODELS[name]).set_params(n_estimators=3)
    fits = [clone(clf).set_params(n_jobs=n).fit(X, y, sample_weight=weight) for n in (1, 2, 5)]
    one, *more = map(trained, fits)
    assert more == [one, one]


# ---- classes side by side ------------------------------------------------------------------------

GROUPS: dict[str, Any] = {"interaction_cst": [["a", "b"], ["b", "c", "kind"]]}
LEAVES: dict[str, Any] = {"estimator": "tree", "max_depth": None, "max_leaf_nodes": 9}
BESIDE: dict[str, Any] = {
    **{name: clf for name, clf in MODELS.items() if name[0] in "mG"},
    "constraints": cb.MultinomialLogitBoostClassifier(**LEAVES, **GROUPS, min_samples_leaf=5),
    "constraints, drawn": cb.GLLBoostClassifier(**LEAVES, **GROUPS, **DRAWN, cost_matrix=COSTS),
    "hardly any rows drawn": cb.MultinomialLogitBoostClassifier(
        **LEAVES, subsample=2e-4, random_state=0
    ),
}


class Beside:
    """`each`, which records how many threads there were, and which of them worked."""

    def __init__(self) -> None:
        self.n_workers: list[int] = []
        self.threads: set[int] = set()

    def __call__(self, work: Callable[[int, int], Any], n_items: int, most: int) -> list[Any]:
        def recorded(lane: int, item: int) -> Any:
            self.threads.add(get_ident())
            if len(self.threads) < 2:
                sleep(0.01)  # for another thread to begin, before this one has done all
            return work(lane, item)

        self.n_workers.append(most)
        return each(recorded, n_items, most)


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Beside:
    """Threads are used for however few rows."""
    recorded = Beside()
    monkeypatch.setattr("costboost._core.threads.counts.PARALLEL_CELLS", 1)
    monkeypatch.setattr("costboost._core.rows.rows.each", recorded)
    return recorded


@pytest.mark.parametrize("name", BESIDE)
def test_classes_side_by_side_are_those_one_after_the_other(
    name: str, beside: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In threads, in threads of which some share a tree, and in threads that have all shards."""
    X, y, weight = rows(2_500)
    clf = clone(BESIDE[name]).set_params(n_estimators=3)

    def fitted(n_jobs: int) -> list[Any]:
        return trained(clone(clf).set_params(n_jobs=n_jobs).fit(X, y, sample_weight=weight))

    one = fitted(1)
    assert one[0] > 0
    assert not beside.n_workers
    assert [fitted(2), fitted(3)] == [one, one]
    assert beside.n_workers == [2] * one[0] + [3] * one[0]
    assert len(beside.threads) > 1
    monkeypatch.setattr("costboost._core.rows.rows.PARALLEL_CELLS", 1)
    assert fitted(3) == one
    in_shards(monkeypatch, 2, n_threads=3)
    assert fitted(1) == one


@pytest.mark.parametrize("estimator", ["stump", "tree", "lookup"])
def test_a_warm_start_side_by_side(estimator: str, beside: Beside) -> None:
    X, y, weight = rows(2_500)
    X = X[["a", "b", "c"]].fillna(0.0)
    clf = cb.MultinomialLogitBoostClassifier(estimator=estimator, n_estimators=4, n_jobs=1)
    scores = clone(clf).fit(X, y, sample_weight=weight).raw_score(X)
    clf.set_params(n_estimators=2, n_jobs=3).fit(X, y, sample_weight=weight)
    clf.set_params(n_estimators=4, warm_start=True).fit(X, y, sample_weight=weight)
    assert beside.n_workers == [3] * 6
    assert clf.raw_score(X).tobytes() == scores.tobytes()


def test_trainings_that_share_the_threads_do_not_use_more(beside: Beside) -> None:
    """Folds are trained side by side, one in each thread: their classes are not, until one ends."""
    X, y, _ = rows(1_500)
    fits = [
        cb.CostBoostClassifier(n_estimators=3, random_state=0, n_jobs=n).fit(X, y) for n in (1, 2)
    ]
    assert set(beside.n_workers) <= {2}
    assert fits[0].predict_proba(X).tobytes() == fits[1].predict_proba(X).tobytes()
