"""Checks of labels, weights and costs, and the net costs that decisions depend on.

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
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from costboost._core.arithmetic import Floats
from costboost._core.checks import (
    of_one_type,
    quoted,
    real_numbers,
    refuse_no_number,
    refuse_unread,
    some,
    warn,
)
from costboost._core.costs import check_matrices
from costboost._core.names import COST_NAMES, MISTAKES
from costboost._core.rules.record import NetCosts, Rule

CHUNK = 65_536


def check_target(y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Check y and return its classes in sorted order, at least two, and the labels."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    refuse_unread("y", y)
    y = check_labels(y)
    classes = _two_numbers(y)
    if classes is None:
        classes = sorted_labels(y)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only, {some(classes)}; a classifier needs rows of two classes"
        )
    return classes, y


def check_labels(y: Any) -> NDArray[Any]:
    """Check that y has one label for each row, and at least one row."""
    if type(y) is not np.ndarray or y.ndim != 1:
        y = column_or_1d(y, warn=True)
    if np.iscomplexobj(y):
        raise ValueError("Complex data not supported: the labels of y are complex numbers")
    if y.size == 0:
        raise ValueError("y is empty: it has 0 labels; a classifier needs rows of two classes")
    return of_one_type(np.asarray(y))


def sorted_labels(y: NDArray[Any]) -> NDArray[Any]:
    """Distinct labels in sorted order; raise a ValueError if a label is missing."""
    refuse_missing(y)
    try:
        check_classification_targets(y)
        return np.unique(y)
    except TypeError as error:
        raise ValueError(
            f"the labels of y cannot be sorted ({error}); make them all numbers or all text"
        ) from error


def check_two_classes(y: Any, pos_label: Any) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """The two classes in sorted order, and which rows are positive."""
    classes, y = check_target(y)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(y)}: y has {len(classes)} classes, {some(classes)}"
        )
    return classes, np.asarray(y == classes[positive_class(classes, pos_label)]).view(np.uint8)


def positive_class(classes: NDArray[Any], pos_label: Any) -> int:
    """Index of the positive class among two classes."""
    if pos_label is None:
        return 1
    if not np.any(classes == pos_label):
        raise ValueError(f"pos_label is {pos_label!r}, but the classes of y are {some(classes)}")
    return int(np.argmax(classes == pos_label))


def _two_numbers(y: NDArray[Any]) -> NDArray[Any] | None:
    """The two classes of integer labels, found without sorting; None for any other labels."""
    if y.dtype.kind not in "biu" or y.size == 0:
        return None
    low, high = y.min(), y.max()
    if low == high:
        return None
    for begin in range(0, y.size, CHUNK):  # in parts, so that no array of all rows is made
        part = y[begin : begin + CHUNK]
        if not np.all((part == low) | (part == high)):
            return None
    return np.array([low, high], dtype=y.dtype)


def refuse_missing(y: NDArray[Any]) -> None:
    """Raise a ValueError if a label is missing or infinite."""
    if y.dtype.kind == "f" and np.isinf(y).any():
        row = int(np.flatnonzero(np.isinf(y))[0])
        raise ValueError(f"Input y contains infinity, in row {row}; a label must be finite")
    if y.dtype.kind == "f":
        missing = np.isnan(y)
    elif y.dtype.kind in "mM":
        missing = np.isnat(y)
    elif y.dtype == object:
        missing = np.array([value is None or value != value for value in y.tolist()], dtype=bool)
    else:
        return
    if missing.any():
        raise ValueError(
            f"Input y contains NaN: {int(missing.sum())} of {y.size} labels are missing, the first "
            f"in row {int(np.flatnonzero(missing)[0])}; drop those rows or label them"
        )


def check_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Sample weights as floats, or None if they are constant."""
    if sample_weight is None:
        return None
    weight = _numbers("sample_weight", sample_weight)
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim} dimensions")
    if weight.size != n_rows:
        raise ValueError(f"sample_weight has {weight.size} values, but X has {n_rows} rows")
    _finite_not_negative("sample_weight", weight)
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; at least one row must count")
    if np.all(weight == weight[0]):
        return None
    with np.errstate(over="ignore"):
        total = weight.sum()
    if np.isinf(total):
        raise ValueError(
            f"sample_weight, of up to {weight.max():g}, adds up to more than numbers can hold; "
            "divide it by its greatest value"
        )
    return weight


