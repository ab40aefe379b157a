"""Ranges of costs that are not known exactly.

A range (low, high) contains the true cost; its mean is the middle. A frozen distribution of
scipy.stats has its own mean, and its range is the central 95% interval. Costs of different cells
vary independently, and within a cell those of all rows have one unknown value or their own: no
decision depends on which.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from costboost._core.checks import Floats, check_finite

COVERAGE = 0.95
"""Probability of the central interval that stands for a distribution."""


class CostRange(NamedTuple):
    """Mean and range of a cost: numbers, or arrays with one for each row."""

    mean: Any
    low: Any
    high: Any


def is_distribution(cell: Any) -> bool:
    """Whether a cell is a frozen distribution of scipy.stats."""
    return all(hasattr(cell, name) for name in ("dist", "args", "kwds", "interval", "mean"))


def interval_of(cell: Any, where: str) -> CostRange:
    """Mean and range of a number, an array or a distribution."""
    if isinstance(cell, CostRange):
        return cell
    if not is_distribution(cell):
        return CostRange(cell, cell, cell)
    mean = float(cell.mean())
    low, high = (float(end) for end in cell.interval(COVERAGE))
    if not np.all(np.isfinite([mean, low, high])):
        raise ValueError(
            f"{where} is a distribution whose mean or central {COVERAGE:.0%} interval is not "
            f"finite: mean {mean:g}, from {low:g} to {high:g}; take another one, or a range"
        )
    return CostRange(mean, low, high)


def check_bounds(low: Floats, high: Floats, where: str) -> CostRange:
    """Mean and range, whose low end must not be above the high end."""
    low, high = np.broadcast_arrays(low, high)
    wrong = np.flatnonzero(np.atleast_1d(low > high))
    if wrong.size:
        a, b = np.atleast_1d(low)[wrong[0]], np.atleast_1d(high)[wrong[0]]
        row = f" in row {wrong[0]}" if low.ndim else ""
        raise ValueError(f"{where} must be a range from low to high, got {a:g} to {b:g}{row}")
    return CostRange(low / 2 + high / 2, low, high)


def uncertain_cost(name: str, cost: Any) -> CostRange | None:
    """Mean and range of a cost that is a pair (low, high) or a distribution; None for others."""
    if is_distribution(cost):
        return interval_of(cost, name)
    if not isinstance(cost, tuple) or len(cost) != 2:
        return None
    low, high = (check_finite(name, end) for end in cost)
    return check_bounds(low, high, name)
