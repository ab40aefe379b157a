"""Verdicts that `costboost.studies.statistics` has no function for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from costboost.checks import Floats
from costboost.studies.claims import CANNOT_BE_JUDGED, NOT_REPRODUCED, REPRODUCED, Outcome, Verdict
from costboost.studies.register.combining import reproduced_if
from costboost.studies.statistics import (
    FEWEST,
    Interval,
    Values,
    finite,
    number,
    ordinal,
    plural,
    unjudged,
)

RESAMPLES = 2000


def within(label: str, deviations: Values, tolerance: float, reason: str = "") -> Verdict:
    """Verdict on an identity: reproduced if no deviation exceeds the tolerance."""
    values = finite(deviations)
    if not values.size:
        return unjudged(f"needs results for: {label}")
    greatest = float(np.abs(values).max())
    outcome = reproduced_if(greatest <= tolerance)
    measured = f"{label}: at most {greatest:.2g} (tolerance {tolerance:g})"
    return Verdict(outcome, measured, greatest, reason="" if outcome == REPRODUCED else reason)


Statistic = Callable[[Floats], Any]
"""A number from the values of units (last axis but one) and columns (last axis)."""


def resampled(values: Floats, statistic: Statistic, seed: int = 0) -> tuple[float, Interval]:
    """A statistic of the rows of a table, and its 95% interval from resampled rows."""
    value, n_rows = float(statistic(values)), len(values)
    if n_rows < FEWEST:
        return value, Interval(value, np.nan, np.nan)
    rows = np.random.default_rng(seed).integers(0, n_rows, (RESAMPLES, n_rows))
    low, high = np.quantile(statistic(values[rows]), [0.025, 0.975])
    return value, Interval(value, float(low), float(high))


def statistic_above_0(
    label: str,
    values: Floats,
    statistic: Statistic,
    unit: str,
    *,
    reason: str = "",
    digits: int = 2,
) -> Verdict:
    """Verdict on the claim that a statistic of the rows of a table is positive."""
    value, interval = resampled(values, statistic)
    outcome = ordinal(value, interval)
    measured = f"{label}: {number(value, digits)}, over {plural(len(values), unit)}"
    why = reason if outcome == NOT_REPRODUCED else ""
    if outcome == CANNOT_BE_JUDGED:
        why = _uncertain(interval, unit, len(values), "the interval contains 0")
    return Verdict(outcome, measured, value, interval.ends, why)


def statistic_near(
    label: str,
    values: Floats,
    statistic: Statistic,
    paper: float,
    tolerance: float,
    unit: str,
    *,
    reason: str = "",
    digits: int = 2,
) -> Verdict:
    """Verdict on a printed statistic: within our interval, or within a tolerance of ours."""
    value, interval = resampled(values, statistic)
    text = f"{number(value, digits)} against {number(paper, digits)} in the paper"
    measured = f"{label}: {text}, over {plural(len(values), unit)}"
    ends = None if interval.ends is None else (interval.low - paper, interval.high - paper)
    if abs(value - paper) <= tolerance or interval.low <= paper <= interval.high:
        return Verdict(REPRODUCED, measured, value - paper, ends)
    outcome: Outcome = NOT_REPRODUCED if ends else CANNOT_BE_JUDGED
    why = reason if ends else _uncertain(interval, unit, len(values), "")
    return Verdict(outcome, measured, value - paper, ends, why)


def _uncertain(interval: Interval, unit: str, n_units: int, otherwise: str) -> str:
    if interval.ends is None:
        return f"needs at least {plural(FEWEST, unit)}, has {n_units}"
    return otherwise
