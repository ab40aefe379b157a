"""Fitted models: frozen records of everything that a prediction needs."""

from costboost.model.decision import DecisionRule
from costboost.model.fitted import (
    BinaryModel,
    FittedModel,
    OneVsRestModel,
    ScoresModel,
    SeveralModel,
)

__all__ = [
    "BinaryModel",
    "DecisionRule",
    "FittedModel",
    "OneVsRestModel",
    "ScoresModel",
    "SeveralModel",
]
