"""Plots as scikit-learn displays. They need matplotlib, which the extra ``plots`` installs."""

from costboost.plots.curves import (
    BrierCurveDisplay,
    CostCurveDisplay,
    DecisionCurveDisplay,
    LiftCurveDisplay,
    ProfitCurveDisplay,
    UncertainCostDisplay,
)
from costboost.plots.measures import BoostingProgressDisplay, CostSweepDisplay
from costboost.plots.numbers import Band, Distribution, confidence_band
from costboost.plots.predictions import Surface
from costboost.plots.ranks import CriticalDifferenceDisplay, ParetoDisplay, RankDisplay
from costboost.plots.scores import DecisionSurfaceDisplay, LossDisplay, MarginDistributionDisplay

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
