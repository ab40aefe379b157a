"""All assignments of a few rows to a few actions: the least cost by trying each of them."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@cache
def assignments(n_rows: int, n_actions: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Every assignment, and how often each action occurs in it."""
    every = np.array(list(product(range(n_actions), repeat=n_rows)))
    return every, (every[:, :, None] == np.arange(n_actions)).sum(axis=1)


def least_cost(costs: Floats, limits: Floats) -> float:
    """Least total cost within the limits; infinite if there is no such assignment."""
    every, usage = assignments(*costs.shape)
    allowed = np.all(usage <= limits, axis=1)
    if not allowed.any():
        return np.inf
    return float(costs[np.arange(len(costs)), every[allowed]].sum(axis=1).min())


def random_problem(rng: np.random.Generator, most_rows: int = 6) -> tuple[Floats, Floats]:
    """Costs with and without ties, and limits that can be kept."""
    while True:
        n, m = int(rng.integers(1, most_rows + 1)), int(rng.integers(2, 5))
        kind = rng.integers(3)
        if kind == 0:
            costs = rng.integers(0, 4, (n, m)).astype(float)
        elif kind == 1:
            costs = rng.normal(size=(n, m))
        else:  # equal rows
            costs = rng.integers(0, 3, (2, m)).astype(float)[rng.integers(0, 2, n)]
        limits = np.where(rng.random(m) < 0.7, rng.integers(0, n + 1, m), np.inf)
        if limits.sum() >= n:
            return costs, limits
