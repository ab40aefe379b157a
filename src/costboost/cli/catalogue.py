"""``algorithms`` and ``datasets``: lists and descriptions of what the library has."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from costboost.cli import console, options, values
from costboost.cli.output import open_output
from costboost.cli.values import SUFFIX, short_name
from costboost.reading.errors import InputError, unknown

if TYPE_CHECKING:
    from costboost.registry import Entry

# ---- classifiers by name -------------------------------------------------------------------------


def classifiers() -> dict[str, Any]:
    """All classifiers by name, CostBoost first and those of `costboost.multiclass` last."""
    from costboost.registry import REGISTRY

    return {name: entry.cls for name, entry in REGISTRY.items()}


def is_multiclass(cls: Any) -> bool:
    """Whether it is a class of `costboost.multiclass`."""
    return entry_of(cls).several


def entry_of(cls: Any) -> Entry:
    """The entry of a class in the registry."""
    from costboost.registry import REGISTRY

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


PROPERTIES = {"FGD": "fgd_consistent", "cost": "cost_consistent", "asym.": "asymmetry_preserving"}
WIDE = 100
"""Columns of the terminal from which the table has the titles of data sets."""


# ---- algorithms ----------------------------------------------------------------------------------


def algorithms(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="One of them, in detail.",
            autocompletion=values.complete_algorithm,
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
        console.write_json([_facts(cls) for cls in classifiers().values()])
        return
    rows = [[name, *_verdicts(cls), advice(cls)] for name, cls in classifiers().items()]
    console.table(["algorithm", *PROPERTIES, "when to take it"], rows, wraps=4)
    console.write()
    console.write(
        "FGD: its weights and steps descend one loss. cost: it decides for least expected cost. "
        "asym.: the costlier class never counts less (Nikolaou et al. 2016, Table 4). The "
        "evidence: costboost algorithms NAME. Those with a dash are for any number of classes and "
        "take a --cost-matrix; the others take each class against the rest."
    )


def _verdicts(cls: Any) -> list[str]:
    words = {True: "yes", False: "no", None: "-"}
    return [words[getattr(cls, key, None)] for key in PROPERTIES.values()]


def _facts(cls: Any) -> dict[str, Any]:
    return {
        "name": name_of(cls),
        "class": f"{'costboost.multiclass' if is_multiclass(cls) else 'costboost'}.{cls.__name__}",
        "summary": first_line(cls),
        "when": advice(cls),
        "classes": "any number" if is_multiclass(cls) else "two, or each against the rest",
        **{key: getattr(cls, key, None) for key in PROPERTIES.values()},
        "reference": reference(cls),
    }


def _show_algorithm(name: str, as_json: bool) -> None:
    """Print one algorithm; properties of those for two classes are derived from the rule."""
    cls = classifier_class(name)
    found = None if is_multiclass(cls) else _audit(cls)
    if as_json:
        evidence = found and {key: found.evidence[key].because for key in PROPERTIES.values()}
        console.write_json(_facts(cls) | {"evidence": evidence})
        return
    about = textwrap.dedent("    " + cls.__doc__.split("Parameters\n")[0]).strip()
    room = "costboost.multiclass" if is_multiclass(cls) else "costboost"
    console.heading(f"{room}.{cls.__name__}")
    console.write(about.replace("``", "").replace("`", ""))
    console.write()
    if found is not None:
        console.write(str(found))
        console.write()
    console.write(f"Reference: {reference(cls)}")


def _audit(cls: Any) -> Any:
    from costboost import theory

    with console.spinner(f"auditing {name_of(cls)}"):
        return theory.audit(cls)


# ---- data sets -----------------------------------------------------------------------------------


def datasets(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="One of them, in detail.",
            autocompletion=values.complete_data_set,
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write it as CSV, costs of rows included."
        ),
    ] = None,
    local: Annotated[
        bool,
        typer.Option("--local", metavar=options.FLAG, help="Only those that need no network."),
    ] = False,
    json: options.Json = False,
) -> None:
    """List the data sets of the papers, describe one, or write it to a file."""
    if name is not None and name not in values.data_set_names():
        raise unknown("data set", name, values.data_set_names())
    if name is not None:
        _show_data_set(name, out, json)
    elif out is not None:
        raise InputError("name the data set: costboost datasets NAME --out FILE")
    else:
        _list_data_sets(local, json)


HEAD = ["data set", "what it is", "rows", "features", "classes", "costs", "here"]


def _list_data_sets(local: bool, as_json: bool) -> None:
    facts = _data_sets(local)
    if as_json:
        console.write_json(facts)
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
    console.write()
    console.write(
        "What one is: costboost datasets NAME. As a file: costboost datasets NAME --out FILE."
    )


def _data_sets(local: bool) -> list[dict[str, Any]]:
    from costboost import datasets

    here = set(datasets.available(local=True))
    listed = [name for name in datasets.available() if name in here or not local]
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
        for name, one in ((name, datasets.record(name)) for name in listed)
    ]


def _show_data_set(name: str, out: str | None, as_json: bool) -> None:
    """Print the description of a data set, or write it as CSV."""
    from costboost import datasets

    if out is not None:
        _write(name, out)
    elif as_json:
        record = datasets.record(name)
        facts = {key: getattr(record, key) for key in ("title", "about", "rows", "citation")}
        console.write_json({"name": name, **facts, "classes": dict(record.classes)})
    else:
        console.write(datasets.records.describe(datasets.record(name)))


def _write(name: str, out: str) -> None:
    import numpy as np

    from costboost import datasets

    try:
        data = datasets.load(name)
    except FileNotFoundError as error:
        raise InputError(str(error)) from error
    frame = data.X.assign(target=data.y)
    both = {key: getattr(data.costs, key, None) for key in ("fn_cost", "fp_cost")}
    costs = {key: cost for key, cost in both.items() if cost is not None}
    frame = frame.assign(**{key: cost for key, cost in costs.items() if np.ndim(cost)})
    with open_output(out) as write:
        write(frame.to_csv(index=False).encode())
    positive = "" if data.pos_label is None else f", positive: {data.pos_label}"
    console.info(f"{len(frame):,} rows: {out} (classes in 'target'{positive})")
    if costs:
        given = (f"--{k[:2]}-cost {k if np.ndim(c) else format(c, 'g')}" for k, c in costs.items())
        console.note(f"what mistakes cost: {' '.join(given)}")
    if data.leaks:
        console.note(f"columns that reveal the outcome: --drop {','.join(data.leaks)}")
