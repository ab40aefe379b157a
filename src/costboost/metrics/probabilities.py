"""Measures of probabilities: Brier curve and its area, cost curve, Brier score, calibration."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from costboost._core.backends.dask.collections import takes_collections
from costboost._core.costs import Costs, known_costs
from costboost.metrics.checks import (
    Floats,
    Levels,
    Scored,
    check_both_classes,
    check_cost,
    check_in_unit_interval,
    check_numbers,
    check_probabilities,
    check_scored,
    counting,
    documented,
    levels,
    run_starts,
)


@documented
@takes_collections
def brier_curve(
    y_true: Any,
    y_prob: Any,
    *,
    by: str = "skew",
    prior: float | None = None,
    fn_cost: Any = None,
    fp_cost: Any = None,
    costs: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> tuple[Floats, Floats]:
    r"""Cost of predicting by probability, for every skew or every cost proportion.

    .. math::

        Q(x) = 2 \left[\pi_+ (1 - x)\, \mathrm{FNR}(x) + \pi_-\, x\, \mathrm{FPR}(x)\right],
        \qquad x \in [0, 1]

    where a row is predicted positive if its probability exceeds x. There are two forms:

    - ``by="skew"``: x is the skew z, which contains the class shares. Both classes count one half,
      :math:`\pi_+ = \pi_- = 1/2`, and the probabilities are converted to balanced priors (their
      odds are multiplied by (1 - prior) / prior) before they are compared with z.
    - ``by="cost"``: x is the cost proportion c, the share of a false positive in the two costs.
      The shares :math:`\pi` are those of the rows, and the probabilities are compared with c as
      they are.

    At c = C- / (C- + C+) and at the corresponding skew z, both predict positive where
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
        Skews or cost proportions from 0 to 1, not decreasing. Where Q jumps, x occurs twice: first
        with the limit of Q from the left, then with its value there.
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
    classifier performance", ICML 2011. Their curve by skew compares the given probabilities with z,
    which is correct for balanced classes only.

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
    pair = mistake_costs(costs, fn_cost, fp_cost)
    by_level = levels(weighted_by_cost(rows, *pair, sample_weight, len(y_true)))
    score = np.maximum.accumulate(
        at_shares(by_level.score, given, shares)
    )  # rounding must not change the order
    return _curve(_merged(by_level, score), shares)


@documented
@takes_collections
def area_under_brier_curve(
    y_true: Any,
    y_prob: Any,
    *,
    by: str = "skew",
    prior: float | None = None,
    fn_cost: Any = None,
    fp_cost: Any = None,
    costs: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Mean cost over all skews or over all cost proportions.

    .. math::

        \int_0^1 Q(x)\, dx = \pi_+ \operatorname{mean}_{y=1} (1 - p)^2
            + \pi_- \operatorname{mean}_{y=0} p^2

    - ``by="cost"``: the Brier score.
    - ``by="skew"``: the Brier score at balanced priors, :math:`\pi_+ = \pi_- = 1/2`, of the
      probabilities converted to balanced priors.

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
        costs=costs,
        pos_label=pos_label,
        sample_weight=sample_weight,
    )
    return area_below(x, q)


def area_below(x: Floats, y: Floats) -> float:
    """Area below a piecewise linear function."""
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)


