"""Curves of rows that have costs of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.metrics.checks import (
    Floats,
    Scored,
    check_both_classes,
    check_cost,
    check_in_unit_interval,
    counting,
)
from costboost.metrics.priors import with_odds


def priced(rows: Scored, fn_cost: Any, fp_cost: Any, sample_weight: Any, n_rows: int) -> Scored:
    """Rows weighted by the cost of a mistake on them, and probabilities that contain their costs.

    A row is predicted positive if p fn > (1 - p) fp. Its costs, divided by the mean of those of
    its mistake, move its probability; then one threshold decides for all rows. Costs that are the
    same for all rows change nothing.

    ``rows`` are those of the ``n_rows`` given whose weight counts.
    """
    named = {
        name: check_cost(name, 1.0 if value is None else value, n_rows)
        for name, value in (("fn_cost", fn_cost), ("fp_cost", fp_cost))
    }
    if all(cost.ndim == 0 for cost in named.values()):
        return rows
    check_in_unit_interval("y_score, with costs of rows,", rows.score)
    weight = np.ones(rows.score.size) if rows.weight is None else rows.weight
    there = counting(sample_weight, n_rows)
    fn, fp = (
        _relative(name, np.broadcast_to(cost, n_rows)[there], side, weight)
        for (name, cost), side in zip(named.items(), (rows.positive, ~rows.positive), strict=True)
    )
    score = with_odds(fn * rows.score, fp * (1 - rows.score))
    stakes = weight * np.where(rows.positive, fn, fp)
    at_stake = counting(stakes, stakes.size)
    return check_both_classes(Scored(rows.positive[at_stake], score[at_stake], stakes[at_stake]))


def _relative(name: str, cost: Floats, side: NDArray[np.bool_], weight: Floats) -> Floats:
    """Costs divided by their mean over the class whose rows can be mistaken so."""
    if not cost[side].any():
        raise ValueError(f"{name} is zero for every row that could have it; some mistake must cost")
    cost = cost / cost.max()
    return np.asarray(cost / np.average(cost[side], weights=weight[side]))
