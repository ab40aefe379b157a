"""The real-valued family: each leaf (or bin) has a value of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.elementary import exp, log
from costboost.engine._kernels import TIE, GroupedTerms
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
from costboost.vectors import Floats, Vector, each, exact_sum, results

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
    return RowLosses(weight, label, cost, criterion).leaf_values(leaf, n_leaves)


class RowLosses:
    """Losses w exp(-c y g) of rows with costs of their own, in leaves of values g."""

    def __init__(self, weight: Vector, label: Vector, cost: Vector, criterion: Criterion) -> None:
        means = criterion.fn_cost, criterion.fp_cost
        self.largest = max(float(cost.max()), *means)
        """Values of leaves are found in units of 1 / largest."""
        self.log_weight = log(weight)
        self.signed = cost * label
        rate = cost / self.largest
        self.negative = label < 0
        self.exponent = log(rate) + self.log_weight
        self.rate = -label * rate
        self.n_negative = sum(results(_count, self.negative))
        self.n_rows = label.size
        mean_rates = np.array([-means[0], means[1]]) / self.largest
        greatest = -float(self.rate.min()), float(self.rate.max())
        self.fastest = np.maximum(greatest, np.abs(mean_rates))
        self.share = self.rate / np.where(self.negative, self.fastest[1], self.fastest[0])
        self.smooth = log(np.abs(mean_rates)) + log(criterion.smoothing)
        self.smooth_rate = mean_rates

    def leaf_values(self, leaf: Vector, n_leaves: int, size: Any = 1) -> Floats:
        """The value of each leaf that minimises its loss, smoothed.

        ``size`` is how many leaves each one was, all of which were smoothed.
        """
        sums = LeafSums(self, leaf, n_leaves, size)
        value = np.zeros(n_leaves)
        low, high = np.full(n_leaves, -np.inf), np.full(n_leaves, np.inf)
        for _ in range(ITERATIONS):
            (up, down), (falls, rises) = sums(value)
            gap = down - up  # grows with g
            low, high = np.where(gap < 0, value, low), np.where(gap < 0, high, value)
            following = value - gap / (rises - falls)
            outside = ~((following > low) & (following < high))
            if outside.any():
                following = np.where(outside, _between(low, high, value), following)
            following = np.where(gap == 0, value, following)
            moved = np.abs(following - value) > 1e-15 * np.abs(following)
            value = following
            if not moved.any():
                break
        return value / self.largest

    def total(self, leaf: Vector, value: Floats) -> float:
        """Sum of the losses of all rows."""
        # in one exponential, or the factors might overflow
        return exact_sum(exp(self.log_weight - self.signed * each(value.__getitem__, leaf)))


def _count(flags: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(flags))


def _between(low: Floats, high: Floats, value: Floats) -> Floats:
    """A value between the limits of each leaf; beyond the known one if the other is infinite."""
    reach = 1 + np.abs(value)
    middle = np.where(np.isinf(high), low + reach, np.where(np.isinf(low), high - reach, 0.0))
    both = np.isfinite(low) & np.isfinite(high)
    middle[both] = (low[both] + high[both]) / 2
    return np.asarray(middle)


def _greatest(terms: GroupedTerms, g: Floats) -> Floats:
    return terms.greatest(g)


def _sums(terms: GroupedTerms, g: Floats, largest: Floats, scale: Floats) -> NDArray[np.int64]:
    return terms.sum(g, largest, scale)


class LeafSums:
    """log of the sum of c w exp(-c y g) over the rows of each class and leaf, in whole quanta.

    Every leaf has one more row of either class, for smoothing, or ``size`` of them.
    """

    def __init__(self, rows: RowLosses, leaf: Vector, n_leaves: int, size: Any = 1) -> None:
        group = leaf + n_leaves * rows.negative
        given = rows.exponent, rows.rate, rows.share, group
        self.terms = each(GroupedTerms, *given, 2 * n_leaves)
        sizes = rows.n_rows - rows.n_negative, rows.n_negative
        shift = [62 - (size + n_leaves).bit_length() for size in sizes]
        self.scale = np.repeat(np.ldexp(1.0, shift), n_leaves)
        self.smooth, self.smooth_rate, self.fastest = (
            np.repeat(of_classes, n_leaves)
            for of_classes in (rows.smooth, rows.smooth_rate, rows.fastest)
        )
        self.smooth = self.smooth + np.tile(log(np.broadcast_to(size, n_leaves) * 1.0), 2)
        self.smooth_share = self.smooth_rate / self.fastest

    def __call__(self, g: Floats) -> tuple[Floats, Floats]:
        """Logarithms and their slopes, by class and leaf."""
        g = np.concatenate([g, g])
        smooth = self.smooth + self.smooth_rate * g
        greatest = results(_greatest, self.terms, g)
        largest = np.maximum.reduce([smooth, *greatest])
        quanta = sum(results(_sums, self.terms, g, largest, self.scale))
        term = exp(smooth - largest) * self.scale
        more = np.rint(np.stack([term, term * self.smooth_share])).astype(np.int64)
        total, shared = (quanta + more).astype(np.float64) / self.scale
        logs = (largest + log(total)).reshape(2, -1)
        return logs, (shared * self.fastest / total).reshape(2, -1)


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
