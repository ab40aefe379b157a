"""The registry of classifiers: every list of them is read from here."""

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
    """None for a method that is not boosting by a rule."""
    family: str
    """Module that holds the class and its relatives."""
    advice: str
    """When to take it, and when not."""
    reference: str

    @property
    def several(self) -> bool:
        """Whether it is a method for several classes rather than a rule for two."""
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
"""The boosting classifiers, the one to take first at the beginning."""
METHODS: tuple[Any, ...] = tuple(getattr(multiclass, name) for name in multiclass.__all__)
"""The methods for several classes."""
REGISTRY: dict[str, Entry] = {
    entry.name: entry for entry in (_entry(cls) for cls in (*CLASSES, *METHODS))
}
"""All of them, by name."""
