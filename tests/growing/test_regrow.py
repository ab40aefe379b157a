"""A tree of an earlier fit, under the weights that it was grown by, is what was grown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from learners.rows import Small

from costboost._core.arithmetic import parts_of
from costboost._core.learners.tree import TreeLearner
from costboost._core.learners.vote_tree import VoteLearner
from costboost._core.rows import Grown
from costboost._core.rules.record import Criterion

DIRECTIONS = np.array([1, 0, -1], dtype=np.int8)


def assert_same(recalled: Grown, grown: Grown) -> None:
    assert recalled.number == grown.number + 1
    for name in ("left", "gain", "share", "bounds"):
        np.testing.assert_array_equal(getattr(recalled, name), getattr(grown, name))
    for name in ("feature", "bin", "missing_left", "left"):
        both = (getattr(tree.splits, name) for tree in (recalled, grown))
        np.testing.assert_array_equal(*both)


def in_order_of_numbers(grown: Grown) -> bool:
    """Whether nodes are divided in the order of their numbers."""
    children = grown.left[grown.left >= 0]
    return bool((np.diff(children) > 0).all())


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", ["exponential", "cost exponential"])
@pytest.mark.parametrize("n_shards", [1, 3])
def test_trees(n_shards: int, kind: str, directed: bool) -> None:
    """One block of rows grows its tree in C++; rows with costs of their own never do."""
    small = Small(np.random.default_rng(5), 150, 3, n_shards, missing=0.1, categories=False).weigh()
    if directed:
        small.rows.direct(DIRECTIONS)
    criterion = Criterion(kind, 0.001, 2.0, 1.0)
    learner = TreeLearner(small.binning, None, 9, 3)
    tree = learner.find(small.rows, criterion)
    assert tree.grown.left.size > 9
    assert not in_order_of_numbers(tree.grown)
    assert (tree.grown.bounds is not None) == directed
    scores = parts_of(small.rows.scores(tree))
    recalled = learner.recall(small.rows, learner.model([(tree, 1.0)]).tree(0), criterion)
    assert_same(recalled.grown, tree.grown)
    np.testing.assert_array_equal(recalled.value, tree.value)
    assert recalled.weight.tobytes() == tree.weight.tobytes()
    for found, expected in zip(parts_of(small.rows.scores(recalled)), scores, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("limits", [(None, 7), (1, None), (3, 5)])
@pytest.mark.parametrize("n_shards", [1, 2])
def test_votes(n_shards: int, limits: Any) -> None:
    small = Small(np.random.default_rng(2), 120, 3, n_shards, missing=0.1)
    rows = small.rows
    code = small.in_order((np.nan_to_num(small.X[:, 0]) > 2) + 1 * (small.X[:, 1] > 3))
    weight = small.in_order(small.weight / small.weight.sum())
    price = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 1.0], [1.0, 2.0, 0.0]])
    rows.set_votes(rows.vector(weight), rows.vector(code.astype(np.int32)), price)
    codes = 1.5 * np.eye(3) - 0.5
    learner = VoteLearner(small.binning, codes, *limits, 2)
    tree = learner.find(rows, Criterion("vote"))
    assert tree.grown.left.size > 1
    memory = learner.memory(learner.model([(tree, 0.7)]))
    recalled = learner.recall(rows, memory[0], Criterion("vote"))
    assert_same(recalled.grown, tree.grown)
    np.testing.assert_array_equal(recalled.vote, tree.vote)
