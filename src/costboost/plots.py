"""Plots as scikit-learn displays; they need matplotlib, which the extra ``plots`` installs."""

from costboost.app.plots.curves import (
    BrierCurveDisplay,
    CostCurveDisplay,
    DecisionCurveDisplay,
    LiftCurveDisplay,
    ProfitCurveDisplay,
    UncertainCostDisplay,
)
from costboost.app.plots.measures import BoostingProgressDisplay, CostSweepDisplay
from costboost.app.plots.numbers import Band, Distribution, confidence_band
from costboost.app.plots.predictions import Surface
from costboost.app.plots.ranks import CriticalDifferenceDisplay, ParetoDisplay, RankDisplay
from costboost.app.plots.scores import (
    DecisionSurfaceDisplay,
    LossDisplay,
    MarginDistributionDisplay,
)

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
