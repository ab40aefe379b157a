"""Fitted models: frozen records of everything that a prediction needs."""

from costboost.model.binary import BinaryModel, FittedModel
from costboost.model.decision import DecisionRule
from costboost.model.one_vs_rest import OneVsRestModel
from costboost.model.scores import ScoresModel, SeveralModel

__all__ = [
    "BinaryModel",
    "DecisionRule",
    "FittedModel",
    "OneVsRestModel",
    "ScoresModel",
    "SeveralModel",
]
