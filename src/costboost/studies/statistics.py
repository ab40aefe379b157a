"""Bootstrap intervals, and verdicts that state how certain they are."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from costboost.checks import Floats
from costboost.studies.claims import CANNOT_BE_JUDGED, NOT_REPRODUCED, REPRODUCED, Outcome, Verdict

LEVEL = 0.95
RESAMPLES = 10_000
FEWEST = 3
"""Number of units (repeats, data sets) below which there is no interval."""
BATCH = 4_000_000
"""Number of values that are resampled at a time, which limits the memory."""
Values = Sequence[float] | Floats | Any
"""Numbers, one for each unit; NaN for a unit that was not measured."""


class Interval(NamedTuple):
    """A mean and its 95% interval; the ends are NaN if there are fewer than three values."""

    mean: float
    low: float
    high: float

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both ends, or None if there is no interval."""
        return (self.low, self.high) if isfinite(self.low) and isfinite(self.high) else None


def finite(values: Values) -> Floats:
    """The values without NaN, as an array."""
    array = np.asarray(values, dtype=np.float64).ravel()
    return array[~np.isnan(array)]


def paired_interval(differences: Values, seed: int = 0) -> Interval:
    """Mean of paired differences with its 95% percentile bootstrap interval.

    The units that are resampled are the entries: pass one difference for each repeat, or one for
    each data set. Entries that are NaN are left out. The result does not depend on their order.
    """
    values = np.sort(finite(differences))
    if not values.size:
        return Interval(np.nan, np.nan, np.nan)
    if values.size < FEWEST or not np.isfinite(values).all():
        with np.errstate(invalid="ignore"):
            return Interval(float(values.mean()), np.nan, np.nan)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(resampled_means(values, seed), [tail, 1 - tail])
    return Interval(float(values.mean()), float(low), float(high))


def resampled_means(values: Floats, seed: int) -> Floats:
    """Means of `RESAMPLES` samples of the values, drawn with replacement."""
    random = np.random.default_rng(seed)
    means = np.empty(RESAMPLES)
    step = max(1, BATCH // values.size)
    for start in range(0, RESAMPLES, step):
        stop = min(start + step, RESAMPLES)
        means[start:stop] = values[
            random.integers(0, values.size, (stop - start, values.size))
        ].mean(axis=1)
    return means


# ---- outcomes ------------------------------------------------------------------------------------


def ordinal(difference: float, interval: Interval, margin: float = 0.0) -> Outcome:
    """Outcome of the claim that a difference is positive.

    Reproduced if the interval is above 0. Not reproduced if it is below 0, or if it lies within
    ``margin`` of 0. Otherwise it cannot be judged.
    """
    low, high = interval.low, interval.high
    if difference > 0 and low > 0:
        return REPRODUCED
    if high < 0 or (-margin <= low and high <= margin):
        return NOT_REPRODUCED
    return CANNOT_BE_JUDGED


def verdict_ordinal(
    label: str,
    differences: Values,
    unit: str,
    *,
    margin: float = 0.0,
    digits: int = 3,
    reason: str = "",
    seed: int = 0,
) -> Verdict:
    """Verdict on the claim that A is better than B, from paired differences.

    Parameters
    ----------
    label : str
        What was compared, such as "loss of AdaBoost minus loss of AdaMEC".
    differences : array of shape (n_units,)
        Positive where the claim holds; NaN where A or B was not measured.
    unit : str
        What one difference belongs to, in the singular: "data set", "repeat".
    margin : float, default=0
        A difference whose interval lies within this distance of 0 counts as none.
    digits : int, default=3
        Decimals in the text.
    reason : str, default=""
        Explanation to show if the claim is not reproduced.
    seed : int, default=0
        Seed of the bootstrap.
    """
    values = finite(differences)
    if not values.size:
        return unjudged(f"needs results for: {label}")
    found = paired_interval(values, seed)
    outcome = ordinal(found.mean, found, margin)
    wins = f"positive for {int((values > 0).sum())} of {plural(values.size, unit)}"
    measured = f"{label}: {number(found.mean, digits)} on average, {wins}"
    why = "" if outcome == REPRODUCED else reason
    if outcome == CANNOT_BE_JUDGED:
        why = _uncertain(values.size, unit, "the interval contains 0")
    return Verdict(outcome, measured, found.mean, found.ends, why)


def verdict_numeric(
    label: str,
    measured_values: Values,
    paper: float,
    tolerance: float,
    unit: str,
    *,
    digits: int = 3,
    reason: str = "",
    seed: int = 0,
) -> Verdict:
    """Verdict on a number printed in a paper, from one measured value for each unit.

    Reproduced if the paper's number is within the 95% interval of the mean, or within the tolerance
    of the mean. With fewer than three values there is no interval, and a mean beyond the tolerance
    cannot be judged. Parameters as for `verdict_ordinal`; ``difference`` is the mean minus the
    paper's number.
    """
    values = finite(measured_values)
    if not values.size:
        return unjudged(f"needs results for: {label}")
    found = paired_interval(values - paper, seed)
    text = f"{number(found.mean + paper, digits)} against {number(paper, digits)} in the paper"
    measured = f"{label}: {text}, over {plural(values.size, unit)}"
    outcome: Outcome = REPRODUCED
    why = ""
    if not (abs(found.mean) <= tolerance or found.low <= 0 <= found.high):
        outcome, why = NOT_REPRODUCED, reason
        if found.ends is None:
            outcome, why = CANNOT_BE_JUDGED, _uncertain(values.size, unit, "a value is infinite")
    return Verdict(outcome, measured, found.mean, found.ends, why)


def number(value: float, digits: int) -> str:
    """A number with at most ``digits`` decimals, as on the pages of reports."""
    from costboost.report import markup  # not at the top: workers import this module, not reports

    return markup.number(value, digits)


def plural(n: int, word: str) -> str:
    """A count with its noun in singular or plural."""
    return f"{n:,} {word}{'' if n == 1 else 's'}"


def unjudged(reason: str, measured: str = "") -> Verdict:
    """Verdict for results that do not suffice; the reason begins with "needs"."""
    return Verdict(CANNOT_BE_JUDGED, measured, reason=reason)


def _uncertain(n_units: int, unit: str, otherwise: str) -> str:
    """Reason why a claim with some results cannot be judged."""
    if n_units < FEWEST:
        return f"needs at least {plural(FEWEST, unit)}, has {n_units}"
    return otherwise
