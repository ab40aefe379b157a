"""Costs of more than two classes: a matrix, or a cost of every prediction for every row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats
from costboost.checks import real_numbers, some, warn

ORIENTATION = "rows are the true classes and columns the predictions, in the order of classes_"

COSTS_OF_ROWS = (
    "Training for costs of each row is fit(X, y, costs=...) of GBSEClassifier and the others in "
    "costboost.multiclass; predict takes a matrix of each row where probabilities decide"
)


def check_matrix(cost_matrix: Any, classes: NDArray[Any]) -> Floats:
    """A cost matrix for the classes, checked; None costs 1 for every mistake."""
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
    _refuse_bad("cost_matrix", matrix)
    _refuse_idle("cost_matrix", matrix)
    _question_diagonal(matrix, classes)
    return np.ascontiguousarray(matrix)  # sums depend on the order by a bit


def check_matrices(cost_matrix: Any, classes: NDArray[Any], n_rows: int) -> Floats:
    """One cost matrix for all rows, or one for each of them."""
    if np.ndim(cost_matrix) != 3:
        return check_matrix(cost_matrix, classes)
    k = len(classes)
    matrices = _numbers("cost_matrix", cost_matrix)
    if matrices.shape != (n_rows, k, k):
        raise ValueError(
            f"a cost_matrix of each row must have the shape ({n_rows}, {k}, {k}) for {n_rows} "
            f"rows and the classes {some(classes)}, got {matrices.shape}; {ORIENTATION}"
        )
    _refuse_bad("cost_matrix", matrices)
    _refuse_idle("cost_matrix", matrices)
    return matrices


def check_row_costs(costs: Any, y: NDArray[Any] | None = None) -> Floats:
    """The cost of every prediction (columns) for every row, checked."""
    table = _numbers("costs", costs if y is None else _sorted_columns(costs, np.unique(y)))
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(
            "costs must have a line for each row of X and a column for each of at least two "
            f"classes, got an array of shape {table.shape}"
        )
    _refuse_bad("costs", table)
    _refuse_idle("costs", table)
    return table


def least_is_zero(costs: Floats) -> Floats:
    """Costs beyond the least of each row: the best prediction is free."""
    beyond: Floats = costs - costs.min(axis=-1, keepdims=True)
    return beyond


def cheapest(costs: Floats, code: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
    """The prediction of least cost: that of ``code`` where it is one of them, else the first."""
    best: NDArray[np.intp] = costs.argmin(axis=1)
    if code is None:
        return best
    rows = np.arange(len(code))
    return np.where(costs[rows, code] <= costs[rows, best], code, best)


def expected(probability: Floats, matrix: Floats) -> Floats:
    """Expected cost of predicting each class; the matrix may be one of each row."""
    if matrix.ndim == 2:
        return np.asarray(probability @ matrix)
    return np.asarray(np.einsum("ri,rij->rj", probability, matrix))


def least_expected(probability: Floats, matrix: Floats) -> NDArray[np.intp]:
    """The class of least expected cost, the first one of those that are equal.

    Classes are compared by the differences of their costs, so that what both cost, and what other
    classes cost, however much it is, does not blur them::

        sum over i of P(i) (C(i, j) - C(i, best)) <= TIE sum over i of P(i) |C(i, j) - C(i, best)|
    """
    best = expected(probability, matrix).argmin(axis=1)
    best = _beyond(probability, matrix, best)[0].argmin(axis=1)
    beyond, size = _beyond(probability, matrix, best)
    codes: NDArray[np.intp] = (beyond <= TIE * size).argmax(axis=1)
    return codes


def _beyond(probability: Floats, matrix: Floats, best: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Expected cost of each class beyond that of the best, and the sizes of its terms added up."""
    if matrix.ndim == 3:
        differences = matrix - np.take_along_axis(matrix, best[:, None, None], axis=2)
        return expected(probability, differences), expected(probability, np.abs(differences))
    beyond, size = np.empty_like(probability), np.empty_like(probability)
    for code in np.unique(best):
        rows, differences = best == code, matrix - matrix[:, [code]]
        beyond[rows] = expected(probability[rows], differences)
        size[rows] = expected(probability[rows], np.abs(differences))
    return beyond, size


