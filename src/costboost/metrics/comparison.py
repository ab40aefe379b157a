"""Comparison of methods over data sets: ranks, tests of their differences, Pareto front."""

from __future__ import annotations

from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from costboost.metrics.checks import Floats, check_numbers


def average_ranks(values: Any, *, greater_is_better: bool = False) -> Floats:
    """Mean rank of each method over data sets; rank 1 is the best, ties share their mean rank.

    Parameters
    ----------
    values : array of shape (n_datasets, n_methods)
        A measure of each method on each data set.
    greater_is_better : bool, default False
        Costs and errors are better when smaller, savings and areas under ROC curves when greater.

    Returns
    -------
    array of shape (n_methods,)

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

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
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

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


def critical_difference(n_methods: int, n_datasets: int, *, alpha: float = 0.05) -> float:
    r"""Nemenyi's critical difference of mean ranks.

    .. math:: \mathrm{CD} = q_\alpha \sqrt{\frac{k(k+1)}{6N}}

    with the quantile of the studentised range, divided by the root of 2.

    Parameters
    ----------
    n_methods, n_datasets : int
        k and N.
    alpha : float, default 0.05
        Probability that some pair of equal methods is found to differ.

    Returns
    -------
    float

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

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


def nemenyi(values: Any, *, alpha: float = 0.05, greater_is_better: bool = False) -> Nemenyi:
    """Nemenyi's test for the differences between all pairs of methods.

    Two methods differ at level alpha if their mean ranks are further apart than the
    :func:`critical_difference`.

    Parameters
    ----------
    values : array of shape (n_datasets, n_methods)
        A measure of each method on each data set.
    alpha : float, default 0.05
        Probability that some pair of equal methods is found to differ.
    greater_is_better : bool, default False
        Costs and errors are better when smaller, savings and areas under ROC curves when greater.

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
