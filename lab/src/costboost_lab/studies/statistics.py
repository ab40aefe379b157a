"""What several studies need: bootstrap intervals, verdicts, data as arrays, quiet fits, measures.

Verdicts state how certain they are; those on a claim with several parts are made of its parts'.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.checks import one_class_allowed
from costboost_lab.arrays import Floats
from costboost_lab.datasets import load
from costboost_lab.studies import CANNOT_BE_JUDGED, NOT_REPRODUCED, REPRODUCED, Outcome, Verdict

# ---- bootstrap intervals -------------------------------------------------------------------------

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


# ---- outcomes and verdicts -----------------------------------------------------------------------


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


def not_above(label: str, differences: Values, limit: float, unit: str) -> Verdict:
    """Verdict on the claim that paired differences are not above a small limit."""
    values = finite(differences)
    if not values.size:
        return unjudged(f"needs results for: {label}")
    found = paired_interval(values)
    text = f"{label}: {found.mean:+.4f} over {plural(values.size, unit)}"
    if found.ends is None or found.low <= limit < found.high:
        why = f"needs an interval on one side of {limit}"
        return Verdict(CANNOT_BE_JUDGED, text, found.mean, found.ends, why)
    return Verdict(reproduced_if(found.high <= limit), text, found.mean, found.ends)


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
    from costboost.app.report import markup  # workers import this module, not reports

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


# ---- claims with several parts -------------------------------------------------------------------


def reproduced_if(holds: bool) -> Outcome:
    """Outcome of a claim that either holds or does not, without uncertainty."""
    return REPRODUCED if holds else NOT_REPRODUCED


def all_of(parts: Sequence[Verdict]) -> Verdict:
    """Verdict on a claim that holds only if all its parts do.

    Not reproduced if a part is not, otherwise reproduced if all parts are. The difference and the
    interval are those of the part that decides: the one with the least difference among those with
    the outcome of the whole. Its reason is given.
    """
    outcomes = [part.outcome for part in parts]
    outcome: Outcome = REPRODUCED
    for weaker in (CANNOT_BE_JUDGED, NOT_REPRODUCED):
        if weaker in outcomes:
            outcome = weaker
    deciding = [part for part in parts if part.outcome == outcome]
    known = [part for part in deciding if part.difference is not None]
    first = min(known, key=lambda part: part.difference or 0.0) if known else deciding[0]
    measured = "; ".join(part.measured for part in parts if part.measured)
    return replace(first, measured=measured)


def each_of(parts: Sequence[Verdict]) -> Verdict:
    """Verdict on a claim that holds only if all its many parts do.

    Unlike for `all_of`, the text has the number of parts that hold and the weakest part only.
    """
    if not parts:
        return unjudged("needs results for all parts of the claim")
    if len(parts) == 1 or not any(part.measured for part in parts):
        return parts[0]
    holding = [part.outcome for part in parts].count(REPRODUCED)
    weakest = min(parts, key=_strength)
    count = f"{holding} of {len(parts)} comparisons hold; weakest: "
    return replace(weakest, measured=count + weakest.measured)


def _strength(part: Verdict) -> tuple[int, float]:
    order = {NOT_REPRODUCED: 0, CANNOT_BE_JUDGED: 1, REPRODUCED: 2}
    low = part.interval[0] if part.interval else part.difference
    return order[part.outcome], 0.0 if low is None else low


def all_named(parts: Mapping[str, Verdict], reason: str = "") -> Verdict:
    """Verdict on a claim that holds only if all its parts do, given by what each is about.

    ``reason`` explains why parts are not reproduced that have no reason of their own.
    """
    if not parts:
        return unjudged("needs results of the study")
    return all_of(
        [
            replace(
                part,
                measured=f"{name}: {part.outcome} ({part.measured or part.reason})",
                reason=part.reason or (reason if part.outcome == NOT_REPRODUCED else ""),
            )
            for name, part in parts.items()
        ]
    )


def where_all_agree(settings: Sequence[str], check: Callable[[str], Verdict], what: str) -> Verdict:
    """Verdict that is the same under all settings; if they disagree, it cannot be judged.

    ``what`` names what the settings are of, such as "base learner".
    """
    if not settings:
        return unjudged("needs results of the study")
    found = {name: check(name) for name in settings}
    outcomes = {verdict.outcome for verdict in found.values()}
    measured = "; ".join(f"{name}: {v.measured}" for name, v in found.items() if v.measured)
    first = next(iter(found.values()))
    if len(outcomes) == 1:
        reasons = dict.fromkeys(v.reason for v in found.values() if v.reason)
        return replace(first, measured=measured, reason="; ".join(reasons))
    depends = ", ".join(f"{verdict.outcome} with {name}" for name, verdict in found.items())
    return unjudged(f"depends on the {what}: {depends}", measured)


# ---- identities, and statistics of tables --------------------------------------------------------

FEW_RESAMPLES = 2000
"""Samples for statistics that are slow to compute."""


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
    rows = np.random.default_rng(seed).integers(0, n_rows, (FEW_RESAMPLES, n_rows))
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
        why = _uncertain(len(values), unit, "the interval contains 0")
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
    why = reason if ends else _uncertain(len(values), unit, "a value is infinite")
    return Verdict(outcome, measured, value - paper, ends, why)


# ---- data sets as arrays, fits without warnings, measures of a class -----------------------------

Labels = NDArray[np.int64]


class Problem(NamedTuple):
    """Rows as an array of numbers, with 1 for the positive class and 0 for the other."""

    X: Floats
    y: Labels
    categorical: list[int]
    """Columns of X that are codes of categories."""


def load_problem(name: str) -> Problem:
    """A data set with categories as codes; missing values remain NaN."""
    data = load(name)
    categorical = np.flatnonzero(data.X.dtypes == "category").tolist()
    positive = np.asarray(data.y == data.pos_label).astype(np.int64)
    return Problem(codes(data.X), positive, categorical)


def nominal(X: Any) -> list[str]:
    """Names of the columns that hold categories."""
    return list(X.columns[X.dtypes == "category"])


def codes(X: Any) -> Floats:
    """All columns as numbers, categories by their position; NaN where a value is missing."""
    coded = X.copy()
    for column in nominal(X):
        coded[column] = X[column].cat.codes.where(X[column].notna(), np.nan)
    numbers: Floats = coded.to_numpy(dtype=np.float64)
    return numbers


def filled(X: Floats, train: Floats) -> Floats:
    """Rows with the medians of the training rows in place of NaN."""
    return np.where(np.isnan(X), np.nanmedian(train, axis=0), X)


def class_measures(y_true: Labels, y_pred: Labels, label: int = 1) -> dict[str, float]:
    """Precision, recall and F-measure of a class, 0 if none of its rows is found."""
    actual, predicted = y_true == label, y_pred == label
    n_actual, n_predicted = int(actual.sum()), int(predicted.sum())
    hits = int((actual & predicted).sum())
    return {
        "precision": hits / max(n_predicted, 1),
        "recall": hits / max(n_actual, 1),
        "f_measure": 2 * hits / max(n_actual + n_predicted, 1),
    }


def fit_quietly(clf: Any, X: Any, y: Any, **options: Any) -> Any:
    """Fit a classifier that may predict one class only, or end without any weak learner."""
    with one_class_allowed():
        warnings.filterwarnings("ignore", message=".* added no learner", category=UserWarning)
        return clf.fit(X, y, **options)
