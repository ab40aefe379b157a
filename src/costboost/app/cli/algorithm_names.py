"""Names of the algorithms, which are known before any class is imported."""

from __future__ import annotations

from collections.abc import Iterable

from costboost.app.reading.errors import unknown

SUFFIX = "Classifier"
SEVERAL = (
    "AverageCost", "Costing", "DSE", "GBSE", "IterativeWeighting", "LpCSB", "MetaCost",
)  # fmt: skip
"""The names of the methods of `costboost.multiclass`."""
NAMES = (
    "CostBoost", "AdaBoost", "AdaBoostReg", "AdaC1", "AdaC2", "AdaC2M1", "AdaC3", "AdaCC1",
    "AdaCC2", "AdaCost", "AdaDB", "AdaMEC", "AdaUBoost", "AsymAda", "BAdaCost", "CGAda",
    "CSAda", "CSB0", "CSB1", "CSB2", "CSBoost", "CSGA", "CSLB", "CSLogitBoost", "CSRA",
    "CSRealBoost", "GELBoost", "GLLBoost", "GentleBoost", "LogitBoost", "MultinomialLogitBoost",
    "RareBoost", "RealBoost", "SAMMEC2", "SAMME", "WeightBoost",
    *SEVERAL,
)  # fmt: skip
"""The names of `costboost.algorithms.REGISTRY`, which would import scikit-learn."""
COMPARED = ("CostBoost", "AdaMEC", "CGAda", "AdaBoost")
"""Algorithms that are compared if none are named."""


def short_name(name: str) -> str:
    """The listed name of a classifier; capitals and the suffix are ignored."""
    listed = {known.casefold(): known for known in NAMES}
    folded = name.casefold().removesuffix(SUFFIX.casefold())
    if folded not in listed:
        raise unknown("algorithm", name, NAMES)
    return listed[folded]


def complete(typed: str) -> list[str]:
    """Algorithms whose names begin with a text."""
    return completions(typed, NAMES)


def completions(typed: str, names: Iterable[str]) -> list[str]:
    """Names that begin with a text, with its capitals: shells keep them, commands ignore them."""
    folded = typed.casefold()
    return [typed + n[len(typed) :] for n in names if n.casefold().startswith(folded)]
