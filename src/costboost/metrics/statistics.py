"""How certain measures are: intervals over rows, and tests of methods over data sets."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, sqrt
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.utils import check_random_state

from costboost._core.backends.dask.collections import takes_collections
from costboost.metrics.checks import Floats, check_labels, check_numbers, distinct, documented

# ---- intervals -----------------------------------------------------------------------------------

TRIES = 1000
"""Times that a resample with rows of one class only is drawn again."""


class Interval(NamedTuple):
    """A measure with the limits of an interval; arrays if the measure returns one."""

    value: Any
    low: Any
    high: Any


@takes_collections
def bootstrap_interval(
    measure: Callable[..., Any],
    y_true: Any,
    y_score: Any,
    *,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: Any = None,
    **options: Any,
) -> Interval:
    """Percentile bootstrap interval of a measure over the rows.

    Rows are drawn with replacement, each with its label, score, weight and costs; the interval has
    the quantiles of the measure over such resamples. It describes the chance of the rows that the
    model was evaluated on, not that of its training.

    Parameters
    ----------
    measure : callable
        A function of this module, or any ``measure(y_true, y_score, **options)`` that returns a
        number or an array of a fixed length.
    y_true, y_score : array of shape (n_samples,)
        Labels, and the scores, probabilities or predictions that the measure takes.
    confidence : float, default 0.95
        Confidence of the interval, between 0 and 1.
    n_resamples : int, default 1000
        Number of resamples.
    random_state : int, RandomState or None, default None
        Seed of the resamples.
    **options
        Passed on to the measure. Arrays with an entry for each row, such as ``sample_weight`` or
        ``fn_cost``, are resampled with the rows.

    Returns
    -------
    Interval
        With ``value``, ``low`` and ``high``.

    Notes
    -----
    Resamples without rows of one of the classes are drawn again. Measures that are chosen on the
    rows, such as those of the ROC convex hull, are a little too good on each resample, so that
    their intervals lie a little too high.

    References
    ----------
    B. Efron, R. J. Tibshirani, "An introduction to the bootstrap", Chapman & Hall 1993.

    Examples
    --------
    >>> import numpy as np
    >>> from costboost.metrics import bootstrap_interval, gini_score
    >>> y, score = np.arange(200) % 2, np.arange(200) % 7
    >>> found = bootstrap_interval(gini_score, y, score + 2 * y, random_state=0)
    >>> print(f"{found.value:.2f}, {found.low:.2f} to {found.high:.2f}")
    0.49, 0.35 to 0.62
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, Integral) or n_resamples < 2:
        raise ValueError(f"n_resamples must be a whole number of at least 2, got {n_resamples!r}")
    labels = check_labels("y_true", y_true)
    n, classes = labels.size, distinct(labels)
    codes = np.sum([k * (labels == label) for k, label in enumerate(classes)], axis=0)
    columns = {"y_true": labels, "y_score": np.asarray(y_score)}
    columns |= {name: np.asarray(v) for name, v in options.items() if np.shape(v)[:1] == (n,)}
    fixed = {name: value for name, value in options.items() if name not in columns}
    value = _found(measure, columns, fixed)
    rng = check_random_state(random_state)
    drawn = []
    for _ in range(int(n_resamples)):
        rows = _resample(rng, codes, columns.get("sample_weight"))
        part = {name: values[rows] for name, values in columns.items()}
        drawn.append(_found(measure, part, fixed))
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    if np.ndim(value):
        return Interval(value, low, high)
    return Interval(float(value), float(low), float(high))


def _resample(rng: Any, codes: NDArray[Any], weight: Any) -> NDArray[np.intp]:
    """Indices of rows drawn with replacement, such that every class has rows that count."""
    for _ in range(TRIES):
        rows = rng.randint(codes.size, size=codes.size)
        counted = rows if weight is None else rows[weight[rows] > 0]
        if np.all(np.bincount(codes[counted], minlength=codes.max() + 1)):
            return np.asarray(rows, dtype=np.intp)
    raise ValueError(
        "resamples of the rows have rows of one class only; an interval needs more rows of the "
        "other one"
    )