@documented
@takes_collections
def cost_curve(
    y_true: Any,
    y_score: Any,
    *,
    by: str = "skew",
    fn_cost: Any = None,
    fp_cost: Any = None,
    costs: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> tuple[Floats, Floats]:
    r"""Least cost over all thresholds, for every skew or every cost proportion.

    .. math::

        Q^*(x) = \min_\theta 2 \left[\pi_+ (1 - x)\, \mathrm{FNR}(\theta)
            + \pi_-\, x\, \mathrm{FPR}(\theta)\right]

    with the class shares of :func:`brier_curve`: one half each by skew, those of the rows by cost
    proportion. It is the lower envelope of the straight lines that belong to the thresholds, and
    never above :func:`brier_curve` of the same form.

    By cost proportion, the area between the two is the calibration part of
    :func:`brier_decomposition`: what the best monotone correction of the probabilities would save,
    if it were known. It is chosen on the rows that it is evaluated on, so that with few rows part
    of the gap is chance.

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
    pair = mistake_costs(costs, fn_cost, fp_cost)
    rows = weighted_by_cost(rows, *pair, sample_weight, len(y_true))
    x, q = _curve(calibrated(levels(rows), shares), shares)
    inner = np.append(True, x[1:] != x[:-1])  # calibrated at these shares, Q does not jump
    return x[inner], q[inner]


# ---- curves from levels of scores ----------------------------------------------------------------


def _curve(by_level: Levels, shares: Shares) -> tuple[Floats, Floats]:
    """End points of the straight lines between neighbouring scores."""
    score = by_level.score
    left, right = np.append(0.0, score), np.append(score, 1.0)
    fnr, specificity = (np.append(0.0, _cumulative_share(side)) for side in by_level[1:])
    fpr = 1 - specificity
    x = np.column_stack([left, right])
    q = (1 - x) * (2 * shares.positive * fnr)[:, None] + x * (2 * shares.negative * fpr)[:, None]
    # At 0 there is no limit from the left, and at 1 none from the right.
    inside = slice(2 if score[0] == 0 else 0, -1 if score[-1] == 1 else None)
    return x.ravel()[inside], q.ravel()[inside]


def _cumulative_share(side: Floats) -> Floats:
    """Share of a class at or below each level; sums of integer weights are exact."""
    total = np.cumsum(side)
    return np.asarray(total / total[-1])


def calibrated(by_level: Levels, shares: Shares) -> Levels:
    """Levels of the scores after isotonic regression at these class shares."""
    odds = shares.positive / shares.negative
    positive, negative = (side / side.sum() for side in by_level[1:])
    positive, negative = max(odds, 1.0) * positive, negative / min(odds, 1.0)
    both = positive + negative
    share = isotonic_regression(positive / both, sample_weight=both, y_min=0, y_max=1)
    return _merged(by_level, share)


def _merged(by_level: Levels, score: Floats) -> Levels:
    """Replace the scores by others in the same order, and merge levels whose scores are equal."""
    first = run_starts(score)
    return Levels(score[first], *(np.add.reduceat(side, first) for side in by_level[1:]))


# ---- class shares --------------------------------------------------------------------------------


class Shares(NamedTuple):
    """Shares of the two classes; both are stored, since 1 minus a tiny share is rounded to 1."""

    positive: float
    negative: float


BALANCED = Shares(0.5, 0.5)


def shares_of(rows: Scored) -> Shares:
    """Class shares among the rows, by weight."""
    weight = np.ones(rows.score.size) if rows.weight is None else rows.weight
    sides = [float(weight[side].sum()) for side in (rows.positive, ~rows.positive)]
    return Shares(*(side / sum(sides) for side in sides))


def evaluated_shares(by: str, rows: Scored) -> Shares:
    """Class shares that weight the two error rates: balanced by skew, those of the rows by cost."""
    if by == "skew":
        return BALANCED
    if by == "cost":
        return shares_of(rows)
    raise ValueError(f"by must be 'skew' or 'cost', got {by!r}")


def check_prior(prior: Any) -> Shares:
    """Validate the share of positives that a user gives."""
    value = check_numbers("prior", prior)
    if value.ndim or not 0 < value < 1:
        raise ValueError(
            f"prior must be a number between 0 and 1, the share of positives, got {prior!r}"
        )
    return Shares(float(value), 1 - float(value))


def at_shares(probability: Floats, of: Shares, to: Shares) -> Floats:
    """Convert probabilities from the class shares ``of`` to the class shares ``to``."""
    factor = (to.positive / of.positive) * (of.negative / to.negative)
    return probability if factor == 1 else with_odds(factor * probability, 1 - probability)


def with_odds(towards: Floats, against: Floats) -> Floats:
    """Probabilities with the odds ``towards`` : ``against``; 0 where ``towards`` is 0."""
    total = towards + against
    return np.divide(towards, total, out=np.zeros(total.shape), where=towards > 0)


# ---- costs of rows -------------------------------------------------------------------------------


def mistake_costs(costs: Any, fn_cost: Any, fp_cost: Any) -> tuple[Any, Any]:
    """The costs of the two mistakes; those of a record are net of right predictions."""
    if costs is None:
        return fn_cost, fp_cost
    return Costs.outcomes(**known_costs(costs, fn_cost, fp_cost)).net


def weighted_by_cost(
    rows: Scored, fn_cost: Any, fp_cost: Any, sample_weight: Any, n_rows: int
) -> Scored:
    """Weight rows by the cost of an error, and include their costs in the probabilities.

    A row is predicted positive if p fn > (1 - p) fp. The odds p / (1 - p) are multiplied by the
    ratio of the row's costs, each divided by its mean; then one threshold applies to all rows.
    Costs that are the same for all rows change nothing.

    ``rows`` are the rows of positive weight among the ``n_rows`` given.
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
        _relative_cost(name, np.broadcast_to(cost, n_rows)[there], side, weight)
        for (name, cost), side in zip(named.items(), (rows.positive, ~rows.positive), strict=True)
    )
    score = with_odds(fn * rows.score, fp * (1 - rows.score))
    cost = weight * np.where(rows.positive, fn, fp)
    kept = counting(cost, cost.size)
    return check_both_classes(Scored(rows.positive[kept], score[kept], cost[kept]))


