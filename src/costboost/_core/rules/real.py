"""The real-valued family, whose leaves (or bins) have values of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from costboost._core.arithmetic import Floats, Vector, log
from costboost._core.engine._kernels import TIE
from costboost._core.rules.discrete import cost_times_exponential, exponential, exponential_in_cost
from costboost._core.rules.leaf_values import RowLosses
from costboost._core.rules.record import (
    COST,
    COST_LOGISTIC,
    Criterion,
    RealRule,
    a_share_each_round,
    drift_after_first,
)

SMOOTHING = 1e-4
"""Added to both shares of a leaf: a constant, so that neither scale nor number of rows matters."""
LEAST_SMOOTHING, MOST_SMOOTHING = 1e-12, 1.0
"""Range of the parameter: products of two smoothed shares must not vanish."""

DRAW = TIE
"""A leaf whose classes weigh the same but for rounding votes negative."""


def half_log_odds(p: Floats, q: Floats, criterion: Criterion) -> Floats:
    """1/2 log((p + e) / (q + e))."""
    value: Floats = 0.5 * log((p + criterion.smoothing) / (q + criterion.smoothing))
    return value


def half_log_odds_of_votes(p: Floats, q: Floats, criterion: Criterion) -> Floats:
    """1/2 log((P + e) / (Q + e)), P and Q the sums of p and q over all leaves that vote alike."""
    votes = p > q + DRAW
    together_p = np.where(votes, p[votes].sum(), p[~votes].sum())
    together_q = np.where(votes, q[votes].sum(), q[~votes].sum())
    return half_log_odds(together_p, together_q, criterion)


def mean_label(p: Floats, q: Floats, criterion: Criterion) -> Floats:
    """(p - q) / (p + q); 0 for a leaf without weight."""
    total = p + q
    return np.divide(p - q, total, out=np.zeros_like(total), where=total > 0)


def cost_log_odds(p: Floats, q: Floats, criterion: Criterion) -> Floats:
    """log[(p + e) C+ / ((q + e) C-)] / (C+ + C-)."""
    e, fn, fp = criterion.smoothing, criterion.fn_cost, criterion.fp_cost
    value: Floats = log((p + e) * fn / ((q + e) * fp)) / (fn + fp)
    return value


def cost_log_odds_of_rows(
    weight: Vector,
    label: Vector,
    cost: Vector,
    leaf: Vector,
    n_leaves: int,
    criterion: Criterion,
) -> Floats:
    """root g of sum c y w exp(-c y g) = 0: the value of each leaf.

    Smoothing is one more row of either class in every leaf, at the mean costs; with the same costs
    for all rows this is `cost_log_odds`.
    """
    return RowLosses(weight, label, cost, criterion).leaf_values(leaf, n_leaves)


def smoothed(rule: RealRule, smoothing: float) -> RealRule:
    """The rule with another number added to both shares of a leaf."""
    return replace(rule, criterion=rule.criterion._replace(smoothing=float(smoothing)))


# ---- the table -----------------------------------------------------------------------------------

REALBOOST = RealRule(
    name="RealBoost",
    criterion=Criterion("exponential", SMOOTHING),
    leaf=half_log_odds,
    update=exponential,
    cost_blind=True,
)
REALBOOST_ERROR = replace(REALBOOST, criterion=Criterion("error", SMOOTHING))
RAREBOOST = replace(REALBOOST_ERROR, name="RareBoost", leaf_of_many=half_log_odds_of_votes)
GENTLEBOOST = replace(
    REALBOOST, name="GentleBoost", criterion=Criterion("squared"), leaf=mean_label
)


CSRA = replace(
    REALBOOST,
    name="CSRA",
    start=COST,
    scale=a_share_each_round,
    update=cost_times_exponential,
    drift=drift_after_first,
    cost_blind=False,
    costs_in_rounds=True,
)
CSGA = replace(CSRA, name="CSGA", criterion=GENTLEBOOST.criterion, leaf=mean_label)
CSREALBOOST = replace(
    REALBOOST,
    name="CS-RealBoost",
    criterion=Criterion("cost exponential", SMOOTHING),
    leaf=cost_log_odds,
    leaf_of_rows=cost_log_odds_of_rows,
    learner="lookup",
    update=exponential_in_cost,
    link=COST_LOGISTIC,
    cost_blind=False,
    costs_in_rounds=True,
)


GELBOOST = replace(GENTLEBOOST, name="GELBoost", start=COST, cost_blind=False)
