"""The real-valued family: each leaf (or bin) has a value of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from costboost.cells import Floats
from costboost.rules.discrete import (
    cost_times_exponential,
    exponential,
    exponential_in_cost,
)
from costboost.rules.record import (
    COST,
    COST_LOGISTIC,
    Criterion,
    RealRule,
    a_share_each_round,
    drift_after_first,
)

SMOOTHING = 1e-4
"""Added to both shares of a leaf: a constant, so that neither scale nor number of rows matters."""


# ---- leaf values ---------------------------------------------------------------------------------


def half_log_odds(p: Floats, q: Floats, criterion: Criterion) -> Floats:
    """1/2 log((p + e) / (q + e))."""
    return 0.5 * np.log((p + criterion.smoothing) / (q + criterion.smoothing))


def half_log_odds_of_votes(p: Floats, q: Floats, criterion: Criterion) -> Floats:
    """Half the log-odds of all leaves that vote alike; two leaves are a group each."""
    if len(p) == 2:
        return half_log_odds(p, q, criterion)
    votes = p > q
    together_p = np.where(votes, p[votes].sum(), p[~votes].sum())
    together_q = np.where(votes, q[votes].sum(), q[~votes].sum())
    return half_log_odds(together_p, together_q, criterion)


def mean_label(p: Floats, q: Floats, criterion: Criterion) -> Floats:
    """(p - q) / (p + q); a leaf without weight says nothing."""
    total = p + q
    return np.divide(p - q, total, out=np.zeros_like(total), where=total > 0)


def cost_log_odds(p: Floats, q: Floats, criterion: Criterion) -> Floats:
    """log[(p + e) C+ / ((q + e) C-)] / (C+ + C-)."""
    e, fn, fp = criterion.smoothing, criterion.fn_cost, criterion.fp_cost
    return np.log((p + e) * fn / ((q + e) * fp)) / (fn + fp)


# ---- the table -----------------------------------------------------------------------------------

REALBOOST = RealRule(
    name="RealBoost",
    criterion=Criterion("exponential", SMOOTHING),
    leaf=half_log_odds,
    update=exponential,
    cost_blind=True,
)
REALBOOST_ERROR = replace(REALBOOST, criterion=Criterion("error", SMOOTHING))
RAREBOOST = replace(REALBOOST_ERROR, name="RareBoost", leaf=half_log_odds_of_votes)
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
    update=exponential_in_cost,
    link=COST_LOGISTIC,
    cost_blind=False,
    costs_in_rounds=True,
)
