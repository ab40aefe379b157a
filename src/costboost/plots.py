"""Plots as scikit-learn displays; they need matplotlib, which the extra ``plots`` installs."""

from costboost.app.plots.losses import LossDisplay
from costboost.app.plots.margins import MarginDistributionDisplay
from costboost.app.plots.numbers.bands import Band, confidence_band
from costboost.app.plots.numbers.margins import Distribution
from costboost.app.plots.numbers.surfaces import Surface
from costboost.app.plots.progress import BoostingProgressDisplay
from costboost.app.plots.ranked import DecisionCurveDisplay, LiftCurveDisplay, ProfitCurveDisplay
from costboost.app.plots.ranks import CriticalDifferenceDisplay, ParetoDisplay, RankDisplay
from costboost.app.plots.skews import BrierCurveDisplay, CostCurveDisplay
from costboost.app.plots.surfaces import DecisionSurfaceDisplay
from costboost.app.plots.sweeps import CostSweepDisplay
from costboost.app.plots.uncertain import UncertainCostDisplay

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
