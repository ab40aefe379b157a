"""The Newton family: LogitBoost and its cost-sensitive kin, one loop, three logistic losses."""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Any

import numpy as np

from costboost.cells import Floats
from costboost.rules.record import COST_LOGISTIC, Costs, NewtonRule, Rows, drift_from_first

CLIP = 1e-10
"""Probabilities are kept this far from 0 and 1, ..."""
LARGEST_LOGIT = log((1 - CLIP) / CLIP)
"""... which is the same as keeping the logit this far from 0."""


class Doubt:
    """q = 1 / (1 + e^u), the probability of the other class where y t = u, and 1 - q.

    Both are exact where they are small, for which 1 - q by subtraction would not be.
    """

    def __init__(self, label: Floats, logit: Floats) -> None:
        odds = np.exp(np.clip(label * logit, -LARGEST_LOGIT, LARGEST_LOGIT))
        self.label = label
        self.q = 1 / (1 + odds)
        self.p = odds * self.q

    @property
    def residual(self) -> Floats:
        """y* - p."""
        return self.label * self.q

    @property
    def variance(self) -> Floats:
        """p (1 - p)."""
        return self.p * self.q


def softplus(x: Floats) -> Floats:
    """log(1 + e^x), for which e^x must not overflow."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


# ---- LogitBoost ----------------------------------------------------------------------------------


def half(rows: Rows) -> float:
    """1/2: Newton's step on the scale of F, half of what it is on the scale of the logit."""
    return 0.5


def logistic_working(rows: Rows, score: Floats, m: int) -> tuple[Floats, Floats]:
    """w z = s (y* - p), w = s p (1 - p), p = 1 / (1 + e^(-2F))."""
    doubt = Doubt(rows.label, 2 * score)
    return rows.start * doubt.residual, rows.start * doubt.variance


def logistic_loss(rows: Rows, score: Floats, m: int) -> Floats:
    """s log(1 + e^(-2 y F))."""
    return rows.start * softplus(-2 * rows.label * score)


# ---- CSLB: the costs come in round by round ------------------------------------------------------


def _shift(rows: Rows, m: int) -> Floats:
    """m log k, k = (C+ / C-)^(1/M)."""
    return np.asarray(m / rows.n_rounds * rows.costs.log_ratio)


def shifted_working(rows: Rows, score: Floats, m: int) -> tuple[Floats, Floats]:
    """w z = s (y* - p), w = s p (1 - p), p = 1 / (1 + k^m e^(-2F)), k = (C+ / C-)^(1/M)."""
    doubt = Doubt(rows.label, 2 * score - _shift(rows, m))
    return rows.start * doubt.residual, rows.start * doubt.variance


def shifted_loss(rows: Rows, score: Floats, m: int) -> Floats:
    """s log(1 + e^(y (m log k - 2F)))."""
    return rows.start * softplus(rows.label * (_shift(rows, m) - 2 * score))


# ---- CS-LogitBoost -------------------------------------------------------------------------------


def _gamma(costs: Costs) -> Any:
    """Half the sum of the two costs."""
    return (np.asarray(costs.fn) + np.asarray(costs.fp)) / 2


def _tilted(rows: Rows, score: Floats) -> Floats:
    """2 (gamma F + eta), eta = 1/2 log(C- / C+)."""
    return np.asarray(2 * _gamma(rows.costs) * score - rows.costs.log_ratio)


def inverse_gamma(rows: Rows) -> float:
    """1 / (2 gamma): of the mean costs, where rows have their own."""
    return float(1 / (2 * _gamma(rows.mean_costs)))


def cost_working(rows: Rows, score: Floats, m: int) -> tuple[Floats, Floats]:
    """w z = s (y* - p_c), w = s p_c (1 - p_c), p_c = 1 / (1 + e^(-2 (gamma F + eta)))."""
    doubt = Doubt(rows.label, _tilted(rows, score))
    return _by_cost(rows, doubt.residual, doubt.variance)


def cost_working_margin(rows: Rows, score: Floats, m: int) -> tuple[Floats, Floats]:
    """w z = s v (y* - p_c) / (p_c (1 - p_c)), w = s v, v = p (1 - p), p = 1 / (1 + e^(-2F)).

    The paper's eq. 55.
    """
    doubt, plain = (Doubt(rows.label, t) for t in (_tilted(rows, score), 2 * score))
    response = doubt.residual / doubt.variance
    return _by_cost(rows, plain.variance * response, plain.variance)


def _by_cost(rows: Rows, response: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Rows of higher costs have steeper losses; with class costs all are alike."""
    if not np.ndim(rows.costs.fn) and not np.ndim(rows.costs.fp):
        return rows.start * response, rows.start * weight
    share = _gamma(rows.costs) / _gamma(rows.mean_costs)
    return rows.start * response * share, rows.start * weight * share**2


def cost_loss(rows: Rows, score: Floats, m: int) -> Floats:
    """s log(1 + e^(-2 y (gamma F + eta))), gamma = (C+ + C-) / 2, eta = 1/2 log(C- / C+)."""
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
    loss_moves=True,
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
