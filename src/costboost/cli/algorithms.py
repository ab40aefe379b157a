"""Classifiers by the names that the command line takes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from costboost.cli.options import MULTICLASS, algorithm_names
from costboost.reading.errors import unknown

if TYPE_CHECKING:
    from costboost.cli.layouts import Layout

SUFFIX = "Classifier"


def classifiers() -> dict[str, Any]:
    """All classifiers by name, CostBoost first and those of `costboost.multiclass` last."""
    import costboost
    from costboost import multiclass

    public = [(costboost, name) for name in costboost.__all__]
    public += [(multiclass, name) for name in multiclass.__all__]
    found = {name.removesuffix(SUFFIX): getattr(room, name) for room, name in public}
    found = {name: cls for name, cls in found.items() if hasattr(cls, "rule") or is_multiclass(cls)}
    first = algorithm_names()[0]
    return {first: found.pop(first), **found}


def is_multiclass(cls: Any) -> bool:
    """Whether it is a class of `costboost.multiclass`."""
    from costboost.multiclass.base import MulticlassClassifier

    return isinstance(cls, type) and issubclass(cls, MulticlassClassifier)


def short_name(name: str) -> str:
    """The listed name of a classifier; capitals and the suffix are ignored."""
    by_folded = {one.casefold(): one for one in algorithm_names()}
    folded = name.casefold().removesuffix(SUFFIX.casefold())
    if folded not in by_folded:
        raise unknown("algorithm", name, algorithm_names())
    return by_folded[folded]


def classifier_class(name: str) -> Any:
    """The class of a classifier, by its name."""
    return classifiers()[short_name(name)]


def is_multiclass_name(name: str) -> bool:
    """Whether a name is that of a class of `costboost.multiclass`."""
    return short_name(name) in MULTICLASS


def name_of(cls: Any) -> str:
    """The short name of a class."""
    return str(cls.__name__).removesuffix(SUFFIX)


def first_line(cls: Any) -> str:
    """The first line of the docstring."""
    return str(cls.__doc__).strip().splitlines()[0]


def advice(cls: Any) -> str:
    """When to take an algorithm and when not, from the docstring."""
    about = str(cls.__doc__).split("Parameters\n")[0].replace("`", "")
    found = [one for part in re.split(r"\n\s*\n", about) for one in _sentences(part)]
    text = " ".join(one for one in found if one.startswith(("Take ", "take ")))
    return text[:1].upper() + text[1:]


def _sentences(paragraph: str) -> Sequence[str]:
    flat = " ".join(paragraph.split())
    return re.split(r"(?<=[.!])\s+(?=[A-Z])|(?<=;)\s+(?=take )", flat)


def reference(cls: Any) -> str:
    """The publication of an algorithm."""
    known: str | None = getattr(cls, "reference", None)
    if known is not None:
        return known
    listed = str(cls.__doc__).split("References\n")[1].split("Examples\n")[0]
    first = listed.strip(" -\n").split("\n\n")[0]
    return " ".join(first.split())


def make_classifier(
    name: str, layout: Layout, *, seed: int, jobs: int | None = None, rounds: int | None = None
) -> Any:
    """An unfitted classifier for files of this layout."""
    cls = classifier_class(name)
    settings: dict[str, Any] = {"random_state": seed, "n_jobs": jobs}
    if rounds is not None:
        settings["n_estimators"] = rounds
    if layout.multiclass:
        return cls(**layout.cost_parameters(None, None), **settings)
    costs = {"fn_cost": layout.fn_cost, "fp_cost": layout.fp_cost}
    numbers = {key: cost for key, cost in costs.items() if not isinstance(cost, str)}
    return cls(pos_label=layout.label, **numbers, **settings)
