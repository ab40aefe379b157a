"""``algorithms``: the classifiers by name, and when to take which."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from costboost.app.cli import options, terminal
from costboost.app.cli.options import SUFFIX, short_name

if TYPE_CHECKING:
    from costboost.algorithms import Entry


# ---- classifiers by name -------------------------------------------------------------------------


def classifiers() -> dict[str, Any]:
    """All classifiers by name, CostBoost first and those of `costboost.multiclass` last."""
    from costboost.algorithms import REGISTRY

    return {name: entry.cls for name, entry in REGISTRY.items()}


def is_multiclass(cls: Any) -> bool:
    """Whether it is a class of `costboost.multiclass`."""
    return entry_of(cls).several


def entry_of(cls: Any) -> Entry:
    """The entry of a class in the registry."""
    from costboost.algorithms import REGISTRY

    return REGISTRY[name_of(cls)]


def classifier_class(name: str) -> Any:
    """The class of a classifier, by its name."""
    return classifiers()[short_name(name)]


def name_of(cls: Any) -> str:
    """The short name of a class."""
    return str(cls.__name__).removesuffix(SUFFIX)


def first_line(cls: Any) -> str:
    """The first line of the docstring; the advice if Python drops docstrings (-OO)."""
    doc = cls.__doc__ or advice(cls)
    return str(doc).strip().splitlines()[0]


def advice(cls: Any) -> str:
    """When to take an algorithm and when not."""
    return entry_of(cls).advice.replace("`", "")


def reference(cls: Any) -> str:
    """The publication of an algorithm."""
    return entry_of(cls).reference


# ---- algorithms ----------------------------------------------------------------------------------

PROPERTIES = {"FGD": "fgd_consistent", "cost": "cost_consistent", "asym.": "asymmetry_preserving"}
"""Headings of the properties of Nikolaou's Table 4, and the attributes that have them."""


def algorithms(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="One of them, in detail.",
            autocompletion=options.complete_algorithm,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """List the algorithms: the three properties of Nikolaou's Table 4, and when to take which.

    FGD: weights and steps descend one loss. Cost: decides for least expected cost.
    Asymmetry: the costlier class never counts less.
    """
    if name is None:
        _list_algorithms(json)
    else:
        _show_algorithm(short_name(name), json)


def _list_algorithms(as_json: bool) -> None:
    if as_json:
        terminal.write_json([_algorithm_facts(cls) for cls in classifiers().values()])
        return
    rows = [[name, *_verdicts(cls), advice(cls)] for name, cls in classifiers().items()]
    terminal.table(["algorithm", *PROPERTIES, "when to take it"], rows, wraps=4)
    terminal.write()
    terminal.write(
        "FGD: its weights and steps descend one loss. cost: it decides for least expected cost. "
        "asym.: the costlier class never counts less (Nikolaou et al. 2016, Table 4). The "
        "evidence: costboost audit NAME. Those with a dash are for any number of classes and "
        "take a --cost-matrix; the others take each class against the rest."
    )


def _verdicts(cls: Any) -> list[str]:
    words = {True: "yes", False: "no", None: "-"}
    return [words[getattr(cls, key, None)] for key in PROPERTIES.values()]


def _public_path(cls: Any) -> str:
    """The name by which a class is imported."""
    from costboost import __all__ as first_names

    room = "multiclass." if is_multiclass(cls) else "algorithms."
    return f"costboost.{'' if cls.__name__ in first_names else room}{cls.__name__}"


def _algorithm_facts(cls: Any) -> dict[str, Any]:
    return {
        "name": name_of(cls),
        "class": _public_path(cls),
        "summary": first_line(cls),
        "when": advice(cls),
        "classes": "any number" if is_multiclass(cls) else "two, or each against the rest",
        **{key: getattr(cls, key, None) for key in PROPERTIES.values()},
        "reference": reference(cls),
    }


def _show_algorithm(name: str, as_json: bool) -> None:
    cls = classifier_class(name)
    if as_json:
        terminal.write_json(_algorithm_facts(cls))
        return
    about = textwrap.dedent("    " + cls.__doc__.split("Parameters\n")[0]).strip()
    terminal.heading(_public_path(cls))
    terminal.write(about.replace("``", "").replace("`", ""))
    terminal.write()
    if not is_multiclass(cls):
        verdicts = zip(PROPERTIES, _verdicts(cls), strict=True)
        shown = ", ".join(f"{key} {verdict}" for key, verdict in verdicts)
        terminal.write(f"{shown}; the evidence: costboost audit {name}")
        terminal.write()
    terminal.write(f"Reference: {reference(cls)}")