def _found(measure: Callable[..., Any], columns: dict[str, Any], fixed: dict[str, Any]) -> Floats:
    named = {k: v for k, v in columns.items() if k not in ("y_true", "y_score")}
    return np.asarray(
        measure(columns["y_true"], columns["y_score"], **named, **fixed), dtype=np.float64
    )


def wilson_interval(share: Floats, n: Floats | float, z: float) -> tuple[Floats, Floats]:
    """Wilson's score interval of shares of n rows, at z standard errors; NaN if n is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = z**2 / np.asarray(n, dtype=float)
        middle = (share + ratio / 2) / (1 + ratio)
        half = np.sqrt(np.maximum(share * (1 - share), 0) * ratio + ratio**2 / 4) / (1 + ratio)
        return middle - half, middle + half


# ---- methods over data sets ----------------------------------------------------------------------


@documented
def average_ranks(values: Any, *, greater_is_better: bool = False) -> Floats:
    """Mean rank of each method over data sets; rank 1 is the best, ties share their mean rank.

    Parameters
    ----------
    {method_values}
    {greater_is_better}

    Returns
    -------
    array of shape (n_methods,)

    References
    ----------
    {demsar_2006}

    Examples
    --------
    >>> from costboost.metrics import average_ranks
    >>> average_ranks([[0.1, 0.2, 0.3], [0.5, 0.4, 0.4]])
    array([2.  , 1.75, 2.25])
    """
    table = _table(values, 1)
    ranks: Floats = stats.rankdata(-table if greater_is_better else table, axis=1).mean(axis=0)
    return ranks


class Friedman(NamedTuple):
    """Result of Friedman's test."""

    statistic: float
    """Friedman's chi-square."""
    pvalue: float
    f_statistic: float
    """Iman and Davenport's F; infinite where all data sets agree on all ranks."""
    f_pvalue: float


@documented
def friedman_test(values: Any) -> Friedman:
    r"""Friedman's test of the hypothesis that all methods have the same mean rank.

    .. math::

        \chi^2_F = \frac{12 N}{k(k+1)} \left[\sum_j R_j^2 - \frac{k(k+1)^2}{4}\right], \qquad
        F_F = \frac{(N-1) \chi^2_F}{N(k-1) - \chi^2_F}

    for k methods with mean ranks R over N data sets, corrected for ties. Demsar recommends the
    second, Iman and Davenport's, which is less conservative.

    Parameters
    ----------
    values : array of shape (n_datasets, n_methods)
        A measure of each method on each data set; at least two data sets and three methods.

    Returns
    -------
    Friedman
        With ``statistic``, ``pvalue``, ``f_statistic``, ``f_pvalue``.

    References
    ----------
    {demsar_2006}

    Examples
    --------
    >>> from costboost.metrics import friedman_test
    >>> friedman_test([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]]).pvalue
    0.105...
    """
    table = _table(values, 2)
    n, k = table.shape
    if k < 3:
        raise ValueError(
            f"Friedman's test is for three methods or more, got {k}; for two, use "
            "scipy.stats.wilcoxon"
        )
    if np.all(table == table[:, :1]):  # scipy would divide 0 by 0
        return Friedman(0.0, 1.0, 0.0, 1.0)
    found = stats.friedmanchisquare(*table.T)
    rest = n * (k - 1) - found.statistic
    f = (n - 1) * found.statistic / rest if rest > 1e-9 else inf
    f_pvalue = float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    return Friedman(float(found.statistic), float(found.pvalue), float(f), f_pvalue)


@documented
def critical_difference(n_methods: int, n_datasets: int, *, alpha: float = 0.05) -> float:
    r"""Nemenyi's critical difference of mean ranks.

    .. math:: \mathrm{CD} = q_\alpha \sqrt{\frac{k(k+1)}{6N}}

    with the quantile of the studentised range, divided by the root of 2.

    Parameters
    ----------
    n_methods, n_datasets : int
        k and N.
    {alpha}

    Returns
    -------
    float

    References
    ----------
    {demsar_2006}

    Examples
    --------
    >>> from costboost.metrics import critical_difference
    >>> round(critical_difference(5, 30), 3)
    1.114
    """
    if n_methods < 2 or n_datasets < 1:
        raise ValueError(
            f"there must be two methods and one data set at least, got n_methods={n_methods} and "
            f"n_datasets={n_datasets}"
        )
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha!r}")
    quantile = float(stats.studentized_range.ppf(1 - alpha, n_methods, inf)) / sqrt(2)
    return quantile * sqrt(n_methods * (n_methods + 1) / (6 * n_datasets))


