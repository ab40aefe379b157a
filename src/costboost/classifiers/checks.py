"""Checks of labels, weights and costs of training rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from costboost._core.arithmetic import Floats
from costboost._core.checks import (
    as_numbers,
    of_one_type,
    refuse_negative,
    refuse_unread,
    some,
    warn,
)
from costboost._core.costs import Costs, known_costs
from costboost._core.costs.outcomes import LARGEST_COST, costs_of_two, ends
from costboost._core.costs.outliers import top_share
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
    weight = as_numbers("sample_weight", sample_weight)
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim} dimensions")
    if weight.size != n_rows:
        raise ValueError(f"sample_weight has {weight.size} values, but X has {n_rows} rows")
    refuse_negative("sample_weight", weight)
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


def check_span(costs: NetCosts, rule: Rule) -> None:
    """Raise a ValueError if the rounds use costs whose ratio is too large for floats."""
    if not rule.costs_in_rounds:
        return
    sides = [ends(cost) for cost in costs]
    least, most = min(low for low, _ in sides), max(high for _, high in sides)
    if most / LARGEST_COST > least:
        raise ValueError(
            f"for {rule.name} a row may cost {LARGEST_COST:g} times as much as another, but costs "
            f"are from {least:g} to {most:g}; a mistake that costs next to nothing can be given a "
            "higher cost without any change"
        )


def refuse_costs_of_two(clf: Any, given: Mapping[str, Any], n_classes: int) -> None:
    """Raise a ValueError if parameters for two classes are given with more classes."""
    stated = tuple(getattr(clf, name) for name in COST_NAMES)
    if set(given) & set(COST_NAMES) or stated != USUAL:
        raise ValueError(
            f"fn_cost and fp_cost are for two classes, but y has {n_classes}; give cost_matrix: "
            "cost_matrix[i, j] is the cost of predicting class j where class i is true"
        )
    if clf.pos_label is not None:
        raise ValueError(
            f"pos_label is for two classes, but y has {n_classes}; leave it out: every class is "
            "set against the rest in turn"
        )


def width_of(X: Any) -> int | None:
    """Number of columns; None if X has none."""
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    return shape[1] if len(shape) == 2 else None


def usual_weight(sample_weight: Any) -> float:
    """The constant sample weight."""
    return 1.0 if sample_weight is None else float(np.asarray(sample_weight, dtype=float).flat[0])


# ---- costs of a fit ------------------------------------------------------------------------------

USUAL = (1, 1, 0, 0)
"""Costs of the outcomes that constructors have if they state none."""


def constructor_costs(clf: Any) -> dict[str, Any]:
    """The record of the constructor, taken apart; an empty dict if there is none."""
    if clf.costs is None:
        return {}
    stated = getattr(clf, "cost_matrix", None)
    if stated is not None or tuple(getattr(clf, name) for name in COST_NAMES) != USUAL:
        raise ValueError(
            "costs are given twice: pass costs, or fn_cost and fp_cost, or cost_matrix"
        )
    return known_costs(clf.costs)


def costs_of_fit(clf: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The costs that `fit` is given, and those of the constructor's record for the others."""
    own = constructor_costs(clf)
    apart = given and "cost_matrix" in own | given
    return given if apart else own | given


def stated_by(clf: Any) -> dict[str, Any]:
    """Costs of the outcomes that the constructor states; those of right ones if they are not 0."""
    given = {name: getattr(clf, name) for name in COST_NAMES}
    return {name: cost for name, cost in given.items() if name in MISTAKES or cost != 0}


def training_costs(clf: Any, given: dict[str, Any], classes: Any, index: int, n_rows: int) -> Costs:
    """The costs of `fit`, of the cost matrix, or of the constructor, for rows of two classes."""
    matrix = given.get("cost_matrix")
    if matrix is None and not given:
        matrix = getattr(clf, "cost_matrix", None)
        if matrix is not None and tuple(getattr(clf, name) for name in COST_NAMES) != USUAL:
            raise ValueError(
                "costs are given twice: pass fn_cost and fp_cost, or cost_matrix, not both"
            )
    if matrix is not None:
        return Costs.from_net(costs_of_two(matrix, classes, index, n_rows))
    return outcome_costs(clf, given, n_rows)


def outcome_costs(clf: Any, given: dict[str, Any], n_rows: int) -> Costs:
    """The costs of `fit`, or else of the constructor, which must favour some prediction."""
    costs = Costs.checked(n_rows, **(stated_by(clf) | given))
    if not (np.any(costs.net.fn) or np.any(costs.net.fp)):
        raise ValueError(
            "the costs make both predictions equal: fn_cost is tp_cost and fp_cost is tn_cost for "
            "every row, so that no prediction is better than the other"
        )
    return costs


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

MOST = 0.5
"""A warning is due if 1% of the rows have more than this share of the total cost."""
FEWEST_ROWS = 100
"""Number of rows below which there is no such warning."""


def clipped(
    costs: Costs, quantile: float | None, positive: Any, weight: Any
) -> tuple[Costs, float | None]:
    """Costs with outlying net costs lowered, and the share of the rows whose own one was lowered.

    The share is None without a quantile. Rows of weight 0 do not count.
    """
    if quantile is None:
        return costs, None
    counting = np.ones(positive.size, dtype=bool) if weight is None else weight > 0
    lower = costs.clip(quantile, counting)
    lowered = lower.net.of_class(positive) < costs.net.of_class(positive)
    return lower, float(np.mean(lowered[counting]))


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
