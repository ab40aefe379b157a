"""How far the features of rows move their scores: Shapley values."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost.cli import telling
from costboost.cli.columns import Column
from costboost.cli.explanation import MOST_ROWS, TOP, bar, evenly, names_of
from costboost.cli.layout import Layout
from costboost.cli.reading import opened
from costboost.cli.subjects import Subject
from costboost.cli.trouble import TroubleError
from costboost.report.numbers import several_classes as several

BACKGROUND = 50
"""Rows that others are compared with; enough for two digits of a mean."""


def read_features(path: str, layout: Layout, encoding: str, separator: str, decimal: str) -> Any:
    """The features of a file."""
    with opened(path, encoding, separator, decimal) as source:
        layout.check_columns(source.names, source.raw.name)
        needed = {one.name for one in layout.columns}
        table = source.table(layout.types_of_text(), set(source.names) - needed)
    return layout.features(table, source.raw.name)


def explain_rows(layout: Layout, found: list[Subject], X: Any, top: int | None, json: bool) -> None:
    """How far the features move the scores on average."""
    X = evenly(X, MOST_ROWS)
    background = evenly(X, BACKGROUND)
    with telling.working(f"explaining {X.num_rows:,} rows"):
        moves = np.concatenate([one.moves(X, background) for one in found])
    far = np.abs(moves).mean(axis=0)
    names, order = names_of(layout), np.argsort(-far, kind="stable")
    if json:
        mean = {names[j]: float(far[j]) for j in order[:top]}
        telling.as_json({"rows": X.num_rows, "mean_absolute_move": mean})
        return
    over = f" and {len(found)} classes" if len(found) > 1 else ""
    telling.say(f"How far the features move the score, on average over {X.num_rows:,} rows{over}:")
    telling.say()
    most = float(far.max()) or 1.0
    rows = [
        [names[j], f"{far[j]:.3f}", telling.blocks(round(24 * far[j] / most))]
        for j in order[: top or TOP]
    ]
    telling.table(["feature", "moves by", ""], rows)


def explain_row(
    model: Any, layout: Layout, found: list[Subject], X: Any, row: int, top: int | None, json: bool
) -> None:
    """What has moved the score of one row away from the mean; of several, that of its class."""
    if row > X.num_rows:
        raise TroubleError(f"there is no row {row}: the data have {X.num_rows:,}")
    one = X.slice(row - 1, 1)
    subject = found[0] if len(found) == 1 else found[int(several.say(model, one).code[0])]
    moved = subject.moves(one, evenly(X, BACKGROUND))[0]
    p = float(model.predict_proba(one)[0, subject.column])
    names, order = names_of(layout), np.argsort(-np.abs(moved), kind="stable")
    if json:
        facts = {"row": row, "class": subject.label, "probability": p}
        telling.as_json(facts | {"moves": {names[j]: float(moved[j]) for j in order[:top]}})
        return
    telling.say(f"Row {row}: the probability of {subject.label} is {p:.4g}. What has moved it:")
    telling.say()
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
    telling.table(["feature", "value", "moves by", ""], rows)


def _shown(column: Column, scalar: Any) -> str:
    value = scalar.as_py()
    if value is None:
        return "missing"
    return column.shown(value, digits=6) if isinstance(value, float) else str(value)
