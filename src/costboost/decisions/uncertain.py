r"""Uncertain costs: ranges and distributions, regret, robustness of decisions.

A range (low, high) contains the true cost; its mean is the middle. A frozen distribution of
scipy.stats has its own mean, and its range is the central 95% interval. Costs of different cells
vary independently, and within a cell those of all rows have one unknown value or their own: no
decision depends on which. The regret of an action is the most that it can cost beyond the best one:

.. math::

    R_a = \max_{C \in \text{ranges}} \max_b\, (E_a(C) - E_b(C))
        = \max_b \sum_k P(k) \max_C\, (C_{ka} - C_{kb})
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.checks import Floats, check_finite
from costboost.engine._kernels import TIE

CRITERIA = ("mean", "regret")
COVERAGE = 0.95
"""Probability of the central interval that stands for a distribution."""


# ---- cells ---------------------------------------------------------------------------------------


class Interval(NamedTuple):
    """Mean and range of a cost: numbers, or arrays with one for each row."""

    mean: Any
    low: Any
    high: Any


def is_distribution(cell: Any) -> bool:
    """Whether a cell is a frozen distribution of scipy.stats."""
    return all(hasattr(cell, name) for name in ("dist", "args", "kwds", "interval", "mean"))


def interval_of(cell: Any, where: str) -> Interval:
    """Mean and range of a number, an array or a distribution."""
    if not is_distribution(cell):
        return Interval(cell, cell, cell)
    mean = float(cell.mean())
    low, high = (float(end) for end in cell.interval(COVERAGE))
    if not np.all(np.isfinite([mean, low, high])):
        raise ValueError(
            f"{where} is a distribution whose mean or central {COVERAGE:.0%} interval is not "
            f"finite: mean {mean:g}, from {low:g} to {high:g}; take another one, or a range"
        )
    return Interval(mean, low, high)


def check_bounds(low: Floats, high: Floats, where: str) -> Interval:
    """Mean and range, whose low end must not be above the high end."""
    low, high = np.broadcast_arrays(low, high)
    wrong = np.flatnonzero(np.atleast_1d(low > high))
    if wrong.size:
        a, b = np.atleast_1d(low)[wrong[0]], np.atleast_1d(high)[wrong[0]]
        row = f" in row {wrong[0]}" if low.ndim else ""
        raise ValueError(f"{where} must be a range from low to high, got {a:g} to {b:g}{row}")
    return Interval(low / 2 + high / 2, low, high)


def uncertain_cost(name: str, cost: Any) -> Interval | None:
    """Mean and range of a cost that is a pair (low, high) or a distribution; None for others."""
    if is_distribution(cost):
        return interval_of(cost, name)
    if not isinstance(cost, tuple) or len(cost) != 2:
        return None
    low, high = (check_finite(name, end) for end in cost)
    return check_bounds(low, high, name)


# ---- regret --------------------------------------------------------------------------------------


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


@dataclass(frozen=True)
class Robustness:
    """Which decisions hold for all costs within their ranges; ``print`` shows a summary.

    Attributes
    ----------
    actions : array of str
        The action of each row.
    robust : array of bool
        Whether no costs within the ranges make another action of the row cheaper.
    regret : array of float
        The most that the action can cost beyond the best one; 0 where it is robust.
    share : float
        Share of robust decisions.
    at_stake : float
        Total regret: no choice of actions can be cheaper than this one by more, whatever the costs
        within their ranges are.
    """

    actions: NDArray[Any]
    robust: NDArray[np.bool_]
    regret: Floats

    @property
    def share(self) -> float:
        return float(self.robust.mean())

    @property
    def at_stake(self) -> float:
        return float(self.regret.sum())

    def __str__(self) -> str:
        n_other = int(np.sum(~self.robust))
        return (
            f"{self.share:.1%} of {len(self.robust):,} decisions hold for all costs within their "
            f"ranges; the other {n_other:,} can cost up to {self.at_stake:,.4g} more than the best"
        )
