"""Checks of labels, weights and costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from costboost.checks import (
    quoted,
    real_numbers,
    refuse_no_number,
    refuse_unread,
    some,
)
from costboost.costs import check_matrices
from costboost.rules import Costs, Rule

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
    return np.asarray(y)


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


def check_costs(fn_cost: Any, fp_cost: Any, n_rows: int) -> Costs:
    """Check the two costs, each a positive number or an array with one for every row."""
    costs = Costs(_cost("fn_cost", fn_cost, n_rows), _cost("fp_cost", fp_cost, n_rows))
    check_size(costs)
    return costs


def check_size(costs: Costs) -> None:
    """Raise a ValueError if positive costs are too large or small, or too far apart, for floats."""
    for name, cost in zip(("fn_cost", "fp_cost"), costs, strict=True):
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


def check_span(costs: Costs, rule: Rule) -> None:
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


def costs_of_two(cost_matrix: Any, classes: NDArray[Any], positive: int, n_rows: int) -> Costs:
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
        return Costs(fn_cost, fp_cost)
    return Costs(float(fn_cost), float(fp_cost))


def width_of(X: Any) -> int | None:
    """Number of columns; None if X has none."""
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    return shape[1] if len(shape) == 2 else None


def usual_weight(sample_weight: Any) -> float:
    """The constant sample weight."""
    return 1.0 if sample_weight is None else float(np.asarray(sample_weight, dtype=float).flat[0])
