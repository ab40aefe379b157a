"""Several classifiers on the same folds of one data set or many: what their decisions cost."""

from costboost.comparing.comparing import compare
from costboost.comparing.estimates import Estimate
from costboost.comparing.result import Comparison, Ranks

__all__ = ["Comparison", "Estimate", "Ranks", "compare"]
