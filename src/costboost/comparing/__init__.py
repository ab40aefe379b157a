"""Comparison of classifiers by cost, on the same folds of one data set or several."""

from costboost.comparing.comparing import Comparison, Estimate, Ranks, compare

__all__ = ["Comparison", "Estimate", "Ranks", "compare"]
