"""Fitted models: frozen records of everything that a prediction needs."""

import sys

from costboost.model import several
from costboost.model.binary import BinaryModel, FittedModel
from costboost.model.decision import DecisionRule
from costboost.model.several import OneVsRestModel, ScoresModel, SeveralModel

__all__ = [
    "BinaryModel",
    "DecisionRule",
    "FittedModel",
    "OneVsRestModel",
    "ScoresModel",
    "SeveralModel",
]

for _name in ("one_vs_rest", "scores"):  # where pickles and skops files of 0.2.0 look for them
    sys.modules[f"{__name__}.{_name}"] = several
