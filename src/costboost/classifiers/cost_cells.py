"""Costs of the four outcomes of two classes, and the net costs that decisions depend on.

A row of the positive class costs ``tp_cost`` if it is predicted positive and ``fn_cost`` if not, a
row of the negative class ``fp_cost`` or ``tn_cost``. With p the probability of the positive class,
predicting it has the lower expected cost where::

    p (fn_cost - tp_cost) > (1 - p) (fp_cost - tn_cost)

so that training and decisions take the two differences, the net costs.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.checks import some, warn
from costboost.classifiers.checks import check_cell, check_costs, check_size, costs_of_two
from costboost.rules import Costs, Rule
from costboost.vectors import Floats

CELLS = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")
"""Names of the four costs."""


class GivenCosts(NamedTuple):
    """Costs of the outcomes that a method was given; None for those that it was not."""

    fn_cost: Any = None
    fp_cost: Any = None
    tp_cost: Any = None
    tn_cost: Any = None

    @property
    def any(self) -> bool:
        """Whether a cost is given."""
        return any(cost is not None for cost in self)

    @property
    def named(self) -> dict[str, Any]:
        """The costs that are given, by name."""
        return {name: cost for name, cost in self._asdict().items() if cost is not None}

    def or_else(self, usual: GivenCosts) -> GivenCosts:
        """The costs, with those of ``usual`` in place of the ones that are not given."""
        pairs = zip(self, usual, strict=True)
        return GivenCosts(*(other if own is None else own for own, other in pairs))


class OutcomeCells(NamedTuple):
    """Checked costs: net costs of the two mistakes, and costs of the two right predictions."""

    net: Costs
    right: tuple[Any, Any] | None = None
    """Costs of a true positive and of a true negative; None if none was given."""

    def of_right_predictions(self, positive: NDArray[Any]) -> Floats:
        """Cost of the right prediction for each row."""
        tp, tn = self.right or (0.0, 0.0)
        return np.where(positive, tp, tn)


def check_cells(costs: GivenCosts, n_rows: int) -> OutcomeCells:
    """Check the costs of the outcomes, each a number or an array with one for every row.

    If neither ``tp_cost`` nor ``tn_cost`` is given, right predictions cost nothing, and mistakes
    must cost something: a cost of 0 or below is taken for an error. With one of them, any finite
    costs are allowed, unless both mistakes on a row are cheaper than the right predictions.
    """
    if costs.tp_cost is None and costs.tn_cost is None:
        return OutcomeCells(check_costs(costs.fn_cost, costs.fp_cost, n_rows))
    given = [0.0 if cost is None else cost for cost in costs]
    fn, fp, tp, tn = (check_cell(*one, n_rows) for one in zip(CELLS, given, strict=True))
    net = Costs(fn - tp, fp - tn)
    _refuse_reversed(net)
    positive = [_positive_part(cost) for cost in net]
    if all(part is not None for part in positive):
        check_size(Costs(*positive))
    return OutcomeCells(net, (tp, tn))


def _positive_part(cost: Any) -> Any:
    """The cost, or the entries above 0 of an array; None if there is none."""
    if not np.ndim(cost):
        return cost if cost > 0 else None
    part = cost[cost > 0]
    return part if part.size else None


def _refuse_reversed(net: Costs) -> None:
    """Raise a ValueError if both mistakes on a row are cheaper than the right predictions."""
    both = np.less(net.fn, 0) & np.less(net.fp, 0)
    if np.any(both):
        row = int(np.argmax(both))
        fn, fp = (float(cost[row] if np.ndim(cost) else cost) for cost in net)
        where = f" in row {row}" if np.ndim(both) else ""
        raise ValueError(
            f"both mistakes are cheaper than the right predictions{where}: fn_cost - tp_cost is "
            f"{fn:g} and fp_cost - tn_cost is {fp:g}; are the classes swapped, or gains given "
            "without a minus sign?"
        )


# ---- costs of a fit ------------------------------------------------------------------------------


def stated_by(clf: Any, given: GivenCosts) -> GivenCosts:
    """The costs of `fit`, or else those of the constructor.

    ``tp_cost`` and ``tn_cost`` are None if they are neither given nor differ from their default.
    """
    tp, tn = (None if cost == 0 else cost for cost in (clf.tp_cost, clf.tn_cost))
    return given.or_else(GivenCosts(clf.fn_cost, clf.fp_cost, tp, tn))


def training_cells(
    clf: Any, classes: Any, index: int, given: GivenCosts, n_rows: int
) -> OutcomeCells:
    """The costs of `fit`, of the cost matrix, or of the constructor."""
    if clf.cost_matrix is not None and not given.any:
        if (clf.fn_cost, clf.fp_cost, clf.tp_cost, clf.tn_cost) != (1, 1, 0, 0):
            raise ValueError(
                "costs are given twice: pass fn_cost and fp_cost, or cost_matrix, not both"
            )
        return OutcomeCells(costs_of_two(clf.cost_matrix, classes, index, n_rows))
    return fit_cells(clf, given, n_rows)


def fit_cells(clf: Any, given: GivenCosts, n_rows: int) -> OutcomeCells:
    """The costs of `fit`, or else of the constructor, which must favour some prediction."""
    cells = check_cells(stated_by(clf, given), n_rows)
    if not (np.any(cells.net.fn) or np.any(cells.net.fp)):
        raise ValueError(
            "the costs make both predictions equal: fn_cost is tp_cost and fp_cost is tn_cost for "
            "every row, so that no prediction is better than the other"
        )
    return cells


def trained_rows(
    net: Costs, positive: NDArray[Any], rule: Rule, initial_weights: str, name: str
) -> NDArray[np.bool_] | None:
    """The rows to train on: all (None), or those that no prediction dominates.

    The latter where training uses the costs: a row that is decided whichever its class is has no
    weight then.
    """
    dominated = net.dominated
    if not np.any(dominated) or not rule.trains_by_cost(initial_weights):
        return None
    kept = np.broadcast_to(~np.asarray(dominated), positive.shape)
    for is_class, word in ((positive == 1, "positive"), (positive == 0, "negative")):
        if not np.any(kept & is_class):
            raise ValueError(
                f"{name} trains by cost, and no {word} row has both fn_cost above tp_cost and "
                "fp_cost above tn_cost: one prediction is best for each of them whatever its "
                "class, so that there is nothing to learn. Give every row all its costs, whichever "
                "its class is, or take CostBoostClassifier, which trains on all rows"
            )
    return kept


def warn_of_dominance(net: Costs, classes: Any, index: int, name: str) -> bool:
    """Warn if costs of classes make one prediction the best for every row; whether they do."""
    if np.ndim(net.fn) or np.ndim(net.fp) or not net.dominated:
        return False
    best = index if net.threshold <= 0 else 1 - index
    label, other = (some(classes[k : k + 1]) for k in (best, 1 - best))
    warn(
        f"with these costs, predicting {label} costs no more than predicting {other} whichever is "
        f"true (fn_cost - tp_cost is {net.fn:g}, fp_cost - tn_cost is {net.fp:g}): {name} predicts "
        "it for every row, unless predict is given other costs"
    )
    return True


# ---- outlying costs of rows ----------------------------------------------------------------------

TOP, MOST = 0.01, 0.5
"""A warning is due if this share of the rows has more than this share of the total cost."""
FEWEST_ROWS = 100
"""Number of rows below which there is no such warning."""


def top_share(cost: Floats) -> float:
    """Share of the total that the greatest 1% of the costs have, one row at least; NaN for 0."""
    cost = cost[~np.isnan(cost)]
    total = float(cost.sum())
    if not total > 0:
        return float("nan")
    n_top = max(1, int(cost.size * TOP))
    return float(np.partition(cost, cost.size - n_top)[cost.size - n_top :].sum()) / total


def clip_cost(cost: Any, quantile: float, counting: Any = True) -> Any:
    """Costs lowered to the quantile of those above 0; a number stays as it is."""
    check_quantile("quantile", quantile)
    positive = np.greater(cost, 0) & counting
    if not np.ndim(cost) or not positive.any():
        return cost
    return np.minimum(cost, np.quantile(cost[positive], quantile))


def check_quantile(name: str, value: Any) -> None:
    """Raise a ValueError unless the value is a number above 0 and at most 1."""
    number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    if not number or not 0 < value <= 1:
        raise ValueError(
            f"{name} must be a quantile above 0 and at most 1, such as 0.99, got {value!r}"
        )


def clipped(
    cells: OutcomeCells, quantile: float | None, positive: Any, weight: Any
) -> tuple[OutcomeCells, float | None]:
    """Costs with outlying net costs lowered, and the share of the rows whose own one was lowered.

    The share is None without a quantile. Rows of weight 0 do not count.
    """
    if quantile is None:
        return cells, None
    counting = np.ones(positive.size, dtype=bool) if weight is None else weight > 0
    net = Costs(*(clip_cost(cost, quantile, counting) for cost in cells.net))
    lowered = net.of_class(positive) < cells.net.of_class(positive)
    return cells._replace(net=net), float(np.mean(lowered[counting]))


def warn_of_few_costly_rows(cost: Floats, name: str) -> None:
    """Warn if the costliest 1% of the training rows have more than half of the total cost."""
    if cost.size < FEWEST_ROWS:
        return
    share = top_share(np.maximum(cost, 0.0))
    if share > MOST:
        warn(
            f"the costliest 1% of the rows have {share:.0%} of the total cost, so that {name} is "
            "trained for a few rows; clip_costs=0.99 lowers outlying costs, and "
            "CostBoostClassifier does not train by them"
        )


# ---- costs of a decision -------------------------------------------------------------------------


def decision_cells(model: Any, given: GivenCosts, n_rows: int) -> OutcomeCells:
    """Costs of a decision: the given costs, and those of training for the ones not given."""
    if model.right_costs is None and given.tp_cost is None and given.tn_cost is None:
        usual = GivenCosts(model.costs.fn, model.costs.fp)
    else:
        tp, tn = model.right_costs or (0.0, 0.0)
        usual = GivenCosts(model.costs.fn + tp, model.costs.fp + tn, tp, tn)
    return check_cells(given.or_else(usual), n_rows)


def decision_costs(model: Any, given: GivenCosts, n_rows: int) -> Costs:
    """Net costs of a decision: of the given costs, and of training for those not given."""
    return decision_cells(model, given, n_rows).net
