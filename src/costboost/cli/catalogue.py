"""What there is: algorithms and data sets."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from costboost.cli import console
from costboost.cli.algorithms import (
    algorithm,
    classes,
    first_line,
    for_several,
    name_of,
    reference,
    when,
)
from costboost.cli.writing import output
from costboost.reading.errors import InputError

PROPERTIES = {"FGD": "fgd_consistent", "cost": "cost_consistent", "asym.": "asymmetry_preserving"}
WIDE = 100
"""Columns from which on the titles of data sets fit into their table."""


# ---- algorithms ----------------------------------------------------------------------------------


def list_algorithms(as_json: bool) -> None:
    """All of them, a line each."""
    if as_json:
        console.as_json([_facts(cls) for cls in classes().values()])
        return
    rows = [[name, *_verdicts(cls), when(cls)] for name, cls in classes().items()]
    console.table(["algorithm", *PROPERTIES, "when to take it"], rows, wraps=4)
    console.say()
    console.say(
        "FGD: its weights and steps descend one loss. cost: it decides for least expected cost. "
        "asym.: the dearer class never counts less (Nikolaou et al. 2016, Table 4). The evidence: "
        "costboost algorithms NAME. Those with a dash are for any number of classes and take a "
        "--cost-matrix; the others take each class against the rest."
    )


def _verdicts(cls: Any) -> list[str]:
    words = {True: "yes", False: "no", None: "-"}
    return [words[getattr(cls, key, None)] for key in PROPERTIES.values()]


def _facts(cls: Any) -> dict[str, Any]:
    return {
        "name": name_of(cls),
        "class": f"{'costboost.multiclass' if for_several(cls) else 'costboost'}.{cls.__name__}",
        "summary": first_line(cls),
        "when": when(cls),
        "classes": "any number" if for_several(cls) else "two, or each against the rest",
        **{key: getattr(cls, key, None) for key in PROPERTIES.values()},
        "reference": reference(cls),
    }


def show_algorithm(name: str, as_json: bool) -> None:
    """One of them; if it is for two classes, its properties are found out anew from its rule."""
    cls = algorithm(name)
    found = None if for_several(cls) else _audit(cls)
    if as_json:
        evidence = found and {key: found.evidence[key].because for key in PROPERTIES.values()}
        console.as_json(_facts(cls) | {"evidence": evidence})
        return
    about = textwrap.dedent("    " + cls.__doc__.split("Parameters\n")[0]).strip()
    room = "costboost.multiclass" if for_several(cls) else "costboost"
    console.heading(f"{room}.{cls.__name__}")
    console.say(about.replace("``", "").replace("`", ""))
    console.say()
    if found is not None:
        console.say(str(found))
        console.say()
    console.say(f"Reference: {reference(cls)}")


def _audit(cls: Any) -> Any:
    from costboost import theory

    with console.working(f"auditing {name_of(cls)}"):
        return theory.audit(cls)


# ---- data sets -----------------------------------------------------------------------------------


HEAD = ["data set", "what it is", "rows", "features", "classes", "costs", "here"]


def list_data_sets(local: bool, as_json: bool) -> None:
    """All of them, a line each."""
    facts = _data_sets(local)
    if as_json:
        console.as_json(facts)
        return
    yes = {True: "yes", False: "no"}
    rows = [
        [name, title, f"{n:,}", n_features, n_classes, yes[costs], yes[here]]
        for name, title, n, n_features, n_classes, costs, here in (one.values() for one in facts)
    ]
    if console.width() >= WIDE:
        console.table(HEAD, rows, numbers=5, wraps=1)
    else:
        console.table([HEAD[0], *HEAD[2:]], [[row[0], *row[2:]] for row in rows], numbers=5)
    console.say()
    console.say(
        "What one is: costboost datasets NAME. As a file: costboost datasets NAME --out FILE."
    )


def _data_sets(local: bool) -> list[dict[str, Any]]:
    from costboost import datasets

    here = set(datasets.available(local=True))
    names = [name for name in datasets.available() if name in here or not local]
    return [
        {
            "name": name,
            "title": one.title,
            "rows": one.rows,
            "features": len(one.columns),
            "classes": len(one.classes),
            "costs": bool(one.costs),
            "here": name in here,
        }
        for name, one in ((name, datasets.record(name)) for name in names)
    ]


def show_data_set(name: str, out: str | None, as_json: bool) -> None:
    """One of them: what it is, or all of it as CSV."""
    from costboost import datasets

    if out is not None:
        _write(name, out)
    elif as_json:
        record = datasets.record(name)
        facts = {key: getattr(record, key) for key in ("title", "about", "rows", "citation")}
        console.as_json({"name": name, **facts, "classes": dict(record.classes)})
    else:
        console.say(datasets.records.describe(datasets.record(name)))


def _write(name: str, out: str) -> None:
    from costboost import datasets

    try:
        data = datasets.load(name)
    except FileNotFoundError as error:
        raise InputError(str(error)) from error
    frame = data.X.assign(target=data.y)
    both = {key: getattr(data.costs, key, None) for key in ("fn_cost", "fp_cost")}
    costs = {key: cost for key, cost in both.items() if cost is not None}
    frame = frame.assign(**{key: cost for key, cost in costs.items() if np.ndim(cost)})
    with output(out) as write:
        write(frame.to_csv(index=False).encode())
    positive = "" if data.pos_label is None else f", positive: {data.pos_label}"
    console.done(f"{len(frame):,} rows: {out} (classes in 'target'{positive})")
    if costs:
        said = (f"--{k[:2]}-cost {k if np.ndim(c) else format(c, 'g')}" for k, c in costs.items())
        console.note(f"what mistakes cost: {' '.join(said)}")
    if data.leaks:
        console.note(f"columns that tell the outcome: --drop {','.join(data.leaks)}")
