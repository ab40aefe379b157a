"""Measures of the cost of predictions, of probabilities, and of methods over data sets.

For precision, recall and F of each class, use the functions of scikit-learn.
"""

from costboost.metrics.costs import masnadi_cost, mean_cost, normalized_cost, savings, total_cost
from costboost.metrics.margin import margins, staged_margins
from costboost.metrics.probabilities import (
    BrierDecomposition,
    area_under_brier_curve,
    brier_curve,
    brier_decomposition,
    calibration_error,
    cost_curve,
)
from costboost.metrics.profit import (
    DecisionCurve,
    ExpectedMaximumProfit,
    ProfitCurve,
    decision_curve,
    empc,
    empc_score,
    empcs,
    empcs_score,
    net_benefit_score,
    profit_curve,
)
from costboost.metrics.ranking import (
    LiftCurve,
    ScoreBands,
    gini_score,
    h_measure_score,
    ks_score,
    lift_curve,
    score_bands,
)
from costboost.metrics.scorer import make_cost_scorer
from costboost.metrics.statistics import (
    Friedman,
    Interval,
    Nemenyi,
    average_ranks,
    bootstrap_interval,
    critical_difference,
    friedman_test,
    nemenyi,
    pareto_front,
)

__all__ = [
    "BrierDecomposition",
    "DecisionCurve",
    "ExpectedMaximumProfit",
    "Friedman",
    "Interval",
    "LiftCurve",
    "Nemenyi",
    "ProfitCurve",
    "ScoreBands",
    "area_under_brier_curve",
    "average_ranks",
    "bootstrap_interval",
    "brier_curve",
    "brier_decomposition",
    "calibration_error",
    "cost_curve",
    "critical_difference",
    "decision_curve",
    "empc",
    "empc_score",
    "empcs",
    "empcs_score",
    "friedman_test",
    "gini_score",
    "h_measure_score",
    "ks_score",
    "lift_curve",
    "make_cost_scorer",
    "margins",
    "masnadi_cost",
    "mean_cost",
    "nemenyi",
    "net_benefit_score",
    "normalized_cost",
    "pareto_front",
    "profit_curve",
    "savings",
    "score_bands",
    "staged_margins",
    "total_cost",
]
