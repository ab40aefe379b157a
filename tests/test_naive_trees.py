"""Trees of the transcriptions: their growth and the values of their leaves."""

from __future__ import annotations

import itertools
import math
from typing import Any

import naive
import numpy as np
import pytest
from naive_cases import ALL, LOOKUP, TREE, noisy, only_stump, scores_by_round, with_gaps
from sklearn.tree import DecisionTreeRegressor


@pytest.mark.parametrize("algorithm", ALL)
def test_a_tree_of_one_split_is_the_stump(algorithm: str) -> None:
    X, y = noisy(30)
    stump = naive.fit(algorithm, X, y, 3, 1, n_estimators=3, learner="stump")
    assert stump.learners
    for shape in ({"max_depth": 1}, {"max_depth": 5, "max_leaf_nodes": 2}):
        tree = naive.fit(algorithm, X, y, 3, 1, n_estimators=3, learner="tree", **shape)
        assert tree.learners == stump.learners


def test_a_tree_splits_the_leaf_of_greatest_gain() -> None:
    # Cut first at 4.5; then the right half, split by 6.5, gains more than the left, split by 1.5.
    X = np.arange(1.0, 9.0)[:, None]
    y = np.array([1.0, -1.0, -1.0, -1.0, 1.0, 1.0, -1.0, 1.0])
    s = np.array([0.05, 2.0, 2.0, 2.0, 2.0, 2.0, 0.5, 2.0])
    model = naive.fit("adaboost", X, y, 1, 1, s, 1, learner="tree", max_leaf_nodes=3)
    root = model.learners[0]
    assert isinstance(root, naive.Node)
    assert root.split == naive.Split(0, 4.5, True)
    assert root.left.split is None
    assert root.right.split.threshold == 6.5
    deeper = naive.fit("adaboost", X, y, 1, 1, s, 1, learner="tree", max_depth=2).learners[0]
    assert deeper.left.split.threshold == 1.5
    assert deeper.left.left.depth == 2
    assert deeper.right.right.split is None
    leaves = naive.fit(
        "adaboost", X, y, 1, 1, s, 1, learner="tree", max_depth=3, min_samples_leaf=3
    ).learners[0]
    assert leaves.left.split is leaves.right.split is None


def test_tree_thresholds_are_those_of_the_whole_column() -> None:
    # Inside the node x0 > 0 the second column jumps from 1 to 4, but 2 and 3 occur elsewhere.
    X = np.array([[0.0, 2.0], [0.0, 3.0], [0.0, 2.0], [1.0, 1.0], [1.0, 4.0]])
    y = np.array([-1.0, -1.0, -1.0, -1.0, 1.0])
    s = np.array([1.0, 1.0, 1.0, 0.5, 2.0])
    root = naive.fit("adaboost", X, y, 1, 1, s, 1, learner="tree", max_depth=3).learners[0]
    assert root.split == naive.Split(1, 3.5, False)
    X[1, 1] = 5.0
    root = naive.fit("adaboost", X, y, 1, 1, s, 1, learner="tree", max_depth=3).learners[0]
    assert root.split == naive.Split(0, 0.5, False)
    assert root.right.split == naive.Split(1, 1.5, True)


def test_an_unlimited_tree_is_perfect_on_distinct_rows() -> None:
    X, y = noisy()
    model = naive.fit("adaboost", X, y, learner="tree")
    assert model.stop_reason == "perfect learner"
    assert len(model.learners) == 1


def leaves_of(node: naive.Node, X: np.ndarray, rows: np.ndarray) -> list[tuple[float, np.ndarray]]:
    """Value and row numbers of every leaf, by walking the tree down."""
    if node.split is None:
        return [(node.value, rows)]
    right = node.split.right(X[rows])
    return leaves_of(node.left, X, rows[~right]) + leaves_of(node.right, X, rows[right])


def only_tree(model: naive.NaiveModel, X: np.ndarray) -> list[tuple[float, np.ndarray]]:
    root = model.learners[0]
    assert isinstance(root, naive.Node)
    return leaves_of(root, X, np.arange(len(X)))


REAL_TREES = [
    ("realboost", {"smoothing": 1e-4}),
    ("realboost", {"smoothing": 0.05}),
    ("gentleboost", {}),
    ("csra", {"smoothing": 0.05}),
    ("csga", {}),
    ("csrealboost", {"smoothing": 0.05}),
]


