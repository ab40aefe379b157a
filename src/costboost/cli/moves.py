"""How far the features of rows move their scores: Shapley values."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost.cli import console
from costboost.cli.explanation import MOST_ROWS, TOP, bar, evenly, names_of
from costboost.cli.layout import Layout
from costboost.cli.subjects import Subject
from costboost.reading.columns import Column
from costboost.reading.errors import InputError
from costboost.reading.sources import ReadOptions
from costboost.reading.tables import open_table
from costboost.report.numbers import several_classes as several

BACKGROUND = 50
"""Rows that others are compared with; enough for two digits of a mean."""


def read_features(path: str, layout: Layout, options: ReadOptions) -> Any:
    """The features of a file."""
    with open_table(path, options) as source:
        layout.check_columns(source.names, source.name)
        needed = {one.name for one in layout.columns}
        table = source.table(layout.text_types(), set(source.names) - needed)
    return layout.features(table, source.name)


def explain_rows(layout: Layout, found: list[Subject], X: Any, top: int | None, json: bool) -> None:
    """How far the features move the scores on average."""
    X = evenly(X, MOST_ROWS)
    background = evenly(X, BACKGROUND)
    with console.working(f"explaining {X.num_rows:,} rows"):
        moves = np.concatenate([one.moves(X, background) for one in found])
    far = np.abs(moves).mean(axis=0)
    names, order = names_of(layout), np.argsort(-far, kind="stable")
    if json:
        mean = {names[j]: float(far[j]) for j in order[:top]}
        console.as_json({"rows": X.num_rows, "mean_absolute_move": mean})
        return
    over = f" and {len(found)} classes" if len(found) > 1 else ""
    console.say(f"How far the features move the score, on average over {X.num_rows:,} rows{over}:")
    console.say()
    most = float(far.max()) or 1.0
    rows = [
        [names[j], f"{far[j]:.3f}", console.blocks(round(24 * far[j] / most))]
        for j in order[: top or TOP]
    ]
    console.table(["feature", "moves by", ""], rows)


def explain_row(
    model: Any, layout: Layout, found: list[Subject], X: Any, row: int, top: int | None, json: bool
) -> None:
    """What has moved the score of one row away from the mean; of several, that of its class."""
    if row > X.num_rows:
        raise InputError(f"there is no row {row}: the data have {X.num_rows:,}")
    one = X.slice(row - 1, 1)
    subject = found[0] if len(found) == 1 else found[int(several.say(model, one).code[0])]
    moved = subject.moves(one, evenly(X, BACKGROUND))[0]
    p = float(model.predict_proba(one)[0, subject.column])
    names, order = names_of(layout), np.argsort(-np.abs(moved), kind="stable")
    if json:
        facts = {"row": row, "class": subject.label, "probability": p}
        console.as_json(facts | {"moves": {names[j]: float(moved[j]) for j in order[:top]}})
        return
    console.say(f"Row {row}: the probability of {subject.label} is {p:.4g}. What has moved it:")
    console.say()
    most = float(np.abs(moved).max()) or 1.0
    rows = [
        [
            names[j],
            _shown(layout.columns[j], one.column(names[j])[0]),
            f"{moved[j]:+.3f}",
            bar(moved[j], most),
        ]
        for j in order[: top or TOP]
    ]
    console.table(["feature", "value", "moves by", ""], rows)


def _shown(column: Column, scalar: Any) -> str:
    value = scalar.as_py()
    if value is None:
        return "missing"
    return column.format(value, digits=6) if isinstance(value, float) else str(value)
