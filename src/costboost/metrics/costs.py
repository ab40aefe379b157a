"""What decisions cost."""

from __future__ import annotations

from typing import Any

from costboost.metrics.checks import check_not_negative
from costboost.metrics.documentation import documented
from costboost.metrics.stakes import Costs


@documented
def total_cost(
    y_true: Any,
    y_pred: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""What all decisions together cost.

    .. math:: \sum_i w_i\, C_i(\hat y_i)

    where, with two classes, a miss costs ``fn_cost``, a false alarm ``fp_cost`` and being right
    nothing.

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
    >>> total_cost(["a", "b", "c"], ["a", "c", "a"], cost_matrix=[[0, 1, 1], [2, 0, 2], [5, 5, 0]])
    7.0
    """
    given = Costs(fn_cost, fp_cost, cost_matrix, costs, labels, pos_label)
    return given.stakes(y_true, y_pred, sample_weight).total()


@documented
def mean_cost(
    y_true: Any,
    y_pred: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""What a decision costs on average.

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
    given = Costs(fn_cost, fp_cost, cost_matrix, costs, labels, pos_label)
    stakes = given.stakes(y_true, y_pred, sample_weight)
    return stakes.total() / float(stakes.weight.sum())


@documented
def savings(
    y_true: Any,
    y_pred: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Share of the cost that the decisions save, compared with the best trivial classifier.

    .. math:: 1 - \frac{\sum_i w_i\, C_i(\hat y_i)}{\min_j \sum_i w_i\, C_i(j)}

    A trivial classifier predicts the same class for every row. 1 is perfect, 0 no better than
    knowing nothing, and below 0 it would be cheaper to know nothing.

    Parameters
    ----------
    {costs}

    Returns
    -------
    float
        0 where neither the decisions nor the trivial classifier cost anything.

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
    given = Costs(fn_cost, fp_cost, cost_matrix, costs, labels, pos_label)
    stakes = given.stakes(y_true, y_pred, sample_weight)
    cost, trivial = stakes.total(), float(stakes.always().min())
    if trivial > 0:
        return 1 - cost / trivial
    if cost > 0:
        raise ValueError(
            f"savings is not defined: the decisions cost {cost:g}, but predicting one class for "
            "every row costs nothing, since no row of another class has a cost; take mean_cost"
        )
    return 0.0


@documented
def masnadi_cost(
    y_true: Any, y_pred: Any, f: float, *, pos_label: Any = None, sample_weight: Any = None
) -> float:
    r"""False alarms plus f times the misses.

    .. math:: \epsilon = p_{false} + f\, m_{miss}

    It is :func:`total_cost` with ``fn_cost=f``.

    Parameters
    ----------
    y_true, y_pred : array of shape (n_samples,)
        True and predicted labels of two classes.
    f : float
        How many false alarms a miss is worth.
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
    given = Costs(fn_cost=factor, fp_cost=1.0, pos_label=pos_label)
    return given.stakes(y_true, y_pred, sample_weight).total()