@pytest.mark.parametrize(
    ("algorithm", "options"), [*REAL_TREES, *((name, {}) for name in naive.NEWTON)]
)
def test_a_node_is_split_as_a_stump_of_its_rows_would(
    algorithm: str, options: dict[str, Any]
) -> None:
    """Shares are of all rows, so a stump of the node's rows alone needs smoothing in proportion."""
    X, y, s = with_gaps()
    model = naive.fit(algorithm, X, y, 2, 1, s, 1, learner="tree", max_depth=2, **options)
    root = model.learners[0]
    g = root.predict(X)
    first = only_stump(naive.fit(algorithm, X, y, 2, 1, s, 1, learner="stump", **options))
    assert root.split == first.split
    right = root.split.right(X)
    mixed = [rows for rows in (right, ~right) if len(set(y[rows])) == 2]
    assert mixed
    for rows in mixed:
        scaled = {name: e / model.weights[0][rows].sum() for name, e in options.items()}
        stump = naive.fit(
            algorithm, X[rows], y[rows], 2, 1, s[rows], 1, learner="stump", **scaled
        ).learners[0]
        assert len(np.unique(g[rows])) == 2
        np.testing.assert_allclose(g[rows], stump.predict(X[rows]), atol=1e-12)


@pytest.mark.parametrize("shape", [{"max_leaf_nodes": 6}, {"max_depth": 3, "min_samples_leaf": 4}])
@pytest.mark.parametrize("algorithm", ["gentleboost", "csga", "logitboost", "cslogitboost"])
def test_trees_of_squared_loss_are_scikit_learns(algorithm: str, shape: dict[str, int]) -> None:
    X, y = noisy(80)
    rng = np.random.default_rng(5)
    s = naive.normalised(rng.uniform(0.5, 1.5, len(y)))
    fn, fp = 3.0, 1.5
    z, w = y, s  # gentleboost
    if algorithm == "csga":  # k = c^(1/1) in the only round
        w = s * np.where(y > 0, fn, fp)
    if algorithm == "logitboost":  # p = 1/2
        z = 2 * y
    if algorithm == "cslogitboost":  # p = C- / (C+ + C-) at F = 0
        z = np.where(y > 0, (fn + fp) / fp, -(fn + fp) / fn)
    model = naive.fit(algorithm, X, y, fn, fp, s, 1, learner="tree", **shape)
    peer = DecisionTreeRegressor(**shape).fit(X, z, sample_weight=w)
    g = model.learners[0].predict(X)
    assert len(np.unique(g)) > 3
    np.testing.assert_allclose(g, np.clip(peer.predict(X), -4, 4), atol=1e-12)


@pytest.mark.parametrize("costs", [1.0, 20.0])
def test_leaves_of_newton_trees_are_clipped(costs: float) -> None:
    X, y = noisy()
    model = naive.fit("cslogitboost", X, y, costs, 1, None, 1, learner="tree")
    # Every leaf is pure: z = 1 + C+/C- for a positive, -(1 + C-/C+) for a negative.
    for value, rows in only_tree(model, X):
        assert len(set(y[rows])) == 1
        expected = min(1 + costs, 4.0) if y[rows][0] > 0 else -1 - 1 / costs
        assert value == pytest.approx(expected, rel=1e-12)


def test_pure_leaves_of_an_unlimited_tree() -> None:
    X, y = noisy()
    model = naive.fit("realboost", X, y, n_estimators=1, learner="tree")
    for value, rows in only_tree(model, X):
        assert len(set(y[rows])) == 1
        odds = (len(rows) / len(y) + 1e-4) / 1e-4
        assert value == pytest.approx(0.5 * y[rows][0] * math.log(odds), rel=1e-12)
    gentle = naive.fit("gentleboost", X, y, n_estimators=1, learner="tree")
    np.testing.assert_array_equal(gentle.decision_function(X), y)


@pytest.mark.parametrize("algorithm", ["realboost", "csra"])
def test_trees_under_the_weighted_error_are_those_of_votes(algorithm: str) -> None:
    X, y, s = with_gaps()
    votes = naive.fit("cgada" if algorithm == "csra" else "adaboost", X, y, 3, 1, s, 1, **TREE)
    real = naive.fit(algorithm, X, y, 3, 1, s, 1, criterion="error", **TREE)
    w = real.weights[0]
    same_rows = zip(only_tree(votes, X), only_tree(real, X), strict=True)
    for (vote, voters), (value, rows) in same_rows:
        np.testing.assert_array_equal(voters, rows)
        p, q = w[rows][y[rows] > 0].sum(), w[rows][y[rows] < 0].sum()
        assert value == pytest.approx(0.5 * math.log((p + 1e-4) / (q + 1e-4)))
        assert math.copysign(1, value) == vote
    # The bound ignores smoothing; the loss does not, and another tree is best.
    sizes = {}
    for criterion in ("loss", "error"):
        heavy = {"smoothing": 0.3, "criterion": criterion}
        model = naive.fit(algorithm, X, y, 3, 1, s, 1, **heavy, **TREE)
        sizes[criterion] = [len(rows) for _, rows in only_tree(model, X)]
    assert sizes["error"] == [len(rows) for _, rows in only_tree(votes, X)]
    assert sizes["loss"] != sizes["error"]


