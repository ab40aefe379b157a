"""Interpolation by lines between points."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from costboost._core.arithmetic.vectors import RowVector, each
from costboost._core.arrays import Floats

LARGE = 1e300
"""Points beyond this are halved before they are subtracted, which would overflow."""


def interpolate(x: Any, at: Floats, values: Floats) -> Any:
    """Values at x by lines between those at increasing points; the first and last one beyond.

    It has the bits of ``np.interp`` where that is compiled without fused multiply-add.
    """
    if isinstance(x, RowVector):
        return each(partial(interpolate, at=at, values=values), x)
    if at.size < 2:
        return np.full(x.shape, values[0])
    k = np.clip(np.searchsorted(at, x, side="right") - 1, 0, at.size - 2)
    part = 0.5 if max(abs(at[0]), abs(at[-1])) > LARGE else 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        slope = np.diff(values) / np.diff(part * at)
        inside: Floats = slope[k] * (part * np.clip(x, at[0], at[-1]) - part * at[k]) + values[k]
    inside = np.where(x == at[k], values[k], inside)
    return np.where(x >= at[-1], values[-1], np.where(x < at[0], values[0], inside))
