"""Shapley values against their definition."""

from __future__ import annotations

import signal
import sys
import threading
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import shapley as naive
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.node import Node, leaf
from costboost.classifiers.predictions import read_rows


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
                means.append(model.raw_score(mixed).mean())  # of the class that sorts last
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
    model = costboost.algorithms.RealBoostClassifier(
        n_estimators=8, pos_label=pos_label, **options
    ).fit(X, y)
    some, background = X[:3], X[100:112]
    found = model.explain(some, background, output="score")
    assert found.output_names == str(pos_label)
    sign = 1 if pos_label else -1
    assert np.allclose(sign * found, by_definition(model, some, background), atol=1e-10)


@pytest.mark.parametrize("estimator", ["stump", "tree", "lookup", "logistic"])
def test_values_add_up_to_the_score(estimator: str) -> None:
    X, y = rows_of(1)
    X = X.drop(columns="e") if estimator == "logistic" else X
    model = costboost.algorithms.AdaBoostClassifier(n_estimators=20, estimator=estimator).fit(X, y)
    found = model.explain(X, background=X)
    score = model.raw_score(X)
    assert found.shape == X.shape
    assert np.allclose(found.sum(axis=1), score - score.mean(), atol=1e-9)


def random_tree(random: np.random.Generator, n_codes: list[int | None]) -> list[Node]:
    """A tree of up to 15 nodes; features may be tested again, by numbers and by sets of codes."""
    nodes: list[Node] = []
    waiting = [0]
    nodes.append(leaf(0.0))
    while waiting:
        place = waiting.pop()
        if len(nodes) > 13 or (place and random.uniform() < 0.3):
            nodes[place] = leaf(float(random.normal()))
            continue
        j = int(random.integers(len(n_codes)))
        table, threshold = None, float(random.integers(-2, 3))
        if n_codes[j] is not None:
            table, threshold = np.zeros(256, dtype=np.uint8), np.nan
            table[: n_codes[j]] = random.integers(0, 2, n_codes[j])
        missing = bool(random.integers(2))
        nodes[place] = Node(j, threshold, len(nodes), missing, table)
        waiting += [len(nodes), len(nodes) + 1]
        nodes += [leaf(0.0), leaf(0.0)]
    return nodes


def random_rows(random: np.random.Generator, n_codes: list[int | None], n: int) -> np.ndarray:
    columns = [
        random.integers(-2, 3, n) if k is None else random.integers(0, k, n) for k in n_codes
    ]
    rows = np.column_stack(columns).astype(float)
    rows[random.uniform(size=rows.shape) < 0.15] = np.nan
    return rows


@given(seed=st.integers(0, 10**6))
def test_random_trees_by_all_coalitions(seed: int) -> None:
    random = np.random.default_rng(seed)
    n_codes: list[int | None] = [None, None, 4, None, 3][: int(random.integers(2, 6))]
    ensemble = Ensemble.from_trees(
        [random_tree(random, n_codes) for _ in range(int(random.integers(1, 4)))]
    )
    rows, background = (random_rows(random, n_codes, n) for n in (3, int(random.integers(1, 6))))
    trees = [ensemble.tree(t) for t in range(len(ensemble))]
    for along_paths, by_definition in (
        (False, naive.interventional),
        (True, naive.path_dependent),
    ):
        wanted = [by_definition(trees, row, background) for row in rows]
        found = ensemble.shapley_values(rows, background, along_paths, 2)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("perturbation", ["interventional", "tree_path_dependent"])
def test_values_do_not_depend_on_threads_and_blocks(perturbation: str) -> None:
    X, y = make_classification(2500, 8, n_informative=6, random_state=0)
    model = costboost.CostBoostClassifier(n_estimators=8, random_state=0).fit(X, y)
    background = X[:40]
    one, two = (
        model.set_params(n_jobs=n).explain(X, background, perturbation, "score").values
        for n in (1, 2)
    )
    assert one.tobytes() == two.tobytes()
    few = model.explain(X[1000:1100], background, perturbation, "score").values
    assert few.tobytes() == one[1000:1100].tobytes()
    score = model.raw_score(X) - model.raw_score(background).mean()
    assert np.allclose(one.sum(axis=1), score, atol=1e-12)
    again = model.explain(X[::-1], background[::-1], perturbation, "score").values[::-1]
    assert np.allclose(again, one, atol=1e-12)


