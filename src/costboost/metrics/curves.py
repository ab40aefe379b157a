"""Cost against skew: the Brier curve, its area, and the cost curve below it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from costboost.metrics.checks import (
    Floats,
    Scored,
    check_both_classes,
    check_probabilities,
    check_scored,
)
from costboost.metrics.documentation import documented


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
    y_true: Any, y_prob: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> tuple[Floats, Floats]:
    r"""Cost under every skew of a classifier that takes its probabilities at their word.

    .. math::

        Q(z) = \mathrm{FNR}(z) (1 - z) + \mathrm{FPR}(z)\, z, \qquad z \in [0, 1]

    where a row is called positive if its probability exceeds the threshold z. Between two
    neighbouring probabilities Q is a straight line, and at each probability it may jump: the
    returned points are the ends of the lines, so that drawing them is exact.

    Parameters
    ----------
    {y_true}
    {y_prob}
    {pos_label}
    {sample_weight}

    Returns
    -------
    z : array
        Skews from 0 to 1, never falling. Where Q jumps, z stands twice: first with the value that
        Q comes from, then with its value there.
    q : array
        Normalised costs.

    Notes
    -----
    Predicting "negative" always has Q = 1 - z, predicting "positive" always Q = z. (Nikolaou's text
    has it the other way round; by his eq. 26 it is as here.)

    References
    ----------
    J. Hernandez-Orallo, P. Flach, C. Ferri, "Brier curves: a new cost-based visualisation of
    classifier performance", ICML 2011.

    Examples
    --------
    >>> from costboost.metrics import brier_curve
    >>> z, q = brier_curve([0, 1], [0.25, 0.75])
    >>> print(z, q)
    [0.   0.25 0.25 0.75 0.75 1.  ] [0.   0.25 0.   0.   0.25 0.  ]
    """
    rows = check_both_classes(check_probabilities(y_true, y_prob, pos_label, sample_weight))
    return _curve(levels(rows))


@documented
def area_under_brier_curve(
    y_true: Any, y_prob: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> float:
    r"""Mean of the normalised cost over all skews.

    .. math::

        \int_0^1 Q(z)\, dz = \tfrac12 \operatorname{mean}_{y=1} (1 - p)^2
            + \tfrac12 \operatorname{mean}_{y=0} p^2,

    the Brier score at balanced priors: each class counts one half.

    Parameters
    ----------
    {y_true}
    {y_prob}
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
    """
    z, q = brier_curve(y_true, y_prob, pos_label=pos_label, sample_weight=sample_weight)
    return area_below(z, q)


def area_below(x: Floats, y: Floats) -> float:
    """Area below straight lines."""
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)


@documented
def cost_curve(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> tuple[Floats, Floats]:
    r"""Least cost under every skew, were the best threshold known each time.

    .. math::

        Q^*(z) = \min_\theta \left[\mathrm{FNR}(\theta) (1 - z) + \mathrm{FPR}(\theta)\, z\right]

    It is the lower envelope of the straight lines that belong to the thresholds, and never above
    :func:`brier_curve`; what lies between the two is the price of poor calibration.

    Parameters
    ----------
    {y_true}
    y_score : array of shape (n_samples,)
        Scores that are higher for the positive class. Only their order matters.
    {pos_label}
    {sample_weight}

    Returns
    -------
    z : array
        Skews from 0 to 1 at which the best threshold changes.
    q : array
        Normalised costs; in between, straight lines.

    Notes
    -----
    The lines of the envelope are the corners of the convex hull of the ROC curve, and those are the
    blocks of isotonic regression at balanced priors: the cost curve is the Brier curve of the
    scores so calibrated.

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
    found = check_scored(y_true, y_score, "y_score", pos_label, sample_weight)
    z, q = _curve(_calibrated(levels(check_both_classes(found))))
    inner = np.append(True, z[1:] != z[:-1])  # calibrated at balanced priors, Q does not jump
    return z[inner], q[inner]


def _curve(by_level: Levels) -> tuple[Floats, Floats]:
    """Both ends of the straight line between any two neighbouring scores."""
    score = by_level.score
    left, right = np.append(0.0, score), np.append(score, 1.0)
    fnr, alarms_gone = (np.append(0.0, _upto(side)) for side in by_level[1:])
    fpr = 1 - alarms_gone
    z = np.column_stack([left, right])
    q = (1 - z) * fnr[:, None] + z * fpr[:, None]
    # At 0 and 1 there is nothing to come from, and nowhere to go.
    inside = slice(2 if score[0] == 0 else 0, -1 if score[-1] == 1 else None)
    return z.ravel()[inside], q.ravel()[inside]


def _upto(side: Floats) -> Floats:
    """Share of a class at or below each level. Whole weights are added without rounding."""
    total = np.cumsum(side)
    return np.asarray(total / total[-1])


def _calibrated(by_level: Levels) -> Levels:
    """Levels of the scores after isotonic regression, with both classes weighing the same."""
    positive, negative = (side / side.sum() for side in by_level[1:])
    both = positive + negative
    share = isotonic_regression(positive / both, sample_weight=both, y_min=0, y_max=1)
    first = _starts(share)
    return Levels(share[first], *(np.add.reduceat(side, first) for side in by_level[1:]))
