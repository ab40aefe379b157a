"""Trees over pairs (row, label) against a plain tree on the pairs written out."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
from divided import rows_of
from hypothesis import given, settings
from hypothesis import strategies as st

from costboost._core.backends.data import HoldsPairs
from costboost._core.backends.local import LocalData, binner
from costboost._core.backends.several import several_pairs
from costboost._core.backends.shard import PairShard
from costboost._core.engine.binning import Binning
from costboost._core.learners.pair_tree import PairTreeLearner, in_quanta
from costboost._core.learners.tree import TreeLearner
from costboost._core.rules.record import Criterion
from costboost._core.tables import DenseTable

Pair = tuple[np.ndarray, int, float]
TIE = 1e-12


# ---- a plain tree --------------------------------------------------------------------------------


def impurity(pairs: list[Pair], total: float) -> float:
    p = sum(w for *_, w in pairs if w > 0) / total
    q = sum(-w for *_, w in pairs if w < 0) / total
    return sum(z * np.log2((p + q) / z) for z in (p, q) if z > 0)


def candidates(pairs: list[Pair], n_features: int) -> Any:
    """Tests in order: every threshold of every feature, then runs of the labels sorted by share."""
    for f in range(n_features):
        for value in sorted({x[f] for x, *_ in pairs})[:-1]:
            yield False, lambda x, y, f=f, value=value: x[f] <= value
    share = {}
    for y in {y for _, y, _ in pairs}:
        own = [w for _, label, w in pairs if label == y]
        share[y] = sum(w for w in own if w > 0) / sum(abs(w) for w in own)
    ordered = sorted(share, key=lambda y: (share[y], y))
    for last in range(1, len(ordered)):
        yield True, lambda x, y, left=frozenset(ordered[:last]): y in left


def plain_tree(
    pairs: list[Pair], total: float, least: int, depth: int | None
) -> dict[str, Any] | bool:
    """A tree by entropy, the first of the best tests; leaves say whether to accept.

    Where no test gains anything, the best one of the labels is taken.
    """
    accepts = sum(w for *_, w in pairs) / total > TIE
    if depth == 0 or impurity(pairs, total) <= TIE:
        return accepts
    n_features = len(pairs[0][0])
    found = []
    for of_label, test in candidates(pairs, n_features):
        sides = [[p for p in pairs if test(p[0], p[1]) == go] for go in (True, False)]
        if min(map(len, sides)) >= least:
            found.append((sum(impurity(side, total) for side in sides), sides, test, of_label))
    best = min((value for value, *_ in found), default=np.inf)
    if impurity(pairs, total) - best <= TIE:
        found = [one for one in found if one[3]]
        best = min((value for value, *_ in found), default=np.inf)
    if not found:
        return accepts
    _, sides, test, _ = next(one for one in found if one[0] <= best + TIE)
    deeper = None if depth is None else depth - 1
    return {
        "test": test,
        True: plain_tree(sides[0], total, least, deeper),
        False: plain_tree(sides[1], total, least, deeper),
    }


def accepts(tree: Any, x: np.ndarray, y: int) -> bool:
    while isinstance(tree, dict):
        tree = tree[bool(tree["test"](x, y))]
    return bool(tree)


def written_out(X: np.ndarray, weight: np.ndarray) -> list[Pair]:
    return [(X[i], y, weight[i, y]) for i, y in zip(*np.nonzero(weight), strict=True)]


def grown(X: np.ndarray, weight: np.ndarray, depth: int | None, least: int) -> Any:
    table = DenseTable(X)
    binning = Binning(table, 255, None, 1)
    rows = binner(table).binned(binning, np.zeros(len(X), dtype=np.uint8), 1)
    tree = PairTreeLearner(binning, weight.shape[1], depth, least).find(rows, weight)
    return tree, tree.accepted(rows, weight.shape[1])


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    k=st.integers(2, 6),
    depth=st.sampled_from([None, 1, 2, 4]),
    least=st.sampled_from([1, 2, 5]),
    zeros=st.floats(0, 0.9),
)
def test_a_tree_over_pairs_is_the_tree_on_the_pairs_written_out(
    seed: int, k: int, depth: int | None, least: int, zeros: float
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(25, 3)).astype(float)
    weight = rng.normal(size=(25, k)) * (rng.random((25, k)) >= zeros)
    weight[0, 0] = 1.0
    tree = plain_tree(written_out(X, weight), np.abs(weight).sum(), least, depth)
    _, accepted = grown(X, weight, depth, least)
    # only pairs with weight have to agree
    counts = weight != 0
    expected = np.array([[accepts(tree, x, y) for y in range(k)] for x in X])
    np.testing.assert_array_equal(accepted[counts], expected[counts])


def test_the_engines_other_tree_agrees_where_the_pairs_are_its_rows() -> None:
    rng = np.random.default_rng(0)
    k, n = 5, 400
    X = rng.normal(size=(n, 4)).round(1)
    weight = rng.normal(size=(n, k)) + np.sin(3 * X[:, :1]) * np.arange(k)
    _, accepted = grown(X, weight, 6, 1)
    table = DenseTable(np.column_stack([np.repeat(X, k, axis=0), np.tile(np.arange(k), n)]))
    flat = weight.ravel()
    positive = (flat > 0).astype(np.uint8)
    binning = Binning(table, 255, [4], 1)
    part = binning.rows(table, positive, 1)
    rows = rows_of([part], binning.n_bins, binning.categorical)
    order = np.concatenate([np.flatnonzero(flat > 0), np.flatnonzero(flat <= 0)])
    rows.weights.set_rows(np.abs(flat)[order])
    other = TreeLearner(binning, 6, None, 1).find(rows, Criterion("entropy"))
    said = np.empty(n * k)
    said[order] = other.scores(part)
    np.testing.assert_array_equal(accepted.ravel(), said > 0)


def test_pruning_removes_splits_of_light_noise() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(500, 3))
    weight = np.where(X[:, :1] > 0, 1.0, -1.0) * [1.0, -1.0]
    weight *= rng.choice([1.0, -0.02], p=[0.9, 0.1], size=(500, 2))
    table = DenseTable(X)
    binning = Binning(table, 255, None, 1)
    rows = binner(table).binned(binning, np.zeros(500, dtype=np.uint8), 1)
    grown, pruned = (
        PairTreeLearner(binning, 2, prune=prune).find(rows, weight) for prune in (False, True)
    )
    reached = [reachable(tree) for tree in (grown, pruned)]
    assert reached[1] < reached[0] / 2
    truth = (X[:, :1] > 0) == [True, False]
    right = [(tree.accepted(rows, 2) == truth).mean() for tree in (grown, pruned)]
    assert right[1] > right[0]


def reachable(tree: Any) -> int:
    """Nodes from the root on; those below a pruned one are still in the arrays."""
    n, open_nodes = 0, [0]
    while open_nodes:
        k = open_nodes.pop()
        n += 1
        if tree.feature[k] >= 0:
            open_nodes += [tree.left[k], tree.left[k] + 1]
    return n


@pytest.mark.parametrize("k", [2, 3, 6])
def test_labels_are_separated_if_no_other_test_gains(k: int) -> None:
    """Balanced classes that all cost the same: every row's weights add up to 0, as at the start."""
    label = np.repeat(np.arange(k), 10)
    weight = np.where(label[:, None] == np.arange(k), k - 1.0, -1.0)
    _, accepted = grown(label[:, None].astype(float), weight, None, 1)
    np.testing.assert_array_equal(accepted, weight > 0)


