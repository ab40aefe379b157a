"""Measures of the cost of predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost.cluster.collections import takes_collections
from costboost.metrics.checks import check_not_negative, documented
from costboost.metrics.cost_table import CostArguments, CostTable


@documented
@takes_collections
def total_cost(
    y_true: Any,
    y_pred: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    tp_cost: Any = None,
    tn_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Total cost of the predictions.

    .. math:: \sum_i w_i\, C_i(\hat y_i)

    where, with two classes, a false negative (miss) costs ``fn_cost``, a false positive (false
    alarm) ``fp_cost``, and a correct prediction nothing, or ``tp_cost`` and ``tn_cost`` if they are
    given.

    Parameters
    ----------
    {costs}

    Returns
    -------
    float

    Examples
    --------
    >>> from costboost.metrics import total_cost
    >>> total_cost([1, 1, 0, 0], [1, 0, 1, 1], fn_cost=10, fp_cost=1)
    12.0
    >>> total_cost([1, 1, 0, 0], [1, 0, 1, 1], fn_cost=[5, 20, 5, 5])
    22.0
    >>> total_cost([1, 1, 0, 0], [1, 0, 1, 1], fn_cost=10, fp_cost=1, tp_cost=-5)
    7.0
    >>> total_cost(["a", "b", "c"], ["a", "c", "a"], cost_matrix=[[0, 1, 1], [2, 0, 2], [5, 5, 0]])
    7.0
    """
    given = CostArguments(fn_cost, fp_cost, cost_matrix, costs, labels, pos_label, tp_cost, tn_cost)
    return given.table(y_true, y_pred, sample_weight).total()


