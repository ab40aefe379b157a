"""What each action costs where each class is true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.arrays import Codes
from costboost._core.caching import cached_property
from costboost._core.checks import as_numbers, quoted
from costboost._core.costs.actions import check_table, column_of
from costboost._core.costs.expected import beyond_least, expected, least_expected
from costboost._core.costs.matrices import names_are
from costboost._core.costs.outcomes import check_outcomes, costs_of_two
from costboost._core.costs.outliers import clip_cost, top_share
from costboost._core.costs.ranges import CostRange, check_bounds, interval_of, is_distribution
from costboost._core.costs.regret import beyond_least_regret, regrets, worst_differences
from costboost._core.costs.reviews import check_reviewers, paid_parts
from costboost._core.costs.usual import UsualCases, amount_of
from costboost._core.names import COST_NAMES
from costboost._core.rules.record import NetCosts

OUTCOMES, MATRIX, PREDICTIONS, ACTIONS = "outcomes", "matrix", "predictions", "actions"
"""Forms in which costs are stated: by the names of their constructors."""


@dataclass(frozen=True, eq=False, repr=False)
class Costs(UsualCases):
    r"""What each action costs where each class is true.

    A table, truth x action, of which each entry is a number or has one value for each row. Where
    predictions are the actions, there is an action for each class. Whatever takes costs takes this
    record as ``costs``: classifiers, measures, scorers, searches, reports and monitoring. A gain is
    a negative cost.

    It is made by `outcomes`, `matrix`, `per_prediction` or `by_action`, or by a usual case:
    `fraud`, `credit`, `lending`, `churn`, `maintenance`, `direct_mail` or `triage`. Two classes are
    in the order negative, positive.

    Parameters
    ----------
    entries : tuple of tuples
        ``entries[truth][action]``: a number or an array of shape (n_rows,); in a table of actions
        also the name of a column, a range or a distribution.
    classes, actions : tuple
        Names of the rows and columns of the table; empty if they are in the order of ``classes_``.
    form : str
        The constructor: "outcomes", "matrix", "predictions" or "actions".
    states_right : bool
        Whether costs of right predictions are stated, so that all costs may be gains.
    reviewers : dict
        For the position of each review action P(class stated by the reviewer | true class).
    unit, note : str
        The currency, and where the costs come from.

    Attributes
    ----------
    fn_cost, fp_cost, tp_cost, tn_cost : float or array of shape (n_rows,)
        Costs of the four outcomes of two classes.
    net : NetCosts
        Costs ``fn`` and ``fp`` of the mistakes beyond those of right predictions.
    n_rows : int or None
        Number of rows; None if all costs are those of all rows.
    table : array of shape (n_classes, n_actions) or (n_rows, n_classes, n_actions)
        Mean costs, with those after a review.
    top_share : float
        Share of the total cost that the costliest 1% of the rows have.

    Notes
    -----
    With scikit-learn's metadata routing, ``set_fit_request(costs=True)`` routes the record as one
    object. If its costs differ from row to row, it is cut into folds as the rows are:
    ``costs[rows]`` are the costs of some rows.

    References
    ----------
    Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI 2001, 973-978.

    Examples
    --------
    >>> from costboost import Costs
    >>> from costboost.metrics import total_cost
    >>> costs = Costs.fraud(amount=[20.0, 500.0, 3.0], review_cost=4.0)
    >>> total_cost([0, 1, 1], [0, 1, 0], costs=costs)  # a review, and the amount of the third
    7.0
    >>> costs.net.fn
    array([ 16., 496.,  -1.])
    >>> costs.rows([1])
    Costs.outcomes(fn_cost=<1 rows, 500 to 500>, fp_cost=4, tp_cost=4, tn_cost=0)
    """

    entries: tuple[tuple[Any, ...], ...]
    classes: tuple[Any, ...] = ()
    actions: tuple[Any, ...] = ()
    form: str = OUTCOMES
    states_right: bool = False
    reviewers: Mapping[int, Floats] = field(default_factory=dict)
    unit: str = ""
    note: str = ""

    # ---- constructors ----------------------------------------------------------------------------

    @classmethod
    def outcomes(
        cls,
        *,
        fn_cost: Any = 1.0,
        fp_cost: Any = 1.0,
        tp_cost: Any = None,
        tn_cost: Any = None,
        unit: str = "",
        note: str = "",
    ) -> Self:
        r"""Costs of the four outcomes of two classes.

        A row is predicted positive where that has the lower expected cost,

        .. math:: p\,(C_{FN} - C_{TP}) > (1 - p)\,(C_{FP} - C_{TN}),

        with p the probability of the positive class.

        Parameters
        ----------
        fn_cost, fp_cost : number or array of shape (n_rows,), default=1.0
            Cost of a false negative (a positive row predicted negative) and of a false positive.
        tp_cost, tn_cost : number or array of shape (n_rows,), optional
            Cost of a true positive and of a true negative, 0 if left out. If one of them is given,
            any cost may be 0 or below.

            NaN in an array is a cost that was not observed. Classifiers refuse it;
            `EstimatedCostClassifier` estimates it.
        unit, note : str
            The currency, and where the costs come from.
        """
        right = tp_cost is not None or tn_cost is not None
        stated = (fn_cost, fp_cost, *(0.0 if cost is None else cost for cost in (tp_cost, tn_cost)))
        given = dict(zip(COST_NAMES, stated, strict=True))
        sizes = {name: np.size(cost) for name, cost in given.items() if np.ndim(cost)}
        for name, size in sizes.items():
            first = next(iter(sizes))
            if size != sizes[first]:
                raise ValueError(
                    f"costs must have as many rows, but {first} has {sizes[first]} and {name} "
                    f"{size}"
                )
        fn, fp, tp, tn = (amount_of(name, cost) for name, cost in given.items())
        return cls(((tn, fp), (fn, tp)), states_right=right, unit=unit, note=note)

    @classmethod
    def matrix(
        cls, values: Any, classes: Sequence[Any] | None = None, *, unit: str = "", note: str = ""
    ) -> Self:
        """Costs of predicting one class where another is true.

        Parameters
        ----------
        values : array of shape (n_classes, n_classes) or (n_rows, n_classes, n_classes)
            Rows are the true classes and columns the predictions.
        classes : sequence, optional
            The classes in the order of ``values``. Default: the names of a pandas frame, or the
            order of ``classes_``, which is sorted.
        unit, note : str
            The currency, and where the costs come from.

        Examples
        --------
        >>> Costs.matrix([[0, 2], [4, 0]], classes=["normal", "attack"])
        Costs.matrix(classes=('normal', 'attack'), <2 x 2>)
        """
        table = np.array(as_numbers("values", values))
        if table.ndim not in (2, 3) or table.shape[-1] != table.shape[-2]:
            raise ValueError(
                "values must be a cost matrix, or one for each row, got an array of shape "
                f"{table.shape}; rows are the true classes and columns the predictions"
            )
        if classes is None and hasattr(values, "reindex"):
            index, columns = list(values.index), list(values.columns)
            if index != list(range(len(index))) or columns != index:
                names_are(columns, index, "the columns of values")
                table = table[:, [columns.index(name) for name in index]]
                classes = index
        names = () if classes is None else tuple(classes)
        if names and len(names) != table.shape[-1]:
            raise ValueError(f"values has {table.shape[-1]} classes, but classes has {len(names)}")
        return cls(_columns(table), names, names, MATRIX, unit=unit, note=note)

    @classmethod
    def per_prediction(
        cls, values: Any, classes: Sequence[Any] | None = None, *, unit: str = "", note: str = ""
    ) -> Self:
        """Costs of every prediction on each row whose true class is known.

        Methods of `costboost.multiclass` are trained for them, and measures take them. A decision
        cannot: it needs the costs where any class may be true.

        Parameters
        ----------
        values : array of shape (n_rows, n_classes)
        classes : sequence, optional
            The classes in the order of the columns. Default: the order of ``classes_``.
        unit, note : str
            The currency, and where the costs come from.
        """
        table = np.array(as_numbers("values", values))
        if table.ndim != 2:
            raise ValueError(
                "values must have a row for each row of X and a column for each class, got an "
                f"array of shape {table.shape}"
            )
        names = () if classes is None else tuple(classes)
        entries = (tuple(table.T),)
        return cls(entries, names, names, PREDICTIONS, unit=unit, note=note)

    @classmethod
    def by_action(
        cls,
        table: Any,
        *,
        reviewer: Any = None,
        pos_label: Any = None,
        unit: str = "",
        note: str = "",
    ) -> Self:
        """Costs of actions, of which there may be more or fewer than classes.

        Parameters
        ----------
        table : pandas frame or dict of dicts
            ``table[truth][action]``: a number, the name of a column of X, an array with one cost
            for each row, a range ``(low, high)``, whose ends may also be names or arrays, or a
            frozen distribution of ``scipy.stats``.
        reviewer : dict, optional
            Error rates of review actions, as in `ActionClassifier`.
        pos_label : label, optional
            The positive class of recall and specificity of the reviewer. Default: the last one.
        unit, note : str
            The currency, and where the costs come from.

        Examples
        --------
        >>> Costs.by_action({"ill": {"treat": 1, "wait": (4, 40)}, "well": {"treat": 2, "wait": 0}})
        Costs.by_action(classes=('ill', 'well'), actions=('treat', 'wait'))
        """
        classes, actions, entries = check_table(table)
        labels = np.array(classes)
        positive = classes[-1] if pos_label is None else pos_label
        reviewers = check_reviewers(reviewer, actions, labels, positive)
        return cls(entries, classes, actions, ACTIONS, reviewers=reviewers, unit=unit, note=note)

    @classmethod
    def checked(cls, n_rows: int, **outcomes: Any) -> Self:
        """Costs of the four outcomes for a number of rows, as training and decisions take them."""
        net, (fn, fp, tp, tn), right = check_outcomes(n_rows, **outcomes)
        costs = cls(((tn, fp), (fn, tp)), states_right=right)
        vars(costs)["net"] = net
        return costs

    @classmethod
    def from_net(cls, net: NetCosts, right: tuple[Any, Any] | None = None) -> Self:
        """Costs from those of mistakes beyond right predictions, which keep their last bit."""
        tp, tn = right or (0.0, 0.0)
        entries = ((tn, net.fp + tn), (net.fn + tp, tp)) if right else ((tn, net.fp), (net.fn, tp))
        costs = cls(entries, states_right=right is not None)
        vars(costs)["net"] = net
        return costs

    # ---- two classes -----------------------------------------------------------------------------

    @property
    def fn_cost(self) -> Any:
        """Cost of a false negative."""
        return self.named["fn_cost"]

    @property
    def fp_cost(self) -> Any:
        """Cost of a false positive."""
        return self.named["fp_cost"]

    @property
    def tp_cost(self) -> Any:
        """Cost of a true positive."""
        return self.named["tp_cost"]

    @property
    def tn_cost(self) -> Any:
        """Cost of a true negative."""
        return self.named["tn_cost"]

    @property
    def named(self) -> dict[str, Any]:
        """Costs of the four outcomes of two classes by name."""
        if len(self.entries) != 2 or len(self.entries[0]) != 2:
            raise ValueError(f"only two classes have false negatives and positives, not {self!r}")
        (tn, fp), (fn, tp) = self.entries
        return dict(zip(COST_NAMES, (fn, fp, tp, tn), strict=True))

    @cached_property
    def net(self) -> NetCosts:
        """Costs of the two mistakes beyond those of right predictions.

        Decisions are the same under them; the money is not.
        """
        fn, fp, tp, tn = self.named.values()
        return NetCosts(fn - tp, fp - tn)

    @property
    def right(self) -> tuple[Any, Any] | None:
        """Costs of a true positive and of a true negative; None if they are not stated."""
        return (self.tp_cost, self.tn_cost) if self.states_right else None

    @property
    def arguments(self) -> dict[str, Any]:
        """The costs by the names of the arguments that state them one by one."""
        if self.form == OUTCOMES:
            named = self.named
            return named if self.states_right else {k: named[k] for k in COST_NAMES[:2]}
        if self.form == MATRIX:
            return {"cost_matrix": self}
        what = "every prediction" if self.form == PREDICTIONS else "actions"
        raise ValueError(
            f"costs of {what} do not decide between classes; take Costs.outcomes for two classes, "
            "or Costs.matrix"
        )

    def with_given(
        self, given: Mapping[str, Any], n_rows: int, classes: NDArray[Any], positive: int
    ) -> Costs:
        """Costs of two classes that a method was given, and these for those that it was not."""
        if not given:
            return self
        if "cost_matrix" in given:
            if len(given) > 1:
                raise ValueError("costs are given twice: pass fn_cost and fp_cost, or cost_matrix")
            return Costs.from_net(costs_of_two(given["cost_matrix"], classes, positive, n_rows))
        return Costs.checked(n_rows, **(self.arguments | dict(given)))

    def swapped(self) -> Self:
        """The costs if the other class is the positive one; those of a matrix are as they are."""
        if self.form != OUTCOMES:
            return self
        (tn, fp), (fn, tp) = self.entries
        return replace(self, entries=((tp, fn), (fp, tn)), classes=self.classes[::-1])

    def clip(self, quantile: float, counting: Any = True) -> Costs:
        """The costs with outlying net costs lowered to a quantile of the rows.

        Each net cost that differs from row to row is lowered to its quantile over all rows, by
        lowering ``fn_cost`` or ``fp_cost``. `top_share` shows whether it is needed, and comparing
        with the result how many rows it changes.

        Parameters
        ----------
        quantile : float
            Above 0 and at most 1, such as 0.99.
        counting : array of bool, optional
            Rows of which the quantiles are taken.
        """
        net = NetCosts(*(clip_cost(cost, quantile, counting) for cost in self.net))
        tp, tn = self.tp_cost, self.tn_cost
        clipped = replace(self, entries=((tn, tn + net.fp), (tp + net.fn, tp)))
        vars(clipped)["net"] = net
        return clipped

    @property
    def top_share(self) -> float:
        """Share of the total cost that the costliest 1% of the rows have.

        The cost of a row is the greater one of its two net costs, 0 if both are below. NaN if costs
        are numbers.
        """
        if self.n_rows is None:
            return float("nan")
        return top_share(np.maximum(np.maximum(self.net.fn, self.net.fp), 0.0))

    # ---- rows ------------------------------------------------------------------------------------

    @cached_property
    def n_rows(self) -> int | None:
        """Number of rows; None if all costs are those of all rows."""
        parts = (part for row in self.entries for entry in row for part in _ends(entry))
        return next((len(part) for part in parts if np.ndim(part)), None)

    @property
    def shape(self) -> tuple[int]:
        """Number of rows, if costs differ by row; else there is no such attribute."""
        if self.n_rows is None:
            raise AttributeError("costs of all rows have no shape")
        return (self.n_rows,)

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
        found = self._each(lambda part: part[index] if np.ndim(part) else part)
        if "net" in vars(self):
            vars(found)["net"] = NetCosts(*(c[index] if np.ndim(c) else c for c in self.net))
        return found

    def __getitem__(self, index: Any) -> Self:
        return self.rows(index[0] if isinstance(index, tuple) else index)

    @property
    def columns(self) -> list[str]:
        """Names of the columns of X that entries refer to."""
        parts = (part for row in self.entries for entry in row for part in _ends(entry))
        return list(dict.fromkeys(part for part in parts if isinstance(part, str)))

    def filled(self, columns: Mapping[str, Any]) -> Self:
        """The record with these columns in place of their names."""
        return self._each(lambda part: columns.get(part, part) if isinstance(part, str) else part)

    def for_rows(self, X: Any, n_rows: int) -> Self:
        """The costs of the rows of X: numbers and ranges, in place of columns of X."""
        bound = self.filled({name: column_of(X, name) for name in self.columns})

        def entry(value: Any, where: str) -> Any:
            for part in _ends(value):
                if np.ndim(part) and len(part) != n_rows:
                    raise ValueError(
                        f"{where} is an array of {len(part)} costs, but X has {n_rows} rows; pass "
                        "the costs of these rows, such as predict(X, costs=...)"
                    )
            if isinstance(value, tuple) and not isinstance(value, CostRange):
                low, high = (np.asarray(part, dtype=float) for part in value)
                return check_bounds(low, high, where)
            return interval_of(value, where)

        entries = tuple(
            tuple(
                entry(value, f"the cost of {action!r} where {truth!r} is true")
                for action, value in zip(self.actions, row, strict=True)
            )
            for truth, row in zip(self.classes, bound.entries, strict=True)
        )
        return replace(bound, entries=entries)

    def _each(self, change: Any) -> Self:
        """The record with other numbers in its entries."""

        def entry(value: Any) -> Any:
            if isinstance(value, CostRange):
                return CostRange(*map(change, value))
            return tuple(map(change, value)) if isinstance(value, tuple) else change(value)

        return replace(self, entries=tuple(tuple(map(entry, row)) for row in self.entries))

    def to_dict(self) -> dict[Any, dict[Any, Any]]:
        """Costs of actions as a dict of dicts, ``[truth][action]``."""
        return {
            truth: dict(zip(self.actions, row, strict=True))
            for truth, row in zip(self.classes, self.entries, strict=True)
        }

    @property
    def reviewer(self) -> dict[Any, dict[Any, dict[Any, float]]] | None:
        """Rates of the reviewers, ``[action][truth][class stated]``; None without any."""
        if not self.reviewers:
            return None
        return {
            self.actions[action]: {
                truth: dict(zip(self.classes, row.tolist(), strict=True))
                for truth, row in zip(self.classes, rates, strict=True)
            }
            for action, rates in self.reviewers.items()
        }

    def to_frame(self) -> Any:
        """Costs of the four outcomes as a pandas frame: a row for each row, or a single one."""
        import pandas as pd

        n_rows = 1 if self.n_rows is None else self.n_rows
        columns = {name: np.broadcast_to(cost, n_rows) for name, cost in self.named.items()}
        return pd.DataFrame(columns)

    # ---- what follows from them ------------------------------------------------------------------

    def for_classes(self, classes: Sequence[Any]) -> Self:
        """The record with its true classes in this order; predictions are in the same order."""
        known = list(classes)
        if not self.classes or list(self.classes) == known:
            return self
        names_are(list(self.classes), known, "the classes of costs")
        order = [self.classes.index(name) for name in known]
        entries, actions = self.entries, self.actions
        if self.form != PREDICTIONS:
            entries = tuple(entries[k] for k in order)
        if self.form != ACTIONS:
            actions = tuple(known)
            entries = tuple(tuple(row[k] for k in order) for row in entries)
        reviewers = {a: rates[np.ix_(order, order)] for a, rates in self.reviewers.items()}
        return replace(
            self,
            entries=entries,
            classes=tuple(known),
            actions=actions,
            reviewers=reviewers,
        )

    @cached_property
    def ranges(self) -> CostRange:
        """Mean, low and high end of all entries, each of shape (1 or n_rows, classes, actions)."""
        return CostRange(*map(self._side, range(3)))

    def _side(self, k: int) -> Floats:
        """Mean, low or high end of all entries, by its position in `CostRange`."""
        n = self.n_rows or 1
        rows = (
            [np.broadcast_to(interval_of(entry, "a cost")[k], (n,)) for entry in row]
            for row in self.entries
        )
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)

    @cached_property
    def parts(self) -> Floats | None:
        """How often each entry is paid for each action; None without reviewers.

        ``parts[:, t, a, j]`` is how often the entry (t, j) is paid if action a is taken where t is
        true: once for j = a, and at the rates of the reviewer for the actions that follow a review.
        """
        return paid_parts(self.ranges.mean, self.reviewers)

    @cached_property
    def table(self) -> Floats:
        """Mean costs with those after a review: (classes, actions), or one such table a row."""
        found = self._side(0)
        if self.reviewers:
            parts = self.parts
            assert parts is not None
            n = max(len(parts), len(found))
            both = (np.broadcast_to(one, (n, *one.shape[1:])) for one in (parts, found))
            found = np.einsum("ntaj,ntj->nta", *both)
        return found[0] if len(found) == 1 else np.ascontiguousarray(found)

    @property
    def is_certain(self) -> bool:
        """Whether no cost is a range or a distribution."""
        return bool(np.all(self.ranges.low == self.ranges.high))

    def expected(self, probability: Floats) -> Floats:
        """Expected cost of each action for each row, by the mean costs."""
        return expected(probability, self.table)

    def regrets(self, probability: Floats) -> Floats:
        """The most that each action can cost beyond the best one within the ranges."""
        mean, low, high = self.ranges
        k, m = mean.shape[1:]
        parts = self.parts
        if parts is None:
            parts = np.broadcast_to(np.eye(m), (1, k, m, m))
        return regrets(probability, worst_differences(parts, low, high))

    def beyond_least(self, probability: Floats, uncertain: str = "mean") -> Floats:
        """Expected cost or regret of each action beyond the least of its row; 0 for ties.

        With ``uncertain="regret"`` it is the regret if costs are ranges.
        """
        if uncertain == "regret" and not self.is_certain:
            return beyond_least_regret(self.regrets(probability))
        return beyond_least(probability, self.table)

    def choose(self, probability: Floats, uncertain: str = "mean") -> Codes:
        """Action of least expected cost, or of least regret, for each row; of ties the first."""
        codes: Codes = self.beyond_least(probability, uncertain).argmin(axis=1)
        return codes

    def times_paid(self, probability: Floats, codes: Codes) -> Floats:
        """How often each entry is paid in expectation: (rows, classes, actions)."""
        n, k = probability.shape
        if self.parts is None:
            parts = np.eye(len(self.entries[0]))[codes][:, None, :]
        else:
            rows = np.arange(n) if len(self.parts) > 1 else np.zeros(n, dtype=np.intp)
            parts = self.parts[rows, :, codes]
        return np.asarray(probability[:, :, None] * np.broadcast_to(parts, (n, k, parts.shape[2])))

    def moved(self, truth: int, action: int, share: float) -> Self:
        """The costs with one entry at a share of its range, and the others at their means."""
        _, low, high = interval_of(self.entries[truth][action], "a cost")
        entries = [list(row) for row in self.entries]
        entries[truth][action] = CostRange(low + share * (high - low), low, high)
        moved = replace(self, entries=tuple(map(tuple, entries)))
        vars(moved)["parts"] = self.parts  # what follows a review stays
        return moved

    def check_decision(self) -> None:
        """Raise a ValueError if two actions have the same costs whatever is true."""
        for a, b in combinations(range(len(self.actions)), 2):
            first, second = self.reviewers.get(a), self.reviewers.get(b)
            if first is None or second is None:
                alike = first is second
            else:
                alike = np.array_equal(first, second)
            if alike and all(
                type(row[a]) is type(row[b]) and _equal(row[a], row[b]) for row in self.entries
            ):
                raise ValueError(
                    f"the actions {self.actions[a]!r} and {self.actions[b]!r} have the same costs "
                    "whatever is true, so that nothing distinguishes them; leave one of them out"
                )

    def realised(self, truth: Codes) -> Floats:
        """Cost of each action (columns) for each row, given its true class."""
        if self.form == PREDICTIONS:
            return np.asarray(self._side(0)[:, 0])
        if self.form == OUTCOMES:
            (tn, fp), (fn, tp) = self.entries
            return np.column_stack([np.where(truth, fn, tn), np.where(truth, tp, fp)])
        table = self.table
        return table[truth] if table.ndim == 2 else table[np.arange(len(truth)), truth]

    def by_shares(self, shares: Floats, n_rows: int) -> Codes:
        """Actions of least expected cost if each row has the shares of the classes.

        It is the best rule without features. Of equally cheap actions it is the first; of two
        predictions, the negative one.
        """
        if self.form == OUTCOMES:
            return np.broadcast_to(shares[1] > self.net.threshold, n_rows).astype(np.intp)
        if self.table.ndim == 2:
            return np.repeat(least_expected(shares[np.newaxis], self.table), n_rows)
        return least_expected(np.broadcast_to(shares, (n_rows, len(shares))), self.table)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Costs):
            return NotImplemented
        mine, its = ([e for row in costs.entries for e in row] for costs in (self, other))
        names = ("classes", "actions", "form", "states_right", "unit", "note")
        return (
            all(getattr(self, name) == getattr(other, name) for name in names)
            and len(mine) == len(its)
            and all(map(_equal, mine, its))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self.form == OUTCOMES:
            shown = [f"{name}={_shown(cost)}" for name, cost in self.named.items()]
            return f"Costs.outcomes({', '.join(shown)})"
        names = [f"{k}={v!r}" for k, v in (("classes", self.classes),) if v]
        if self.form == ACTIONS:
            return f"Costs.by_action({', '.join(names)}, actions={self.actions!r})"
        sizes = [len(self.entries), len(self.entries[0])]
        if self.form == PREDICTIONS:
            sizes = [self.n_rows or 0, len(self.entries[0])]
        elif self.n_rows is not None:
            sizes = [self.n_rows, *sizes]
        constructor = "matrix" if self.form == MATRIX else "per_prediction"
        return (
            f"Costs.{constructor}({', '.join([*names, '<' + ' x '.join(map(str, sizes)) + '>'])})"
        )


def _columns(table: Floats) -> tuple[tuple[Any, ...], ...]:
    """The entries of a matrix, or of one for each row."""
    k = table.shape[-1]
    if table.ndim == 2:
        return tuple(map(tuple, table.tolist()))
    return tuple(tuple(table[:, i, j] for j in range(k)) for i in range(k))


def _ends(entry: Any) -> tuple[Any, ...]:
    """The numbers, arrays or names of columns of an entry."""
    return tuple(entry) if isinstance(entry, tuple) else (entry,)


def _equal(one: Any, other: Any) -> bool:
    """Whether two entries are equal; NaN equals NaN."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, str) or isinstance(other, str):
        return bool(one == other)
    if is_distribution(one) or is_distribution(other):
        return type(one) is type(other) and _frozen(one) == _frozen(other)
    return np.array_equal(one, other, equal_nan=True)


