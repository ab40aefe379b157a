"""Shapley values by their definition: all coalitions, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import factorial, isnan
from typing import Any

import numpy as np


def shapley(worth: Callable[[frozenset[int]], float], n: int) -> np.ndarray:
    """The mean gain of each of n players over all orders in which they can join."""
    values = np.zeros(n)
    for j in range(n):
        others = [k for k in range(n) if k != j]
        for size in range(n):
            share = factorial(size) * factorial(n - size - 1) / factorial(n)
            for chosen in combinations(others, size):
                known = frozenset(chosen)
                values[j] += share * (worth(known | {j}) - worth(known))
    return values


def left(node: Any, x: float) -> bool:
    """Whether a value goes left; nodes are those of `Ensemble.tree`."""
    if isnan(x):
        return bool(node.missing_left)
    return bool(node.goes_left[int(x)]) if node.goes_left is not None else x <= node.threshold


def score(trees: Sequence[Any], row: np.ndarray) -> float:
    total = 0.0
    for tree in trees:
        k = 0
        while tree[k].feature >= 0:
            k = tree[k].left + (0 if left(tree[k], row[tree[k].feature]) else 1)
        total += tree[k].value
    return total


def interventional(trees: Sequence[Any], row: np.ndarray, background: np.ndarray) -> np.ndarray:
    """Features outside of the coalition have the values of background rows."""

    def worth(known: frozenset[int]) -> float:
        mixed = background.copy()
        for j in known:
            mixed[:, j] = row[j]
        return float(np.mean([score(trees, one) for one in mixed]))

    return shapley(worth, len(row))


def path_dependent(trees: Sequence[Any], row: np.ndarray, background: np.ndarray) -> np.ndarray:
    """Features outside of the coalition follow both sides, by the background rows there.

    Algorithm 1 of Lundberg et al. (2020). Where no background row is, each side has half.
    """

    def expected(tree: Any, k: int, known: frozenset[int], rows: np.ndarray) -> float:
        node = tree[k]
        if node.feature < 0:
            return float(node.value)
        goes = np.array([left(node, x) for x in rows[:, node.feature]], dtype=bool)
        sides = [rows[goes], rows[~goes]]
        if node.feature in known:
            side = 0 if left(node, row[node.feature]) else 1
            return expected(tree, node.left + side, known, sides[side])
        shares = [0.5, 0.5] if not len(rows) else [len(one) / len(rows) for one in sides]
        return sum(
            shares[side] * expected(tree, node.left + side, known, sides[side]) for side in (0, 1)
        )

    def worth(known: frozenset[int]) -> float:
        return sum(expected(tree, 0, known, background) for tree in trees)

    return shapley(worth, len(row))
