"""Fitted models: frozen records of everything that a prediction needs."""

from costboost._core.model.decision import DecisionRule
from costboost._core.model.fitted import (
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
