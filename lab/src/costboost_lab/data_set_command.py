"""``costboost datasets``: data sets of the papers as lists, descriptions and files."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost._core.costs.record import OUTCOMES
from costboost._core.names import MISTAKES
from costboost.app.cli import terminal
from costboost.app.cli.given import Given
from costboost.app.cli.output_files import open_output
from costboost.app.reading.errors import InputError
from costboost_lab import datasets


def run(given: Given) -> None:
    if given.name is None:
        _list_data_sets(given.local, given.json)
    elif given.out is not None:
        _write_data_set(given.name, given.out)
    else:
        _show_data_set(given.name, given.json)


WIDE = 100
"""Columns of the terminal from which the table has the titles of data sets."""
HEAD = ["data set", "what it is", "rows", "features", "classes", "costs", "here"]


def _list_data_sets(local: bool, as_json: bool) -> None:
    facts = _data_sets(local)
    if as_json:
        terminal.write_json(facts)
        return
    yes = {True: "yes", False: "no"}
    rows = [
        [name, title, f"{n:,}", n_features, n_classes, yes[costs], yes[here]]
        for name, title, n, n_features, n_classes, costs, here in (row.values() for row in facts)
    ]
    if terminal.width() >= WIDE:
        terminal.table(HEAD, rows, numbers=5, wraps=1)
    else:
        terminal.table([HEAD[0], *HEAD[2:]], [[row[0], *row[2:]] for row in rows], numbers=5)
    terminal.write()
    terminal.write(
        "What one is: costboost datasets NAME. As a file: costboost datasets NAME --out FILE."
    )


def _data_sets(local: bool) -> list[dict[str, Any]]:
    here = set(datasets.available(local=True))
    listed = [name for name in datasets.available() if name in here or not local]
    return [
        {
            "name": name,
            "title": record.title,
            "rows": record.rows,
            "features": len(record.columns),
            "classes": len(record.classes),
            "costs": bool(record.costs),
            "here": name in here,
        }
        for name, record in ((name, datasets.record(name)) for name in listed)
    ]


def _show_data_set(name: str, as_json: bool) -> None:
    record = datasets.record(name)
    if as_json:
        facts = {key: getattr(record, key) for key in ("title", "about", "rows", "citation")}
        terminal.write_json({"name": name, **facts, "classes": dict(record.classes)})
    else:
        terminal.write(datasets.records.describe(record))


def _write_data_set(name: str, out: str) -> None:
    try:
        data = datasets.load(name)
    except FileNotFoundError as error:
        raise InputError(str(error)) from error
    frame = data.X.assign(target=data.y)
    two = data.costs is not None and data.costs.form == OUTCOMES
    costs = dict(zip(MISTAKES, data.costs.net, strict=True)) if two else {}
    frame = frame.assign(**{key: cost for key, cost in costs.items() if np.ndim(cost)})
    with open_output(out) as write:
        write(frame.to_csv(index=False).encode())
    positive = "" if data.pos_label is None else f", positive: {data.pos_label}"
    terminal.info(f"{len(frame):,} rows: {out} (classes in 'target'{positive})")
    if costs:
        given = (f"--{k[:2]}-cost {k if np.ndim(c) else format(c, 'g')}" for k, c in costs.items())
        terminal.note(f"what mistakes cost: {' '.join(given)}")
    if data.leaks:
        terminal.note(f"columns that reveal the outcome: --drop {','.join(data.leaks)}")
