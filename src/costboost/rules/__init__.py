"""The algorithms, each a frozen record of small pure functions: a row of the papers' table.

The functions of a rule depend on costs and cells, never on features. To add an algorithm, write the
functions that are new and ``replace`` them in the rule it resembles.
"""

from costboost.rules.costs import STARTS, Costs, Link, Scale, Start, greatest_is
from costboost.rules.discrete import (
    ADABOOST,
    ADAC1,
    ADAC1_NYGA,
    ADAC2,
    ADAC3,
    ADACOST,
    ADACOST_TING,
    ADADB,
    ADAMEC,
    ADAMEC_LOGISTIC,
    ASYMADA,
    CGADA,
    CSADA,
    CSB0,
    CSB1,
    CSB2,
)
from costboost.rules.newton import (
    COSTBOOST,
    CSLB,
    CSLOGITBOOST,
    CSLOGITBOOST_MARGIN,
    LOGITBOOST,
)
from costboost.rules.real import (
    CSGA,
    CSRA,
    CSREALBOOST,
    DRAW,
    GENTLEBOOST,
    RAREBOOST,
    REALBOOST,
    REALBOOST_ERROR,
)
from costboost.rules.record import (
    Criterion,
    DiscreteRule,
    NewtonRule,
    RealRule,
    RowData,
    Rule,
    ScoreRule,
)
from costboost.rules.regularised import adaboost_reg, weightboost

__all__ = [
    "ADABOOST",
    "ADAC1",
    "ADAC1_NYGA",
    "ADAC2",
    "ADAC3",
    "ADACOST",
    "ADACOST_TING",
    "ADADB",
    "ADAMEC",
    "ADAMEC_LOGISTIC",
    "ASYMADA",
    "CGADA",
    "COSTBOOST",
    "CSADA",
    "CSB0",
    "CSB1",
    "CSB2",
    "CSGA",
    "CSLB",
    "CSLOGITBOOST",
    "CSLOGITBOOST_MARGIN",
    "CSRA",
    "CSREALBOOST",
    "DRAW",
    "GENTLEBOOST",
    "LOGITBOOST",
    "RAREBOOST",
    "REALBOOST",
    "REALBOOST_ERROR",
    "STARTS",
    "Costs",
    "Criterion",
    "DiscreteRule",
    "Link",
    "NewtonRule",
    "RealRule",
    "RowData",
    "Rule",
    "Scale",
    "ScoreRule",
    "Start",
    "adaboost_reg",
    "greatest_is",
    "weightboost",
]
