"""Functions of one feature as text and as facts: values or intervals, and what they add."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from costboost._core.explaining import Categories, Shape, Steps
from costboost.app.cli import terminal
from costboost.app.reading.columns import Column

BAR_WIDTH = 24
MAX_PIECES = 20
"""Intervals of one feature that are printed."""


def shape_facts(clf: Any, shape: Shape) -> dict[str, Any]:
    """A function for JSON."""
    if isinstance(shape, Categories):
        values = dict(zip(_labels(clf, shape), shape.value.tolist(), strict=True))
        return {"kind": "categories", "adds": values, "missing": shape.missing}
    if isinstance(shape, Steps):
        steps = {"cuts": shape.cut.tolist(), "adds": shape.value.tolist()}
        return {"kind": "steps", **steps, "missing": shape.missing}
    return {"kind": "line", "slope": shape.slope, "intercept": shape.intercept}


def pieces(clf: Any, shape: Shape, column: Column) -> list[tuple[str, float]]:
    """Values or intervals of a feature as text, and what they add."""
    if isinstance(shape, Categories):
        cells = list(zip(_labels(clf, shape), shape.value.tolist(), strict=True))
        cells.sort(key=lambda pair: -pair[1])
    elif isinstance(shape, Steps):
        cells = _pieces_of_steps(shape, column)
    else:
        return [("for each unit", shape.slope), ("at 0", shape.intercept)]
    return [*cells, ("missing", shape.missing)]


def _pieces_of_steps(shape: Steps, column: Column) -> list[tuple[str, float]]:
    cuts = [column.format(cut, digits=4) for cut in shape.cut.tolist()]
    if not cuts:
        return [("any value", float(shape.value[0]))]
    between = [f"{a} to {b}" for a, b in pairwise(cuts)]
    names = [f"up to {cuts[0]}", *between, f"above {cuts[-1]}"]
    return list(zip(names, shape.value.tolist(), strict=True))


def merged(shape: Steps) -> Steps:
    """The steps, with neighbours that are equal to three digits merged."""
    differs = np.diff(np.round(shape.value, 3)) != 0
    value = shape.value[np.append(True, differs)]
    return replace(shape, cut=shape.cut[differs], value=value)


def fewer(shape: Steps) -> Steps:
    """At most `MAX_PIECES` steps without gaps: neighbours that differ least become their mean."""
    shape = merged(shape)
    cut, value, size = shape.cut.tolist(), shape.value.tolist(), [1.0] * shape.value.size
    while len(value) > MAX_PIECES:
        lost = [
            a * b / (a + b) * (v - w) ** 2
            for (a, v), (b, w) in pairwise(zip(size, value, strict=True))
        ]
        k = int(np.argmin(lost))
        both = size[k] + size[k + 1]
        value[k] = (size[k] * value[k] + size[k + 1] * value[k + 1]) / both
        size[k] = both
        del cut[k], value[k + 1], size[k + 1]
    return replace(shape, cut=np.array(cut), value=np.array(value))


def signed_bar(value: float, largest: float) -> str:
    """A bar to the right for a value above 0, to the left for one below."""
    length = round(BAR_WIDTH / 2 * abs(value) / largest)
    half = BAR_WIDTH // 2
    return " " * (half if value > 0 else half - length) + terminal.blocks(length)


def _labels(clf: Any, shape: Categories) -> list[str]:
    coder = clf.model_.coders[shape.feature]
    return [*map(str, coder.code_of), *(["any other"] if coder.shared else [])]