def _relative_cost(name: str, cost: Floats, side: NDArray[np.bool_], weight: Floats) -> Floats:
    """Costs divided by their mean over the rows of the class that they apply to."""
    if not cost[side].any():
        raise ValueError(
            f"{name} is zero for every row of its class; at least one must be positive"
        )
    cost = cost / cost.max()
    return np.asarray(cost / np.average(cost[side], weights=weight[side]))


# ---- distance of probabilities from frequencies --------------------------------------------------


@documented
@takes_collections
def calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 10,
    strategy: str = "uniform",
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Expected calibration error: mean distance between probability and frequency over bins.

    .. math:: \mathrm{ECE} = \sum_b \frac{n_b}{n}\, \left|\bar p_b - \bar y_b\right|

    with the mean probability and the share of positives in each bin.

    Parameters
    ----------
    {y_true}
    {y_prob}
    n_bins : int, default 10
        Number of bins; empty ones do not count.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of equal width, or of about equal weight; rows of equal probability share a bin.
    {pos_label}
    {sample_weight}

    Returns
    -------
    float

    Notes
    -----
    The value depends on the bins, and on a finite sample it is above 0 even for perfect
    probabilities. :func:`brier_decomposition` needs no bins.

    References
    ----------
    M. P. Naeini, G. F. Cooper, M. Hauskrecht, "Obtaining well calibrated probabilities using
    Bayesian binning", AAAI 2015.

    Examples
    --------
    >>> from costboost.metrics import calibration_error
    >>> calibration_error([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75])
    0.25
    """
    if isinstance(n_bins, bool) or not isinstance(n_bins, (int, np.integer)) or n_bins < 1:
        raise ValueError(f"n_bins must be a whole number of at least 1, got {n_bins!r}")
    if not isinstance(strategy, str) or strategy not in BINNINGS:
        raise ValueError(f"strategy must be one of {', '.join(BINNINGS)}, got {strategy!r}")
    p, positive, negative = levels(check_probabilities(y_true, y_prob, pos_label, sample_weight))
    weight = positive + negative
    bins = BINNINGS[strategy](p, weight, int(n_bins))
    surplus = np.bincount(bins, p * weight - positive)
    return float(np.abs(surplus).sum() / weight.sum())


def _same_width(p: Floats, weight: Floats, n_bins: int) -> NDArray[np.intp]:
    """Bins that are closed on the right, as in scikit-learn's calibration_curve."""
    return np.asarray(np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], p))


