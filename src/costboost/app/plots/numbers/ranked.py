"""Curves over ranked rows: shares, limits, resampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from costboost.metrics import bootstrap_interval
from costboost.metrics.checks import Floats, check_numbers

SHARES = np.linspace(0, 1, 201)
"""Shares of rows at which intervals of profit and lift curves are computed."""
SMALLEST_SHARE = 0.01
"""Least share of rows that a lift is drawn for: below it, single rows make it jump."""


class Resampling(NamedTuple):
    """How intervals are computed: not at all if the confidence is None."""

    confidence: float | None = None
    n_resamples: int = 200
    random_state: Any = None

    def limits(
        self, values: Callable[..., Floats], y_true: Any, y_score: Any, rows: dict[str, Any]
    ) -> tuple[Floats | None, Floats | None]:
        """Limits of an interval for each of the values; None without a confidence."""
        if self.confidence is None:
            return None, None
        given = {name: value for name, value in rows.items() if value is not None}
        found = bootstrap_interval(values, y_true, y_score, **self._asdict(), **given)
        return found.low, found.high


def check_line(names: str, *arrays: Any) -> list[Any]:
    """Arrays of one length; those that are None stay so."""
    found = [None if one is None else check_numbers(names, one) for one in arrays]
    shapes = {one.shape for one in found if one is not None}
    if len(shapes) != 1 or len(next(iter(shapes))) != 1:
        raise ValueError(f"{names} must be of one length, got the shapes {sorted(shapes)}")
    return found


def check_limits(lower: Any, upper: Any) -> None:
    """Raise a ValueError if one limit of a band is missing."""
    if (lower is None) != (upper is None):
        raise ValueError("a band has two limits: pass both lower and upper, or neither")


def check_share_limits(lower: Any, upper: Any) -> tuple[Any, Any]:
    """Limits of a band at `SHARES`, or None for both."""
    check_limits(lower, upper)
    if lower is None:
        return None, None
    _, low, high = check_line("lower, upper and the 201 shares", SHARES, lower, upper)
    return low, high
