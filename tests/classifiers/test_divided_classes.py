"""Models of several classes do not depend on shards and threads, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from divided import in_shards
from sklearn.base import clone

import costboost as cb

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
