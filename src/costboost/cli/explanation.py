"""What a model looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from costboost.cli import console
from costboost.cli.layout import Layout
from costboost.cli.subjects import Subject
from costboost.explaining.contributions import (
    Additive,
    Categories,
    Shape,
    Steps,
    additive,
    mean_effect,
)
from costboost.metrics.checks import Floats
from costboost.reading.columns import Column
from costboost.reading.errors import InputError, some, unknown

BAR = 24
MOST_PIECES = 20
MOST_ROWS = 100
"""Rows that are explained."""
TOP = 15
"""Features shown, unless somebody says how many or a program reads them."""


def explain_model(
    model: Any, layout: Layout, found: list[Subject], top: int | None, json: bool
) -> None:
    """The share of each feature in the score, and which way it moves it."""
    names, clf = names_of(layout), found[0].clf
    shares = np.mean([one.clf.feature_importances_ for one in found], axis=0)
    parts = additive(clf) if len(found) == 1 else None
    shapes = {} if parts is None else {shape.feature: shape for shape in parts.shapes}
    order = [int(j) for j in np.argsort(-shares, kind="stable") if shares[j] > 0]
    rounds = sum(int(one.clf.n_iter_) for one in found)
    if json:
        console.as_json(
            {
                "classifier": type(model).__name__,
                "classes": [one.label for one in found],
                "rounds": rounds,
                "additive": parts is not None,
                "importances": {names[j]: float(shares[j]) for j in order[:top]},
                "shapes": {names[j]: _plain(clf, shapes[j]) for j in order[:top] if j in shapes},
            }
        )
        return
    in_all = " in all" if len(found) > 1 else ""
    console.say(
        f"{type(model).__name__}, {rounds} rounds{in_all}; {len(order)} of {len(names)} features "
        f"in use. {_of_what(layout, found)}"
    )
    console.say()
    speaks = {j: _direction(shape) for j, shape in shapes.items()}
    top = top or TOP
    _importances(names, shares, order[:top], speaks)
    if len(order) > top:
        console.say(f"... and {len(order) - top} more (--top {len(order)})")


def _importances(
    names: list[str], shares: Floats, order: list[int], speaks: dict[int, str]
) -> None:
    longest = max((shares[j] for j in order), default=1.0)
    bars = {j: console.blocks(max(1, round(BAR * shares[j] / longest))) for j in order}
    rows = [[names[j], f"{shares[j]:.1%}", bars[j], speaks.get(j, "")] for j in order]
    if any(speaks.values()):
        console.table(["feature", "share", "", "speaks for it"], rows, wraps=3)
    else:
        console.table(["feature", "share", ""], [row[:3] for row in rows])


def _of_what(layout: Layout, found: list[Subject]) -> str:
    if not layout.several:
        return f"Positive: {found[0].label}."
    if len(found) == 1:
        return f"{found[0].label} against the rest."
    return f"Means over {len(found)} classes, each against the rest (--class LABEL for one)."


def explain_feature(
    layout: Layout, found: list[Subject], name: str, read: Callable[[], Any] | None, json: bool
) -> None:
    """What one feature adds to the score, value by value; of trees, on average over rows.

    ``read`` reads these rows, if there are any.
    """
    names = names_of(layout)
    if name not in names:
        raise unknown("feature", name, names)
    if len(found) > 1:
        labels = some([one.label for one in found])
        raise InputError(f"each class has a score of its own: --class LABEL, one of {labels}")
    clf, parts = found[0].clf, additive(found[0].clf)
    if parts is None and read is None:
        raise InputError(
            f"{type(clf).__name__} is made of trees here, in which features act together: name the "
            f"rows that the effect is a mean over, costboost explain MODEL DATA --feature {name!r}"
        )
    rows = None if parts is not None or read is None else evenly(read(), MOST_ROWS)
    shape = _shape(clf, parts, rows, names.index(name))
    if shape is None:
        raise InputError(f"the model does not use {name!r}")
    if json:
        mean = {} if rows is None else {"mean_over_rows": rows.num_rows}
        console.as_json({"feature": name, **_plain(clf, shape), **mean})
        return
    over = "" if rows is None else f", on average over {rows.num_rows:,} rows"
    console.say(f"What {name!r} adds to the score of {found[0].label}{over}:")
    console.say()
    every = _pieces(clf, shape, layout.columns[shape.feature])
    pieces = _thinned(every) if isinstance(shape, Steps) else every
    most = max((abs(value) for _, value in pieces), default=1.0) or 1.0
    rows = [[text, f"{value:+.3f}", bar(value, most)] for text, value in pieces]
    console.table([name, "adds", ""], rows)
    if len(pieces) < len(every):
        console.say(f"{len(pieces)} of {len(every)} values, evenly chosen (--json has all)")


def _shape(clf: Any, parts: Additive | None, rows: Any, feature: int) -> Shape | None:
    """What a feature adds: its part of a sum, or its mean effect over rows; None if unused."""
    if parts is not None:
        return next((one for one in parts.shapes if one.feature == feature), None)
    return mean_effect(clf, rows, feature)


def evenly(X: Any, most: int) -> Any:
    """So many rows at most, drawn evenly over the file."""
    if X.num_rows <= most:
        return X
    return X.take(np.linspace(0, X.num_rows - 1, most).astype(np.int64))


def names_of(layout: Layout) -> list[str]:
    return [column.name for column in layout.columns]


def _labels(clf: Any, shape: Categories) -> list[str]:
    coder = clf._coders[shape.feature]
    return [*map(str, coder.code_of), *(["any other"] if coder.shared else [])]


def _direction(shape: Shape) -> str:
    """Which end of the feature speaks for the positive class, if one does.

    A single category or interval is not named: the model does not know how many rows have it, and
    the greatest value is often that of a handful of rows.
    """
    if isinstance(shape, Categories):
        return ""
    rises = np.diff(shape.value) if isinstance(shape, Steps) else np.array([shape.slope])
    if np.all(rises == 0) or not (np.all(rises >= 0) or np.all(rises <= 0)):
        return ""
    return "high values" if rises.sum() > 0 else "low values"


def _pieces(clf: Any, shape: Shape, column: Column) -> list[tuple[str, float]]:
    if isinstance(shape, Categories):
        pieces = list(zip(_labels(clf, shape), shape.value.tolist(), strict=True))
        pieces.sort(key=lambda pair: -pair[1])
    elif isinstance(shape, Steps):
        pieces = _pieces_of_steps(_joined(shape), column)
    else:
        return [("for each unit", shape.slope), ("at 0", shape.intercept)]
    return [*pieces, ("missing", shape.missing)]


def _pieces_of_steps(shape: Steps, column: Column) -> list[tuple[str, float]]:
    cuts = [column.format(cut, digits=4) for cut in shape.cut.tolist()]
    if not cuts:
        return [("any value", float(shape.value[0]))]
    between = [f"{a} to {b}" for a, b in pairwise(cuts)]
    names = [f"up to {cuts[0]}", *between, f"above {cuts[-1]}"]
    return list(zip(names, shape.value.tolist(), strict=True))


def _joined(shape: Steps) -> Steps:
    """Steps that look alike as one."""
    differs = np.diff(np.round(shape.value, 3)) != 0
    value = shape.value[np.append(True, differs)]
    return replace(shape, cut=shape.cut[differs], value=value)


def _thinned(pieces: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """Not more pieces than can be read; the last, which is that of missing values, is kept."""
    if len(pieces) <= MOST_PIECES + 1:
        return pieces
    at = np.unique(np.linspace(0, len(pieces) - 1, MOST_PIECES + 1).round().astype(int))
    return [pieces[k] for k in at]


def bar(value: float, most: float) -> str:
    length = round(BAR / 2 * abs(value) / most)
    half = BAR // 2
    return " " * (half if value > 0 else half - length) + console.blocks(length)


def _plain(clf: Any, shape: Shape) -> dict[str, Any]:
    if isinstance(shape, Categories):
        values = dict(zip(_labels(clf, shape), shape.value.tolist(), strict=True))
        return {"kind": "categories", "adds": values, "missing": shape.missing}
    if isinstance(shape, Steps):
        steps = {"cuts": shape.cut.tolist(), "adds": shape.value.tolist()}
        return {"kind": "steps", **steps, "missing": shape.missing}
    return {"kind": "line", "slope": shape.slope, "intercept": shape.intercept}
