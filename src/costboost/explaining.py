"""Explanations: what the value of each feature contributes to a decision."""

from costboost._core.explaining import Explanation

__all__ = [
    "Explanation",
]
