"""The costs at which a fitted classifier changes its mind about a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost.cells import Floats
from costboost.rules import Costs

BITS = 62
"""Halvings that lead from 0 and 1 to two neighbouring numbers."""


def decides_by_cost(model: Any) -> bool:
    """Whether a fitted classifier can be given other costs after training."""
    return bool(model._deciding().by_cost)


def cost_limits(model: Any, score: Floats) -> Floats:
    """Of each score, the least C- / (C- + C+) at which its row is no longer called positive.

    A row is called positive exactly where its limit is above C- / (C- + C+). It is the probability,
    up to what `predict` does at a draw; found by asking `predict`'s own rule, so that it is exact.
    Only for a classifier that decides by cost.
    """
    deciding, votes, n_added = model._deciding(), model._votes, model.n_iter_
    if deciding.calibrator is not None or n_added == 0:
        return np.asarray(deciding.probability(score, model._trained_costs, votes, n_added))
    levels, place = np.unique(score, return_inverse=True)
    called = np.zeros(levels.size, dtype=np.int64)
    not_called = np.full(levels.size, np.float64(1.0).view(np.int64))
    for _ in range(BITS):  # numbers above 0 are in the order of their bits
        middle = called + (not_called - called) // 2
        t = np.maximum(middle, 1).view(np.float64)
        above = deciding.positive(levels, Costs(2 * (1 - t), 2 * t), votes, n_added)
        called, not_called = np.where(above, middle, called), np.where(above, not_called, middle)
    limits: Floats = not_called.view(np.float64)[place]
    return limits
