"""Contributions of the features to the score of a fitted classifier."""

from costboost.explaining.explanation import Explanation

__all__ = ["Explanation"]
