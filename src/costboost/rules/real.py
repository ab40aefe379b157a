"""The real-valued family: each leaf (or bin) has a value of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from costboost.elementary import exp, log
from costboost.engine._kernels import TIE
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
from costboost.vectors import Floats, Groups, Vector, each

SMOOTHING = 1e-4
"""Added to both shares of a leaf: a constant, so that neither scale nor number of rows matters."""
LEAST_SMOOTHING, MOST_SMOOTHING = 1e-12, 1.0
"""Range of the parameter: products of two smoothed shares must not vanish."""

ITERATIONS = 200
DRAW = TIE
"""A leaf whose classes weigh the same but for rounding votes negative."""


# ---- leaf values ---------------------------------------------------------------------------------


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
    sides = []
    largest = max(float(cost.max()), criterion.fn_cost, criterion.fp_cost)
    cost = cost / largest  # values are found in units of 1 / largest
    means = criterion.fn_cost / largest, criterion.fp_cost / largest
    for sign, mean in zip((1, -1), means, strict=True):
        rows = label == sign
        exponent = log(cost[rows]) + log(weight[rows])
        smooth = float(log(mean) + log(criterion.smoothing))
        of_rows = exponent, -sign * cost[rows], leaf[rows]
        sides.append(LeafSums(*of_rows, n_leaves, smooth, -sign * mean))
    value = np.zeros(n_leaves)
    low, high = np.full(n_leaves, -np.inf), np.full(n_leaves, np.inf)
    for _ in range(ITERATIONS):
        (up, falls), (down, rises) = (side.log_sum(value) for side in sides)
        gap = down - up  # grows with g
        low, high = np.where(gap < 0, value, low), np.where(gap < 0, high, value)
        following = value - gap / (rises - falls)
        reach = 1 + np.abs(value)
        middle = np.where(np.isinf(high), low + reach, np.where(np.isinf(low), high - reach, 0.0))
        both = np.isfinite(low) & np.isfinite(high)
        middle[both] = (low[both] + high[both]) / 2
        following = np.where((following > low) & (following < high), following, middle)
        following = np.where(gap == 0, value, following)
        moved = np.abs(following - value) > 1e-15 * np.abs(following)
        value = following
        if not moved.any():
            break
    return value / largest


class LeafSums:
    """log of the sum of exp(exponent + rate g) over the rows of each leaf, in whole quanta.

    Every leaf has one more row, of the exponent ``smooth`` and the rate ``smooth_rate``.
    """

    def __init__(
        self,
        exponent: Vector,
        rate: Vector,
        leaf: Vector,
        n_leaves: int,
        smooth: float,
        smooth_rate: float,
    ) -> None:
        self.groups = Groups(leaf, n_leaves)
        self.exponent, self.rate, self.leaf = map(self.groups.arranged, (exponent, rate, leaf))
        self.smooth, self.smooth_rate = smooth, smooth_rate
        self.shift = 62 - int(leaf.size + n_leaves).bit_length()
        self.fastest = max(float(np.abs(rate).max()) if rate.size else 0.0, abs(smooth_rate))

    def log_sum(self, g: Floats) -> tuple[Floats, Floats]:
        """The logarithm and its slope."""
        exponent = self.exponent + self.rate * self._of_rows(g)
        smooth = self.smooth + self.smooth_rate * g
        largest = np.maximum(self.groups.max(exponent), smooth)
        term = exp(exponent - self._of_rows(largest))
        smooth_term = exp(smooth - largest)
        total = self._total(term, smooth_term)
        rate, smooth_rate = self.rate / self.fastest, self.smooth_rate / self.fastest
        slope = self._total(term * rate, smooth_term * smooth_rate) * self.fastest / total
        return largest + log(total), slope

    def _of_rows(self, of_leaves: Floats) -> Vector:
        return each(of_leaves.__getitem__, self.leaf)

    def _total(self, term: Vector, smooth: Floats) -> Floats:
        quanta = self.groups.sum_of_quanta(term, self.shift)
        quanta = quanta + np.rint(np.ldexp(smooth, self.shift)).astype(np.int64)
        return np.ldexp(quanta.astype(np.float64), -self.shift)


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
