"""Pictures, in scikit-learn's Display idiom. Drawing needs matplotlib: the extra ``plots``."""

from costboost.plots.critical import CriticalDifferenceDisplay
from costboost.plots.curves import BrierCurveDisplay, CostCurveDisplay
from costboost.plots.loss import LossDisplay
from costboost.plots.margin import MarginDistributionDisplay
from costboost.plots.numbers.distributions import Distribution
from costboost.plots.numbers.runs import Band, confidence_band
from costboost.plots.numbers.surfaces import Surface
from costboost.plots.pareto import ParetoDisplay
from costboost.plots.progress import BoostingProgressDisplay
from costboost.plots.ranks import RankDisplay
from costboost.plots.surface import DecisionSurfaceDisplay
from costboost.plots.sweep import CostSweepDisplay

__all__ = [
    "Band",
    "BoostingProgressDisplay",
    "BrierCurveDisplay",
    "CostCurveDisplay",
    "CostSweepDisplay",
    "CriticalDifferenceDisplay",
    "DecisionSurfaceDisplay",
    "Distribution",
    "LossDisplay",
    "MarginDistributionDisplay",
    "ParetoDisplay",
    "RankDisplay",
    "Surface",
    "confidence_band",
]
