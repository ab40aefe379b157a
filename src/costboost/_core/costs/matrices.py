"""Checks of cost matrices, truth x prediction, and of costs of every prediction for every row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.checks import real_numbers, some, warn

ORIENTATION = "rows are the true classes and columns the predictions, in the order of classes_"

COSTS_OF_ROWS = (
    "Training for costs of each row is fit(X, y, costs=...) of GBSEClassifier and the others in "
    "costboost.multiclass; predict takes a matrix of each row where probabilities decide"
)


def check_matrix(cost_matrix: Any, classes: NDArray[Any]) -> Floats:
    """Validate a cost matrix for the classes; None stands for a cost of 1 for every error."""
    k = len(classes)
    if cost_matrix is None:
        return 1.0 - np.eye(k)
    matrix = _numbers("cost_matrix", _sorted_matrix(cost_matrix, classes))
    if matrix.shape != (k, k):
        of_rows = f". {COSTS_OF_ROWS}" if matrix.ndim == 3 else ""
        raise ValueError(
            f"cost_matrix must have the shape ({k}, {k}) for the classes {some(classes)}, got "
            f"{matrix.shape}; {ORIENTATION}{of_rows}"
        )
    _refuse_negative("cost_matrix", matrix)
    _refuse_constant("cost_matrix", matrix)
    _warn_of_diagonal(matrix, classes)
    return np.ascontiguousarray(matrix)  # the memory order changes the last bit of sums


def check_matrices(cost_matrix: Any, classes: NDArray[Any], n_rows: int) -> Floats:
    """Validate one cost matrix for all rows, or one for each row."""
    if hasattr(cost_matrix, "for_classes"):
        cost_matrix = cost_matrix.for_classes(classes.tolist()).table
    if np.ndim(cost_matrix) != 3:
        return check_matrix(cost_matrix, classes)
    k = len(classes)
    matrices = _numbers("cost_matrix", cost_matrix)
    if matrices.shape != (n_rows, k, k):
        raise ValueError(
            f"a cost_matrix of each row must have the shape ({n_rows}, {k}, {k}) for {n_rows} "
            f"rows and the classes {some(classes)}, got {matrices.shape}; {ORIENTATION}"
        )
    _refuse_negative("cost_matrix", matrices)
    _refuse_constant("cost_matrix", matrices)
    return matrices


def check_row_costs(costs: Any, y: NDArray[Any] | None = None) -> Floats:
    """Validate the cost of every prediction (columns) for every row."""
    table = _numbers("costs", costs if y is None else _sorted_columns(costs, np.unique(y)))
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(
            "costs must have a row for each row of X and a column for each of at least two "
            f"classes, got an array of shape {table.shape}"
        )
    _refuse_negative("costs", table)
    _refuse_constant("costs", table)
    return table


def _numbers(name: str, value: Any) -> Floats:
    try:
        return real_numbers(value)
    except ValueError as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from error


def _sorted_matrix(matrix: Any, classes: NDArray[Any]) -> Any:
    """Sort a record or a pandas frame whose rows and columns are named by the classes."""
    if hasattr(matrix, "for_classes"):
        return matrix.for_classes(classes.tolist()).table
    wanted, axes = classes.tolist(), [_row_names(matrix), _column_names(matrix)]
    named = [
        names_are(names, wanted, f"the {AXES[axis]} of cost_matrix")
        for axis, names in enumerate(axes)
    ]
    if all(named):
        return matrix.reindex(index=wanted, columns=wanted)
    for axis, names in enumerate(axes):
        if named[axis] and names != wanted:
            raise ValueError(
                f"cost_matrix is a frame whose {AXES[axis]} are named by the classes, in another "
                f"order than classes_, but not its {AXES[1 - axis]}; name both, or sort them"
            )
    return matrix


def _sorted_columns(costs: Any, classes: NDArray[Any]) -> Any:
    """Sort a frame whose columns are named by the classes."""
    wanted, names = classes.tolist(), _column_names(costs)
    if not names_are(names, wanted, "the columns of costs"):
        return costs
    return np.asarray(costs)[:, [names.index(name) for name in wanted]]


def _row_names(frame: Any) -> list[Any]:
    """Row names of a pandas frame; an empty list for other types."""
    return list(frame.index) if hasattr(frame, "reindex") else []


def _column_names(frame: Any) -> list[Any]:
    """Column names of a pandas or polars frame or an Arrow table; an empty list for an array."""
    return list(getattr(frame, "column_names", getattr(frame, "columns", ())))


def names_are(names: list[Any], wanted: list[Any], what: str) -> bool:
    """Whether the names are the classes, in any order; default names 0, 1, ... do not count."""
    if len(names) == len(wanted) and set(names) == set(wanted):
        return True
    if set(names) & set(wanted) and names != list(range(len(names))):
        found, classes = (some(np.array(labels, dtype=object)) for labels in (names, wanted))
        raise ValueError(
            f"{what} are named {found}, but the classes are {classes}; name them all by the "
            "classes, each once, or give an array without names, in the order of classes_"
        )
    return False


AXES = ("rows", "columns")


def _refuse_negative(name: str, costs: Floats) -> None:
    bad = ~np.isfinite(costs) | (costs < 0)
    if bad.any():
        place = tuple(int(at[0]) for at in np.nonzero(bad))
        raise ValueError(
            f"{name} must be finite and not negative, but {name}[{', '.join(map(str, place))}] is "
            f"{costs[place]:g}; only differences within a row matter, so a gain can be turned into "
            "a cost by subtracting it from the greatest gain of its row"
        )


def _refuse_constant(name: str, costs: Floats) -> None:
    if np.all(costs == costs[..., :1]):
        raise ValueError(
            f"{name} has the same cost for every prediction in every row: no decision is better "
            "than another, and there is nothing to learn"
        )


def _warn_of_diagonal(matrix: Floats, classes: NDArray[Any]) -> None:
    """Warn if predicting the true class is not cheaper than every other prediction."""
    own = np.diag(matrix)
    off = np.where(np.eye(len(own), dtype=bool), np.inf, matrix)
    costlier, tied = own > off.min(axis=1), own == off.min(axis=1)
    if not (costlier.any() or tied.any()):
        return
    true = int(np.argmax(costlier if costlier.any() else tied))
    predicted = int(off[true].argmin())
    case = (
        f"cost_matrix: where {_name(classes, true)} is true, predicting {_name(classes, predicted)}"
    )
    if not costlier.any():
        warn(f"{case} costs no more than the truth; such errors will not be avoided")
        return
    column_wise = np.all(own <= np.where(np.isinf(off), np.inf, matrix).min(axis=0))
    hint = (
        "It would be so if the matrix were transposed: is it the other way round?"
        if column_wise
        else "If it holds gains, subtract them from the greatest of their row."
    )
    warn(
        f"{case} costs {matrix[true, predicted]:g} and the truth costs {own[true]:g}. The truth "
        f"should be the cheapest prediction; {ORIENTATION}. {hint}",
    )


def _name(classes: NDArray[Any], k: int) -> str:
    return repr(classes[k].item() if hasattr(classes[k], "item") else classes[k])
