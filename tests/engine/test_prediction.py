"""Compiled trees against a walk over the nodes, which must give the same bits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from engine import reference
from engine.inputs import (
    LAYOUTS,
    THREADS,
    TYPES,
    beside_float32,
    lay_out,
    matrix,
    random_shape,
    some_rows,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from costboost._core.engine import _kernels as kernels
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.node import Node

CATEGORIES = np.array([-1, 0, 0.5, 1, 2, 100, 253, 254, 254.5, 255, 256, 300, np.nan])


# ---- making inputs -------------------------------------------------------------------------------


def chain(n_inner: int, to: int) -> NDArray[np.int32]:
    """Children of a tree in which each inner node has a leaf on one side."""
    child = np.zeros(2 * n_inner, dtype=np.int32)
    for k in range(n_inner):
        child[2 * k + to] = k + 1 if k + 1 < n_inner else ~n_inner
        child[2 * k + 1 - to] = ~k
    return child


def shaped(rng: np.random.Generator, n_inner: int) -> NDArray[np.int32]:
    """Children of a tree that is one leaf, random, or as deep as possible."""
    if n_inner == 0:
        return np.array([~0], dtype=np.int32)
    kind = rng.integers(3)
    return random_shape(rng, n_inner) if kind == 0 else chain(n_inner, int(kind) - 1)


def category_set(rng: np.random.Generator) -> NDArray[np.uint8]:
    """Categories that go left: any of 256, few of them, or a run."""
    kind = rng.integers(3)
    if kind == 0:
        return (rng.random(256) < 0.5).astype(np.uint8)
    if kind == 1:
        return np.isin(np.arange(256), rng.choice([0, 1, 2, 100, 254, 255], 3)).astype(np.uint8)
    low, high = np.sort(rng.integers(0, 257, 2))
    return ((low <= np.arange(256)) & (np.arange(256) < high)).astype(np.uint8)


def tree_of(
    rng: np.random.Generator,
    child: NDArray[np.int32],
    categorical: NDArray[Any],
    thresholds: NDArray[Any],
) -> list[Node]:
    """A tree of this shape with random tests and values."""
    place = {0: 0}
    nodes: list[Node] = [Node()]
    for k in range(child.size // 2):  # parents come before their children
        f = int(rng.integers(categorical.size))
        nodes[place[k]] = Node(
            feature=f,
            threshold=np.nan if categorical[f] else float(rng.choice(thresholds)),
            left=len(nodes),
            missing_left=bool(rng.random() < 0.5),
            goes_left=category_set(rng) if categorical[f] else None,
        )
        for c in child[2 * k : 2 * k + 2].tolist():
            if c >= 0:
                place[c] = len(nodes)
            nodes.append(Node())
    return [n if n.feature >= 0 else Node(value=float(rng.normal())) for n in nodes]


def rows_and_thresholds(
    rng: np.random.Generator, n: int, d: int, categorical: NDArray[Any], dtype: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows, and thresholds on their values, beside them and beyond all."""
    x = matrix(rng, n, d, dtype)
    for j in np.flatnonzero(categorical):
        x[:, j] = rng.choice(CATEGORIES, n)
    seen = x[np.isfinite(x)].astype(np.float64)
    beyond = [0.0, -0.0, np.inf, 1e300, -1e300]
    return x, np.concatenate([seen, np.nextafter(seen, 0.0), beyond])