def _frozen(distribution: Any) -> tuple[Any, ...]:
    return distribution.dist.name, distribution.args, distribution.kwds


def _shown(cost: Any) -> str:
    """A number, or the range of an array."""
    if not np.ndim(cost):
        return f"{cost:g}"
    values: NDArray[np.float64] = np.asarray(cost)
    known = values[~np.isnan(values)]
    if not known.size:
        return f"<{values.size} rows>"
    return f"<{values.size} rows, {known.min():g} to {known.max():g}>"


# ---- costs that a method is given ----------------------------------------------------------------


def known_costs(
    costs: Any = None,
    fn_cost: Any = None,
    fp_cost: Any = None,
    tp_cost: Any = None,
    tn_cost: Any = None,
    cost_matrix: Any = None,
) -> dict[str, Any]:
    """The arguments of a method that state costs, without those that are None.

    The record in ``costs`` is taken apart, so that it may stand for any of the others.
    """
    values = (fn_cost, fp_cost, tp_cost, tn_cost, cost_matrix)
    pairs = zip((*COST_NAMES, "cost_matrix"), values, strict=True)
    given = {name: value for name, value in pairs if value is not None}
    if costs is None:
        return given
    if given:
        raise ValueError(
            f"costs are given twice: pass costs, or {' and '.join(given)}, but not both"
        )
    if not isinstance(costs, Costs):
        raise ValueError(
            "costs must be costboost.Costs, such as Costs.outcomes(fn_cost=20, fp_cost=1), got "
            f"{quoted(costs)}"
        )
    return costs.arguments
