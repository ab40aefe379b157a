"""Fitted models: frozen records of everything that a prediction needs."""

from costboost._core.model.fitted import (
    BinaryModel,
    FittedModel,
    OneVsRestModel,
    ScoresModel,
    SeveralModel,
)
from costboost._core.model.threshold import DecisionRule

__all__ = [
    "BinaryModel",
    "DecisionRule",
    "FittedModel",
    "OneVsRestModel",
    "ScoresModel",
    "SeveralModel",
]
