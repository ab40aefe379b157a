"""Training: functions from a problem and a plan to a fitted model, without estimators."""

from costboost._core.training.fitting import fit_binary, fit_scores
from costboost._core.training.one_vs_rest import fit_one_vs_rest
from costboost._core.training.problem import Problem, are_relative
from costboost._core.training.seed import Seed
from costboost._core.training.several import SeveralClasses

__all__ = [
    "Problem",
    "Seed",
    "SeveralClasses",
    "are_relative",
    "fit_binary",
    "fit_one_vs_rest",
    "fit_scores",
]
