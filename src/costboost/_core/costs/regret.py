r"""Regret of actions whose costs are ranges: the most that one can cost beyond the best one.

.. math::

    R_a = \max_{C \in \text{ranges}} \max_b\, (E_a(C) - E_b(C))
        = \max_b \sum_k P(k) \max_C\, (C_{ka} - C_{kb})
"""

from __future__ import annotations

import numpy as np

from costboost._core.checks import Floats
from costboost._core.engine._kernels import TIE


def worst_differences(parts: Floats, low: Floats, high: Floats) -> Floats:
    """Greatest cost of action a minus that of action b over the ranges, for each truth.

    Parameters
    ----------
    parts : array of shape (1 or n_rows, n_classes, n_actions, n_actions)
        How often each cell (last dimension) is paid for each action.
    low, high : arrays of shape (1 or n_rows, n_classes, n_actions)

    Returns
    -------
    array of shape (1 or n_rows, n_classes, n_actions, n_actions)
    """
    k, m = low.shape[1:]
    worst = np.zeros((max(len(parts), len(low)), k, m, m))
    for a in range(m):
        for b in range(m):
            factor = parts[:, :, a] - parts[:, :, b]
            for j in np.flatnonzero(np.any(factor != 0, axis=(0, 1))):
                own = factor[:, :, j]
                worst[:, :, a, b] += np.maximum(own * low[:, :, j], own * high[:, :, j])
    return worst


def regrets(probability: Floats, worst: Floats) -> Floats:
    """Regret of each action (columns) for each row: the most it can cost beyond the best one.

    Exactly 0 where no costs within the ranges make another action cheaper.
    """
    n, m = len(probability), worst.shape[-1]
    found = np.zeros((n, m))
    for a in range(m):
        for b in range(m):
            terms = probability * worst[:, :, a, b]
            total = terms.sum(axis=1)
            total[total <= TIE * np.abs(terms).sum(axis=1)] = 0.0
            np.maximum(found[:, a], total, out=found[:, a])
    return found


def beyond_least_regret(regret: Floats) -> Floats:
    """Regret of each action minus the least of its row; exactly 0 for ties."""
    least = regret.min(axis=1, keepdims=True)
    beyond = regret - least
    return np.where(beyond <= TIE * regret.max(axis=1, keepdims=True), 0.0, beyond)
