"""Measures of the cost of predictions, of probabilities, and of methods over data sets.

For precision, recall and F of each class, use the functions of scikit-learn.
"""

from costboost.metrics.comparison import (
    Friedman,
    Nemenyi,
    average_ranks,
    critical_difference,
    friedman_test,
    nemenyi,
    pareto_front,
)
from costboost.metrics.costs import masnadi_cost, mean_cost, normalized_cost, savings, total_cost
from costboost.metrics.curves import area_under_brier_curve, brier_curve, cost_curve
from costboost.metrics.margin import margins, staged_margins
from costboost.metrics.reliability import (
    BrierDecomposition,
    brier_decomposition,
    calibration_error,
)
from costboost.metrics.scorer import make_cost_scorer

__all__ = [
    "BrierDecomposition",
    "Friedman",
    "Nemenyi",
    "area_under_brier_curve",
    "average_ranks",
    "brier_curve",
    "brier_decomposition",
    "calibration_error",
    "cost_curve",
    "critical_difference",
    "friedman_test",
    "make_cost_scorer",
    "margins",
    "masnadi_cost",
    "mean_cost",
    "nemenyi",
    "normalized_cost",
    "pareto_front",
    "savings",
    "staged_margins",
    "total_cost",
]
