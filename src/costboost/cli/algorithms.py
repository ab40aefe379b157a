"""The classifiers by the names that the command line takes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from costboost.cli.trouble import unknown

SUFFIX = "Classifier"
USUAL = "CostBoost"
COMPARED = ("CostBoost", "AdaMEC", "CGAda", "AdaBoost")


def classes() -> dict[str, Any]:
    """The boosting classifiers, the one to take first at the beginning."""
    import costboost

    public = {name: getattr(costboost, name) for name in costboost.__all__}
    found = {n.removesuffix(SUFFIX): cls for n, cls in public.items() if hasattr(cls, "rule")}
    return {USUAL: found.pop(USUAL), **found}


def algorithm(name: str) -> Any:
    """A classifier's class, by a name in which capitals and the ending do not matter."""
    known = classes()
    by_folded = {one.casefold(): one for one in known}
    folded = name.casefold().removesuffix(SUFFIX.casefold())
    if folded not in by_folded:
        raise unknown("algorithm", name, list(known))
    return known[by_folded[folded]]


def name_of(cls: Any) -> str:
    """The short name of a class."""
    return str(cls.__name__).removesuffix(SUFFIX)


def first_line(cls: Any) -> str:
    """What the algorithm is, in a sentence."""
    return str(cls.__doc__).strip().splitlines()[0]


def when(cls: Any) -> str:
    """When to take it and when not, from the class's own description."""
    text = str(cls.__doc__).split("Parameters\n")[0]
    found = [part for part in _sentences(text) if part.startswith(("Take ", "take "))]
    return " ".join(part[0].upper() + part[1:] for part in found)


def _sentences(text: str) -> Sequence[str]:
    flat = " ".join(text.replace("``", "").replace("`", "").split())
    return re.split(r"(?<=[.!])\s+(?=[A-Z])|(?<=;)\s+(?=take )", flat)


def complete(given: str) -> list[str]:
    """Names that begin like this, for the shell."""
    return [name for name in classes() if name.casefold().startswith(given.casefold())]


def make(
    name: str, layout: Any, *, seed: int, jobs: int | None = None, rounds: int | None = None
) -> Any:
    """A classifier for files of this layout, not yet fitted."""
    settings = {"pos_label": layout.label, "random_state": seed, "n_jobs": jobs}
    for key in ("fn_cost", "fp_cost"):
        if not isinstance(getattr(layout, key), str):
            settings[key] = getattr(layout, key)
    if rounds is not None:
        settings["n_estimators"] = rounds
    return algorithm(name)(**settings)
