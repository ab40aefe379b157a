"""Providers: what is learnt, as scores of rows."""

from costboost._core.model.providers.class_trees import ClassTrees
from costboost._core.model.providers.known import KnownScores
from costboost._core.model.providers.learners import Learners, SumOfLearners, WrappedLearners
from costboost._core.model.providers.provider import Provider

__all__ = [
    "ClassTrees",
    "KnownScores",
    "Learners",
    "Provider",
    "SumOfLearners",
    "WrappedLearners",
]
