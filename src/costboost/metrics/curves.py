"""Cost against skew or cost proportion: Brier curve, its area, and the cost curve below it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from costboost.metrics.checks import (
    Floats,
    Scored,
    check_both_classes,
    check_cost,
    check_in_unit_interval,
    check_numbers,
    check_probabilities,
    check_scored,
    counting,
    documented,
)


class Shares(NamedTuple):
    """Shares of the two classes. Either may be too small to change the other, hence both."""

    positive: float
    negative: float


BALANCED = Shares(0.5, 0.5)


def shares_of(rows: Scored) -> Shares:
    """Class shares among the rows, by weight."""
    weight = np.ones(rows.score.size) if rows.weight is None else rows.weight
    sides = [float(weight[side].sum()) for side in (rows.positive, ~rows.positive)]
    return Shares(*(side / sum(sides) for side in sides))


def evaluated_shares(by: str, rows: Scored) -> Shares:
    """The class shares by which a curve counts mistakes: balanced by skew, of the rows by cost."""
    if by == "skew":
        return BALANCED
    if by == "cost":
        return shares_of(rows)
    raise ValueError(f"by must be 'skew' or 'cost', got {by!r}")


def check_prior(prior: Any) -> Shares:
    """A share of positives that the user states."""
    value = check_numbers("prior", prior)
    if value.ndim or not 0 < value < 1:
        raise ValueError(
            f"prior must be a number between 0 and 1, the share of positives, got {prior!r}"
        )
    return Shares(float(value), 1 - float(value))


def moved(probability: Floats, of: Shares, to: Shares) -> Floats:
    """Probabilities that belong to some class shares, as they would be at others."""
    factor = (to.positive / of.positive) * (of.negative / to.negative)
    return probability if factor == 1 else with_odds(factor * probability, 1 - probability)


def with_odds(towards: Floats, against: Floats) -> Floats:
    """Probabilities with the odds ``towards`` : ``against``; 0 where there is nothing towards."""
    total = towards + against
    return np.divide(towards, total, out=np.zeros(total.shape), where=towards > 0)


def priced(rows: Scored, fn_cost: Any, fp_cost: Any, sample_weight: Any, n_rows: int) -> Scored:
    """Rows weighted by the cost of a mistake on them, and probabilities that contain their costs.

    A row is predicted positive if p fn > (1 - p) fp. Its costs, divided by the mean of those of
    its mistake, move its probability; then one threshold decides for all rows. Costs that are the
    same for all rows change nothing.

    ``rows`` are those of the ``n_rows`` given whose weight counts.
    """
    named = {
        name: check_cost(name, 1.0 if value is None else value, n_rows)
        for name, value in (("fn_cost", fn_cost), ("fp_cost", fp_cost))
    }
    if all(cost.ndim == 0 for cost in named.values()):
        return rows
    check_in_unit_interval("y_score, with costs of rows,", rows.score)
    weight = np.ones(rows.score.size) if rows.weight is None else rows.weight
    there = counting(sample_weight, n_rows)
    fn, fp = (
        _relative(name, np.broadcast_to(cost, n_rows)[there], side, weight)
        for (name, cost), side in zip(named.items(), (rows.positive, ~rows.positive), strict=True)
    )
    score = with_odds(fn * rows.score, fp * (1 - rows.score))
    stakes = weight * np.where(rows.positive, fn, fp)
    at_stake = counting(stakes, stakes.size)
    return check_both_classes(Scored(rows.positive[at_stake], score[at_stake], stakes[at_stake]))


def _relative(name: str, cost: Floats, side: NDArray[np.bool_], weight: Floats) -> Floats:
    """Costs divided by their mean over the class whose rows can be mistaken so."""
    if not cost[side].any():
        raise ValueError(f"{name} is zero for every row that could have it; some mistake must cost")
    cost = cost / cost.max()
    return np.asarray(cost / np.average(cost[side], weights=weight[side]))


class Levels(NamedTuple):
    """The distinct scores in rising order, and the weight of either class at each."""

    score: Floats
    positive: Floats
    negative: Floats


def levels(rows: Scored) -> Levels:
    """Rows put together by score."""
    order = np.argsort(rows.score)
    score, positive = rows.score[order], rows.positive[order]
    first = _starts(score)
    weight = np.ones(score.size) if rows.weight is None else rows.weight[order]
    sides = (np.add.reduceat(weight * side, first) for side in (positive, ~positive))
    return Levels(score[first], *sides)


def _starts(values: Floats) -> NDArray[np.intp]:
    """Where runs of equal values begin."""
    return np.append(0, np.flatnonzero(values[1:] != values[:-1]) + 1)


@documented
def brier_curve(
    y_true: Any,
    y_prob: Any,
    *,
    by: str = "skew",
    prior: float | None = None,
    fn_cost: Any = None,
    fp_cost: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> tuple[Floats, Floats]:
    r"""Cost of the decisions by probability, for every skew or every cost proportion.

    .. math::

        Q(x) = 2 \left[\pi_+ (1 - x)\, \mathrm{FNR}(x) + \pi_-\, x\, \mathrm{FPR}(x)\right],
        \qquad x \in [0, 1]

    where a row is predicted positive if its probability exceeds x. There are two forms:

    - ``by="skew"``: x is the skew z, which contains the class shares. Both classes count one half,
      :math:`\pi_+ = \pi_- = 1/2`, and the probabilities are moved to balanced priors, their odds
      multiplied by (1 - prior) / prior, before they are compared with z.
    - ``by="cost"``: x is the cost proportion c, the share of a false positive in the two costs.
      The shares :math:`\pi` are those of the rows, and the probabilities are compared with c as
      they are.

    With c = C- / (C- + C+) and the skew z that belongs to it, both take the decisions
    p > C- / (C- + C+). Between two neighbouring probabilities Q is a straight line, and at each
    probability it may jump: the returned points are the ends of the lines, so that drawing them is
    exact.

    Parameters
    ----------
    {y_true}
    {y_prob}
    {by}
    {prior}
    {row_costs}
    {pos_label}
    {sample_weight}

    Returns
    -------
    x : array
        Skews or cost proportions from 0 to 1, never falling. Where Q jumps, x stands twice: first
        with the value that Q comes from, then with its value there.
    q : array
        Costs. By skew, Q is :func:`normalized_cost`; by cost proportion, it is the mean cost of a
        row if a false positive costs 2c and a false negative 2 (1 - c).

    Notes
    -----
    By skew, predicting "negative" always has Q = 1 - z, predicting "positive" always Q = z.
    (Nikolaou's text has it the other way round; by his eq. 26 it is as here.) By cost proportion
    they have 2 (1 - c) times the share of positives, and 2c times that of negatives.

    References
    ----------
    J. Hernandez-Orallo, P. Flach, C. Ferri, "Brier curves: a new cost-based visualisation of
    classifier performance", ICML 2011. Their curve by skew compares unmoved probabilities with z,
    which is right for balanced classes only.

    Examples
    --------
    >>> from costboost.metrics import brier_curve
    >>> z, q = brier_curve([0, 1], [0.25, 0.75])
    >>> print(z, q)
    [0.   0.25 0.25 0.75 0.75 1.  ] [0.   0.25 0.   0.   0.25 0.  ]
    >>> c, q = brier_curve([0, 0, 0, 1], [0.25, 0.25, 0.25, 0.75], by="cost")
    >>> print(c, q)
    [0.   0.25 0.25 0.75 0.75 1.  ] [0.    0.375 0.    0.    0.125 0.   ]
    """
    rows = check_both_classes(check_probabilities(y_true, y_prob, pos_label, sample_weight))
    shares = evaluated_shares(by, rows)
    given = shares_of(rows) if prior is None else check_prior(prior)
    by_level = levels(priced(rows, fn_cost, fp_cost, sample_weight, len(y_true)))
    score = np.maximum.accumulate(moved(by_level.score, given, shares))  # in order despite rounding
    return _curve(_merged(by_level, score), shares)


@documented
def area_under_brier_curve(
    y_true: Any,
    y_prob: Any,
    *,
    by: str = "skew",
    prior: float | None = None,
    fn_cost: Any = None,
    fp_cost: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Mean cost over all skews or over all cost proportions.

    .. math::

        \int_0^1 Q(x)\, dx = \pi_+ \operatorname{mean}_{y=1} (1 - p)^2
            + \pi_- \operatorname{mean}_{y=0} p^2

    - ``by="cost"``: the Brier score.
    - ``by="skew"``: the Brier score at balanced priors, :math:`\pi_+ = \pi_- = 1/2`, of the
      probabilities moved to balanced priors.

    Parameters
    ----------
    {y_true}
    {y_prob}
    {by}
    {prior}
    {row_costs}
    {pos_label}
    {sample_weight}

    Returns
    -------
    float

    References
    ----------
    J. Hernandez-Orallo, P. Flach, C. Ferri, "Brier curves: a new cost-based visualisation of
    classifier performance", ICML 2011.

    Examples
    --------
    >>> from costboost.metrics import area_under_brier_curve
    >>> area_under_brier_curve([0, 1], [0.25, 0.75])
    0.0625
    >>> area_under_brier_curve([0, 0, 0, 1], [0.25, 0.25, 0.25, 0.75], by="cost")
    0.0625
    """
    x, q = brier_curve(
        y_true,
        y_prob,
        by=by,
        prior=prior,
        fn_cost=fn_cost,
        fp_cost=fp_cost,
        pos_label=pos_label,
        sample_weight=sample_weight,
    )
    return area_below(x, q)


def area_below(x: Floats, y: Floats) -> float:
    """Area below straight lines."""
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)


