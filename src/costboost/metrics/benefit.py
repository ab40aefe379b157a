"""Net benefit of decisions by probability, at one threshold and as a decision curve."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from costboost.cluster.collections import takes_collections
from costboost.metrics.checks import (
    Floats,
    Scored,
    check_both_classes,
    check_cost,
    check_numbers,
    check_probabilities,
    counting,
    documented,
    levels,
)
from costboost.metrics.curves import weighted_by_cost

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
    A. J. Vickers, E. B. Elkin, "Decision curve analysis: a novel method for evaluating prediction
    models", Medical Decision Making 26, 2006.

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
    A. J. Vickers, E. B. Elkin, "Decision curve analysis: a novel method for evaluating prediction
    models", Medical Decision Making 26, 2006.

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
