"""Comparison of classifiers by cost, on the same folds of one data set or several."""

from costboost.comparing.comparing import compare
from costboost.comparing.result import Comparison, Estimate, Ranks

__all__ = ["Comparison", "Estimate", "Ranks", "compare"]