def walked(x: NDArray[Any], ensemble: Ensemble, t: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Leaf values of one tree, and which rows were tested for an infinite value, by NumPy."""
    node = np.full(len(x), ensemble.first[t])
    infinite = np.zeros(len(x), dtype=bool)
    while (inner := np.flatnonzero(ensemble.feature[node] >= 0)).size:
        at = node[inner]
        v = x[inner, ensemble.feature[at]].astype(np.float64)
        infinite[inner] |= np.isinf(v)
        left = v <= ensemble.threshold[at]
        by_set = ensemble.category_set[at] >= 0
        known = by_set & (v >= 0) & (v < 255)
        code = np.where(known, v, 0).astype(int)
        if len(ensemble.categories):
            left = np.where(known, ensemble.categories[ensemble.category_set[at], code], left)
        left = np.where(np.isnan(v) | (by_set & ~known), ensemble.missing_left[at], left)
        node[inner] = ensemble.left[at] + np.where(left, 0, 1)
    return ensemble.value[node], infinite


def all_walked(x: NDArray[Any], ensemble: Ensemble) -> NDArray[np.float64]:
    """Leaf values of every tree, trees x rows."""
    return np.array([walked(x, ensemble, t)[0] for t in range(len(ensemble))])


def scored(
    x: NDArray[Any], ensemble: Ensemble, ends: list[int], n_threads: int = 1
) -> NDArray[np.float64]:
    scores = np.zeros((len(ends) - 1, len(x)))
    assert not kernels.CompiledTrees(ensemble, ends).add_scores(x, scores, n_threads)
    return scores


def assert_stages(
    x: NDArray[Any], ensemble: Ensemble, ends: list[int], n_threads: int, votes: NDArray[Any]
) -> None:
    expected = [votes[a:b].sum(axis=0) + 0.0 for a, b in pairwise(ends)]
    assert scored(x, ensemble, ends, n_threads).tobytes() == np.array(expected).tobytes()


# ---- scores --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("dtype", TYPES)
def test_scores_are_those_of_the_reference(seed: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    n, d = some_rows(rng), int(rng.integers(1, 12))
    if seed == 0:
        n = 1100
    categorical = rng.random(d) < 0.3
    x, thresholds = rows_and_thresholds(rng, n, d, categorical, dtype)
    n_trees = int(rng.choice([1, 3, 30])) if n > 100 else int(rng.choice([1, 20, 200]))
    most = 2 if seed % 2 else 9
    ensemble = Ensemble.from_trees(
        tree_of(rng, shaped(rng, int(rng.integers(0, most))), categorical, thresholds)
        for _ in range(n_trees)
    )
    first, last = np.sort(rng.integers(0, n_trees + 1, 2)).tolist()
    for a, b in ((0, n_trees), (first, last)):
        slow = np.zeros(n)
        reference.predict(x, ensemble, a, b, slow)
        for n_threads in THREADS:
            assert scored(x, ensemble, [a, b], n_threads).tobytes() == (slow + 0.0).tobytes()


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.one_of(st.integers(1, 40), st.sampled_from([95, 96, 97, 255, 256, 257, 300, 700])),
    d=st.integers(1, 6),
    sizes=st.lists(
        st.one_of(st.integers(0, 3), st.integers(0, 80), st.sampled_from([254, 255, 256, 400])),
        min_size=1,
        max_size=9,
    ),
    dtype=st.sampled_from(TYPES),
    layout=st.sampled_from(LAYOUTS),
    n_threads=st.sampled_from(THREADS),
)
def test_scores_are_those_of_a_walk(
    seed: int, n: int, d: int, sizes: list[int], dtype: Any, layout: str, n_threads: int
) -> None:
    """Trees of any shape and size, alone and as stages; leaves are numbered by bytes up to 256."""
    rng = np.random.default_rng(seed)
    categorical = rng.random(d) < 0.3
    x, thresholds = rows_and_thresholds(rng, n, d, categorical, dtype)
    x = lay_out(x, layout)
    ensemble = Ensemble.from_trees(
        tree_of(rng, shaped(rng, size), categorical, thresholds) for size in sizes
    )
    votes = all_walked(x, ensemble)
    assert_stages(x, ensemble, [0, len(sizes)], n_threads, votes)
    ends = np.sort(rng.integers(0, len(sizes) + 1, 4)).tolist()
    assert_stages(x, ensemble, ends, n_threads, votes)
    assert_stages(x, ensemble, list(range(len(sizes) + 1)), n_threads, votes)


@pytest.mark.slow
@pytest.mark.parametrize("n_cuts", [1, 12, 13, 253, 254, 255, 508, 509, 3000])
@pytest.mark.parametrize("dtype", TYPES)
def test_any_number_of_thresholds(n_cuts: int, dtype: Any) -> None:
    """A byte counts up to 254 thresholds; a feature that has more takes several bytes."""
    rng = np.random.default_rng(n_cuts)
    value, threshold = beside_float32(rng, n_cuts)
    x = rng.permutation(np.concatenate([value, value, threshold, [np.nan] * 3])).astype(dtype)
    x = x[:, np.newaxis]
    stumps = [
        [Node(0, float(t), 1, bool(k % 2)), Node(value=-1.0 - k), Node(value=1.0)]
        for k, t in enumerate(threshold)
    ]
    trees = [
        tree_of(rng, random_shape(rng, 30), np.array([False]), threshold)
        for _ in range(n_cuts // 10)
    ]
    for ensemble in (Ensemble.from_trees(stumps), Ensemble.from_trees(stumps + trees)):
        assert_stages(x, ensemble, [0, len(ensemble)], 1, all_walked(x, ensemble))


@pytest.mark.parametrize("n_features", [63, 64, 65, 200, 5000])
def test_any_number_of_features(n_features: int) -> None:
    rng = np.random.default_rng(n_features)
    x = rng.normal(size=(300, n_features))
    thresholds = rng.normal(size=50)
    ensemble = Ensemble.from_trees(
        tree_of(rng, random_shape(rng, 30), np.zeros(n_features, dtype=bool), thresholds)
        for _ in range(n_features // 8)
    )
    assert_stages(x, ensemble, [0, len(ensemble)], 1, all_walked(x, ensemble))


def test_a_feature_may_be_tested_for_order_and_for_categories() -> None:
    table = np.zeros(256, dtype=np.uint8)
    table[[1, 3]] = 1
    by_set = [Node(0, np.nan, 1, True, table), Node(value=1.0), Node(value=2.0)]
    ordered = [Node(0, 1.5, 1), Node(value=10.0), Node(value=20.0)]
    ensemble = Ensemble.from_trees([by_set, ordered])
    x = np.array([[0.0], [1.0], [2.0], [3.0], [np.nan]])
    for ends in ([0, 2], [0, 1, 2]):
        assert scored(x, ensemble, ends).sum(axis=0).tolist() == [12.0, 11.0, 22.0, 21.0, 21.0]


def test_a_threshold_that_is_no_number_sends_all_values_to_the_right() -> None:
    ensemble = Ensemble.from_trees([[Node(0, np.nan, 1, True), Node(value=1.0), Node(value=2.0)]])
    x = np.array([[-1e308], [0.0], [np.nan]])
    assert scored(x, ensemble, [0, 1]).tolist() == [[2.0, 2.0, 1.0]]


def test_scores_are_added() -> None:
    trees = kernels.CompiledTrees(Ensemble.from_trees([[Node(value=0.5)]]), [0, 1])
    score = np.array([[1.0, 2.0]])
    assert not trees.add_scores(np.zeros((2, 1)), score, 1)
    assert score.tolist() == [[1.5, 2.5]]
    assert not trees.add_scores(np.zeros((0, 1)), np.zeros((1, 0)), 1)


# ---- infinite values -----------------------------------------------------------------------------


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([1, 31, 200, 600]),
    size=st.sampled_from([0, 1, 2, 30, 256]),
    dtype=st.sampled_from(TYPES),
)
def test_infinite_values_are_reported_if_a_row_is_tested_for_them(
    seed: int, n: int, size: int, dtype: Any
) -> None:
    rng = np.random.default_rng(seed)
    categorical = np.array([False, False, False, True])
    x = rng.integers(0, 5, size=(n, 4)).astype(dtype)
    x[rng.integers(0, n, 2), rng.integers(0, 4, 2)] = rng.choice([-np.inf, np.inf], 2)
    ensemble = Ensemble.from_trees(
        tree_of(rng, shaped(rng, size), categorical, rng.normal(2.0, 2.0, 9)) for _ in range(2)
    )
    met = [bool(walked(x, ensemble, t)[1].any()) for t in range(2)]
    for ends in ([0, 2], [0, 1], [1, 2], [0, 1, 2]):
        scores = np.zeros((len(ends) - 1, n))
        found = kernels.CompiledTrees(ensemble, ends).add_scores(x, scores, 1)
        assert found == any(met[ends[0] : ends[-1]])


# ---- threads -------------------------------------------------------------------------------------


def test_an_ensemble_may_be_used_by_many_threads_at_a_time() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2000, 5))
    categorical = np.zeros(5, dtype=bool)
    trees = [tree_of(rng, random_shape(rng, 30), categorical, x[:, 0]) for _ in range(40)]
    expected = scored(x, Ensemble.from_trees(trees), [0, 40])[0]

    ensemble = Ensemble.from_trees(trees)

    def score(k: int) -> bool:
        rows = slice(k, 2000 - k)
        found = np.zeros(len(x[rows]))
        ensemble.add_scores(iter([(slice(0, len(found)), x[rows])]), found, 1 + k % 3)
        return found.tobytes() == expected[rows].tobytes()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(score, range(200)))