def test_deep_trees() -> None:
    """A path of 14 features has more patterns than are looked up in a table."""
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 20))
    y = (X[:, :14] > 1.2).any(axis=1)
    model = costboost.algorithms.AdaBoostClassifier(
        n_estimators=1, estimator="tree", max_depth=None, max_leaf_nodes=None
    ).fit(X, y)
    for perturbation in ("interventional", "tree_path_dependent"):
        found = model.explain(X, X[:50], perturbation).values
        wanted = model.raw_score(X) - model.raw_score(X[:50]).mean()
        assert np.allclose(found.sum(axis=1), wanted, atol=1e-12)


def test_stumps_are_the_same_both_ways() -> None:
    X, y = rows_of(5)
    model = costboost.algorithms.AdaMECClassifier(n_estimators=15).fit(X, y)
    both = [
        model.explain(X, X[:60], way, "score").values
        for way in ("interventional", "tree_path_dependent")
    ]
    assert np.array_equal(*both)
    rows, background = (model.model_.numbers(read_rows(model, part)) for part in (X, X[:60]))
    for along_paths in (False, True):
        values = model.ensemble_.shapley_values(rows, background, along_paths, 1)
        assert np.allclose(values, both[0], atol=1e-12)


def test_more_than_62_features_on_a_path() -> None:
    chain = [Node(0, 0.0, 1, False, None)]
    for j in range(1, 63):
        chain += [leaf(float(j)), Node(j, 0.0, 2 * j + 1, False, None)]
    chain += [leaf(0.0), leaf(9.0)]
    ensemble = Ensemble.from_trees([chain])
    rows = np.ones((2, 63))
    with pytest.raises(ValueError, match="train with a smaller max_depth"):
        ensemble.shapley_values(rows, -rows, False, 1)


def test_a_feature_that_is_not_used_has_no_value() -> None:
    X, y = rows_of(2)
    model = costboost.algorithms.AdaBoostClassifier(n_estimators=3, estimator="tree").fit(X, y)
    unused = model.feature_importances_ == 0
    assert np.all(model.explain(X)[:, unused] == 0)


def test_bad_input() -> None:
    X, y = rows_of(3)
    model = costboost.algorithms.AdaBoostClassifier(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="output must be one of"):
        model.explain(X, output="probability")
    trees = costboost.algorithms.AdaBoostClassifier(n_estimators=3, estimator="tree").fit(X, y)
    with pytest.raises(ValueError, match="which a model does not keep: pass some"):
        trees.explain(X, feature_perturbation="interventional")
    with pytest.raises(ValueError, match="feature_perturbation must be one of"):
        model.explain(X, feature_perturbation="marginal")
    with pytest.raises(ValueError, match="feature names"):
        model.explain(X, X.rename(columns={"a": "z"}))
    numbers = X[["a", "c", "d"]]
    wrapped = costboost.algorithms.AdaBoostClassifier(
        n_estimators=3, estimator=DecisionTreeClassifier(max_depth=1)
    ).fit(numbers, y)
    with pytest.raises(ValueError, match="cannot be explained"):
        wrapped.explain(numbers)


def chain(depth: int, n_features: int) -> Ensemble:
    """One tree, of which each test has a leaf on its left."""
    nodes = []
    for k in range(depth):
        nodes += [Node(k % n_features, float(k), 2 * k + 1), leaf(float(k % 7))]
    nodes.append(leaf(3.0))
    order = [0, *(place for k in range(depth) for place in (2 * k + 1, 2 * k + 2))]
    return Ensemble.from_trees([[nodes[place] for place in order]])


@pytest.mark.parametrize("along_paths", [False, True])
def test_trees_deeper_than_the_stack_of_a_thread(along_paths: bool) -> None:
    ensemble = chain(30_000, 3)
    rows = np.random.default_rng(0).uniform(0, 300, (7, 3))
    found: list[Any] = []

    def explain() -> None:
        found.append(ensemble.shapley_values(rows[:4], rows[4:], along_paths, 1))

    usual = threading.stack_size(2**18)
    try:
        thread = threading.Thread(target=explain)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(usual)
    score = np.zeros(7)
    ensemble.add_scores(iter([(slice(0, 7), rows)]), score, 1)
    base = score[4:].mean()
    assert found[0].sum(axis=1) + base == pytest.approx(score[:4])


@pytest.mark.skipif(sys.platform == "win32", reason="there is no alarm")
def test_interrupts_are_heard_within_a_tree() -> None:
    ensemble = chain(15_000, 60)
    rows = np.random.default_rng(0).uniform(0, 15_000, (20_000, 60))
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            ensemble.shapley_values(rows, rows[:500], False, 2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
