"""What there is: algorithms and data sets."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from costboost.cli import telling
from costboost.cli.algorithms import algorithm, classes, first_line, name_of, when
from costboost.cli.trouble import TroubleError, unknown
from costboost.cli.writing import output

PROPERTIES = {"FGD": "fgd_consistent", "cost": "cost_consistent", "asym.": "asymmetry_preserving"}


# ---- algorithms ----------------------------------------------------------------------------------


def list_algorithms(as_json: bool) -> None:
    """All of them, a line each."""
    if as_json:
        telling.as_json([_facts(cls) for cls in classes().values()])
        return
    rows = [[name, *_verdicts(cls), _advice(cls)] for name, cls in classes().items()]
    telling.table(["algorithm", *PROPERTIES, "what it is, and when to take it"], rows, wraps=4)
    telling.say()
    telling.say(
        "FGD: its weights and steps descend one loss. cost: it decides for least expected cost. "
        "asym.: the dearer class never counts less (Nikolaou et al. 2016, Table 4). The evidence: "
        "costboost algorithms NAME."
    )


def _verdicts(cls: Any) -> list[str]:
    return ["yes" if getattr(cls, key) else "no" for key in PROPERTIES.values()]


def _advice(cls: Any) -> str:
    what = first_line(cls).split(": ", 1)[-1]
    blind = " Ignores the costs." if cls.rule.cost_blind else ""
    return when(cls) or what[0].upper() + what[1:] + blind


def _facts(cls: Any) -> dict[str, Any]:
    return {
        "name": name_of(cls),
        "class": f"costboost.{cls.__name__}",
        "summary": first_line(cls),
        "when": when(cls),
        **{key: getattr(cls, key) for key in PROPERTIES.values()},
        "reference": cls.reference,
    }


def show_algorithm(name: str, as_json: bool) -> None:
    """One of them, its properties found out anew from its rule."""
    from costboost import theory

    cls = algorithm(name)
    with telling.working(f"auditing {name_of(cls)}"):
        found = theory.audit(cls)
    if as_json:
        evidence = {key: found.evidence[key].because for key in PROPERTIES.values()}
        telling.as_json(_facts(cls) | {"evidence": evidence})
        return
    about = textwrap.dedent("    " + cls.__doc__.split("Parameters\n")[0]).strip()
    telling.heading(f"costboost.{cls.__name__}")
    telling.say(about.replace("``", "").replace("`", ""))
    telling.say()
    telling.say(str(found))
    telling.say()
    telling.say(f"Reference: {cls.reference}")


# ---- data sets -----------------------------------------------------------------------------------


def list_data_sets(local: bool, as_json: bool) -> None:
    """All of them, a line each."""
    from costboost import datasets

    here = set(datasets.available(local=True))
    names = [name for name in datasets.available() if name in here or not local]
    records = {name: datasets.record(name) for name in names}
    facts = [
        {
            "name": name,
            "title": one.title,
            "rows": one.rows,
            "features": len(one.columns),
            "classes": len(one.classes),
            "costs": bool(one.costs),
            "here": name in here,
        }
        for name, one in records.items()
    ]
    if as_json:
        telling.as_json(facts)
        return
    rows = [
        [
            one["name"],
            one["title"],
            f"{one['rows']:,}",
            one["features"],
            one["classes"],
            *("yes" if one[key] else "no" for key in ("costs", "here")),
        ]
        for one in facts
    ]
    head = ["data set", "what it is", "rows", "features", "classes", "costs", "here"]
    telling.table(head, rows, numbers=5, wraps=1)


def show_data_set(name: str, out: str | None, as_json: bool) -> None:
    """One of them: what it is, or all of it as CSV."""
    from costboost import datasets

    if name not in datasets.available():
        raise unknown("data set", name, datasets.available())
    if out is not None:
        _write(name, out)
    elif as_json:
        record = datasets.record(name)
        facts = {key: getattr(record, key) for key in ("title", "about", "rows", "citation")}
        telling.as_json({"name": name, **facts, "classes": dict(record.classes)})
    else:
        telling.say(datasets.describing.describe(datasets.record(name)))


def _write(name: str, out: str) -> None:
    from costboost import datasets

    try:
        data = datasets.load(name)
    except FileNotFoundError as error:
        raise TroubleError(str(error)) from error
    frame = data.X.assign(target=data.y)
    for key in ("fn_cost", "fp_cost"):
        cost = getattr(data.costs, key, None)
        if cost is not None and np.ndim(cost):
            frame[key] = cost
    with output(out) as write:
        write(frame.to_csv(index=False).encode())
    telling.done(f"{len(frame):,} rows: {out} (classes in 'target', positive: {data.positive})")
    if data.leaks:
        telling.note(f"columns that tell the outcome: --drop {','.join(data.leaks)}")
