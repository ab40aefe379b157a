"""The Newton family: LogitBoost and its cost-sensitive variants, one likelihood, three logits.

With t the logit of a row, p = 1 / (1 + e^(-t)) and y* = (y + 1) / 2, every round is a step of
Newton's method on the loss ``s log(1 + e^(-y t))``: weighted least squares of z, where::

    w z = s (y* - p),  w = s p (1 - p)

CSBoost minimises ``s / (1 + e^(y t))`` instead, with ``w z = s y p (1 - p)`` and the same w.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from costboost.rules.record import (
    COST_LOGISTIC,
    SIGMOID,
    Costs,
    NewtonRule,
    RowData,
    drift_from_first,
    times_cost,
)

# ---- logits: slope and offset of t = slope F + offset --------------------------------------------


def twice_score(rows: RowData, m: int) -> tuple[Any, Any]:
    """t = 2 F."""
    return 2.0, 0.0


def plain_score(rows: RowData, m: int) -> tuple[Any, Any]:
    """t = F."""
    return 1.0, 0.0


def shifted_round_by_round(rows: RowData, m: int) -> tuple[Any, Any]:
    """t = 2 F - m log k, k = (C+ / C-)^(1/M)."""
    return 2.0, -(m / rows.n_rounds) * rows.costs.log_ratio


def tilted_by_cost(rows: RowData, m: int) -> tuple[Any, Any]:
    """t = 2 (gamma F + eta), gamma = (C+ + C-) / 2, eta = 1/2 log(C- / C+)."""
    return 2 * gamma(rows.costs), -rows.costs.log_ratio


def gamma(costs: Costs) -> Any:
    """Half the sum of the two costs."""
    return costs.fn / 2 + costs.fp / 2


# ---- first steps ---------------------------------------------------------------------------------


def half(rows: RowData) -> float:
    """1/2: Newton's step on the scale of F, half of what it is on the scale of the logit."""
    return 0.5


def whole(rows: RowData) -> float:
    """1: Newton's step on the scale of the logit."""
    return 1.0


def inverse_gamma(rows: RowData) -> float:
    """1 / (2 gamma): of the mean costs, where rows have their own."""
    return float(1 / (2 * gamma(rows.mean_costs)))


# ---- steepness of the loss of a row relative to the others ---------------------------------------


def gamma_against_mean(rows: RowData) -> Any:
    """gamma / mean gamma: a factor of w z, its square one of w; with class costs 1."""
    if not np.ndim(rows.costs.fn) and not np.ndim(rows.costs.fp):
        return None
    return gamma(rows.costs) / gamma(rows.mean_costs)


# ---- the table -----------------------------------------------------------------------------------

LOGITBOOST = NewtonRule(
    name="LogitBoost",
    logit=twice_score,
    first_step=half,
    cost_blind=True,
)
COSTBOOST = replace(
    LOGITBOOST, name="CostBoost", decides_by_cost=True, cost_blind=False, few_bits_rows=2048
)
CSLB = NewtonRule(
    name="CSLB",
    logit=shifted_round_by_round,
    first_step=half,
    logit_moves=True,
    drift=drift_from_first,
    costs_in_rounds=True,
)
CSLOGITBOOST = NewtonRule(
    name="CS-LogitBoost",
    logit=tilted_by_cost,
    first_step=inverse_gamma,
    steepness=gamma_against_mean,
    link=COST_LOGISTIC,
    costs_in_rounds=True,
    learner="linear",
)
CSBOOST = NewtonRule(
    name="CSBoost",
    focus=times_cost,
    logit=plain_score,
    first_step=whole,
    expected=True,
    link=SIGMOID,
)
CSLOGITBOOST_MARGIN = replace(CSLOGITBOOST, weight_of_twice_score=True)
