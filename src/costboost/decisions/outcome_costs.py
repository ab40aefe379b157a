"""Costs of the four outcomes of a decision about two classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from costboost.classifiers.cost_cells import clip_cost, top_share
from costboost.decisions.usual_costs import UsualCosts, check_cell
from costboost.metrics import mean_cost, total_cost
from costboost.metrics.checks import Floats

NAMES = ("tp_cost", "fp_cost", "fn_cost", "tn_cost")
"""Keys of the mapping, in their order."""


class OutcomeCosts(UsualCosts, Mapping[str, Any]):
    r"""Costs of true and false positives and negatives, for all rows or one for each row.

    A mapping with the names that classifiers and measures take, so that it can be passed on as
    ``clf.fit(X, y, **costs)``, ``clf.predict(X, **costs)`` and ``mean_cost(y, y_pred, **costs)``. A
    gain is a negative cost. A row is predicted positive where that has the lower expected cost,

    .. math:: p\,(C_{FN} - C_{TP}) > (1 - p)\,(C_{FP} - C_{TN}),

    with p the probability of the positive class.

    The class methods make the costs of usual cases: `fraud`, `credit`, `churn`, `maintenance`,
    `direct_mail` and `triage`.

    Parameters
    ----------
    fn_cost, fp_cost : number or array of shape (n_rows,), default=1.0
        Cost of a false negative (a positive row predicted negative) and of a false positive.
    tp_cost, tn_cost : number or array of shape (n_rows,), default=0.0
        Cost of a true positive and of a true negative.

        NaN in an array is a cost that was not observed. Classifiers refuse it;
        `EstimatedCostClassifier` estimates it.

    Attributes
    ----------
    fn_cost, fp_cost, tp_cost, tn_cost : float or array of shape (n_rows,)
        The costs.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI 2001, 973-978.

    Examples
    --------
    >>> from costboost import OutcomeCosts
    >>> costs = OutcomeCosts.fraud(amount=[20.0, 500.0, 3.0], review_cost=4.0)
    >>> costs.total([0, 1, 1], [0, 1, 0])  # a review of the second, the amount of the third
    7.0
    >>> costs.net.fn_cost
    array([ 16., 496.,  -1.])
    >>> costs.rows([1]).to_frame()
       tp_cost  fp_cost  fn_cost  tn_cost
    0      4.0      4.0    500.0      0.0
    """

    fn_cost: Any
    fp_cost: Any
    tp_cost: Any
    tn_cost: Any

    def __init__(
        self,
        *,
        fn_cost: Any = 1.0,
        fp_cost: Any = 1.0,
        tp_cost: Any = 0.0,
        tn_cost: Any = 0.0,
    ) -> None:
        given = {"tp_cost": tp_cost, "fp_cost": fp_cost, "fn_cost": fn_cost, "tn_cost": tn_cost}
        sizes = {name: np.size(cost) for name, cost in given.items() if np.ndim(cost)}
        self._n_rows = next(iter(sizes.values()), None)
        for name, size in sizes.items():
            if size != self._n_rows:
                first = next(iter(sizes))
                raise ValueError(
                    f"costs must have as many rows, but {first} has {self._n_rows} and {name} "
                    f"{size}"
                )
        for name, cost in given.items():
            setattr(self, name, check_cell(name, cost))

    # ---- a mapping -------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        if name not in NAMES:
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OutcomeCosts):
            return NotImplemented
        return all(np.array_equal(self[name], other[name], equal_nan=True) for name in NAMES)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        parts = [f"{name}={_shown(cost)}" for name, cost in self.items()]
        return f"{type(self).__name__}({', '.join(parts)})"

    # ---- rows ------------------------------------------------------------------------------------

    @property
    def n_rows(self) -> int | None:
        """Number of rows; None if all costs are numbers."""
        return self._n_rows

    def rows(self, index: Any) -> Self:
        """Costs of some rows.

        Parameters
        ----------
        index : slice, mask or array of row numbers
            What an array of the rows would be indexed by. Numbers stay as they are.
        """
        index = index if isinstance(index, slice) else np.atleast_1d(np.asarray(index))
        if isinstance(index, np.ndarray) and index.size == 0:
            index = index.astype(np.intp)
        return type(self)(**{k: c[index] if np.ndim(c) else c for k, c in self.items()})

    def to_frame(self) -> Any:
        """The costs as a pandas data frame: a row for each row, or one if costs are numbers."""
        import pandas as pd

        n_rows = 1 if self._n_rows is None else self._n_rows
        return pd.DataFrame({name: np.broadcast_to(cost, n_rows) for name, cost in self.items()})

    def table(self) -> Floats:
        """Mean costs as an array of shape (2, 2): truth by prediction, negative first."""
        tp, fp, fn, tn = (float(np.mean(cost)) for cost in self.values())
        return np.array([[tn, fp], [fn, tp]])

    # ---- what follows from them ------------------------------------------------------------------

    @property
    def net(self) -> OutcomeCosts:
        """Costs of mistakes beyond those of right predictions, which cost 0.

        Decisions are the same under them; the money is not.
        """
        fn, fp = self.fn_cost - self.tp_cost, self.fp_cost - self.tn_cost
        return OutcomeCosts(fn_cost=fn, fp_cost=fp)

    @property
    def dominated(self) -> Any:
        """Whether one prediction costs no more than the other whichever class is true."""
        net = self.net
        return np.less_equal(net.fn_cost, 0) | np.less_equal(net.fp_cost, 0)

    def swapped(self) -> Self:
        """The costs if the other class is the positive one."""
        right = {"tp_cost": self.tn_cost, "tn_cost": self.tp_cost}
        return type(self)(fn_cost=self.fp_cost, fp_cost=self.fn_cost, **right)

    def total(
        self, y: Any, predicted: Any, *, pos_label: Any = None, sample_weight: Any = None
    ) -> float:
        """Total cost of predictions; minus it is the profit.

        Parameters
        ----------
        y, predicted : array of shape (n_rows,)
            True and predicted labels of two classes.
        pos_label : label, optional
            The positive class. Default: the greater one.
        sample_weight : array of shape (n_rows,), optional
            How often each row counts.
        """
        return total_cost(y, predicted, pos_label=pos_label, sample_weight=sample_weight, **self)

    def mean(
        self, y: Any, predicted: Any, *, pos_label: Any = None, sample_weight: Any = None
    ) -> float:
        """Mean cost of predictions, with the parameters of `total`."""
        return mean_cost(y, predicted, pos_label=pos_label, sample_weight=sample_weight, **self)

    def clip(self, quantile: float) -> Self:
        """The costs with outlying net costs lowered to a quantile of the rows.

        Each net cost that differs from row to row is lowered to its quantile over all rows, by
        lowering ``fn_cost`` or ``fp_cost``. `top_share` shows whether it is needed, and comparing
        with the result how many rows it changes.

        Parameters
        ----------
        quantile : float
            Above 0 and at most 1, such as 0.99.
        """
        fn = self.tp_cost + clip_cost(self.fn_cost - self.tp_cost, quantile)
        fp = self.tn_cost + clip_cost(self.fp_cost - self.tn_cost, quantile)
        return type(self)(fn_cost=fn, fp_cost=fp, tp_cost=self.tp_cost, tn_cost=self.tn_cost)

    @property
    def top_share(self) -> float:
        """Share of the total cost that the costliest 1% of the rows have.

        The cost of a row is the greater one of its two net costs, 0 if both are below. NaN if costs
        are numbers.
        """
        if self._n_rows is None:
            return float("nan")
        net = self.net
        return top_share(np.maximum(np.maximum(net.fn_cost, net.fp_cost), 0.0))


def _shown(cost: Any) -> str:
    """A number, or the range of an array."""
    if not np.ndim(cost):
        return f"{cost:g}"
    values: NDArray[np.float64] = np.asarray(cost)
    known = values[~np.isnan(values)]
    if not known.size:
        return f"<{values.size} rows>"
    return f"<{values.size} rows, {known.min():g} to {known.max():g}>"
