"""``algorithms``: the classifiers by name, and when to take which."""

from __future__ import annotations

import textwrap
from typing import Any

from costboost.algorithms import REGISTRY, Entry
from costboost.app.cli import terminal
from costboost.app.cli.given import Given

PROPERTIES = {"FGD": "fgd_consistent", "cost": "cost_consistent", "asym.": "asymmetry_preserving"}
"""Headings of the properties of Nikolaou's Table 4, and the attributes that have them."""


def run(given: Given) -> None:
    if given.name is not None:
        _show(REGISTRY[given.name], given.json)
    elif given.json:
        terminal.write_json([_facts(entry) for entry in REGISTRY.values()])
    else:
        _list()


def advice(entry: Entry) -> str:
    """When to take an algorithm and when not."""
    return entry.advice.replace("`", "")


def _list() -> None:
    rows = [[entry.name, *_verdicts(entry), advice(entry)] for entry in REGISTRY.values()]
    terminal.table(["algorithm", *PROPERTIES, "when to take it"], rows, wraps=4)
    terminal.write()
    terminal.write(
        "FGD: its weights and steps descend one loss. cost: it decides for least expected cost. "
        "asym.: the costlier class never counts less (Nikolaou et al. 2016, Table 4). The "
        "evidence: costboost audit NAME. Those with a dash are for any number of classes and "
        "take a --cost-matrix; the others take each class against the rest."
    )


def _verdicts(entry: Entry) -> list[str]:
    words = {True: "yes", False: "no", None: "-"}
    return [words[getattr(entry.cls, key, None)] for key in PROPERTIES.values()]


def _public_path(entry: Entry) -> str:
    """The name by which a class is imported."""
    from costboost import __all__ as first_names

    room = "multiclass." if entry.several else "algorithms."
    name = entry.cls.__name__
    return f"costboost.{'' if name in first_names else room}{name}"


def _facts(entry: Entry) -> dict[str, Any]:
    about = entry.cls.__doc__ or advice(entry)  # Python drops docstrings under -OO
    return {
        "name": entry.name,
        "class": _public_path(entry),
        "summary": about.strip().splitlines()[0],
        "when": advice(entry),
        "classes": "any number" if entry.several else "two, or each against the rest",
        **{key: getattr(entry.cls, key, None) for key in PROPERTIES.values()},
        "reference": entry.reference,
    }


def _show(entry: Entry, as_json: bool) -> None:
    if as_json:
        terminal.write_json(_facts(entry))
        return
    about = textwrap.dedent("    " + entry.cls.__doc__.split("Parameters\n")[0]).strip()
    terminal.heading(_public_path(entry))
    terminal.write(about.replace("``", "").replace("`", ""))
    terminal.write()
    if not entry.several:
        verdicts = zip(PROPERTIES, _verdicts(entry), strict=True)
        shown = ", ".join(f"{key} {verdict}" for key, verdict in verdicts)
        terminal.write(f"{shown}; the evidence: costboost audit {entry.name}")
        terminal.write()
    terminal.write(f"Reference: {entry.reference}")
