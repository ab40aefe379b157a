"""The Newton family: LogitBoost with its variants for costs.

With t the logit of a row, p = 1 / (1 + e^(-t)) and y* = (y + 1) / 2, every round is a step of
Newton's method on the loss ``s log(1 + e^(-y t))``: weighted least squares of z, where::

    w z = s (y* - p),  w = s p (1 - p)

CSBoost minimises ``s / (1 + e^(y t))`` instead, with ``w z = s y p (1 - p)`` and the same w.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from costboost._core.arithmetic import each, exp, expit, log, log1p, logit
from costboost._core.rules.record import (
    COST_LOGISTIC,
    SIGMOID,
    Criterion,
    Link,
    NetCosts,
    NewtonRule,
    RowData,
    Scale,
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


def gamma(costs: NetCosts) -> Any:
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


# ---- the table of one score ----------------------------------------------------------------------

LOGITBOOST = NewtonRule(
    name="LogitBoost",
    logit=twice_score,
    first_step=half,
    cost_blind=True,
)
PER_CATEGORY = 0.6
"""What a category without any effect gains, nearly 2 / pi, in CostBoost; for others, gains
of splits are not shrunken."""
COSTBOOST = replace(
    LOGITBOOST,
    name="CostBoost",
    decides_by_cost=True,
    cost_blind=False,
    few_bits_rows=2048,
    criterion=Criterion("squares", per_category=PER_CATEGORY),
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


def against_cost(rows: RowData, m: int) -> tuple[Any, Any]:
    """t = 2 F - y log c."""
    cost = rows.costs.of_class(rows.label > 0)
    return 2.0, -rows.label * each(log, cost)


def _gll_odds(score: Any, scale: Scale) -> Any:
    """log-odds = log(C- / C+) + 4F + log(1 + C+ e^(-2F)) - log(1 + C- e^(2F))."""
    above = _log_one_plus(log(scale.costs.fn) - 2 * score)
    below = _log_one_plus(log(scale.costs.fp) + 2 * score)
    return 4 * score - scale.costs.log_ratio + above - below - scale.tilt


def _log_one_plus(t: Any) -> Any:
    """log(1 + e^t)."""
    return log1p(exp(-np.abs(t))) + np.maximum(t, 0)


def _gll_score(probability: Any, scale: Scale) -> Any:
    """F where u = e^(2F) is the root of C- u^2 + C+ C- (1 - r) u = C+ r, r being the odds."""
    odds = logit(probability) + scale.tilt
    fn, fp = log(scale.costs.fn), log(scale.costs.fp)
    r = exp(np.clip(odds, -600.0, 600.0))
    b, c = scale.costs.fn * (1 - r), exp(np.clip(fn - fp + odds, -600.0, 600.0))
    size = np.sqrt(b * b + 4 * c)
    u = np.where(b > 0, 2 * c / np.where(b > 0, b + size, 1.0), (size - b) / 2)
    return log(u) / 2


GLL_LINK = Link(
    probability=lambda score, scale: expit(_gll_odds(score, scale)),
    score=_gll_score,
    formula="4F - log(C+ / C-) + log(1 + C+ e^(-2F)) - log(1 + C- e^(2F)) - tilt",
)
"""The population minimiser of log(1 + c e^(-2yF)), costs taken out."""


GLLBOOST = replace(
    LOGITBOOST,
    name="GLLBoost",
    logit=against_cost,
    link=GLL_LINK,
    cost_blind=False,
    costs_in_rounds=True,
)


LOGITBOOST_OF_TWO = replace(LOGITBOOST, name="MultinomialLogitBoost")
