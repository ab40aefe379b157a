"""Several classifiers on the same folds of one data set or many: what their decisions cost."""

from costboost.comparing.comparing import compare
from costboost.comparing.result import Comparison, Estimate, Ranks

__all__ = ["Comparison", "Estimate", "Ranks", "compare"]
