"""Training: functions from a problem and settings to a fitted model, without estimators."""

from costboost._core.training.fitting import SeveralClasses, fit_binary, fit_one_vs_rest, fit_scores
from costboost._core.training.problem import Problem, Seed, Settings, are_relative

__all__ = [
    "Problem",
    "Seed",
    "Settings",
    "SeveralClasses",
    "are_relative",
    "fit_binary",
    "fit_one_vs_rest",
    "fit_scores",
]
