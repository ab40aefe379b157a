"""The classifiers by the names that the command line takes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from costboost.cli.completing import FOR_SEVERAL, algorithm_names
from costboost.reading.errors import unknown

if TYPE_CHECKING:
    from costboost.cli.layout import Layout

SUFFIX = "Classifier"
USUAL = "CostBoost"
COMPARED = ("CostBoost", "AdaMEC", "CGAda", "AdaBoost")


def classes() -> dict[str, Any]:
    """The classifiers: the one to take first, the others of two classes, those of several."""
    import costboost
    from costboost import multiclass

    public = [(costboost, name) for name in costboost.__all__]
    public += [(multiclass, name) for name in multiclass.__all__]
    found = {name.removesuffix(SUFFIX): getattr(room, name) for room, name in public}
    found = {name: cls for name, cls in found.items() if hasattr(cls, "rule") or for_several(cls)}
    return {USUAL: found.pop(USUAL), **found}


def for_several(cls: Any) -> bool:
    """Whether it is a method for any number of classes, and not one for two."""
    from costboost.multiclass.base import MulticlassClassifier

    return isinstance(cls, type) and issubclass(cls, MulticlassClassifier)


def short_name(name: str) -> str:
    """The name of a classifier as it is listed; capitals and the signals do not matter."""
    by_folded = {one.casefold(): one for one in algorithm_names()}
    folded = name.casefold().removesuffix(SUFFIX.casefold())
    if folded not in by_folded:
        raise unknown("algorithm", name, algorithm_names())
    return by_folded[folded]


def algorithm(name: str) -> Any:
    """A classifier's class, by its name."""
    return classes()[short_name(name)]


def named_for_several(name: str) -> bool:
    """Whether a name is that of a method for any number of classes."""
    return short_name(name) in FOR_SEVERAL


def name_of(cls: Any) -> str:
    """The short name of a class."""
    return str(cls.__name__).removesuffix(SUFFIX)


def first_line(cls: Any) -> str:
    """What the algorithm is, in a sentence."""
    return str(cls.__doc__).strip().splitlines()[0]


def when(cls: Any) -> str:
    """When to take it and when not, from the class's own description."""
    text = str(cls.__doc__).split("Parameters\n")[0].replace("`", "")
    found = [one for part in re.split(r"\n\s*\n", text) for one in _sentences(part)]
    advice = " ".join(one for one in found if one.startswith(("Take ", "take ")))
    return advice[:1].upper() + advice[1:]


def _sentences(paragraph: str) -> Sequence[str]:
    flat = " ".join(paragraph.split())
    return re.split(r"(?<=[.!])\s+(?=[A-Z])|(?<=;)\s+(?=take )", flat)


def reference(cls: Any) -> str:
    """Where it comes from."""
    known: str | None = getattr(cls, "reference", None)
    if known is not None:
        return known
    listed = str(cls.__doc__).split("References\n")[1].split("Examples\n")[0]
    first = listed.strip(" -\n").split("\n\n")[0]
    return " ".join(first.split())


def make(
    name: str, layout: Layout, *, seed: int, jobs: int | None = None, rounds: int | None = None
) -> Any:
    """A classifier for files of this layout, not yet fitted."""
    cls = algorithm(name)
    settings: dict[str, Any] = {"random_state": seed, "n_jobs": jobs}
    if rounds is not None:
        settings["n_estimators"] = rounds
    if layout.several:
        return cls(**layout.costs_of(None, None), **settings)
    costs = {"fn_cost": layout.fn_cost, "fp_cost": layout.fp_cost}
    numbers = {key: cost for key, cost in costs.items() if not isinstance(cost, str)}
    return cls(pos_label=layout.label, **numbers, **settings)
