"""Measures of scores: of their order, of the profit of treating the highest, of their margins.

The order is measured by H-measure, Gini, Kolmogorov-Smirnov, lift and score bands; the profit by
profit curves, expected maximum profit and, for probabilities, net benefit. Margins are those of a
voting ensemble.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainc

from costboost._core.backends.dask.collections import in_memory, takes_collections
from costboost._core.costs import known_costs
from costboost._core.names import COST_NAMES
from costboost.metrics.checks import (
    Floats,
    Levels,
    Scored,
    check_both_classes,
    check_cost,
    check_known_labels,
    check_not_negative,
    check_numbers,
    check_probabilities,
    check_same_length,
    check_scored,
    counting,
    documented,
    levels,
    run_starts,
)
from costboost.metrics.probabilities import (
    BALANCED,
    Shares,
    calibrated,
    mistake_costs,
    shares_of,
    weighted_by_cost,
)

# ---- the convex hull of the ROC curve, and beta densities ----------------------------------------


class Hull(NamedTuple):
    """Corners of the convex hull of the ROC curve from (0, 0) to (1, 1), and the class shares."""

    tpr: Floats
    fpr: Floats
    shares: Shares

    @property
    def rises(self) -> Floats:
        """Share of all rows that are positive, on each edge."""
        return self.shares.positive * np.diff(self.tpr)

    @property
    def runs(self) -> Floats:
        """Share of all rows that are negative, on each edge."""
        return self.shares.negative * np.diff(self.fpr)


def roc_hull(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> Hull:
    """Validate the rows, and find the convex hull of their ROC curve.

    Its edges are the blocks of isotonic regression (T. Fawcett, A. Niculescu-Mizil, "PAV and the
    ROC convex hull", Machine Learning 68, 2007).
    """
    rows = check_both_classes(check_scored(y_true, y_score, "y_score", pos_label, sample_weight))
    blocks = calibrated(levels(rows), BALANCED)
    return Hull(_from_above(blocks.positive), _from_above(blocks.negative), shares_of(rows))


def _from_above(side: Floats) -> Floats:
    """Share of a class at and above each level, the highest level first, after a 0."""
    total = np.cumsum(side[::-1])
    return np.append(0.0, total / total[-1])


def check_positive(name: str, value: Any) -> float:
    """Validate a number above 0."""
    number = check_numbers(name, value)
    if number.ndim or not 0 < number < np.inf:
        raise ValueError(f"{name} must be a number above 0, got {value!r}")
    return float(number)


def beta_moments(ends: Floats, alpha: float, beta: float) -> tuple[Floats, Floats]:
    """Integrals of the beta density, and of x times it, between neighbouring ends."""
    mass = np.diff(betainc(alpha, beta, ends))
    return mass, alpha / (alpha + beta) * np.diff(betainc(alpha + 1, beta, ends))


# ---- H-measure, Gini and Kolmogorov-Smirnov ------------------------------------------------------


@documented
@takes_collections
def h_measure_score(
    y_true: Any,
    y_score: Any,
    *,
    alpha: float | None = None,
    beta: float | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""H-measure: share of the expected cost that the best thresholds save, over a range of costs.

    .. math::

        H = 1 - \frac{\int L(c)\, u(c)\, dc}{\int \min(c\, \pi_-,\, (1 - c)\, \pi_+)\, u(c)\, dc},
        \qquad L(c) = \min_\theta \left[c\, \pi_-\, \mathrm{FPR}(\theta)
            + (1 - c)\, \pi_+\, \mathrm{FNR}(\theta)\right]

    where c is the share of a false positive in the two costs, with a beta density u. 1 is perfect
    separation, and 0 no better than the better constant prediction at every c. The area under the
    ROC curve is such a mean too, but over a distribution of c that depends on the classifier, so
    that it compares classifiers under different costs.

    Parameters
    ----------
    {y_true}
    {ranked}
    alpha, beta : float, optional
        Parameters of the beta density. Default: :math:`1 + \pi_+` and :math:`1 + \pi_-`, whose mode
        is at c = :math:`\pi_+`. Then an error of the rarer class is likely the costlier one, such
        that all misses together cost about as much as all false alarms together. Hand's first
        proposal, ``alpha=2, beta=2``, has its mode at equal costs, which is implausible for rare
        positives.
    {pos_label}
    {sample_weight}

    Returns
    -------
    float
        From 0 to 1.

    References
    ----------
    D. J. Hand, "Measuring classifier performance: a coherent alternative to the area under the ROC
    curve", Machine Learning 77, 2009. D. J. Hand, C. Anagnostopoulos, "A better beta for the H
    measure of classification performance", Pattern Recognition Letters 40, 2014.

    Examples
    --------
    >>> from costboost.metrics import h_measure_score
    >>> y, score = [0, 0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7]
    >>> print(f"{h_measure_score(y, score):.4f}, {h_measure_score(y, score, alpha=2, beta=2):.4f}")
    0.7097, 0.7071
    """
    hull = roc_hull(y_true, y_score, pos_label, sample_weight)
    positive, negative = hull.shares
    a = 1 + positive if alpha is None else check_positive("alpha", alpha)
    b = 1 + negative if beta is None else check_positive("beta", beta)
    best = _expected_loss(hull, a, b)
    trivial = _expected_loss(Hull(np.array([0.0, 1.0]), np.array([0.0, 1.0]), hull.shares), a, b)
    return float(min(1.0, max(0.0, 1 - best / trivial)))


def _expected_loss(hull: Hull, alpha: float, beta: float) -> float:
    """Mean of the least cost over the beta density of the cost proportion."""
    # An edge is worth taking if c runs < (1 - c) rises, and edges are worth less and less.
    change = hull.rises / (hull.rises + hull.runs)
    ends = np.concatenate([[0.0], np.maximum.accumulate(change[::-1]), [1.0]])
    mass, moment = (values[::-1] for values in beta_moments(ends, alpha, beta))
    false_alarms = hull.shares.negative * hull.fpr
    misses = hull.shares.positive * (1 - hull.tpr)
    return float(moment @ false_alarms + (mass - moment) @ misses)


@documented
@takes_collections
def gini_score(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> float:
    r"""Gini coefficient of scores: twice the area under the ROC curve, minus 1.

    .. math:: G = 2\, \mathrm{AUC} - 1 = P(S_+ > S_-) - P(S_+ < S_-)

    The area itself is ``sklearn.metrics.roc_auc_score``.

    Parameters
    ----------
    {y_true}
    {ranked}
    {pos_label}
    {sample_weight}

    Returns
    -------
    float
        From -1 to 1; 0 if the scores do not distinguish the classes.

    Examples
    --------
    >>> from costboost.metrics import gini_score
    >>> gini_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    found = _two_sided(y_true, y_score, pos_label, sample_weight)
    positive, negative = (side / side.sum() for side in found[1:])
    below = np.cumsum(negative) - negative
    return float(2 * positive @ (below + negative / 2) - 1)


@documented
@takes_collections
def ks_score(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> float:
    r"""Kolmogorov-Smirnov distance between the scores of the two classes.

    .. math:: \mathrm{KS} = \max_\theta \left|\mathrm{TPR}(\theta) - \mathrm{FPR}(\theta)\right|

    Parameters
    ----------
    {y_true}
    {ranked}
    {pos_label}
    {sample_weight}

    Returns
    -------
    float
        From 0 to 1. Scores in the reverse order have the same value.

    Examples
    --------
    >>> from costboost.metrics import ks_score
    >>> ks_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    found = _two_sided(y_true, y_score, pos_label, sample_weight)
    tpr, fpr = (_from_above(side) for side in found[1:])
    return float(np.max(np.abs(tpr - fpr)))


def _two_sided(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> Levels:
    return levels(
        check_both_classes(check_scored(y_true, y_score, "y_score", pos_label, sample_weight))
    )


# ---- lift and score bands ------------------------------------------------------------------------


class LiftCurve(NamedTuple):
    """Share of the rows with the highest scores, share of the positives among them, and lift."""

    share: Floats
    gain: Floats
    lift: Floats


@documented
@takes_collections
def lift_curve(
    y_true: Any,
    y_score: Any,
    *,
    fn_cost: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> LiftCurve:
    r"""Cumulative gains and lift: positives among the rows with the highest scores.

    .. math::

        \mathrm{gain}(x) = \frac{\text{positives among the highest share } x}{\text{positives}},
        \qquad \mathrm{lift}(x) = \frac{\mathrm{gain}(x)}{x}

    Parameters
    ----------
    {y_true}
    {ranked}
    fn_cost : number or array of shape (n_samples,), optional
        Cost of missing each positive row. With an array, the gain is the share of that cost
        instead of the share of the positive rows.
    {pos_label}
    {sample_weight}

    Returns
    -------
    LiftCurve
        With ``share``, ``gain`` and ``lift``, at each distinct score from the highest to the
        lowest. In between, gains are straight lines.

    Examples
    --------
    >>> from costboost.metrics import lift_curve
    >>> curve = lift_curve([0, 0, 0, 1, 1], [0.1, 0.2, 0.6, 0.4, 0.9])
    >>> print(curve.share, curve.gain, curve.lift.round(2))
    [0.2 0.4 0.6 0.8 1. ] [0.5 0.5 1.  1.  1. ] [2.5  1.25 1.67 1.25 1.  ]
    """
    rows = check_both_classes(check_scored(y_true, y_score, "y_score", pos_label, sample_weight))
    everyone = levels(rows)
    found = everyone
    if fn_cost is not None:
        cost = np.broadcast_to(check_cost("fn_cost", fn_cost, len(y_true)), len(y_true))
        cost = cost[counting(sample_weight, len(y_true))]
        if not cost[rows.positive].any():
            raise ValueError("fn_cost is zero for every positive row; some must be above 0")
        weight = np.ones(cost.size) if rows.weight is None else rows.weight
        found = levels(Scored(rows.positive, rows.score, weight * cost / cost.max()))
    share = _from_above(everyone.positive + everyone.negative)[1:]
    gain = _from_above(found.positive)[1:]
    return LiftCurve(share, gain, gain / share)


class ScoreBands(NamedTuple):
    """Bands of scores from the lowest to the highest, with an entry for each."""

    low: Floats
    high: Floats
    """Least and greatest score that occurs in the band."""
    weight: Floats
    """Rows in the band, by weight."""
    positives: Floats
    """Positive rows in the band, by weight."""
    event_rate: Floats
    """Share of the rows of the band that are positive."""
    approval_rate: Floats
    """Share of all rows in this band and those below: approved if the next band is the first to be
    rejected."""
    approved_event_rate: Floats
    """Share of those approved that are positive."""


@documented
@takes_collections
def score_bands(
    y_true: Any,
    y_score: Any,
    *,
    n_bands: int = 10,
    edges: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> ScoreBands:
    """Event rates and approval rates in bands of scores, as credit scoring reports them.

    The positive class is the event, such as a default. Rows with low scores are approved first.

    Parameters
    ----------
    {y_true}
    {ranked}
    n_bands : int, default 10
        Number of bands of about equal weight. Rows of equal score are in the same band, so that
        there can be fewer.
    edges : array, optional
        Increasing scores at which bands begin, instead of ``n_bands``; the first band is below the
        first edge, the last one at and above the last edge. Bands without rows are left out.
    {pos_label}
    {sample_weight}

    Returns
    -------
    ScoreBands
        With ``low``, ``high``, ``weight``, ``positives``, ``event_rate``, ``approval_rate`` and
        ``approved_event_rate``; ``pandas.DataFrame(bands._asdict())`` is a table of them.

    Examples
    --------
    >>> from costboost.metrics import score_bands
    >>> bands = score_bands([0, 0, 0, 1, 0, 1], [1, 2, 3, 4, 5, 6], n_bands=3)
    >>> print(bands.event_rate, bands.approval_rate.round(2), bands.approved_event_rate.round(2))
    [0.  0.5 0.5] [0.33 0.67 1.  ] [0.   0.25 0.33]
    """
    found = levels(check_scored(y_true, y_score, "y_score", pos_label, sample_weight))
    both = found.positive + found.negative
    if edges is None:
        if isinstance(n_bands, bool) or not isinstance(n_bands, Integral) or n_bands < 1:
            raise ValueError(f"n_bands must be a whole number of at least 1, got {n_bands!r}")
        middle = (np.cumsum(both) - both / 2) / both.sum()
        band = np.minimum((middle * int(n_bands)).astype(np.intp), int(n_bands) - 1)
    else:
        begins = check_numbers("edges", edges)
        if begins.ndim != 1 or begins.size == 0 or not np.all(np.diff(begins) > 0):
            raise ValueError(f"edges must be increasing numbers, got {edges!r}")
        band = np.searchsorted(begins, found.score, side="right")
    first = np.append(0, np.flatnonzero(np.diff(band)) + 1)
    last = np.append(first[1:], band.size) - 1
    weight, positives = (np.add.reduceat(side, first) for side in (both, found.positive))
    approved = np.cumsum(weight)
    return ScoreBands(
        found.score[first],
        found.score[last],
        weight,
        positives,
        positives / weight,
        approved / approved[-1],
        np.cumsum(positives) / approved,
    )


# ---- profit curve --------------------------------------------------------------------------------


class ProfitCurve(NamedTuple):
    """Profit per row if the rows with the highest scores are treated, for each share of them."""

    share: Floats
    profit: Floats
    threshold: Floats
    """Score from which on rows are treated; infinite where none is."""


@documented
@takes_collections
def profit_curve(
    y_true: Any,
    y_score: Any,
    *,
    tp_cost: Any = None,
    fp_cost: Any = None,
    fn_cost: Any = None,
    tn_cost: Any = None,
    costs: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> ProfitCurve:
    r"""Profit per row of treating the rows with the highest scores.

    .. math::

        \mathrm{profit}(x) = -\frac1n \Big[\sum_{\text{treated}} (y_i\, C^{TP}_i +
            (1 - y_i)\, C^{FP}_i) + \sum_{\text{others}} (y_i\, C^{FN}_i + (1 - y_i)\, C^{TN}_i)
            \Big]

    A gain is a negative cost: with ``tp_cost=-15, fp_cost=1, fn_cost=0`` a letter costs 1, and an
    answer brings 15 after it.

    Parameters
    ----------
    {y_true}
    {ranked}
    tp_cost, fp_cost, fn_cost, tn_cost : number or array of shape (n_samples,)
        Costs of a treated positive and a treated negative row, and of a positive and a negative
        row that is not treated; for all rows or for each row. Default: 0, 1, 1, 0.
    costs : Costs, optional
        All costs in one record, instead of the four.
    {pos_label}
    {sample_weight}

    Returns
    -------
    ProfitCurve
        With ``share``, ``profit`` and ``threshold``: from treating none to treating all, at each
        distinct score. In between, profits are straight lines.

    Examples
    --------
    >>> from costboost.metrics import profit_curve
    >>> curve = profit_curve(
    ...     [0, 0, 0, 1, 1], [0.1, 0.2, 0.6, 0.4, 0.9], tp_cost=-15, fp_cost=1, fn_cost=0
    ... )
    >>> print(curve.share, curve.profit)
    [0.  0.2 0.4 0.6 0.8 1. ] [0.  3.  2.8 5.8 5.6 5.4]
    """
    rows = check_both_classes(check_scored(y_true, y_score, "y_score", pos_label, sample_weight))
    n_rows = len(y_true)
    there = counting(sample_weight, n_rows)
    usual = dict(zip(COST_NAMES, (1.0, 1.0, 0.0, 0.0), strict=True))
    stated = usual | known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost)
    fn, fp, tp, tn = (
        np.broadcast_to(check_cost(name, stated[name], n_rows, gains=True), n_rows)[there]
        for name in COST_NAMES
    )
    treated, other = np.where(rows.positive, tp, fp), np.where(rows.positive, fn, tn)
    weight = np.ones(treated.size) if rows.weight is None else rows.weight
    order = np.argsort(-rows.score, kind="stable")
    score, weight = rows.score[order], weight[order]
    first = run_starts(score)
    of_level = [np.add.reduceat(weight * value, first) for value in (1.0, (other - treated)[order])]
    total, saved = (np.append(0.0, np.cumsum(values)) for values in of_level)
    profit = (saved - float(weight @ other[order])) / total[-1]
    return ProfitCurve(total / total[-1], profit, np.append(np.inf, score[first]))


# ---- expected maximum profit ---------------------------------------------------------------------


class ExpectedMaximumProfit(NamedTuple):
    """Expected maximum profit per row, and the share of the rows to be treated for it."""

    profit: float
    fraction: float


@documented
@takes_collections
def empc(
    y_true: Any,
    y_score: Any,
    *,
    alpha: float = 6.0,
    beta: float = 14.0,
    lifetime_value: float = 200.0,
    incentive_cost: float = 10.0,
    contact_cost: float = 1.0,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> ExpectedMaximumProfit:
    r"""Expected maximum profit of a campaign against churn, and the share of customers to contact.

    .. math::

        \mathrm{EMPC} = \int \max_\theta\, \left[\left(\gamma (V - d) - f\right) \pi_+\,
            \mathrm{TPR}(\theta) - (d + f)\, \pi_-\, \mathrm{FPR}(\theta)\right] h(\gamma)\, d\gamma

    Customers with the highest scores are contacted, which costs f each, and offered an incentive
    that costs d. A churner accepts it with probability :math:`\gamma` and then stays, which is
    worth V; a customer who would have stayed anyway accepts it always. :math:`\gamma` is not known
    and has a beta density h. For every :math:`\gamma` the best share of customers is contacted.

    Parameters
    ----------
    {churn_profit}

    Returns
    -------
    ExpectedMaximumProfit
        With ``profit``, per customer, and ``fraction``, the expected share of customers to contact.

    References
    ----------
    {verbraken_2013}

    Examples
    --------
    >>> from costboost.metrics import empc
    >>> found = empc([0, 0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7])
    >>> print(f"{found.profit:.3f} per customer, {found.fraction:.1%} of them contacted")
    22.429 per customer, 57.1% of them contacted
    """
    a, b = check_positive("alpha", alpha), check_positive("beta", beta)
    value = check_positive("lifetime_value", lifetime_value)
    d, f = (
        float(check_not_negative(name, cost))
        for name, cost in (("incentive_cost", incentive_cost), ("contact_cost", contact_cost))
    )
    if d >= value:
        raise ValueError(
            f"incentive_cost must be below lifetime_value={value:g}, got {incentive_cost!r}"
        )
    hull = roc_hull(y_true, y_score, pos_label, sample_weight)
    ends = _ends((d + f) * hull.runs + f * hull.rises, (value - d) * hull.rises)
    mass, moment = beta_moments(ends, a, b)
    positive, negative = hull.shares.positive * hull.tpr, hull.shares.negative * hull.fpr
    profit = ((value - d) * moment - f * mass) @ positive - (d + f) * mass @ negative
    return ExpectedMaximumProfit(float(profit), float(mass @ (positive + negative)))


@documented
@takes_collections
def empc_score(
    y_true: Any,
    y_score: Any,
    *,
    alpha: float = 6.0,
    beta: float = 14.0,
    lifetime_value: float = 200.0,
    incentive_cost: float = 10.0,
    contact_cost: float = 1.0,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Expected maximum profit per customer of a campaign against churn: ``empc(...).profit``.

    Parameters
    ----------
    {churn_profit}

    Returns
    -------
    float

    References
    ----------
    {verbraken_2013}

    Examples
    --------
    >>> from costboost.metrics import empc_score
    >>> round(empc_score([0, 0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7]), 3)
    22.429
    """
    return empc(
        y_true,
        y_score,
        alpha=alpha,
        beta=beta,
        lifetime_value=lifetime_value,
        incentive_cost=incentive_cost,
        contact_cost=contact_cost,
        pos_label=pos_label,
        sample_weight=sample_weight,
    ).profit


@documented
@takes_collections
def empcs(
    y_true: Any,
    y_score: Any,
    *,
    p0: float = 0.55,
    p1: float = 0.1,
    roi: float = 0.2644,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> ExpectedMaximumProfit:
    r"""Expected maximum profit of credit scoring, and the share of applications to reject.

    .. math::

        \mathrm{EMP} = \int \max_\theta\, \left[\lambda\, \pi_+\, \mathrm{TPR}(\theta)
            - \mathrm{ROI}\, \pi_-\, \mathrm{FPR}(\theta)\right] h(\lambda)\, d\lambda

    compared with granting every loan, per unit of the amounts lent. Applications with the highest
    scores are rejected. Of a defaulter's loan the share :math:`\lambda` is lost: nothing with
    probability ``p0``, everything with probability ``p1``, and otherwise each share is equally
    likely. A loan that is repaid earns ROI. For every :math:`\lambda` the best share of
    applications is rejected.

    Parameters
    ----------
    {credit_profit}

    Returns
    -------
    ExpectedMaximumProfit
        With ``profit``, and ``fraction``, the expected share of applications to reject.

    References
    ----------
    {verbraken_2014}

    Examples
    --------
    >>> from costboost.metrics import empcs
    >>> found = empcs([0, 0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7])
    >>> print(f"{found.profit:.4f} per unit lent, {found.fraction:.1%} rejected")
    0.1026 per unit lent, 23.1% rejected
    """
    none, everything = _check_share("p0", p0), _check_share("p1", p1)
    if none + everything > 1:
        raise ValueError(f"p0 and p1 must not add up to more than 1, got {p0!r} and {p1!r}")
    earned = float(check_not_negative("roi", roi))
    hull = roc_hull(y_true, y_score, pos_label, sample_weight)
    ends = _ends(earned * hull.runs, hull.rises)
    mass, moment = np.diff(ends), np.diff(ends**2) / 2
    positive, negative = hull.shares.positive * hull.tpr, hull.shares.negative * hull.fpr
    worst = positive - earned * negative
    k = int(np.argmax(worst))
    some = 1 - none - everything
    profit = some * (moment @ positive - earned * mass @ negative) + everything * worst[k]
    fraction = some * mass @ (positive + negative) + everything * (positive[k] + negative[k])
    return ExpectedMaximumProfit(float(profit), float(fraction))


@documented
@takes_collections
def empcs_score(
    y_true: Any,
    y_score: Any,
    *,
    p0: float = 0.55,
    p1: float = 0.1,
    roi: float = 0.2644,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Expected maximum profit of credit scoring per unit lent: ``empcs(...).profit``.

    Parameters
    ----------
    {credit_profit}

    Returns
    -------
    float

    References
    ----------
    {verbraken_2014}

    Examples
    --------
    >>> from costboost.metrics import empcs_score
    >>> round(empcs_score([0, 0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7]), 4)
    0.1026
    """
    return empcs(
        y_true, y_score, p0=p0, p1=p1, roi=roi, pos_label=pos_label, sample_weight=sample_weight
    ).profit


def _check_share(name: str, value: Any) -> float:
    """Validate a probability."""
    number = check_numbers(name, value)
    if number.ndim or not 0 <= number <= 1:
        raise ValueError(f"{name} must be a probability from 0 to 1, got {value!r}")
    return float(number)


def _ends(cost: Floats, gain: Floats) -> Floats:
    """Ends of the ranges in which each corner of the hull is the best, cut to [0, 1].

    An edge is worth taking if the unknown quantity exceeds the ratio of its cost and its gain.
    """
    change = np.divide(cost, gain, out=np.full(cost.shape, np.inf), where=gain > 0)
    ends = np.concatenate([[0.0], np.maximum.accumulate(change), [1.0]])
    return np.asarray(np.clip(ends, 0.0, 1.0))


# ---- net benefit ---------------------------------------------------------------------------------

THRESHOLDS = np.linspace(0.01, 0.99, 99)
"""Default thresholds of a decision curve."""


@documented
@takes_collections
def net_benefit_score(
    y_true: Any,
    y_prob: Any,
    *,
    threshold: float | None = None,
    fn_cost: Any = None,
    fp_cost: Any = None,
    costs: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Net benefit of treating the rows whose probability exceeds a threshold.

    .. math::

        \mathrm{NB}(t) = \frac{\mathrm{TP}}{n} - \frac{\mathrm{FP}}{n}\,\frac{t}{1 - t},
        \qquad t = \frac{C_-}{C_- + C_+}

    True positives per row, minus false positives at their cost relative to that of a miss. It is
    what is saved per row compared with treating none, if a miss costs 1: 0 for treating none,
    :math:`\pi_+ - \pi_-\, t / (1 - t)` for treating all, and :math:`\pi_+` for perfect predictions.

    Parameters
    ----------
    {y_true}
    {y_prob}
    threshold : float in [0, 1), optional
        The threshold t. Default: that of the costs, fp_cost / (fp_cost + fn_cost), with the means
        over the rows of the class that each applies to.
    {net_benefit_costs}
    {pos_label}
    {sample_weight}

    Returns
    -------
    float
        At most the share of positives; below 0 if treating none is better.

    References
    ----------
    {vickers_2006}

    Examples
    --------
    >>> from costboost.metrics import net_benefit_score
    >>> net_benefit_score([0, 0, 0, 1, 1], [0.1, 0.2, 0.6, 0.4, 0.9], threshold=0.25)
    0.333...
    >>> net_benefit_score([0, 0, 0, 1, 1], [0.1, 0.2, 0.6, 0.4, 0.9], fn_cost=3, fp_cost=1)
    0.333...
    """
    rows = check_both_classes(check_probabilities(y_true, y_prob, pos_label, sample_weight))
    fn_cost, fp_cost = mistake_costs(costs, fn_cost, fp_cost)
    if threshold is None:
        if fn_cost is None and fp_cost is None:
            raise ValueError(
                "a net benefit needs a threshold or costs: pass threshold, or fn_cost and fp_cost"
            )
        at = _threshold_of_costs(rows, fn_cost, fp_cost, sample_weight, len(y_true))
    else:
        at = check_thresholds("threshold", threshold)
        if at.size != 1:
            raise ValueError(
                "threshold must be one number; decision_curve takes several thresholds"
            )
    rows = weighted_by_cost(rows, fn_cost, fp_cost, sample_weight, len(y_true))
    return float(_net_benefit(rows, at)[0])


class DecisionCurve(NamedTuple):
    """Net benefit at each threshold, of a model and of treating all rows; that of none is 0."""

    threshold: Floats
    net_benefit: Floats
    treat_all: Floats


@documented
@takes_collections
def decision_curve(
    y_true: Any,
    y_prob: Any,
    *,
    thresholds: Any = None,
    fn_cost: Any = None,
    fp_cost: Any = None,
    costs: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> DecisionCurve:
    r"""Net benefit at every threshold, and that of treating all rows.

    A model is worth using at the thresholds where its net benefit exceeds that of treating all,
    :math:`\pi_+ - \pi_-\, t / (1 - t)`, and that of treating none, 0. See
    :func:`net_benefit_score`.

    Parameters
    ----------
    {y_true}
    {y_prob}
    thresholds : array, optional
        Thresholds in [0, 1). Default: 0.01, 0.02, ..., 0.99.
    {net_benefit_costs}
    {pos_label}
    {sample_weight}

    Returns
    -------
    DecisionCurve
        With ``threshold``, ``net_benefit`` and ``treat_all``.

    References
    ----------
    {vickers_2006}

    Examples
    --------
    >>> from costboost.metrics import decision_curve
    >>> curve = decision_curve([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], thresholds=[0.2, 0.5])
    >>> print(curve.net_benefit, curve.treat_all)
    [0.4375 0.    ] [0.375 0.   ]
    """
    at = check_thresholds("thresholds", THRESHOLDS if thresholds is None else thresholds)
    rows = check_both_classes(check_probabilities(y_true, y_prob, pos_label, sample_weight))
    pair = mistake_costs(costs, fn_cost, fp_cost)
    rows = weighted_by_cost(rows, *pair, sample_weight, len(y_true))
    everyone = Scored(rows.positive, np.ones(rows.score.size), rows.weight)
    return DecisionCurve(at, _net_benefit(rows, at), _net_benefit(everyone, at))


def check_thresholds(name: str, values: Any) -> Floats:
    """Validate thresholds for probabilities; 1 would make false positives infinitely costly."""
    found = np.atleast_1d(check_numbers(name, values))
    if found.ndim != 1 or found.size == 0:
        raise ValueError(f"{name} must be a list of numbers, got an array of shape {found.shape}")
    outside = ~((found >= 0) & (found < 1))
    if outside.any():
        raise ValueError(f"{name} must be from 0 to below 1, got {found[outside][0]:g}")
    return found


def _threshold_of_costs(
    rows: Scored, fn_cost: Any, fp_cost: Any, sample_weight: Any, n_rows: int
) -> Floats:
    """Share of a false positive in the mean costs of the two errors."""
    there = counting(sample_weight, n_rows)
    means = []
    for name, value, side in (
        ("fn_cost", fn_cost, rows.positive),
        ("fp_cost", fp_cost, ~rows.positive),
    ):
        cost = check_cost(name, 1.0 if value is None else value, n_rows)
        if cost.ndim:
            weight = None if rows.weight is None else rows.weight[side]
            cost = np.asarray(np.average(cost[there][side], weights=weight))
        means.append(float(cost))
    fn, fp = means
    if fn == 0:
        raise ValueError("fn_cost is zero for every positive row; net benefit is in units of it")
    return np.array([fp / (fn + fp)])


def _net_benefit(rows: Scored, threshold: Floats) -> Floats:
    """Net benefit of the rows whose score exceeds each threshold."""
    score, positive, negative = levels(rows)
    first = np.searchsorted(score, threshold, side="right")
    total = positive.sum() + negative.sum()
    hits, alarms = (np.append(np.cumsum(side[::-1])[::-1], 0.0) for side in (positive, negative))
    odds = threshold / (1 - threshold)
    return np.asarray((hits[first] - odds * alarms[first]) / total)


# ---- margins of a voting ensemble ----------------------------------------------------------------


@documented
def margins(clf: Any, X: Any, y: Any) -> Floats:
    r"""Normalised margin of each row: the weighted vote for its true class minus that against it.

    .. math:: \frac{y_i F(x_i)}{\sum_t |\alpha_t|} \in [-1, 1]

    1 if all learners are right, -1 if all are wrong, above 0 if the sign of the score is right.
    For learners with real-valued outputs, :math:`|\alpha_t|` is replaced by :math:`\max |g_t|`, the
    most that they can add to the score.

    Parameters
    ----------
    clf : fitted classifier
        Any object with ``classes_``, ``estimator_weights_`` and a ``raw_score`` (or, without it, a
        ``decision_function``) that is the plain sum of the steps times the votes, above 0 for
        ``classes_[1]``. All boosting classifiers of this library qualify.
    {X_y}

    Returns
    -------
    array of shape (n_samples,)

    References
    ----------
    {schapire_1998}

    Examples
    --------
    >>> from costboost.algorithms import AdaBoostClassifier
    >>> from costboost.metrics import margins
    >>> X, y = [[1], [2], [3], [4]], [0, 0, 1, 1]
    >>> margins(AdaBoostClassifier().fit(X, y), X, y)
    array([1., 1., 1., 1.])
    """
    method = _first_method(clf, "raw_score", "decision_function")
    _check_ensemble(clf, method)
    y, score = in_memory(y, getattr(clf, method)(X))
    sign, score = _signs(clf, y), np.asarray(score, dtype=np.float64)
    check_same_length(sign.size, "X", score.size)
    return _normalised(sign * score, float(_reaches(clf).sum()))


@documented
def staged_margins(clf: Any, X: Any, y: Any) -> Iterator[Floats]:
    r"""Normalised margin of each row after each round.

    .. math:: \frac{y_i F_m(x_i)}{\sum_{t \le m} |\alpha_t|} \in [-1, 1]

    Boosting often goes on to increase the smallest margins after all training rows are classified
    correctly.

    Parameters
    ----------
    clf : fitted classifier
        As for :func:`margins`, with a ``staged_raw_score`` or ``staged_decision_function``.
    {X_y}

    Yields
    ------
    array of shape (n_samples,)
        The last array equals that of :func:`margins`.

    References
    ----------
    {schapire_1998}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost.algorithms import AdaBoostClassifier
    >>> from costboost.metrics import staged_margins
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> stages = staged_margins(AdaBoostClassifier(n_estimators=3).fit(X, y), X, y)
    >>> [round(float(found.min()), 2) for found in stages]
    [-1.0, -1.0, -0.45]
    """
    method = _first_method(clf, "staged_raw_score", "staged_decision_function")
    _check_ensemble(clf, method)
    sign = _signs(clf, y)
    return _staged(clf, getattr(clf, method)(X), sign)


def _staged(clf: Any, scores: Iterator[Any], sign: Floats) -> Iterator[Floats]:
    reach = np.cumsum(_reaches(clf))
    if hasattr(clf, "model_"):  # several learners may be one stage
        reach = reach[clf.model_.ends - 1]
    for m, score in enumerate(scores):
        check_same_length(sign.size, "X", np.size(score))
        yield _normalised(sign * np.asarray(score, dtype=np.float64), float(reach[m]))


def _first_method(clf: Any, *methods: str) -> str:
    """Name of the first method that a classifier has, or else the last name."""
    return next((name for name in methods if hasattr(clf, name)), methods[-1])


def _check_ensemble(clf: Any, method: str) -> None:
    """Raise ValueError unless the model is a fitted ensemble for two classes with this method."""
    needed = ("classes_", method, "estimator_weights_")
    lacking = [name for name in needed if not hasattr(clf, name)]
    if lacking:
        raise ValueError(
            f"margins needs a fitted ensemble, but {type(clf).__name__} has no "
            f"{', '.join(lacking)}; fit it first, or take a boosting classifier"
        )
    if len(clf.classes_) != 2:
        raise ValueError(f"margins are for two classes, but the model has {len(clf.classes_)}")


def _signs(clf: Any, y: Any) -> Floats:
    """Validate labels; 1 for rows of the second class and -1 for those of the first."""
    classes = np.asarray(clf.classes_)
    return np.where(check_known_labels(y, classes) == classes[1], 1.0, -1.0)


def _normalised(margin: Floats, reach: float) -> Floats:
    return np.clip(margin / reach, -1.0, 1.0) if reach > 0 else np.zeros(margin.size)


def _reaches(clf: Any) -> Floats:
    """Greatest absolute value that each learner can add to the score."""
    ensemble: Any = getattr(clf, "ensemble_", ())
    if hasattr(ensemble, "first") and hasattr(ensemble, "value"):  # trees, as arrays of nodes
        return np.asarray(np.maximum.reduceat(np.abs(ensemble.value), ensemble.first[:-1]))
    if hasattr(ensemble, "values") and hasattr(ensemble, "constant"):  # learners of any kind
        most = np.abs(np.reshape(ensemble.values, (-1, 2))).max(axis=1)
        return most if most.size else np.array([abs(ensemble.constant)])
    return np.abs(np.asarray(clf.estimator_weights_, dtype=np.float64))
