"""Registry of the classifiers, from which every list of them is made."""

from __future__ import annotations

from typing import Any, NamedTuple

from costboost import algorithms, multiclass
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.costboost import CostBoostClassifier
from costboost.rules import Rule

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
    *(getattr(algorithms, name) for name in algorithms.__all__),
)
"""The boosting classifiers; the recommended one is the first."""
METHODS: tuple[Any, ...] = tuple(getattr(multiclass, name) for name in multiclass.__all__)
"""The methods of `costboost.multiclass`."""
REGISTRY: dict[str, Entry] = {
    entry.name: entry for entry in (_entry(cls) for cls in (*CLASSES, *METHODS))
}
"""All public classifiers by name."""