LARGEST_COST = 1e300


def check_costs(fn_cost: Any, fp_cost: Any, n_rows: int) -> NetCosts:
    """Check the two costs, each a positive number or an array with one for every row."""
    costs = NetCosts(_cost("fn_cost", fn_cost, n_rows), _cost("fp_cost", fp_cost, n_rows))
    check_size(costs)
    return costs


def check_size(costs: NetCosts) -> None:
    """Raise a ValueError if positive costs are too large or small, or too far apart, for floats."""
    for name, cost in zip(MISTAKES, costs, strict=True):
        least, most = _ends(cost)
        if least < 1 / LARGEST_COST or most > LARGEST_COST:
            raise ValueError(
                f"{name} must be from {1 / LARGEST_COST:g} to {LARGEST_COST:g}, got "
                f"{least if least < 1 / LARGEST_COST else most:g}; measure costs in another unit"
            )
    fn, fp = (cost if isinstance(cost, float) else float(np.mean(cost)) for cost in costs)
    if max(fn, fp) / LARGEST_COST > min(fn, fp):
        raise ValueError(
            f"one cost may be {LARGEST_COST:g} times as high as the other, but fn_cost={fn:g} and "
            f"fp_cost={fp:g} are farther apart; a mistake that costs next to nothing can be given "
            "a higher cost without any change"
        )


def check_span(costs: NetCosts, rule: Rule) -> None:
    """Raise a ValueError if the rounds use costs whose ratio is too large for floats."""
    if not rule.costs_in_rounds:
        return
    ends = [_ends(cost) for cost in costs]
    least, most = min(low for low, _ in ends), max(high for _, high in ends)
    if most / LARGEST_COST > least:
        raise ValueError(
            f"for {rule.name} a row may cost {LARGEST_COST:g} times as much as another, but costs "
            f"are from {least:g} to {most:g}; a mistake that costs next to nothing can be given a "
            "higher cost without any change"
        )


def _ends(cost: Any) -> tuple[float, float]:
    """The least and the greatest cost."""
    return (cost, cost) if isinstance(cost, float) else (float(np.min(cost)), float(np.max(cost)))


def _cost(name: str, value: Any, n_rows: int) -> Any:
    if isinstance(value, (int, float)) and 0 < value <= LARGEST_COST:  # the usual case
        return float(value)
    cost = _of_rows(name, value, n_rows)
    _finite_not_negative(name, cost)
    if not np.all(cost > 0):
        where = "" if cost.ndim == 0 else f" in row {int(np.flatnonzero(cost == 0)[0])}"
        raise ValueError(
            f"{name} must be above 0, got 0{where}; a tiny cost stands for almost none"
        )
    return float(cost) if cost.ndim == 0 else cost


def check_cell(name: str, value: Any, n_rows: int) -> Any:
    """Check the cost of an outcome: a finite number, below 0 for a gain, or one for every row."""
    cost = _of_rows(name, value, n_rows)
    bad = ~np.isfinite(cost) | (np.abs(cost) > LARGEST_COST)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        where = f" in row {row}" if cost.ndim else ""
        raise ValueError(
            f"{name} must be finite and at most {LARGEST_COST:g} in size, but it contains "
            f"{cost.flat[row]:g}{where}"
        )
    return cost if cost.ndim else float(cost)


def _of_rows(name: str, value: Any, n_rows: int) -> NDArray[np.float64]:
    """A number, or one for each row, as an array of 0 or 1 dimensions."""
    refuse_no_number(name, value)
    cost = _numbers(name, value)
    if cost.ndim > 1 or (cost.ndim == 1 and cost.size != n_rows):
        raise ValueError(
            f"{name} must be one number or one for each of the {n_rows} rows, got an array of "
            f"shape {cost.shape}"
        )
    return cost


def _numbers(name: str, value: Any) -> NDArray[np.float64]:
    try:
        return real_numbers(value)
    except ValueError as error:
        raise ValueError(
            f"{name} must be a number or an array of numbers, got {quoted(value)}: {error}"
        ) from error


