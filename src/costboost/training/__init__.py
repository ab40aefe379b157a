"""Training: functions from a problem and settings to a fitted model. They know no estimator."""

from costboost.training.fitting import fit_binary
from costboost.training.one_vs_rest import SeveralClasses, fit_one_vs_rest
from costboost.training.problem import Problem, are_relative
from costboost.training.settings import Seed, Settings

__all__ = [
    "Problem",
    "Seed",
    "Settings",
    "SeveralClasses",
    "are_relative",
    "fit_binary",
    "fit_one_vs_rest",
]
