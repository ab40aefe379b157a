"""Means over runs, with confidence bands."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from costboost.metrics.checks import Floats, check_numbers


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
