"""Measures of decisions: after each round, and as means over runs with confidence bands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from costboost.decisions.folds import (
    take,
)
from costboost.decisions.outcomes import HeldOut, Outcomes
from costboost.metrics.checks import Floats, check_numbers
from costboost.plots.numbers.predictions import (
    Flags,
    LabelledRows,
    Run,
    read_rows,
    staged_decisions,
)

# ---- means over runs -----------------------------------------------------------------------------


class Band(NamedTuple):
    """A line, with the limits of a confidence band if it is the mean of several runs."""

    middle: Floats
    """Mean over the runs."""
    lower: Floats | None = None
    upper: Floats | None = None
    """Limits of the band; None if there was one run only."""
    n_runs: int = 1


def confidence_band(
    runs: Any, *, confidence: float = 0.95, least: float = -np.inf, most: float = np.inf
) -> Band:
    r"""Mean over runs with a confidence interval for each point.

    .. math:: \bar v \pm t_{n-1,\,(1 + \gamma)/2}\; s / \sqrt n

    with Student's t. Runs are assumed to be independent. Folds of one cross-validation have
    different test rows but share training rows, so that the band is too narrow rather than too
    wide.

    Parameters
    ----------
    runs : array of shape (n_runs, n_points)
        At least two runs.
    confidence : float, default 0.95
    least, most : float, optional
        Range of possible values, to which the band is clipped.

    Returns
    -------
    Band
        With ``middle``, ``lower``, ``upper``, ``n_runs``.

    Examples
    --------
    >>> from costboost.plots import confidence_band
    >>> band = confidence_band([[0.1, 0.4], [0.3, 0.4]], least=0)
    >>> print(band.middle, band.lower, band.upper.round(2))
    [0.2 0.4] [0.  0.4] [1.47 0.4 ]
    """
    table = check_numbers("runs", runs)
    if table.ndim != 2 or len(table) < 2 or not np.all(np.isfinite(table)):
        raise ValueError(
            "runs must be a table of finite numbers with a row for each of at least two runs, got "
            f"an array of shape {table.shape}"
        )
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    n, middle = len(table), table.mean(axis=0)
    quantile = float(stats.t.ppf((1 + confidence) / 2, n - 1))
    half = quantile * table.std(axis=0, ddof=1) / sqrt(n)
    return Band(middle, np.maximum(middle - half, least), np.minimum(middle + half, most), n)


def mean_of(runs: Any, least: float, most: float) -> Band:
    """Mean and band of several runs; a single run has no band."""
    return confidence_band(runs, least=least, most=most) if len(runs) > 1 else Band(runs[0])


def values_at(x: Floats, y: Floats, points: Floats) -> Floats:
    """Values of a piecewise linear curve; at a jump, the value on the right."""
    right = np.clip(np.searchsorted(x, points, side="right"), 1, len(x) - 1)
    left = right - 1
    width = x[right] - x[left]
    share = np.divide(points - x[left], width, out=np.ones(points.size), where=width > 0)
    return np.asarray(y[left] + share * (y[right] - y[left]))


def padded(runs: list[Floats]) -> Floats:
    """Runs extended to the length of the longest one by repeating their last value."""
    most = max(len(run) for run in runs)
    return np.array([np.append(run, np.full(most - len(run), run[-1])) for run in runs])


# ---- measures of decisions -----------------------------------------------------------------------


def _share(part: Floats, whole: Floats | float) -> Floats:
    """part / whole, or 0 where the whole is 0, as in scikit-learn's precision."""
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), part.shape)
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


def _mistakes(o: Outcomes) -> Floats:
    return np.maximum(o.positives - o.hits, 0.0) + o.alarms


