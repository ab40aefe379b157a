"""The Newton family: LogitBoost and its cost-sensitive kin, one loop, three logistic losses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from costboost.cells import Floats
from costboost.rules.record import COST_LOGISTIC, Costs, NewtonRule, Rows, drift_from_first

CLIP = 1e-10
"""Probabilities are kept this far from 0 and 1."""


class Odds:
    """p = 1 / (1 + e^-t) and 1 - p, both exact where they are small, clipped."""

    def __init__(self, logit: Floats) -> None:
        against = np.exp(np.clip(-logit, -50, 50))  # beyond, both are clipped in any case
        whole = 1 / (1 + against)
        self.p = np.clip(whole, CLIP, 1 - CLIP)
        self.q = np.clip(against * whole, CLIP, 1 - CLIP)

    @property
    def variance(self) -> Floats:
        """p (1 - p)."""
        return self.p * self.q

    def residual(self, label: Floats) -> Floats:
        """y* - p: 1 - p for positives, -p for negatives."""
        half = label / 2
        return (half + 0.5) * self.q + (half - 0.5) * self.p


def softplus(x: Floats) -> Floats:
    """log(1 + e^x), for which e^x must not overflow."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


# ---- LogitBoost ----------------------------------------------------------------------------------


def half(rows: Rows) -> float:
    """Newton's step on the scale of F: half of what it is on the scale of the logit."""
    return 0.5


def logistic_working(rows: Rows, score: Floats, m: int) -> tuple[Floats, Floats]:
    odds = Odds(2 * score)
    return rows.start * odds.residual(rows.label), rows.start * odds.variance


def logistic_loss(rows: Rows, score: Floats, m: int) -> Floats:
    return rows.start * softplus(-2 * rows.label * score)


# ---- CSLB: the costs come in round by round ------------------------------------------------------


def _shift(rows: Rows, m: int) -> Floats:
    """m log k, k = (C+ / C-)^(1/M)."""
    return np.asarray(m / rows.n_rounds * rows.costs.log_ratio)


def shifted_working(rows: Rows, score: Floats, m: int) -> tuple[Floats, Floats]:
    odds = Odds(2 * score - _shift(rows, m))
    return rows.start * odds.residual(rows.label), rows.start * odds.variance


def shifted_loss(rows: Rows, score: Floats, m: int) -> Floats:
    return rows.start * softplus(rows.label * (_shift(rows, m) - 2 * score))


# ---- CS-LogitBoost -------------------------------------------------------------------------------


def _gamma(costs: Costs) -> Any:
    """Half the sum of the two costs."""
    return (np.asarray(costs.fn) + np.asarray(costs.fp)) / 2


def _tilted(rows: Rows, score: Floats) -> Floats:
    """2 (gamma F + eta), eta = 1/2 log(C- / C+)."""
    return np.asarray(2 * _gamma(rows.costs) * score - rows.costs.log_ratio)


def inverse_gamma(rows: Rows) -> float:
    return float(1 / (2 * _gamma(rows.mean_costs)))


def cost_working(rows: Rows, score: Floats, m: int) -> tuple[Floats, Floats]:
    """Weights p_c (1 - p_c): Newton's own."""
    odds = Odds(_tilted(rows, score))
    return _by_cost(rows, odds.residual(rows.label), odds.variance)


def cost_working_margin(rows: Rows, score: Floats, m: int) -> tuple[Floats, Floats]:
    """Weights p (1 - p) with p = 1 / (1 + e^(-2F)): the paper's eq. 55."""
    odds, plain = Odds(_tilted(rows, score)), Odds(2 * score)
    response = odds.residual(rows.label) / odds.variance
    return _by_cost(rows, plain.variance * response, plain.variance)


def _by_cost(rows: Rows, response: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Rows of higher costs have steeper losses; with class costs all are alike."""
    share = _gamma(rows.costs) / _gamma(rows.mean_costs)
    return rows.start * response * share, rows.start * weight * share**2


def cost_loss(rows: Rows, score: Floats, m: int) -> Floats:
    return rows.start * softplus(-rows.label * _tilted(rows, score))


# ---- the table -----------------------------------------------------------------------------------

LOGITBOOST = NewtonRule(
    name="LogitBoost",
    working=logistic_working,
    first_step=half,
    loss=logistic_loss,
    cost_blind=True,
)
CSLB = NewtonRule(
    name="CSLB",
    working=shifted_working,
    first_step=half,
    loss=shifted_loss,
    drift=drift_from_first,
    costs_in_rounds=True,
)
CSLOGITBOOST = NewtonRule(
    name="CS-LogitBoost",
    working=cost_working,
    first_step=inverse_gamma,
    loss=cost_loss,
    link=COST_LOGISTIC,
    costs_in_rounds=True,
    learner="linear",
)
CSLOGITBOOST_MARGIN = replace(CSLOGITBOOST, working=cost_working_margin)
