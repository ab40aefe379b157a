"""Losses against the margin."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost.metrics.checks import Floats, check_numbers

LOSS_GRID = np.linspace(-1.5, 1.5, 601)
"""Margins at which losses are drawn."""


def loss_grid(swap: float | None) -> Floats:
    """Margins around 0, extended beyond the margin at which the asymmetry swaps."""
    if swap is None or not np.isfinite(swap) or abs(swap) <= LOSS_GRID[-1]:
        return LOSS_GRID
    return np.linspace(min(LOSS_GRID[0], 1.3 * swap), max(LOSS_GRID[-1], 1.3 * swap), 601)


def loss_values(loss: Any, margin: Floats, name: str) -> Floats:
    """Values of a loss at the margins; ``loss`` is a function or the values themselves."""
    values = check_numbers(name, loss(margin) if callable(loss) else loss)
    if values.shape != margin.shape or not np.all(np.isfinite(values)):
        raise ValueError(
            f"{name} must have a finite value for each of the {margin.size} margins, got an array "
            f"of shape {values.shape}"
        )
    return values


def check_margin(margin: Any) -> Floats:
    """Margins in ascending order."""
    values = check_numbers("margin", LOSS_GRID if margin is None else margin)
    if values.ndim != 1 or values.size < 2 or not np.all(np.diff(values) > 0):
        raise ValueError(
            "margin must be at least two numbers in rising order, got an array of shape "
            f"{values.shape}"
        )
    return values


def swaps(
    margin: Floats, positive: Floats, negative: Floats, positive_is_dearer: bool | None
) -> list[tuple[float, float]]:
    """Intervals of the margin in which the less costly class has the greater loss.

    If ``positive_is_dearer`` is None, the costlier class is the one with the greater loss at the
    lowest margin.
    """
    excess = positive - negative
    if positive_is_dearer is None:
        positive_is_dearer = bool(excess[0] >= 0)
    excess = excess if positive_is_dearer else -excess
    swapped = excess < -1e-12 * np.maximum(np.abs(positive), np.abs(negative))
    ends = np.flatnonzero(np.diff(np.concatenate([[False], swapped, [False]]).astype(int)))
    found = []
    for first, behind in zip(ends[::2], ends[1::2], strict=True):
        left = _crossing(margin, excess, first - 1) if first > 0 else margin[0]
        right = _crossing(margin, excess, behind - 1) if behind < margin.size else margin[-1]
        found.append((float(left), float(right)))
    return found


def _crossing(margin: Floats, excess: Floats, k: int) -> float:
    """The margin between points k and k + 1 at which linear interpolation is 0."""
    before, after = excess[k], excess[k + 1]
    share = before / (before - after)
    return float(margin[k] + share * (margin[k + 1] - margin[k]))
