"""Profit and net benefit of treating the rows with the highest scores or probabilities."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from costboost.cluster.collections import takes_collections
from costboost.metrics.checks import (
    Floats,
    Scored,
    check_both_classes,
    check_cost,
    check_not_negative,
    check_numbers,
    check_probabilities,
    check_scored,
    counting,
    documented,
    levels,
    run_starts,
)
from costboost.metrics.probabilities import weighted_by_cost
from costboost.metrics.ranking import beta_moments, check_positive, roc_hull

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
    tp_cost: Any = 0.0,
    fp_cost: Any = 1.0,
    fn_cost: Any = 1.0,
    tn_cost: Any = 0.0,
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
    tp, fp, fn, tn = (
        np.broadcast_to(check_cost(name, value, n_rows, gains=True), n_rows)[there]
        for name, value in (
            ("tp_cost", tp_cost),
            ("fp_cost", fp_cost),
            ("fn_cost", fn_cost),
            ("tn_cost", tn_cost),
        )
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
    none, everything = _share("p0", p0), _share("p1", p1)
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


def _share(name: str, value: Any) -> float:
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
    rows = weighted_by_cost(rows, fn_cost, fp_cost, sample_weight, len(y_true))
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
