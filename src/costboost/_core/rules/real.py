"""The real-valued family, whose leaves (or bins) have values of their own, and the Newton family.

LogitBoost and its variants are the Newton family. One score: with t the logit of a row,
p = 1 / (1 + e^(-t)) and y* = (y + 1) / 2, every round is a step of Newton's method on the loss
``s log(1 + e^(-y t))``: weighted least squares of z, where::

    w z = s (y* - p),  w = s p (1 - p)

CSBoost minimises ``s / (1 + e^(y t))`` instead, with ``w z = s y p (1 - p)`` and the same w.

A score for each class: with F the scores of a row of class y, and C[y, k] the cost of predicting
class k for it, the losses are::

    multinomial   -log p_y,  p = softmax(F)
    GLL           log(1 + sum over k != y of C[y, k] e^(F_k - F_y))
    GEL           sum over k != y of C[y, k] e^(F_k - F_y)

The first one is GLL with costs of 1. Each round fits a regression for every class, all at the same
scores, with the working response and weight of Newton's method::

    w z = -s dL/dF_k,  w = s d2L/dF_k^2

and moves ``F_k += step (g_k - mean over j of g_j)``, the first step being (K - 1) / K.

The probabilities that minimise the expected loss at the scores F solve a linear system: with Q the
matrix of ``dL_y/dF_k`` for a row of class y (zero on the diagonal), the flow ``P_y Q[y, k]`` into
each class equals the flow out of it. P is the stationary distribution of a Markov chain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import (
    Floats,
    Vector,
    each,
    exact_sum,
    exp,
    expit,
    log,
    log1p,
    logit,
    results,
)
from costboost._core.engine._kernels import TIE, GroupedTerms
from costboost._core.rules.discrete import (
    cost_times_exponential,
    exponential,
    exponential_in_cost,
)
from costboost._core.rules.record import (
    COST,
    COST_LOGISTIC,
    SIGMOID,
    SQUARES,
    Criterion,
    Link,
    NetCosts,
    NewtonRule,
    RealRule,
    RowData,
    Scale,
    SeveralRule,
    a_share_each_round,
    drift_after_first,
    drift_from_first,
    times_cost,
)

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

# ---- the Newton family ---------------------------------------------------------------------------

LEAST_FLOW = 1e-300
"""Least sum of the rates at which a class is left, so that a cost of 0 divides by no 0."""

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


# ---- a score for each class: the record and its probabilities ------------------------------------


@dataclass(frozen=True, kw_only=True)
class MultinomialRule(SeveralRule):
    """Learners for every class that regress on the working response of a loss of all scores.

    The factors are those C[y, k] of the loss, with a diagonal of 0; all are 1 if there are none.

    Attributes
    ----------
    exponential : bool
        Whether the loss is the sum of exponentials, instead of the logarithm of 1 plus the sum.
    """

    learners: ClassVar[tuple[str, ...]] = ("stump", "tree", "lookup")

    exponential: bool = False
    criterion: Criterion = SQUARES

    def log_factors(self, matrix: Floats) -> Floats | None:
        """Logarithms of the factors, 0 on the diagonal; None if all factors are 1."""
        if self.factors is None:
            return None
        factors = self.factors(matrix)
        logs = np.full(factors.shape, -np.inf)
        positive = (factors > 0) & ~np.eye(len(factors), dtype=bool)
        logs[positive] = log(factors[positive])
        np.fill_diagonal(logs, 0.0)
        return logs


def softmax(score: Floats) -> Floats:
    """e^F_k divided by their sum over the columns."""
    terms: Floats = exp(score - score.max(axis=1, keepdims=True))
    return np.asarray(terms / _row_sums(terms)[:, None])


def _row_sums(values: Floats) -> Floats:
    """Sums of the columns, one after the other: the same bits for any number of rows."""
    total = values[:, 0].copy()
    for column in values.T[1:]:
        total += column
    return total


def of_softmax(score: Floats, factors: Floats | None) -> Floats:
    """P = softmax(F), the minimiser of the multinomial loss."""
    return softmax(score)


def of_log_loss(score: Floats, factors: Floats | None) -> Floats:
    """P with P Q = P, where row y of Q is softmax(F + log C[y]), C[y, y] being 1."""
    if factors is None:
        return softmax(score)
    n_classes = score.shape[1]
    flow = np.empty((n_classes, n_classes, len(score)))
    for y in range(n_classes):
        own = factors[y].copy()
        own[y] = 1.0
        terms = exp(score - score.max(axis=1, keepdims=True)) * own
        flow[y] = (terms / np.maximum(_row_sums(terms), LEAST_FLOW)[:, None]).T
    return stationary(flow)


def of_sum_loss(score: Floats, factors: Floats | None) -> Floats:
    """P with sum over y of P_y C[y, k] e^(F_k - F_y) = P_k sum over j of C[k, j] e^(F_j - F_k)."""
    n_classes = score.shape[1]
    if factors is None:
        factors = np.ones((n_classes, n_classes))
    # a common factor of all rates does not matter
    beyond = score - score.max(axis=1, keepdims=True)
    flow = np.empty((n_classes, n_classes, len(score)))
    for y in range(n_classes):
        flow[y] = (exp(np.clip(beyond - beyond[:, [y]], -300.0, 300.0)) * factors[y]).T
    return stationary(flow)


def stationary(flow: Floats) -> Floats:
    """Shares of the classes between which equal amounts flow, for each row.

    ``flow[y, k]`` holds the rates from class y to class k for all rows. The classes are removed one
    after the other (Grassmann, Taksar & Heyman 1985), by sums and products of positive numbers.
    """
    n_classes = len(flow)
    flow = flow.copy()
    for last in range(n_classes - 1, 0, -1):
        out = np.maximum(flow[last, :last].sum(axis=0), LEAST_FLOW)
        flow[:last, last] /= out
        for y in range(last):
            flow[y, :last] += flow[y, last] * flow[last, :last]
    shares = np.ones((flow.shape[2], n_classes))
    for k in range(1, n_classes):
        shares[:, k] = (shares[:, :k] * flow[:k, k].T).sum(axis=1)
        shares[:, : k + 1] /= shares[:, : k + 1].max(axis=1, keepdims=True)
    return np.asarray(shares / _row_sums(shares)[:, None])


# ---- factors -------------------------------------------------------------------------------------


def as_given(matrix: Floats) -> Floats:
    """C: costs beyond that of the right prediction, not below 0."""
    return np.maximum(matrix - np.diag(matrix)[:, None], 0.0)


def greatest_is_one(matrix: Floats) -> Floats:
    """C / max C: a common factor of the costs does not change the model."""
    beyond = as_given(matrix)
    return np.asarray(beyond / (beyond.max() or 1.0))


# ---- the table of several scores, and the same algorithms for two classes ------------------------

LOGITBOOST_SEVERAL = MultinomialRule(
    name="MultinomialLogitBoost", probability=of_softmax, cost_blind=True
)
COSTBOOST_SEVERAL = replace(
    LOGITBOOST_SEVERAL,
    name="CostBoost",
    decides_by_cost=True,
    cost_blind=False,
    criterion=Criterion("squares", per_category=PER_CATEGORY),
)
GLLBOOST_SEVERAL = MultinomialRule(
    name="GLLBoost", probability=of_log_loss, factors=as_given, costs_in_rounds=True
)
GELBOOST_SEVERAL = replace(
    GLLBOOST_SEVERAL,
    name="GELBoost",
    probability=of_sum_loss,
    factors=greatest_is_one,
    exponential=True,
)


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
GELBOOST = replace(GENTLEBOOST, name="GELBoost", start=COST, cost_blind=False)
LOGITBOOST_OF_TWO = replace(LOGITBOOST, name="MultinomialLogitBoost")
