"""Costs of mistakes in a data set: given with it, or by a formula of the literature.

Costs may be numbers, the same for all rows, or arrays with an entry for each row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.datasets.records import Label, TidyTable

Cost = float | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DataSetCosts:
    """Costs of the four outcomes, as numbers or with one entry for each row.

    Attributes
    ----------
    fn, fp, tp, tn : float or array
        Cost of a false negative, false positive, true positive and true negative.
    unit : str
        The currency, or "relative" if only ratios are meaningful.
    note : str
        Source of the costs, and caveats.

    Examples
    --------
    >>> from costboost.datasets import DataSetCosts
    >>> call = DataSetCosts(fn=20.0, fp=1.0, tp=1.0, unit="EUR")
    >>> call.fn_cost, call.fp_cost
    (19.0, 1.0)
    """

    fn: Cost
    fp: Cost
    tp: Cost = 0.0
    tn: Cost = 0.0
    unit: str = ""
    note: str = ""

    @property
    def fn_cost(self) -> Cost:
        """Cost of a false negative minus that of a true positive, as classifiers take it."""
        return self.fn - self.tp

    @property
    def fp_cost(self) -> Cost:
        """Cost of a false positive minus that of a true negative, as classifiers take it."""
        return self.fp - self.tn

    @property
    def cells(self) -> dict[str, Cost]:
        """All four costs by the names that `fit`, `predict` and measures take.

        ``costboost.OutcomeCosts(**data.costs.cells)`` has methods for them.
        """
        return {"tp_cost": self.tp, "fp_cost": self.fp, "fn_cost": self.fn, "tn_cost": self.tn}

    def swapped(self) -> DataSetCosts:
        """The costs if the other class is the positive one."""
        return replace(self, fn=self.fp, fp=self.fn, tp=self.tn, tn=self.tp)


@dataclass(frozen=True, eq=False)
class MatrixCosts:
    """Costs of predicting one class for a row of another: ``values[true, predicted]``.

    The classes need not be sorted. A data frame with the classes as index and columns can be given
    to a classifier, which reorders it.

    Attributes
    ----------
    labels : tuple
        The classes, in the order of rows and columns.
    values : array of shape (n_classes, n_classes)
        The costs.
    column : str
        The column of ``extra`` that holds these classes.
    unit, note : str
        As in DataSetCosts.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from costboost.datasets import MatrixCosts
    >>> costs = MatrixCosts(("normal", "attack"), np.array([[0, 2], [4, 0]]), column="category")
    >>> cost_matrix = pd.DataFrame(costs.values, costs.labels, costs.labels)
    >>> int(cost_matrix.loc["attack", "normal"])  # an attack predicted as normal
    4
    """

    labels: tuple[Label, ...]
    values: NDArray[np.float64]
    column: str
    unit: str = ""
    note: str = ""


# ---- formulas ------------------------------------------------------------------------------------


def lending_costs(
    amount: Any,
    *,
    default_rate: float,
    months: Any = 24,
    interest: float = 0.0479,
    funding: float = 0.0294,
    loss_given_default: float = 0.75,
    unit: str = "",
    note: str = "",
) -> DataSetCosts:
    r"""Costs of lending, row by row; positive is a borrower who defaults.

    A default costs the share L of the amount :math:`A_i`. A good borrower who is rejected costs the
    profit :math:`r_i`, while the money goes to an average borrower instead, who may default:

    .. math::

        C_{FN,i} = L A_i, \qquad
        C_{FP,i} = \max(0,\; r_i - (1 - \pi) \bar r + \pi L \bar A),

    with :math:`\pi` the share of defaults. The profit is the present value, at the lender's own
    cost of money, of equal monthly payments at the interest rate, less the amount.

    Parameters
    ----------
    amount : array of shape (n_rows,)
        Amounts of the loans.
    default_rate : float
        The share of borrowers who default.
    months : int or array of shape (n_rows,), default=24
        The term.
    interest, funding : float
        Annual interest rates of the borrower and of the lender.
    loss_given_default : float, default=0.75
        The share of the amount that a default loses.
    unit, note : str
        Fields of the result.

    Returns
    -------
    DataSetCosts

    References
    ----------
    Correa Bahnsen, Aouada and Ottersten (2014). Example-dependent cost-sensitive logistic
    regression for credit scoring. ICMLA. Term, rates and loss are by default those of its first
    data set.

    Examples
    --------
    >>> from costboost.datasets import lending_costs
    >>> costs = lending_costs([1000.0, 4000.0], default_rate=0.1)
    >>> costs.fn.round(2), costs.fp.round(2)
    (array([ 750., 3000.]), array([163.56, 221.02]))
    """
    lent = np.asarray(amount, dtype=float)
    term = np.asarray(months, dtype=float)
    payment = lent * (interest / 12) / -np.expm1(-term * np.log1p(interest / 12))
    worth = payment * -np.expm1(-term * np.log1p(funding / 12)) / (funding / 12)
    profit = worth - lent
    instead = default_rate * loss_given_default * lent.mean() - (1 - default_rate) * profit.mean()
    return DataSetCosts(
        fn=loss_given_default * lent, fp=np.maximum(0, profit + instead), unit=unit, note=note
    )


# ---- costs of a record ---------------------------------------------------------------------------


def costs_of(
    options: dict[str, Any], table: TidyTable, positive: Any
) -> DataSetCosts | MatrixCosts:
    """The costs that a record describes, for the rows of its table."""
    rest = dict(options)
    return KINDS[rest.pop("kind")](table, positive, **rest)


def _by_class(table: TidyTable, positive: Any, **costs: Any) -> DataSetCosts:
    return DataSetCosts(**costs)


def _by_column(
    table: TidyTable, positive: Any, fn: str, fp: str, tp: str, tn: str, **about: str
) -> DataSetCosts:
    fn_, fp_, tp_, tn_ = (table.extra[name].to_numpy(float) for name in (fn, fp, tp, tn))
    return DataSetCosts(fn_, fp_, tp_, tn_, **about)


def _of_lending(table: TidyTable, positive: Any, amount: str, **options: Any) -> DataSetCosts:
    share = float(np.mean(table.y == positive))
    return lending_costs(table.X[amount], default_rate=share, **options)


def _of_deposits(
    table: TidyTable,
    positive: Any,
    balance: str,
    contact: float,
    share: float,
    rate: float,
    **about: Any,
) -> DataSetCosts:
    """A call costs ``contact``, a client not called the earnings on a part of the balance."""
    earned = share * rate * table.X[balance].to_numpy(float)
    return DataSetCosts(fn=np.maximum(contact, earned), fp=contact, tp=contact, **about)


def _of_mailing(
    table: TidyTable, positive: Any, gift: str, postage: float, **about: Any
) -> DataSetCosts:
    """A letter costs ``postage``, a donor without a letter the gift.

    For other rows, whose costs do not depend on it, the gift is unknown. Their entry is the mean
    gift, because classifiers need a number for every row.
    """
    gifts = table.extra[gift].to_numpy(float)
    donors = table.y == positive
    fn = np.where(donors, gifts, gifts[donors].mean())
    return DataSetCosts(fn=fn, fp=postage, tp=postage, **about)


def _of_matrix(
    table: TidyTable, positive: Any, labels: Any, values: Any, column: str, **about: str
) -> MatrixCosts:
    return MatrixCosts(tuple(labels), np.array(values, dtype=float), column, **about)


KINDS: dict[str, Callable[..., DataSetCosts | MatrixCosts]] = {
    "classes": _by_class,
    "columns": _by_column,
    "lending": _of_lending,
    "deposit": _of_deposits,
    "mailing": _of_mailing,
    "matrix": _of_matrix,
}
