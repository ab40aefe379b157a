"""The Newton family: LogitBoost and its cost-sensitive kin, one loop, three logistic losses."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from costboost.cells import Floats
from costboost.rules.record import COST_LOGISTIC, NewtonRule, Rows, drift_from_first

CLIP = 1e-10
"""Probabilities are kept this far from 0 and 1."""


def probability(logit: Floats) -> Floats:
    """The logistic function, clipped."""
    return np.asarray(np.clip(expit(logit), CLIP, 1 - CLIP))


def softplus(x: Floats) -> Floats:
    """log(1 + e^x)."""
    return np.logaddexp(0.0, x)


# ---- LogitBoost ----------------------------------------------------------------------------------


def half(rows: Rows) -> float:
    """Newton's step on the scale of F: half of what it is on the scale of the logit."""
    return 0.5


def logistic_working(rows: Rows, score: Floats, m: int) -> tuple[Floats, Floats]:
    p = probability(2 * score)
    return rows.start * ((rows.label > 0) - p), rows.start * p * (1 - p)


def logistic_loss(rows: Rows, score: Floats, m: int) -> Floats:
    return rows.start * softplus(-2 * rows.label * score)


# ---- CSLB: the costs come in round by round ------------------------------------------------------


def _shift(rows: Rows, m: int) -> Floats:
    """m log k, k = (C+ / C-)^(1/M)."""
    return np.asarray(m / rows.n_rounds * rows.costs.log_ratio)


def shifted_working(rows: Rows, score: Floats, m: int) -> tuple[Floats, Floats]:
    p = probability(2 * score - _shift(rows, m))
    return rows.start * ((rows.label > 0) - p), rows.start * p * (1 - p)


def shifted_loss(rows: Rows, score: Floats, m: int) -> Floats:
    return rows.start * softplus(rows.label * (_shift(rows, m) - 2 * score))


# ---- CS-LogitBoost -------------------------------------------------------------------------------


def _gamma(rows: Rows) -> Floats:
    return np.asarray((np.asarray(rows.costs.fn) + np.asarray(rows.costs.fp)) / 2)


def _mean_gamma(rows: Rows) -> float:
    gamma = np.broadcast_to(_gamma(rows), rows.start.shape)
    return float((rows.start * gamma).sum() / rows.start.sum())


def _tilted(rows: Rows, score: Floats) -> Floats:
    """2 (gamma F + eta), eta = 1/2 log(C- / C+)."""
    return np.asarray(2 * _gamma(rows) * score - rows.costs.log_ratio)


def inverse_gamma(rows: Rows) -> float:
    return 1 / (2 * _mean_gamma(rows))


def cost_working(rows: Rows, score: Floats, m: int) -> tuple[Floats, Floats]:
    """Weights p_c (1 - p_c): Newton's own."""
    p = probability(_tilted(rows, score))
    return _cost_working(rows, p, p * (1 - p))


def cost_working_margin(rows: Rows, score: Floats, m: int) -> tuple[Floats, Floats]:
    """Weights p (1 - p) with p = 1 / (1 + e^(-2F)): the paper's eq. 55."""
    plain = probability(2 * score)
    return _cost_working(rows, probability(_tilted(rows, score)), plain * (1 - plain))


def _cost_working(rows: Rows, p: Floats, v: Floats) -> tuple[Floats, Floats]:
    share = _gamma(rows) / _mean_gamma(rows)
    residual = ((rows.label > 0) - p) / (p * (1 - p))
    return rows.start * v * residual * share, rows.start * v * share**2


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
)