def test_every_split_lowers_the_criterion() -> None:
    X, y, s = with_gaps()
    w = naive.normalised(s)
    bounds, losses = [], []
    for k in range(3, 9):
        shape = {"learner": "tree", "max_leaf_nodes": k}
        leaves = only_tree(naive.fit("adaboost", X, y, 1, 1, s, 1, **shape), X)
        assert len(leaves) == k
        shares = [(w[rows][y[rows] > 0].sum(), w[rows][y[rows] < 0].sum()) for _, rows in leaves]
        bounds.append(sum(2 * math.sqrt(p * q) for p, q in shares))
        g = naive.fit("realboost", X, y, 1, 1, s, 1, **shape).decision_function(X)
        losses.append((w * np.exp(-y * g)).sum())
    assert (np.diff(bounds) < 0).all()
    assert (np.diff(losses) < 0).all()
    whole = 2 * math.sqrt(w[y > 0].sum() * w[y < 0].sum())
    assert bounds[0] < whole


@pytest.mark.parametrize("algorithm", ["adaboost", "realboost", "gentleboost", "logitboost"])
def test_of_two_leaves_alike_the_first_is_split(algorithm: str) -> None:
    half = np.array([1.0, 2.0, 3.0, 4.0])
    X = np.c_[np.repeat([0.0, 1.0], 4), np.tile(half, 2)]
    y = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, -1.0])
    model = naive.fit(algorithm, X, y, n_estimators=1, learner="tree", max_leaf_nodes=3)
    root = model.learners[0]
    assert root.split.feature == 0
    assert root.left.split == naive.Split(1, 3.5, False)
    assert root.right.split is None


def test_a_tree_that_gains_nothing_is_its_root() -> None:
    y = np.array([1.0, 1.0, 1.0, -1.0])
    expected = {
        "realboost": 0.5 * math.log((0.75 + 1e-4) / (0.25 + 1e-4)),
        "gentleboost": 0.5,
        "csrealboost": math.log((0.75 + 1e-4) * 3 / (0.25 + 1e-4)) / 4,
        "logitboost": 1.0,
    }
    for algorithm, value in expected.items():
        model = naive.fit(algorithm, np.zeros((4, 1)), y, 3, 1, n_estimators=2, learner="tree")
        assert [root.split for root in model.learners] == [None, None]
        assert model.learners[0].value == pytest.approx(value, rel=1e-12)
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    xor = naive.fit("realboost", X, np.array([1.0, -1.0, -1.0, 1.0]), learner="tree")
    assert not xor.decision_function(X).any()


@pytest.mark.parametrize("learner", [TREE, LOOKUP])
@pytest.mark.parametrize("algorithm", naive.NEWTON)
def test_newton_loss_falls_with_every_learner(algorithm: str, learner: dict[str, Any]) -> None:
    X, y = noisy()
    fn, fp, M = 3.0, 1.0, 5
    model = naive.fit(algorithm, X, y, fn, fp, None, M, **learner)
    assert len(model.steps) == M
    log_k, gamma, eta = math.log(fn / fp) / M, (fn + fp) / 2, 0.5 * math.log(fp / fn)
    stages = scores_by_round(model, X)
    for m, (before, after) in enumerate(itertools.pairwise(stages), start=1):
        loss = [
            {
                "logitboost": np.logaddexp(0, -2 * y * F),
                "cslb": np.logaddexp(0, y * (m * log_k - 2 * F)),
                "cslogitboost": np.logaddexp(0, -2 * y * (gamma * F + eta)),
                "aec": np.where(y > 0, fn, fp) / (1 + np.exp(y * F)),
            }[algorithm].sum()
            for F in (before, after)
        ]
        assert loss[1] < loss[0]


def test_rareboost_trees_and_tables_have_two_groups() -> None:
    X, y, s = with_gaps()
    w = naive.normalised(s)
    for options in (TREE, LOOKUP):
        h = naive.fit("adaboost", X, y, 1, 1, s, 1, **options).learners[0].predict(X)
        F = naive.fit("rareboost", X, y, 1, 1, s, 1, **options).decision_function(X)
        for group in (h > 0, h < 0):
            p, q = w[group & (y > 0)].sum(), w[group & (y < 0)].sum()
            value = 0.5 * math.log((p + 1e-4) / (q + 1e-4))
            np.testing.assert_allclose(F[group], value, rtol=1e-12)
