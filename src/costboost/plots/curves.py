"""Brier curves and cost curves."""

from __future__ import annotations

from dataclasses import dataclass

from costboost.metrics import brier_curve, cost_curve
from costboost.plots.documentation import documented
from costboost.plots.numbers.answers import order, probability
from costboost.plots.skew import SkewCurveDisplay


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class BrierCurveDisplay(SkewCurveDisplay):
    r"""Cost under every skew of a classifier that takes its probabilities at their word.

    .. math:: Q(z) = \mathrm{FNR}(z) (1 - z) + \mathrm{FPR}(z)\, z

    where a row is called positive if its probability exceeds the skew z. Low is good; the area is
    the Brier score with both classes counted half. A curve above one of the trivial classifiers,
    which call every row negative (Q = 1 - z) or positive (Q = z), is worse than knowing nothing
    there.

    Take it to compare classifiers while the costs, or the share of positives, are not settled yet.
    Take :func:`costboost.metrics.mean_cost` if they are.

    Make one with ``from_estimator``, ``from_predictions``, ``from_cv_results`` or ``from_runs``,
    or from numbers of your own.

    Parameters
    ----------
    {skew_curve}

    Attributes
    ----------
    {skew_curve_parts}

    Notes
    -----
    The skew contains the class shares, :math:`z = \pi_- C_- / (\pi_- C_- + \pi_+ C_+)`. At the mark
    of the costs the curve has the normalised cost of the decisions p > z. Classes of unequal size
    that keep their shares are decided by p > C- / (C- + C+) instead, which is not on the curve.

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
    _answer = staticmethod(probability)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CostCurveDisplay(SkewCurveDisplay):
    r"""Least cost under every skew, were the best threshold known each time.

    .. math::

        Q^*(z) = \min_\theta \left[\mathrm{FNR}(\theta) (1 - z) + \mathrm{FPR}(\theta)\, z\right]

    Only the order of the scores matters. It is never above the :class:`BrierCurveDisplay`; what is
    between the two is lost by poor calibration, so draw both on the same axes. Do not take it for
    the cost that you will have: the thresholds are chosen on the rows they are judged on.

    Make one with ``from_estimator``, ``from_predictions``, ``from_cv_results`` or ``from_runs``,
    or from numbers of your own.

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

    _compute = staticmethod(cost_curve)
    _answer = staticmethod(order)