def _same_weight(p: Floats, weight: Floats, n_bins: int) -> NDArray[np.intp]:
    """Bins of about equal weight, by the weight below each probability."""
    upto = np.cumsum(weight)
    below = np.append(0.0, upto[:-1]) / upto[-1]
    return np.asarray(np.minimum((n_bins * below).astype(np.intp), n_bins - 1))


BINNINGS = {"uniform": _same_width, "quantile": _same_weight}


class BrierDecomposition(NamedTuple):
    """Calibration and refinement parts of the Brier score."""

    calibration: float
    """Gain of replacing the probabilities by the frequencies of their groups; 0 if calibrated."""
    refinement: float
    """Remaining part: the variance of the labels within the groups."""

    @property
    def brier(self) -> float:
        """Sum of the two parts, which is the Brier score."""
        return self.calibration + self.refinement


@documented
@takes_collections
def brier_decomposition(
    y_true: Any,
    y_prob: Any,
    *,
    groups: str = "isotonic",
    pos_label: Any = None,
    sample_weight: Any = None,
) -> BrierDecomposition:
    r"""Decomposition of the Brier score into calibration and refinement.

    .. math::

        \underbrace{\frac1n \sum_i (p_i - y_i)^2}_{\text{Brier score}} =
        \underbrace{\frac1n \sum_i
            \left[(p_i - y_i)^2 - (\bar y_{g(i)} - y_i)^2\right]}_{\text{calibration}}
        + \underbrace{\sum_g \frac{n_g}{n} \bar y_g (1 - \bar y_g)}_{\text{refinement}}

    with the share of positives :math:`\bar y_g` of each group g of rows.

    Parameters
    ----------
    y_true : array of shape (n_samples,)
        Labels of two classes, coded 1 for the positive one and 0.
    {y_prob}
    groups : {"isotonic", "scores"}, default "isotonic"
        "scores": rows of equal probability, as in the classical decomposition; the calibration part
        is then the mean of :math:`(p_i - \bar y_{g(i)})^2`. If all probabilities differ, the whole
        score is calibration. "isotonic": the blocks of isotonic regression; the
        calibration part is then the gain of the best monotone correction.
    {pos_label}
    {sample_weight}

    Returns
    -------
    BrierDecomposition
        With ``calibration``, ``refinement`` and their sum ``brier``.

    References
    ----------
    A. H. Murphy, "A new vector partition of the probability score", Journal of Applied Meteorology
    12, 1973. T. Dimitriadis, T. Gneiting, A. I. Jordan, "Stable reliability diagrams for
    probabilistic classifiers", PNAS 118, 2021.

    Examples
    --------
    >>> from costboost.metrics import brier_decomposition
    >>> brier_decomposition([0, 0, 1, 1, 1, 0], [0.25, 0.25, 0.25, 0.75, 0.75, 0.75])
    BrierDecomposition(calibration=0.0069..., refinement=0.2222...)
    """
    if groups not in ("isotonic", "scores"):
        raise ValueError(f"groups must be 'isotonic' or 'scores', got {groups!r}")
    rows = check_probabilities(y_true, y_prob, pos_label, sample_weight)
    p, positive, negative = levels(rows)
    weight = positive + negative
    share, rate = weight / weight.sum(), positive / weight
    corrected: Floats = rate
    if groups == "isotonic":
        corrected = isotonic_regression(rate, sample_weight=weight, y_min=0, y_max=1)
    calibration = float(share @ ((p - corrected) * (p + corrected - 2 * rate)))
    refinement = float(share @ (corrected * (1 - corrected)))
    return BrierDecomposition(max(0.0, calibration), refinement)