class Nemenyi(NamedTuple):
    """Result of Nemenyi's test."""

    average_ranks: Floats
    critical_difference: float
    pvalues: Floats
    """Matrix with a p-value for each pair of methods."""
    groups: list[tuple[int, ...]]
    """Maximal sets of methods that do not differ, ordered by rank: the bars of a critical
    difference diagram."""


@documented
def nemenyi(values: Any, *, alpha: float = 0.05, greater_is_better: bool = False) -> Nemenyi:
    """Nemenyi's test for the differences between all pairs of methods.

    Two methods differ at level alpha if their mean ranks are further apart than the
    :func:`critical_difference`.

    Parameters
    ----------
    {method_values}
    {alpha}
    {greater_is_better}

    Returns
    -------
    Nemenyi
        With ``average_ranks``, ``critical_difference``, ``pvalues`` and ``groups``.

    References
    ----------
    P. Nemenyi, "Distribution-free multiple comparisons", thesis, Princeton 1963. J. Demsar,
    "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

    Examples
    --------
    >>> from costboost.metrics import nemenyi
    >>> result = nemenyi([[0.1, 0.2, 0.9]] * 10)
    >>> result.average_ranks, round(result.critical_difference, 3), result.groups
    (array([1., 2., 3.]), 1.048, [(0, 1), (1, 2)])
    """
    ranks = average_ranks(values, greater_is_better=greater_is_better)
    k, n = len(ranks), len(_table(values, 1))
    apart = np.abs(ranks[:, None] - ranks) / sqrt(k * (k + 1) / (12 * n))
    pairs = np.triu_indices(k, 1)
    pvalues = np.eye(k)
    pvalues[pairs] = stats.studentized_range.sf(apart[pairs], k, inf)
    pvalues = np.clip(np.maximum(pvalues, pvalues.T), 0.0, 1.0)
    least = critical_difference(k, n, alpha=alpha)
    return Nemenyi(ranks, least, pvalues, _groups(ranks, least))


def pareto_front(values: Any) -> NDArray[np.bool_]:
    """Methods that are not dominated: none is at least as good in all measures and better in one.

    Parameters
    ----------
    values : array of shape (n_methods, n_measures)
        Measures that are better when smaller, such as mean rank and size of the ensemble.

    Returns
    -------
    boolean array of shape (n_methods,)

    References
    ----------
    N. Nikolaou et al., "Cost-sensitive boosting algorithms: Do we really need them?", Machine
    Learning 104, 2016, figure 5.

    Examples
    --------
    >>> from costboost.metrics import pareto_front
    >>> pareto_front([[1.5, 100], [2.0, 40], [2.5, 60]])
    array([ True,  True, False])
    """
    points = _table(values, 1)
    dominated = [
        bool(np.any(np.all(points <= one, axis=1) & np.any(points < one, axis=1))) for one in points
    ]
    return ~np.array(dominated)


def _groups(ranks: Floats, least: float) -> list[tuple[int, ...]]:
    order = np.argsort(ranks, kind="stable")
    ends = np.searchsorted(ranks[order], ranks[order] + least, side="right")
    starts = [k for k in range(len(order)) if k == 0 or ends[k] > ends[k - 1]]
    runs = [order[k : ends[k]] for k in starts]
    return [tuple(int(method) for method in run) for run in runs if len(run) > 1]


def _table(values: Any, least_rows: int) -> Floats:
    table = check_numbers("values", values)
    if table.ndim != 2 or table.shape[0] < least_rows or table.shape[1] < 1:
        raise ValueError(
            f"values must be a table of at least {least_rows} row(s) and one column, got an array "
            f"of shape {table.shape}"
        )
    if not np.all(np.isfinite(table)):
        row, column = (int(place[0]) for place in np.nonzero(~np.isfinite(table)))
        raise ValueError(
            f"values must be finite, got {table[row, column]} in row {row}, column {column}; leave "
            "out rows where something is missing"
        )
    return table
