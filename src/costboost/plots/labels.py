"""Names beside points, put where they cover least."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from costboost.metrics.checks import Floats

ROOM = 7.0
"""Points between a marker and its name."""
PLACES = [
    (1, 0, "left", "center"),
    (-1, 0, "right", "center"),
    (0, 1, "center", "bottom"),
    (0, -1, "center", "top"),
    (1, 1, "left", "bottom"),
    (-1, 1, "right", "bottom"),
    (1, -1, "left", "top"),
    (-1, -1, "right", "top"),
    (1, 2.5, "left", "bottom"),
    (1, -2.5, "left", "top"),
    (-1, 2.5, "right", "bottom"),
    (-1, -2.5, "right", "top"),
]
"""Where a name may be, the best place first."""


def place_labels(ax: Any, x: Floats, y: Floats, names: Sequence[str], steps: Any) -> list[Any]:
    """A name beside each point, one after the other, clear of points, earlier names and a line of
    steps."""
    ax.figure.figure.draw_without_rendering()  # settles the layout, on which distances depend
    radius = ROOM * ax.figure.dpi / 72
    spots = ax.transData.transform(np.column_stack([x, y]))
    taken = [np.array([*spot - radius, *spot + radius]) for spot in spots]
    taken += _treads(ax.transData.transform(steps.get_xydata()))
    frame = np.array(ax.bbox.extents)
    labels = []
    for k, name in enumerate(names):
        label = ax.annotate(name, (x[k], y[k]), (0, 0), textcoords="offset points", zorder=4)
        costs = [_try(label, place, taken, frame) for place in PLACES]
        _try(label, PLACES[int(np.argmin(costs))], taken, frame)
        taken.append(np.array(label.get_window_extent().extents))
        labels.append(label)
    return labels


def _try(label: Any, place: Any, taken: list[Floats], frame: Floats) -> float:
    """Put a name somewhere and say how much it covers; beyond the axes counts a hundredfold."""
    dx, dy, ha, va = place
    label.set_position((ROOM * dx, ROOM * dy))
    label.set(ha=ha, va=va)
    box = np.array(label.get_window_extent().extents)
    area = float(np.prod(box[2:] - box[:2]))
    return sum(_common(box, other) for other in taken) + 100 * (area - _common(box, frame))


def _treads(corners: Floats) -> list[Floats]:
    """The treads and risers of steps, as boxes of some thickness."""
    boxes = []
    for (x, y), (right, top) in pairwise(corners):
        for one, other in (((x, y), (right, y)), ((right, y), (right, top))):
            ends = np.sort([one, other], axis=0)
            boxes.append(np.array([*ends[0] - 2, *ends[1] + 2]))
    return boxes


def _common(a: Floats, b: Floats) -> float:
    """Area that two boxes share."""
    sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
    return float(np.prod(np.maximum(sides, 0.0)))