@documented
@takes_collections
def mean_cost(
    y_true: Any,
    y_pred: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    tp_cost: Any = None,
    tn_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Mean cost of the predictions.

    .. math:: \frac{\sum_i w_i\, C_i(\hat y_i)}{\sum_i w_i}

    With equal costs of 1 it is the error rate.

    Parameters
    ----------
    {costs}

    Returns
    -------
    float

    Examples
    --------
    >>> from costboost.metrics import mean_cost
    >>> mean_cost([1, 1, 0, 0], [1, 0, 1, 1], fn_cost=10, fp_cost=1)
    3.0
    """
    given = CostArguments(fn_cost, fp_cost, cost_matrix, costs, labels, pos_label, tp_cost, tn_cost)
    table = given.table(y_true, y_pred, sample_weight)
    return table.total() / float(table.weight.sum())


@documented
@takes_collections
def savings(
    y_true: Any,
    y_pred: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    tp_cost: Any = None,
    tn_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Share of the cost that the predictions save, compared with the best constant prediction.

    .. math:: 1 - \frac{\sum_i w_i\, C_i(\hat y_i)}{\min_j \sum_i w_i\, C_i(j)}

    The best constant prediction is the class that costs least if it is predicted for every row. 1
    is perfect, 0 no better than the constant prediction, and below 0 worse. If ``tp_cost`` or
    ``tn_cost`` is given, all costs are counted from that of the cheapest prediction for every row,
    so that this holds with gains too.

    Parameters
    ----------
    {costs}

    Returns
    -------
    float
        0 if neither the predictions nor the best constant prediction cost anything.

    References
    ----------
    A. C. Bahnsen, D. Aouada, B. Ottersten, "Example-dependent cost-sensitive logistic regression
    for credit scoring", ICMLA 2014.

    Examples
    --------
    >>> from costboost.metrics import savings
    >>> savings([1, 0, 0, 0, 0], [1, 1, 0, 0, 0], fn_cost=10, fp_cost=1)
    0.75
    """
    given = CostArguments(fn_cost, fp_cost, cost_matrix, costs, labels, pos_label, tp_cost, tn_cost)
    table = given.table(y_true, y_pred, sample_weight)
    cost, trivial = table.total(), float(table.of_constant_predictions().min())
    if given.of_right_predictions:
        least = table.least()
        cost, trivial = cost - least, trivial - least
    if trivial > 0:
        return 1 - cost / trivial
    if cost > 0:
        raise ValueError(
            f"savings is not defined: the predictions cost {cost:g}, but predicting one class for "
            "every row costs nothing, since no row of another class has a cost; take mean_cost"
        )
    return 0.0


@documented
@takes_collections
def masnadi_cost(
    y_true: Any, y_pred: Any, f: float, *, pos_label: Any = None, sample_weight: Any = None
) -> float:
    r"""Number of false alarms plus f times the number of misses.

    .. math:: \epsilon = p_{false} + f\, m_{miss}

    It is :func:`total_cost` with ``fn_cost=f``.

    Parameters
    ----------
    y_true, y_pred : array of shape (n_samples,)
        True and predicted labels of two classes.
    f : float
        Cost of a miss if a false alarm costs 1.
    {pos_label}
    {sample_weight}

    Returns
    -------
    float

    References
    ----------
    H. Masnadi-Shirazi, N. Vasconcelos, "Cost-sensitive boosting", eq. 59.

    Examples
    --------
    >>> from costboost.metrics import masnadi_cost
    >>> masnadi_cost([1, 1, 0, 0], [1, 0, 1, 1], 5)
    7.0
    """
    factor = float(check_not_negative("f", f))
    given = CostArguments(fn_cost=factor, fp_cost=1.0, pos_label=pos_label)
    return given.table(y_true, y_pred, sample_weight).total()


@documented
@takes_collections
def normalized_cost(
    y_true: Any,
    y_pred: Any,
    *,
    skew: float | None = None,
    fn_cost: Any = None,
    fp_cost: Any = None,
    tp_cost: Any = None,
    tn_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Cost as a share of the greatest possible, Q in [0, 1].

    .. math::

        Q = \mathrm{FNR} (1 - z) + \mathrm{FPR}\, z, \qquad
        z = \frac{\pi_- C_-}{\pi_- C_- + \pi_+ C_+}

    with the shares :math:`\pi` of the classes in ``y_true``. With equal costs it is the error rate.

    With a cost for each row, the rates weigh rows by their costs; then, as above, Q is the cost
    divided by that of being wrong everywhere. With more classes, 0 stands for the cheapest
    prediction on every row and 1 for the most expensive one.

    Parameters
    ----------
    skew : float in [0, 1], optional
        The skew z, instead of that of the data. At 1/2 both classes count the same: Q is the error
        rate at balanced priors. Two classes only.
    {costs}

    Returns
    -------
    float
        0 if no prediction can cost anything.

    References
    ----------
    N. Nikolaou et al., "Cost-sensitive boosting algorithms: Do we really need them?", Machine
    Learning 104, 2016, eq. 26-27. C. Drummond, R. C. Holte, "Explicitly representing expected
    cost", KDD 2000.

    Examples
    --------
    >>> from costboost.metrics import normalized_cost
    >>> normalized_cost([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], skew=0.2)
    0.45
    >>> normalized_cost([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], fn_cost=8, fp_cost=1)
    0.45
    """
    if skew is not None and fn_cost is None and cost_matrix is None and costs is None:
        fn_cost = 1.0  # the skew contains the ratio of the costs
    given = CostArguments(fn_cost, fp_cost, cost_matrix, costs, labels, pos_label, tp_cost, tn_cost)
    if skew is not None:
        given = given.net()
        return _at_skew(given.table(y_true, y_pred, sample_weight), given, skew)
    table = given.table(y_true, y_pred, sample_weight)
    least, greatest = table.least(), table.greatest()
    if greatest <= least:
        return 0.0
    return min(1.0, max(0.0, (table.total() - least) / (greatest - least)))


def _at_skew(table: CostTable, given: CostArguments, skew: float) -> float:
    if not given.two_classes:
        raise ValueError("skew is for two classes; leave out cost_matrix and costs, or skew")
    if not 0 <= skew <= 1:
        raise ValueError(f"skew must be from 0 to 1, got {skew!r}")
    all_negative, all_positive = table.of_constant_predictions()
    missed, alarmed = (
        float(table.weight @ np.where(table.predicted == code, table.of_predictions(), 0.0))
        for code in (0, 1)
    )
    parts = (
        ("positive", missed, all_negative, 1 - skew),
        ("negative", alarmed, all_positive, skew),
    )
    q = 0.0
    for name, cost, greatest, share in parts:
        if share > 0 and greatest == 0:
            raise ValueError(
                f"no {name} row has weight and cost, but at skew={skew:g} they make up "
                f"{share:g} of Q"
            )
        q += share * cost / greatest if share > 0 else 0.0
    return float(q)