MEASURES: dict[str, Callable[[Outcomes, float], Floats]] = {
    "precision": lambda o, _: _share(o.hits, o.predicted_positive),
    "recall": lambda o, _: _share(o.hits, o.positives),
    "f1": lambda o, _: _share(2 * o.hits, o.predicted_positive + o.positives),
    "fpr": lambda o, _: _share(o.alarms, o.negatives),
    "error": lambda o, _: _share(_mistakes(o), o.weight),
    "cost": lambda o, _: _share(o.cost, o.weight),
    "normalized_cost": lambda o, highest_cost: _share(o.cost, highest_cost),
}
"""Measures by name, as functions of outcomes and of the cost of predicting every row wrongly."""

TITLES = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "fpr": "false alarm rate",
    "error": "error rate",
    "cost": "mean cost",
    "normalized_cost": "normalised cost Q",
}
"""Names of the measures in a plot."""


def check_measures(measures: Sequence[str] | str) -> list[str]:
    """Names of measures without repetitions; an unknown one raises a ValueError."""
    names = [measures] if isinstance(measures, str) else list(measures)
    unknown = [name for name in names if name not in MEASURES]
    if unknown or not names:
        raise ValueError(
            f"measures must be some of {', '.join(MEASURES)}, got "
            f"{unknown[0] if unknown else names!r}"
        )
    return list(dict.fromkeys(names))


def measure_decisions(
    rows: LabelledRows, decisions: Iterable[Flags], measures: Sequence[str]
) -> dict[str, Floats]:
    """Measures of each set of decisions on the same rows; decisions may come one by one."""
    held = HeldOut(
        rows.positive, rows.weight, rows.cost, np.zeros(rows.positive.size, dtype=np.intp)
    )
    found = [_outcomes(held, positive) for positive in decisions]
    if not found:
        raise ValueError("there are no decisions to measure")
    highest_cost = float(rows.weighted_cost.sum())
    return {
        name: np.concatenate([MEASURES[name](one, highest_cost) for one in found])
        for name in measures
    }


def _outcomes(held: HeldOut, positive: Flags) -> Outcomes:
    if positive.shape != held.positive.shape:
        raise ValueError(
            f"y_true has {held.positive.size} rows, but there are decisions of shape "
            f"{positive.shape}"
        )
    return held.decided(positive[None])


# ---- measures after each round -------------------------------------------------------------------


PER_ROW = ("sample_weight", "fn_cost", "fp_cost")


def staged_measures(
    estimator: Any, X: Any, rows: LabelledRows, label: Any, measures: Sequence[str]
) -> dict[str, Band]:
    """Measures of one classifier after each round."""
    found = measure_decisions(rows, staged_decisions(estimator, X, label), measures)
    return {name: Band(values) for name, values in found.items()}


def training_rows(y_train: Any, label: Any, test: Mapping[str, Any], own: Any) -> LabelledRows:
    """The training rows; a cost that is a single number is that of the test rows by default."""
    own = dict(own or {})
    unknown = set(own) - set(PER_ROW)
    if unknown:
        raise ValueError(f"train_params may have {', '.join(PER_ROW)}, got {sorted(unknown)[0]!r}")
    for name in ("fn_cost", "fp_cost"):
        if np.ndim(test[name]) and name not in own:
            raise ValueError(
                f"{name} has a cost for each row of X; pass those of X_train too, as "
                f"train_params={{{name!r}: ...}}"
            )
    costs = {name: test[name] for name in ("fn_cost", "fp_cost")} | own
    return read_rows(y_train, label, **{name: costs.get(name) for name in PER_ROW})


def mean_staged_measures(
    runs: list[Run], X: Any, rows: LabelledRows, measures: Sequence[str], which: str
) -> dict[str, Band]:
    """Means over runs of the measures on their test rows ("test") or training rows ("train")."""
    found: dict[str, list[Floats]] = {name: [] for name in measures}
    for run in runs:
        seen = getattr(run, which)
        decisions = staged_decisions(run.estimator, take(X, seen), rows.label)
        for name, values in measure_decisions(rows.take(seen), decisions, measures).items():
            found[name].append(values)
    return {name: mean_of(padded(values), 0, highest(name)) for name, values in found.items()}


def highest(measure: str) -> float:
    """The greatest possible value of a measure."""
    return np.inf if measure == "cost" else 1.0
