"""Classifiers for the boosting algorithms of the literature.

`costboost.CostBoostClassifier` is the recommended classifier. These are for comparison, for
research, and for applications that need a particular algorithm. `REGISTRY` has these, the
recommended one and the methods of `costboost.multiclass`; every list of classifiers is made of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from costboost import multiclass
from costboost._core.rules.record import Rule
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.costboost import CostBoostClassifier
from costboost.classifiers.discrete import (
    AdaBoostClassifier,
    AdaC1Classifier,
    AdaC2Classifier,
    AdaC3Classifier,
    AdaCostClassifier,
    AdaDBClassifier,
    AdaMECClassifier,
    AsymAdaClassifier,
    CGAdaClassifier,
    CSAdaClassifier,
    CSB0Classifier,
    CSB1Classifier,
    CSB2Classifier,
)
from costboost.classifiers.real import (
    CSBoostClassifier,
    CSGAClassifier,
    CSLBClassifier,
    CSLogitBoostClassifier,
    CSRAClassifier,
    CSRealBoostClassifier,
    GELBoostClassifier,
    GentleBoostClassifier,
    GLLBoostClassifier,
    LogitBoostClassifier,
    MultinomialLogitBoostClassifier,
    RareBoostClassifier,
    RealBoostClassifier,
)
from costboost.classifiers.score_weighted import (
    AdaBoostRegClassifier,
    AdaCC1Classifier,
    AdaCC2Classifier,
    AdaUBoostClassifier,
    WeightBoostClassifier,
)
from costboost.classifiers.votes import (
    AdaC2M1Classifier,
    BAdaCostClassifier,
    SAMMEC2Classifier,
    SAMMEClassifier,
)

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostRegClassifier",
    "AdaC1Classifier",
    "AdaC2Classifier",
    "AdaC2M1Classifier",
    "AdaC3Classifier",
    "AdaCC1Classifier",
    "AdaCC2Classifier",
    "AdaCostClassifier",
    "AdaDBClassifier",
    "AdaMECClassifier",
    "AdaUBoostClassifier",
    "AsymAdaClassifier",
    "BAdaCostClassifier",
    "CGAdaClassifier",
    "CSAdaClassifier",
    "CSB0Classifier",
    "CSB1Classifier",
    "CSB2Classifier",
    "CSBoostClassifier",
    "CSGAClassifier",
    "CSLBClassifier",
    "CSLogitBoostClassifier",
    "CSRAClassifier",
    "CSRealBoostClassifier",
    "GELBoostClassifier",
    "GLLBoostClassifier",
    "GentleBoostClassifier",
    "LogitBoostClassifier",
    "MultinomialLogitBoostClassifier",
    "RareBoostClassifier",
    "RealBoostClassifier",
    "SAMMEC2Classifier",
    "SAMMEClassifier",
    "WeightBoostClassifier",
]

# ---- the registry --------------------------------------------------------------------------------

SUFFIX = "Classifier"


class Entry(NamedTuple):
    """A public classifier."""

    name: str
    """Name of the class without "Classifier"."""
    cls: Any
    rule: Rule | None
    """The boosting rule; None for a method for several classes."""
    family: str
    """Name of the module of the class."""
    advice: str
    """When to use the classifier, and when not."""
    reference: str

    @property
    def several(self) -> bool:
        """Whether it is a method of `costboost.multiclass`."""
        return self.rule is None


def _entry(cls: Any) -> Entry:
    return Entry(
        cls.__name__.removesuffix(SUFFIX),
        cls,
        getattr(cls, "rule", None),
        cls.__module__.rsplit(".", 1)[1],
        cls.advice,
        cls.reference,
    )


CLASSES: tuple[type[BoostingClassifier], ...] = (
    CostBoostClassifier,
    *(globals()[name] for name in __all__),
)
"""The boosting classifiers; the recommended one is the first."""
METHODS: tuple[Any, ...] = tuple(getattr(multiclass, name) for name in multiclass.__all__)
"""The methods of `costboost.multiclass`."""
REGISTRY: dict[str, Entry] = {
    entry.name: entry for entry in (_entry(cls) for cls in (*CLASSES, *METHODS))
}
"""All public classifiers by name."""
