"""Measures of the order of scores: H-measure, Gini, Kolmogorov-Smirnov, lift and score bands."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainc

from costboost.cluster.collections import takes_collections
from costboost.metrics.checks import (
    Floats,
    Levels,
    Scored,
    check_both_classes,
    check_cost,
    check_numbers,
    check_scored,
    counting,
    documented,
    levels,
)
from costboost.metrics.probabilities import BALANCED, Shares, calibrated, shares_of

# ---- the convex hull of the ROC curve ------------------------------------------------------------


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


# ---- measures ------------------------------------------------------------------------------------


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
