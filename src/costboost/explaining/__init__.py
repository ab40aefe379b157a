"""Contributions of the features to the score of a fitted classifier."""

from costboost.explaining.contributions import Explanation

__all__ = ["Explanation"]
