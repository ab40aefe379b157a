"""How far the features of rows move their scores: Shapley values."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost.cli import modelfile, telling
from costboost.cli.columns import Layout
from costboost.cli.evaluation import column_of
from costboost.cli.explanation import bar, names_of
from costboost.cli.reading import opened
from costboost.cli.trouble import TroubleError
from costboost.metrics.checks import Floats

MOST_ROWS = 100
"""Rows that are explained, ..."""
BACKGROUND = 50
"""... and rows that they are compared with; enough for two digits of a mean."""


def read_features(path: str, layout: Layout, encoding: str, separator: str) -> Any:
    """The features of a file."""
    with opened(path, encoding, separator) as source:
        layout.check_columns(source.names, source.raw.name)
        return layout.features(source.table(layout.types_of_text()), source.raw.name)


def moves(model: Any, layout: Layout, X: Any, background: Any) -> Floats:
    """What each feature has added to each score, above 0 where it speaks for the positive class."""
    clf = modelfile.boosting(model)
    with telling.working(f"explaining {X.num_rows:,} rows"):
        found = clf.explain(X, background)
    return np.asarray(found if column_of(model, layout) == 1 else -found)


def explain_rows(model: Any, layout: Layout, X: Any, top: int, as_json: bool) -> None:
    """How far the features move the scores on average."""
    X = _some(X, MOST_ROWS)
    far = np.abs(moves(model, layout, X, _some(X, BACKGROUND))).mean(axis=0)
    names, order = names_of(layout), np.argsort(-far, kind="stable")
    if as_json:
        mean = {names[j]: float(far[j]) for j in order}
        telling.as_json({"rows": X.num_rows, "mean_absolute_move": mean})
        return
    telling.say(f"How far the features move the score, on average over {X.num_rows:,} rows:")
    telling.say()
    most = float(far.max()) or 1.0
    rows = [[names[j], f"{far[j]:.3f}", "█" * round(24 * far[j] / most)] for j in order[:top]]
    telling.table(["feature", "moves by", ""], rows)


def explain_row(model: Any, layout: Layout, X: Any, row: int, top: int, as_json: bool) -> None:
    """What has moved the score of one row away from the mean."""
    if row > X.num_rows:
        raise TroubleError(f"there is no row {row}: the data have {X.num_rows:,}")
    one, background = X.slice(row - 1, 1), _some(X, BACKGROUND)
    found = moves(model, layout, one, background)[0]
    p = float(model.predict_proba(one)[0, column_of(model, layout)])
    names, order = names_of(layout), np.argsort(-np.abs(found), kind="stable")
    if as_json:
        moved = {names[j]: float(found[j]) for j in order}
        telling.as_json({"row": row, "probability": p, "moves": moved})
        return
    telling.say(f"Row {row}: the probability of {layout.positive} is {p:.4g}. What has moved it:")
    telling.say()
    most = float(np.abs(found).max()) or 1.0
    rows = [
        [names[j], _shown(one.column(names[j])[0]), f"{found[j]:+.3f}", bar(found[j], most)]
        for j in order[:top]
    ]
    telling.table(["feature", "value", "moves by", ""], rows)


def _some(X: Any, most: int) -> Any:
    """So many rows at most, drawn evenly over the file."""
    if X.num_rows <= most:
        return X
    return X.take(np.linspace(0, X.num_rows - 1, most).astype(np.int64))


def _shown(scalar: Any) -> str:
    value = scalar.as_py()
    return "missing" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