def test_threads_and_missing_values() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 60))
    X[rng.random(X.shape) < 0.1] = np.nan
    weight = rng.normal(size=(20_000, 3)) + np.nan_to_num(X[:, :3])
    table = DenseTable(X)
    binning = Binning(table, 255, None, 1)
    trees = []
    for n_threads in (1, 2, 4):
        rows = LocalData(table, binning, np.zeros(len(X), dtype=np.uint8), n_threads)
        tree = PairTreeLearner(binning, 3, 6, 20).find(rows, weight)
        trees.append((tree, tree.accepted(rows, 3)))
    for tree, accepted in trees[1:]:
        for name in ("feature", "left", "goes_left", "accepts", "gain"):
            np.testing.assert_array_equal(getattr(tree, name), getattr(trees[0][0], name))
        np.testing.assert_array_equal(accepted, trees[0][1])
    right = (trees[0][1] == (weight > 0)).mean()
    assert right > 0.7


def test_all_weights_of_one_sign_make_one_leaf() -> None:
    X = np.arange(6.0).reshape(-1, 1)
    for sign in (1.0, -1.0):
        tree, accepted = grown(X, sign * np.ones((6, 3)), None, 1)
        assert len(tree.feature) == 1
        assert (accepted == (sign > 0)).all()


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_only_ratios_of_weights_matter(size: float) -> None:
    rng = np.random.default_rng(2)
    X, weight = rng.normal(size=(50, 2)), rng.normal(size=(50, 3))
    weight /= np.abs(weight).sum()
    once, _ = grown(X, weight, None, 1)
    again, _ = grown(X, weight * size, None, 1)
    np.testing.assert_array_equal(once.feature, again.feature)
    assert np.abs(in_quanta(weight * size)).sum() < 2**59