def _finite_not_negative(name: str, values: NDArray[np.float64]) -> None:
    for bad, what in ((np.isnan(values), "NaN"), (np.isinf(values), "infinity"), (values < 0, "")):
        if bad.any():
            row = int(np.flatnonzero(bad)[0]) if values.ndim else None
            found = what or f"{values.flat[row or 0]:g}"
            where = "" if row is None else f" in row {row}"
            raise ValueError(
                f"{name} must be finite and not negative, but it contains {found}{where}"
            )


def refuse_costs_of_two(clf: Any, given: Any, n_classes: int) -> None:
    """Raise a ValueError if parameters for two classes are given with more classes."""
    own = (clf.fn_cost, clf.fp_cost, clf.tp_cost, clf.tn_cost)
    if any(one is not None for one in given) or own != (1, 1, 0, 0):
        raise ValueError(
            f"fn_cost and fp_cost are for two classes, but y has {n_classes}; give cost_matrix: "
            "cost_matrix[i, j] is the cost of predicting class j where class i is true"
        )
    if clf.pos_label is not None:
        raise ValueError(
            f"pos_label is for two classes, but y has {n_classes}; leave it out: every class is "
            "set against the rest in turn"
        )


def costs_of_two(cost_matrix: Any, classes: NDArray[Any], positive: int, n_rows: int) -> NetCosts:
    """False negative and false positive costs from one cost matrix, or one for each row."""
    matrix = check_matrices(cost_matrix, classes, n_rows)
    negative = 1 - positive
    fn_cost = matrix[..., positive, negative] - matrix[..., positive, positive]
    fp_cost = matrix[..., negative, positive] - matrix[..., negative, negative]
    free = np.atleast_1d((fn_cost <= 0) | (fp_cost <= 0))
    if free.any():
        row = int(free.argmax())
        where = f" in row {row}" if matrix.ndim == 3 else ""
        raise ValueError(
            "with two classes, a mistake must cost more than the truth in both rows of "
            f"cost_matrix; a false negative costs {np.atleast_1d(fn_cost)[row]:g} more and a false "
            f"positive {np.atleast_1d(fp_cost)[row]:g}{where}"
        )
    if matrix.ndim == 3:
        return NetCosts(fn_cost, fp_cost)
    return NetCosts(float(fn_cost), float(fp_cost))


def width_of(X: Any) -> int | None:
    """Number of columns; None if X has none."""
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    return shape[1] if len(shape) == 2 else None


def usual_weight(sample_weight: Any) -> float:
    """The constant sample weight."""
    return 1.0 if sample_weight is None else float(np.asarray(sample_weight, dtype=float).flat[0])


# ---- costs of the four outcomes of two classes ---------------------------------------------------


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

    net: NetCosts
    right: tuple[Any, Any] | None = None
    """Costs of a true positive and of a true negative; None if none was given."""

    @property
    def differ(self) -> bool:
        """Whether rows have different costs."""
        costs = (*self.net, *(self.right or ()))
        return any(bool(np.any(cost != np.ravel(cost)[0])) for cost in costs if np.ndim(cost))

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
    fn, fp, tp, tn = (check_cell(*one, n_rows) for one in zip(COST_NAMES, given, strict=True))
    net = NetCosts(fn - tp, fp - tn)
    _refuse_reversed(net)
    positive = [_positive_part(cost) for cost in net]
    if all(part is not None for part in positive):
        check_size(NetCosts(*positive))
    return OutcomeCells(net, (tp, tn))


def _positive_part(cost: Any) -> Any:
    """The cost, or the entries above 0 of an array; None if there is none."""
    if not np.ndim(cost):
        return cost if cost > 0 else None
    part = cost[cost > 0]
    return part if part.size else None


def _refuse_reversed(net: NetCosts) -> None:
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
    net: NetCosts, positive: NDArray[Any], rule: Rule, initial_weights: str, name: str
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


def warn_of_dominance(net: NetCosts, classes: Any, index: int, name: str) -> bool:
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
    net = NetCosts(*(clip_cost(cost, quantile, counting) for cost in cells.net))
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


def decision_costs(model: Any, given: GivenCosts, n_rows: int) -> NetCosts:
    """Net costs of a decision: of the given costs, and of training for those not given."""
    return decision_cells(model, given, n_rows).net
