"""What the benchmarks rest on: how peers are calibrated, and that halves of the sets are apart."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
FOLDER = str(Path(__file__).parents[2] / "benchmarks")


@pytest.fixture(autouse=True)
def _scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = set(sys.modules)
    monkeypatch.syspath_prepend(FOLDER)
    yield
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(FOLDER):
            del sys.modules[name]


def table(X: Any) -> Any:
    import shared_rows

    return shared_rows.Table(X.apply(shared_rows._texts))


def test_shared_rows_are_found_under_other_names_and_orders() -> None:
    import shared_rows

    rng = np.random.default_rng(0)
    whole = pd.DataFrame(rng.normal(size=(300, 12))).add_prefix("a")
    part = whole.sample(100, random_state=0)[[f"a{k}" for k in rng.permutation(12)]]
    other = pd.DataFrame(rng.normal(size=(20, 12)), columns=part.columns)
    part = pd.concat([part, other]).set_axis([f"b{k}" for k in range(12)], axis=1)
    assert shared_rows.shared(table(part), table(whole)) == (100, 0, 12)


def test_rows_of_few_values_agree_by_chance() -> None:
    import shared_rows

    rng = np.random.default_rng(0)
    few, many = (pd.DataFrame(rng.integers(0, 2, (n, 4))) for n in (100, 300))
    found, by_chance, columns = shared_rows.shared(table(few), table(many))
    assert (found, by_chance, columns) == (100, 100, 4)


def test_the_test_half_has_no_rows_of_the_design_half() -> None:
    from value_data import SHARED_ROWS, half

    design, test = half("design"), half("test")
    assert not set(design) & set(test)
    assert not [name for name in test if SHARED_ROWS.get(name) in design]
    assert {"hypothyroid", "wpbc"} & set(design + test) == set()


def test_calibrated_forms_are_those_of_scikit_learn() -> None:
    import value_peers

    assert value_peers.disagreement(*value_peers.tiny_rows()) < 1e-9


def test_margins_are_calibrated_and_not_probabilities() -> None:
    pytest.importorskip("xgboost")
    import value_peers

    X, y = value_peers.tiny_rows()
    model = value_peers.Learner(value_peers.PEERS["XGBoost"], 0).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(model.decision_function(X), np.log(p / (1 - p)), rtol=1e-3)


def test_categories_reach_catboost_as_such() -> None:
    pytest.importorskip("catboost")
    import value_peers

    X, y = value_peers.tiny_rows()
    peer = value_peers.PEERS["CatBoost"]
    model = value_peers.Learner(peer, 0)
    model.peer = value_peers.Peer(
        peer.name, lambda seed: peer.make(seed).set_params(iterations=5), peer.margin, native=True
    )
    model.fit(X, y)
    assert model.model_.get_cat_feature_indices() == [3]
