"""Names that options take, known before what they name is imported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from costboost.app.reading.errors import unknown

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


@dataclass(frozen=True)
class Names:
    """Names that an option takes; capitals are ignored, and so is a suffix."""

    what: str
    """What has these names, for a message."""
    listed: Callable[[], Sequence[str]]
    suffix: str = ""

    def complete(self, typed: str) -> list[str]:
        """Names that begin with a text, with its capitals: shells keep them."""
        folded = typed.casefold()
        return [typed + n[len(typed) :] for n in self.listed() if n.casefold().startswith(folded)]

    def find(self, typed: str) -> str:
        """The listed name; an InputError if there is none."""
        listed = {name.casefold(): name for name in self.listed()}
        folded = typed.casefold().removesuffix(self.suffix)
        if folded not in listed:
            raise unknown(self.what, typed, self.listed())
        return listed[folded]


ALGORITHMS = Names("algorithm", lambda: NAMES, "classifier")