def test_255_labels() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    label = rng.integers(0, 255, 300)
    weight = np.where(label[:, None] == np.arange(255), 255.0, -1.0)
    _, accepted = grown(X, weight, None, 1)
    assert accepted[np.arange(300), label].mean() > 0.9


# ---- several shards ------------------------------------------------------------------------------


class Parts:
    """Rows in several shards of this process."""

    pair_trees = None

    def __init__(self, binning: Binning, X: np.ndarray, numbers: list[np.ndarray]) -> None:
        self.numbers = numbers
        self.parts = [
            binning.rows(DenseTable(X[own]), np.zeros(own.size, dtype=np.uint8), 1)
            for own in numbers
        ]

    def pairs(self, weight: np.ndarray, counting: bool) -> HoldsPairs:
        both = zip(self.parts, self.numbers, strict=True)
        return several_pairs([PairShard(part, weight[own], counting) for part, own in both])

    def values(self, function: Any, *given: Any) -> np.ndarray:
        found = np.concatenate([function(part, *given) for part in self.parts], axis=-1)
        return np.asarray(found[..., np.argsort(np.concatenate(self.numbers))])


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    k=st.integers(2, 12),
    depth=st.sampled_from([None, 1, 4]),
    least=st.sampled_from([1, 2, 5]),
    prune=st.booleans(),
    n_shards=st.integers(1, 5),
    at_a_time=st.sampled_from([1, 5, 1000]),
)
def test_shards_grow_the_tree_of_one_process(
    seed: int, k: int, depth: int | None, least: int, prune: bool, n_shards: int, at_a_time: int
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 4)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 3] = rng.integers(0, 5, 150)
    weight = np.sin(3 * np.nan_to_num(X[:, :1]) + np.arange(k)) + rng.normal(size=(150, k))
    weight *= rng.random((150, k)) < rng.random()
    weight[0, 0] = 1.0
    table = DenseTable(X)
    binning = Binning(table, 255, [3], 1)
    rows = binner(table).binned(binning, np.zeros(150, dtype=np.uint8), 1)
    shard = rng.integers(0, n_shards, 150)
    shard[:n_shards] = np.arange(n_shards)
    parts = Parts(binning, X, [np.flatnonzero(shard == s) for s in range(n_shards)])
    learner = PairTreeLearner(binning, k, depth, least, prune)
    expected = learner.find(rows, weight)
    with mock.patch("costboost._core.growing.pair_source.SUMS_AT_A_TIME", at_a_time * 5 * 256 * 2):
        tree = learner.find(parts, weight)
    for name in ("feature", "left", "goes_left", "accepts", "gain"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(expected, name))
        assert getattr(tree, name).dtype == getattr(expected, name).dtype
    np.testing.assert_array_equal(tree.accepted(parts, k), expected.accepted(rows, k))
