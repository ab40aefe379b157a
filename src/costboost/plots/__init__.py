"""Plots as scikit-learn displays. They need matplotlib, which the extra ``plots`` installs."""

from costboost.plots.curves import BrierCurveDisplay, CostCurveDisplay, UncertainCostDisplay
from costboost.plots.margin import LossDisplay, MarginDistributionDisplay
from costboost.plots.measures import BoostingProgressDisplay, CostSweepDisplay
from costboost.plots.numbers.curves import Distribution
from costboost.plots.numbers.measures import Band, confidence_band
from costboost.plots.numbers.predictions import Surface
from costboost.plots.ranked import DecisionCurveDisplay, LiftCurveDisplay, ProfitCurveDisplay
from costboost.plots.ranks import CriticalDifferenceDisplay, ParetoDisplay, RankDisplay
from costboost.plots.surface import DecisionSurfaceDisplay

__all__ = [
    "Band",
    "BoostingProgressDisplay",
    "BrierCurveDisplay",
    "CostCurveDisplay",
    "CostSweepDisplay",
    "CriticalDifferenceDisplay",
    "DecisionCurveDisplay",
    "DecisionSurfaceDisplay",
    "Distribution",
    "LiftCurveDisplay",
    "LossDisplay",
    "MarginDistributionDisplay",
    "ParetoDisplay",
    "ProfitCurveDisplay",
    "RankDisplay",
    "Surface",
    "UncertainCostDisplay",
    "confidence_band",
]
