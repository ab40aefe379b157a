"""Outlying costs of rows: how much of the total they have, and how they are lowered."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost._core.arithmetic import Floats
from costboost._core.parameters.boosting import QUANTILE

TOP = 0.01
"""Share of the rows whose costs are added up."""


def top_share(cost: Floats) -> float:
    """Share of the total that the greatest 1% of the costs have, one row at least; NaN for 0."""
    cost = cost[~np.isnan(cost)]
    total = float(cost.sum())
    if not total > 0:
        return float("nan")
    n_top = max(1, int(cost.size * TOP))
    return float(np.partition(cost, cost.size - n_top)[cost.size - n_top :].sum()) / total


def clip_cost(cost: Any, quantile: float, counting: Any = True) -> Any:
    """Costs lowered to the quantile of those above 0; a number stays as it is."""
    QUANTILE.check("quantile", quantile)
    positive = np.greater(cost, 0) & counting
    if not np.ndim(cost) or not positive.any():
        return cost
    return np.minimum(cost, np.quantile(cost[positive], quantile))
