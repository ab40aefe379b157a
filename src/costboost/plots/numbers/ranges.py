"""Expected cost of decisions while one uncertain cost moves through its range."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from costboost.costs import beyond_least, expected
from costboost.decisions.action_costs import RowCosts
from costboost.decisions.actions import ActionClassifier, costs_of, decisions_of
from costboost.metrics.checks import Floats
from costboost.plots.numbers.measures import Band

POINTS = 41


class CostRange(NamedTuple):
    """Expected costs of a row over the range of one cost."""

    cost: Floats
    """Values of the cost, or shares of its range if rows have ranges of their own."""
    decided: Band
    """Expected cost of the decisions; lower and upper with all other costs at their ends."""
    known: Floats
    """Expected cost of decisions for which the cost is known."""
    cell: tuple[Any, str]
    """True class and action that the cost belongs to."""
    of_rows: bool
    """Whether rows have ranges of their own."""


def cost_range(clf: Any, X: Any, cell: Any = None, costs: Any = None) -> CostRange:
    """Move one cost through its range; by default that with the greatest effect."""
    if not isinstance(clf, ActionClassifier):
        raise ValueError(
            f"estimator must be an ActionClassifier, got a {type(clf).__name__}; others have no "
            "uncertain costs"
        )
    probability, own, codes = decisions_of(clf, X, costs)
    table = costs_of(clf)
    paid = _times_paid(probability, own, codes)
    effect = (paid * (own.high - own.low)).mean(axis=0)
    if not np.any(own.high > own.low):
        raise ValueError("no cost is a range or a distribution: there is nothing to move")
    truth, action = _position(cell, list(table.classes), list(table.actions), effect)
    low, high = own.low[:, truth, action], own.high[:, truth, action]
    if not np.any(high > low):
        raise ValueError(
            f"the cost of {table.actions[action]!r} where {table.classes[truth]!r} is true is "
            "certain: choose a cell whose cost is a range or a distribution"
        )
    share = np.linspace(0.0, 1.0, POINTS)
    mine = paid[:, truth, action]
    moving = (mine * low).mean() + share * (mine * (high - low)).mean()
    others = np.ones(paid.shape[1:], dtype=bool)
    others[truth, action] = False
    middle, lower, upper = (
        moving + (paid * side)[:, others].sum(axis=1).mean()
        for side in (own.mean, own.low, own.high)
    )
    known = np.array([_best(probability, _moved(own, truth, action, one)) for one in share])
    of_rows = len(low) > 1
    return CostRange(
        share if of_rows else low[0] + share * (high[0] - low[0]),
        Band(middle, lower, upper),
        known,
        (table.classes[truth], table.actions[action]),
        of_rows,
    )


def _times_paid(probability: Floats, own: RowCosts, codes: Any) -> Floats:
    """How often each cell is paid in expectation: (rows, classes, actions)."""
    n, k = probability.shape
    if own.parts is None:
        parts = np.eye(own.mean.shape[2])[codes][:, None, :]
    else:
        rows = np.arange(n) if len(own.parts) > 1 else np.zeros(n, dtype=np.intp)
        parts = own.parts[rows, :, codes]
    return np.asarray(probability[:, :, None] * np.broadcast_to(parts, (n, k, parts.shape[2])))


def _position(cell: Any, classes: list[Any], actions: list[str], effect: Floats) -> tuple[int, int]:
    if cell is None:
        truth, action = np.unravel_index(int(effect.argmax()), effect.shape)
        return int(truth), int(action)
    if not isinstance(cell, tuple) or len(cell) != 2:
        raise ValueError(f"cell must be a pair (true class, action), got {cell!r}")
    for value, known, what in zip(cell, (classes, actions), ("classes", "actions"), strict=True):
        if value not in known:
            raise ValueError(f"cell has {value!r}, which is none of the {what} {known}")
    return classes.index(cell[0]), actions.index(cell[1])


def _moved(own: RowCosts, truth: int, action: int, share: float) -> RowCosts:
    """Costs whose one cell is at a share of its range, all others at their means."""
    mean = own.mean.copy()
    low, high = own.low[:, truth, action], own.high[:, truth, action]
    if len(low) > len(mean):
        mean = np.repeat(mean, len(low), axis=0)
    mean[:, truth, action] = low + share * (high - low)
    return replace(own, mean=mean)


def _best(probability: Floats, own: RowCosts) -> float:
    """Mean expected cost of the cheapest actions."""
    table = own.table
    codes = beyond_least(probability, table).argmin(axis=1)
    return float(expected(probability, table)[np.arange(len(codes)), codes].mean())