@documented
def cost_curve(
    y_true: Any,
    y_score: Any,
    *,
    by: str = "skew",
    fn_cost: Any = None,
    fp_cost: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> tuple[Floats, Floats]:
    r"""Least cost for every skew or every cost proportion, were the best threshold known each time.

    .. math::

        Q^*(x) = \min_\theta 2 \left[\pi_+ (1 - x)\, \mathrm{FNR}(\theta)
            + \pi_-\, x\, \mathrm{FPR}(\theta)\right]

    with the class shares of :func:`brier_curve`: one half each by skew, those of the rows by cost
    proportion. It is the lower envelope of the straight lines that belong to the thresholds, and
    never above :func:`brier_curve` of the same form.

    By cost proportion, the area between the two is the calibration part of
    :func:`brier_decomposition`: what the best monotone correction of the probabilities would save,
    if it were known. It is chosen on the rows it is judged on, so with few rows some of the gap is
    chance.

    Parameters
    ----------
    {y_true}
    y_score : array of shape (n_samples,)
        Scores that are higher for the positive class. Only their order matters. With costs of rows
        they must be probabilities.
    {by}
    {row_costs}
    {pos_label}
    {sample_weight}

    Returns
    -------
    x : array
        Skews or cost proportions from 0 to 1 at which the best threshold changes.
    q : array
        Costs; in between, straight lines.

    Notes
    -----
    The lines of the envelope are the corners of the convex hull of the ROC curve, and those are the
    blocks of isotonic regression: the cost curve is the Brier curve of the scores so calibrated.

    References
    ----------
    C. Drummond, R. C. Holte, "Cost curves: an improved method for visualizing classifier
    performance", Machine Learning 65, 2006. T. Fawcett, A. Niculescu-Mizil, "PAV and the ROC convex
    hull", Machine Learning 68, 2007.

    Examples
    --------
    >>> from costboost.metrics import cost_curve
    >>> z, q = cost_curve([0, 1, 0, 1], [1, 2, 3, 4])
    >>> print(z, q)
    [0.  0.5 1. ] [0.   0.25 0.  ]
    """
    rows = check_both_classes(check_scored(y_true, y_score, "y_score", pos_label, sample_weight))
    shares = evaluated_shares(by, rows)
    rows = priced(rows, fn_cost, fp_cost, sample_weight, len(y_true))
    x, q = _curve(_calibrated(levels(rows), shares), shares)
    inner = np.append(True, x[1:] != x[:-1])  # calibrated at these shares, Q does not jump
    return x[inner], q[inner]


def _curve(by_level: Levels, shares: Shares) -> tuple[Floats, Floats]:
    """Both ends of the straight line between any two neighbouring scores."""
    score = by_level.score
    left, right = np.append(0.0, score), np.append(score, 1.0)
    fnr, alarms_gone = (np.append(0.0, _upto(side)) for side in by_level[1:])
    fpr = 1 - alarms_gone
    x = np.column_stack([left, right])
    q = (1 - x) * (2 * shares.positive * fnr)[:, None] + x * (2 * shares.negative * fpr)[:, None]
    # At 0 and 1 there is nothing to come from, and nowhere to go.
    inside = slice(2 if score[0] == 0 else 0, -1 if score[-1] == 1 else None)
    return x.ravel()[inside], q.ravel()[inside]


def _upto(side: Floats) -> Floats:
    """Share of a class at or below each level. Whole weights are added without rounding."""
    total = np.cumsum(side)
    return np.asarray(total / total[-1])


def _calibrated(by_level: Levels, shares: Shares) -> Levels:
    """Levels of the scores after isotonic regression at these class shares."""
    odds = shares.positive / shares.negative
    positive, negative = (side / side.sum() for side in by_level[1:])
    positive, negative = max(odds, 1.0) * positive, negative / min(odds, 1.0)
    both = positive + negative
    share = isotonic_regression(positive / both, sample_weight=both, y_min=0, y_max=1)
    return _merged(by_level, share)


def _merged(by_level: Levels, score: Floats) -> Levels:
    """Levels with other scores in the same order; those of equal scores are put together."""
    first = _starts(score)
    return Levels(score[first], *(np.add.reduceat(side, first) for side in by_level[1:]))
