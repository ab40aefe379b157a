"""Ensembles as arrays: back and forth, exact sums, importances."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Sequence
from dataclasses import FrozenInstanceError, fields, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.node import Node

Tree = list[Node]


def stump(
    feature: int, threshold: float, left: float, right: float, missing_left: bool = False
) -> Tree:
    return [
        Node(feature, threshold, 1, missing_left, gain=1.0),
        Node(value=left),
        Node(value=right),
    ]


def random_tree(rng: np.random.Generator, n_inner: int, n_features: int, scale: float) -> Tree:
    """A tree grown leaf by leaf; the last feature is categorical."""
    nodes = [Node(value=float(scale * rng.normal()))]
    for _ in range(n_inner):
        leaves = [k for k, node in enumerate(nodes) if node.feature < 0]
        k = leaves[rng.integers(len(leaves))]
        f = int(rng.integers(n_features))
        categorical = f == n_features - 1
        nodes[k] = Node(
            feature=f,
            threshold=math.nan if categorical else float(rng.normal()),
            left=len(nodes),
            missing_left=bool(rng.random() < 0.5),
            goes_left=(rng.random(256) < 0.5).astype(np.uint8) if categorical else None,
            gain=float(rng.random()),
        )
        nodes += [Node(value=float(scale * rng.normal())) for _ in range(2)]
    return nodes


def random_trees(seed: int, stumps: bool = False) -> list[Tree]:
    rng = np.random.default_rng(seed)
    n_trees, most = int(rng.integers(1, 40)), 2 if stumps else 8
    return [
        random_tree(rng, int(rng.integers(0, most)), 4, 10.0 ** rng.uniform(-6, 6))
        for _ in range(n_trees)
    ]


def inputs(seed: int, n: int = 60) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    x[:, 3] = rng.integers(-1, 256, n)
    x[rng.random(x.shape) < 0.1] = np.nan
    return x


def scores(ensemble: Ensemble, x: NDArray[Any]) -> NDArray[Any]:
    out = np.zeros(len(x))
    ensemble.add_scores(iter([(slice(0, len(x)), x)]), out, 1)
    return out


def assert_same_nodes(one: Sequence[Node], other: Sequence[Node]) -> None:
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        assert a._replace(threshold=0.0, goes_left=None) == b._replace(
            threshold=0.0, goes_left=None
        )
        assert a.threshold == b.threshold or (math.isnan(a.threshold) and math.isnan(b.threshold))
        assert (a.goes_left is None) == (b.goes_left is None)
        if a.goes_left is not None:
            np.testing.assert_array_equal(a.goes_left, b.goes_left)


# ---- back and forth ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_nodes_come_back_as_they_were(seed: int) -> None:
    trees = random_trees(seed)
    ensemble = Ensemble.from_trees(trees)
    assert len(ensemble) == len(trees)
    reach = sum(max(abs(node.value) for node in tree) for tree in trees)
    for t, tree in enumerate(trees):
        back = ensemble.tree(t)
        assert_same_nodes(
            [node._replace(value=0.0) for node in back],
            [node._replace(value=0.0) for node in tree],
        )
        for node, given in zip(back, tree, strict=True):
            assert abs(node.value - given.value) <= reach * 2.0**-49


@pytest.mark.parametrize("seed", range(30))
def test_round_trip_is_the_same_ensemble(seed: int) -> None:
    once = Ensemble.from_trees(random_trees(seed))
    again = Ensemble.from_trees([once.tree(t) for t in range(len(once))])
    assert again == once
    assert again.tobytes() == once.tobytes()


def test_round_trip_where_rounding_reaches_a_power_of_two() -> None:
    """The largest value is rounded up to 1; the grid must not become coarser the next time."""
    once = Ensemble.from_trees([stump(0, 0.0, 1 - 2.0**-53, 0.5 + 2.0**-50)])
    again = Ensemble.from_trees([once.tree(0)])
    assert again.value.tolist() == once.value.tolist()


def test_empty() -> None:
    ensemble = Ensemble.from_trees([])
    assert len(ensemble) == 0
    assert ensemble.stumps
    assert scores(ensemble, np.zeros((3, 2))).tolist() == [0.0] * 3
    assert ensemble.importances(np.zeros(0), 2).tolist() == [0.0, 0.0]
    assert Ensemble.from_trees([]) == ensemble


def test_layout() -> None:
    """As documented: roots first, right behind left, sets of categories."""
    table = np.zeros(256, dtype=np.uint8)
    table[[1, 7]] = 1
    categorical = [Node(2, math.nan, 1, True, table, 0.0, 0.5), Node(value=1.0), Node(value=2.0)]
    ensemble = Ensemble.from_trees([[Node(value=4.0)], stump(1, 0.5, -1.0, 1.0), categorical])
    assert ensemble.first.tolist() == [0, 1, 4, 7]
    assert ensemble.feature.tolist() == [-1, 1, -1, -1, 2, -1, -1]
    assert ensemble.left.tolist() == [-1, 2, -1, -1, 5, -1, -1]
    assert ensemble.category_set.tolist() == [-1, -1, -1, -1, 0, -1, -1]
    assert ensemble.missing_left.tolist() == [0, 0, 0, 0, 1, 0, 0]
    assert ensemble.value.tolist() == [4.0, 0.0, -1.0, 1.0, 0.0, 1.0, 2.0]
    np.testing.assert_array_equal(ensemble.categories, table[np.newaxis])
    x = np.array([[0, 0.5, 7], [0, 0.6, 0], [0, np.nan, np.nan], [0, 0, 200]])
    assert scores(ensemble, x).tolist() == [4 - 1 + 1, 4 + 1 + 2, 4 + 1 + 1, 4 - 1 + 2]


def test_stumps_are_recognised() -> None:
    one, leaf = stump(0, 0.0, 1.0, 2.0), [Node(value=1.0)]
    tree = [Node(0, 0.0, 1), Node(0, 0.0, 3), Node(), Node(), Node()]
    assert Ensemble.from_trees([one, leaf, one]).stumps
    assert not Ensemble.from_trees([one, tree]).stumps


# ---- exact sums ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_values_lie_on_a_grid_on_which_sums_are_exact(seed: int) -> None:
    """Floating point adds them like fractions, in whatever order."""
    ensemble = Ensemble.from_trees(random_trees(seed))
    rng = np.random.default_rng(seed)
    values = [
        ensemble.value[a:b].tolist()
        for a, b in zip(ensemble.first[:-1], ensemble.first[1:], strict=True)
    ]
    for _ in range(20):
        chosen = [value[rng.integers(len(value))] for value in values]
        exact = sum(map(Fraction, chosen), Fraction(0))
        for _ in range(5):
            total = 0.0
            for value in rng.permutation(chosen).tolist():
                total += value
            assert Fraction(total) == exact


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("stumps", [True, False])
def test_order_of_the_trees_does_not_matter(seed: int, stumps: bool) -> None:
    trees, x = random_trees(seed, stumps), inputs(seed)
    expected = scores(Ensemble.from_trees(trees), x)
    order = np.random.default_rng(seed).permutation(len(trees))
    assert scores(Ensemble.from_trees([trees[t] for t in order]), x).tobytes() == expected.tobytes()


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("stumps", [True, False])
def test_staged_sums_to_the_whole(seed: int, stumps: bool) -> None:
    """One tree after the other, or any run of them at once, gives the bits of all together."""
    ensemble, x = Ensemble.from_trees(random_trees(seed, stumps)), inputs(seed)
    assert ensemble.stumps or not stumps
    expected = scores(ensemble, x)
    n = len(ensemble)
    ends = np.unique([0, *np.random.default_rng(seed).integers(0, n + 1, 3), n]).tolist()
    for steps in (list(range(n + 1)), ends):
        staged = np.zeros((len(steps) - 1, len(x)))
        ensemble.add_stages(iter([(slice(0, len(x)), x)]), staged, 1, steps)
        assert staged.sum(axis=0).tobytes() == expected.tobytes()
        for votes, (a, b) in zip(staged, pairwise(steps), strict=True):
            alone = np.zeros((1, len(x)))
            ensemble.add_stages(iter([(slice(0, len(x)), x)]), alone, 1, [a, b])
            assert votes.tobytes() == alone.tobytes()


def test_blocks_of_rows() -> None:
    ensemble, x = Ensemble.from_trees(random_trees(3)), inputs(3, 100)
    found = np.zeros(100)
    cut = [slice(0, 1), slice(1, 70), slice(70, 100)]
    ensemble.add_scores(((rows, x[rows]) for rows in cut), found, 2)
    assert found.tobytes() == scores(ensemble, x).tobytes()


@pytest.mark.parametrize("scale", [1e-250, 1e-30, 1.0, 1e30, 1e250])
def test_grid_goes_with_the_size_of_the_values(scale: float) -> None:
    """Values keep at least 49 bits of the largest sum, whatever their scale."""
    rng = np.random.default_rng(0)
    given = scale * rng.normal(size=200)
    ensemble = Ensemble.from_trees([[Node(value=v)] for v in given.tolist()])
    assert np.abs(ensemble.value - given).max() <= np.abs(given).sum() * 2.0**-49


def test_all_values_zero() -> None:
    assert Ensemble.from_trees([[Node()], stump(0, 0.0, 0.0, 0.0)]).value.tolist() == [0.0] * 4


# ---- equality ------------------------------------------------------------------------------------


def test_equality() -> None:
    trees = random_trees(1)
    ensemble = Ensemble.from_trees(trees)
    assert ensemble == Ensemble.from_trees(trees)
    assert ensemble != Ensemble.from_trees(trees[:-1])
    assert ensemble != "an ensemble"
    for field in fields(ensemble):
        array = getattr(ensemble, field.name).copy()
        array.view(np.uint8).flat[0] ^= 1
        assert replace(ensemble, **{field.name: array}) != ensemble
    with pytest.raises(TypeError):
        hash(ensemble)
    with pytest.raises(FrozenInstanceError):
        ensemble.value = ensemble.value  # type: ignore[misc]


def test_arrays_of_other_shape_are_another_ensemble() -> None:
    """Equal bytes, divided differently: one tree of three nodes is not three trees of one."""
    one = Ensemble.from_trees([stump(0, 0.0, 1.0, 2.0)])
    other = Ensemble.from_trees([[Node(value=1.0)]])
    assert one != other
    assert Ensemble.from_trees([]) != other


def test_copies_are_equal() -> None:
    ensemble = Ensemble.from_trees(random_trees(2))
    assert pickle.loads(pickle.dumps(ensemble)) == ensemble
    assert copy.deepcopy(ensemble) == ensemble


def test_scores_leave_nothing_in_a_pickle() -> None:
    """The compiled trees are kept with the ensemble, but not with its copies."""
    ensemble, x = Ensemble.from_trees(random_trees(2)), inputs(2)
    before = pickle.dumps(ensemble)
    expected = scores(ensemble, x)
    assert len(pickle.dumps(ensemble)) == len(before)
    for other in (pickle.loads(before), copy.deepcopy(ensemble), copy.copy(ensemble)):
        assert other == ensemble
        assert scores(other, x).tobytes() == expected.tobytes()


# ---- importances ---------------------------------------------------------------------------------


def test_importances_of_stumps_are_shares_of_their_steps() -> None:
    ensemble = Ensemble.from_trees(
        [
            stump(0, 0.0, -3.0, 3.0),
            stump(2, 0.0, -1.0, 1.0),
            [Node(value=100.0)],
            stump(0, 1.0, 2.0, -2.0),
        ]
    )
    found = ensemble.importances(np.array([3.0, 1.0, 100.0, -2.0]), 4)
    np.testing.assert_allclose(found, [5 / 6, 0, 1 / 6, 0])


def test_importances_of_a_tree_go_by_gain() -> None:
    tree = [
        Node(1, 0.0, 1, gain=3.0),
        Node(0, 0.0, 3, gain=1.0),
        Node(value=1.0),
        Node(value=2.0),
        Node(value=3.0),
    ]
    ensemble = Ensemble.from_trees([tree, stump(0, 0.0, 1.0, 2.0)])
    np.testing.assert_allclose(ensemble.importances(np.array([8.0, 2.0]), 2), [0.4, 0.6])


def test_importances_of_constants_are_nothing() -> None:
    ensemble = Ensemble.from_trees([[Node(value=1.0)]])
    assert ensemble.importances(np.ones(1), 3).tolist() == [0.0] * 3
