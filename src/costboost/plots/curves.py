"""Brier curves and cost curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from costboost.metrics import brier_curve, cost_curve
from costboost.metrics.checks import Floats
from costboost.plots.display import documented
from costboost.plots.numbers.predictions import class_probability, class_score
from costboost.plots.skew import SkewCurveDisplay


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class BrierCurveDisplay(SkewCurveDisplay):
    r"""Cost of the decisions by probability, for every skew or every cost proportion.

    .. math::

        Q(x) = 2 \left[\pi_+ (1 - x)\, \mathrm{FNR}(x) + \pi_-\, x\, \mathrm{FPR}(x)\right]

    where a row is predicted positive if its probability exceeds x. With ``by="skew"``, x is the
    skew z, :math:`\pi_+ = \pi_- = 1/2`, and the probabilities are moved to balanced priors; with
    ``by="cost"``, x is the cost proportion c, the class shares are those of the rows, and the
    probabilities are as they are. The axis and the legend state which is drawn.

    Lower is better. The area is the Brier score, by skew at balanced priors. Where a curve is above
    one of the trivial classifiers, which predict every row negative or positive, the trivial
    classifier is better.

    Use it to compare classifiers while the costs, or the share of positives, are unknown. Use
    :func:`costboost.metrics.mean_cost` if they are known.

    Create it with ``from_estimator``, ``from_predictions``, ``from_cv_results`` or ``from_runs``,
    or from arrays.

    Parameters
    ----------
    {skew_curve}

    Attributes
    ----------
    {skew_curve_parts}

    Notes
    -----
    The skew contains the class shares, :math:`z = \pi_- C_- / (\pi_- C_- + \pi_+ C_+)`; the cost
    proportion does not, c = C- / (C- + C+). At the mark of the costs either curve has the cost of
    the decisions p > C- / (C- + C+): by skew, their :func:`costboost.metrics.normalized_cost`; by
    cost proportion, twice their :func:`costboost.metrics.mean_cost` divided by C- + C+.

    By skew, curves of problems with different class shares can be compared, and rare positives do
    not compress the curve into a corner: the two trivial classifiers always meet in the middle. By
    cost proportion, thresholds can be read off the axis.

    References
    ----------
    J. Hernandez-Orallo, P. Flach, C. Ferri, "Brier curves: a new cost-based visualisation of
    classifier performance", ICML 2011. N. Nikolaou et al., "Cost-sensitive boosting algorithms: Do
    we really need them?", Machine Learning 104, 2016, figure 7.

    Examples
    --------
    >>> from costboost.plots import BrierCurveDisplay
    >>> display = BrierCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> print(display.z.round(1), round(display.area, 3))
    [0.  0.1 0.1 0.4 0.4 0.6 0.6 0.9 0.9 1. ] 0.185
    """

    _compute = staticmethod(brier_curve)
    _predict = staticmethod(class_probability)
    _areas: ClassVar = {"skew": "balanced Brier score", "cost": "Brier score"}


def _cost_curve(y_true: Any, y_score: Any, *, prior: Any, **options: Any) -> tuple[Floats, Floats]:
    """Cost curve; it depends on the order of the scores only, so that the prior has no effect."""
    return cost_curve(y_true, y_score, **options)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CostCurveDisplay(SkewCurveDisplay):
    r"""Least cost over all thresholds, for every skew or every cost proportion.

    .. math::

        Q^*(x) = \min_\theta 2 \left[\pi_+ (1 - x)\, \mathrm{FNR}(\theta)
            + \pi_-\, x\, \mathrm{FPR}(\theta)\right]

    Only the order of the scores matters. The curve is never above the :class:`BrierCurveDisplay`
    of the same kind; the gap between the two is what the best monotone correction of the
    probabilities would save, so plot both on the same axes. It is not an estimate of future cost:
    the thresholds are chosen on the rows on which they are evaluated, and with few rows much of
    the gap is due to chance.

    Create it with ``from_estimator``, ``from_predictions``, ``from_cv_results`` or ``from_runs``,
    or from arrays.

    Parameters
    ----------
    {skew_curve}

    Attributes
    ----------
    {skew_curve_parts}

    References
    ----------
    C. Drummond, R. C. Holte, "Cost curves: an improved method for visualizing classifier
    performance", Machine Learning 65, 2006.

    Examples
    --------
    >>> from costboost.plots import CostCurveDisplay
    >>> display = CostCurveDisplay.from_predictions([0, 1, 0, 1], [1, 2, 3, 4])
    >>> print(display.z, display.q)
    [0.  0.5 1. ] [0.   0.25 0.  ]
    """

    _compute = staticmethod(_cost_curve)
    _predict = staticmethod(class_score)
    _areas: ClassVar = {"skew": "area", "cost": "area"}