def one_against_rest(matrix: Floats, share: Floats) -> tuple[Floats, Floats]:
    """Cost of a miss and of a false alarm for each class against the rest.

    A miss of class c costs what calling it by another name does on average, each name counted by
    the share of its class; a false alarm, what calling the others c does, counted in the same way::

        miss(c)  = sum over j != c of share(j) C(c, j) / sum of share(j)
        alarm(c) = sum over i != c of share(i) C(i, c) / sum of share(i)

    With two classes these are the two entries beside the diagonal.
    """
    beyond = least_is_zero(matrix)
    others = 1 - np.eye(len(share))
    rest = others @ share
    miss = (beyond * others) @ share / rest
    alarm = (beyond * others).T @ share / rest
    floor = LEAST_COST * beyond.max()
    return np.maximum(miss, floor), np.maximum(alarm, floor)


TIE = 1e-12
"""A difference of expected costs that is this share of the sizes of its terms is none."""
LEAST_COST = 1e-9
"""A mistake that costs nothing stands for one that costs this share of the dearest."""


# ---- what a user can get wrong -------------------------------------------------------------------


def _numbers(name: str, value: Any) -> Floats:
    try:
        return real_numbers(value)
    except ValueError as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from error


def _sorted_matrix(matrix: Any, classes: NDArray[Any]) -> Any:
    """A pandas frame whose lines and columns are named by the classes, in the order of these."""
    wanted, axes = classes.tolist(), [_line_names(matrix), _column_names(matrix)]
    named = [
        _names_of(names, wanted, f"the {AXES[axis]} of cost_matrix")
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
    """A frame whose columns are named by the classes, in the order of these."""
    wanted, names = classes.tolist(), _column_names(costs)
    if not _names_of(names, wanted, "the columns of costs"):
        return costs
    return np.asarray(costs)[:, [names.index(name) for name in wanted]]


def _line_names(frame: Any) -> list[Any]:
    """Those of a pandas frame; others have none."""
    return list(frame.index) if hasattr(frame, "reindex") else []


def _column_names(frame: Any) -> list[Any]:
    """Those of a pandas or polars frame or an Arrow table; an array has none."""
    return list(getattr(frame, "column_names", getattr(frame, "columns", ())))


def _names_of(names: list[Any], wanted: list[Any], what: str) -> bool:
    """Whether these are the classes, in any order; numbers that merely count are no names."""
    if len(names) == len(wanted) and set(names) == set(wanted):
        return True
    if set(names) & set(wanted) and names != list(range(len(names))):
        found, classes = (some(np.array(labels, dtype=object)) for labels in (names, wanted))
        raise ValueError(
            f"{what} are named {found}, but the classes are {classes}; name them all by the "
            "classes, each once, or give an array without names, in the order of classes_"
        )
    return False


AXES = ("lines", "columns")


def _refuse_bad(name: str, costs: Floats) -> None:
    bad = ~np.isfinite(costs) | (costs < 0)
    if bad.any():
        place = tuple(int(at[0]) for at in np.nonzero(bad))
        raise ValueError(
            f"{name} must be finite and not negative, but {name}[{', '.join(map(str, place))}] is "
            f"{costs[place]:g}; only differences within a row matter, so a gain can be turned into "
            "a cost by subtracting it from the greatest gain of its row"
        )


def _refuse_idle(name: str, costs: Floats) -> None:
    if np.all(costs == costs[..., :1]):
        raise ValueError(
            f"{name} has the same cost for every prediction in every row: no decision is better "
            "than another, and there is nothing to learn"
        )


def _question_diagonal(matrix: Floats, classes: NDArray[Any]) -> None:
    """Warn where the true class is not the one and only cheapest prediction."""
    own = np.diag(matrix)
    off = np.where(np.eye(len(own), dtype=bool), np.inf, matrix)
    dearer, tied = own > off.min(axis=1), own == off.min(axis=1)
    if dearer.any():
        true, said = int(np.argmax(dearer)), int(off[np.argmax(dearer)].argmin())
        column_wise = np.all(own <= np.where(np.isinf(off), np.inf, matrix).min(axis=0))
        hint = (
            "It would be so if the matrix were transposed: is it the other way round?"
            if column_wise
            else "If it holds gains, subtract them from the greatest of their row."
        )
        warn(
            f"cost_matrix: where {_name(classes, true)} is true, predicting {_name(classes, said)} "
            f"costs {matrix[true, said]:g} and the truth costs {own[true]:g}. The truth should be "
            f"the cheapest prediction; {ORIENTATION}. {hint}",
        )
    elif tied.any():
        true, said = int(np.argmax(tied)), int(off[np.argmax(tied)].argmin())
        warn(
            f"cost_matrix: where {_name(classes, true)} is true, predicting {_name(classes, said)} "
            "costs no more than the truth; such mistakes will be made freely",
        )


def _name(classes: NDArray[Any], k: int) -> str:
    return repr(classes[k].item() if hasattr(classes[k], "item") else classes[k])
