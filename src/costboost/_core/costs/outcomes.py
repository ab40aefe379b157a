"""Checks of the costs of the four outcomes of two classes, each a number or one for every row.

A row of the positive class costs ``tp_cost`` if it is predicted positive and ``fn_cost`` if not, a
row of the negative class ``fp_cost`` or ``tn_cost``. With p the probability of the positive class,
predicting it has the lower expected cost where::

    p (fn_cost - tp_cost) > (1 - p) (fp_cost - tn_cost)

so that training and decisions take the two differences, the net costs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.checks import as_numbers, refuse_negative, refuse_no_number
from costboost._core.costs.matrices import check_matrices
from costboost._core.names import COST_NAMES, MISTAKES
from costboost._core.rules.record import NetCosts

LARGEST_COST = 1e300


def check_costs(fn_cost: Any, fp_cost: Any, n_rows: int) -> NetCosts:
    """Check the two costs, each a positive number or an array with one for every row."""
    costs = NetCosts(_cost("fn_cost", fn_cost, n_rows), _cost("fp_cost", fp_cost, n_rows))
    check_size(costs)
    return costs


def check_size(costs: NetCosts) -> None:
    """Raise a ValueError if positive costs are too large or small, or too far apart, for floats."""
    for name, cost in zip(MISTAKES, costs, strict=True):
        least, most = ends(cost)
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


def ends(cost: Any) -> tuple[float, float]:
    """The least and the greatest cost."""
    return (cost, cost) if isinstance(cost, float) else (float(np.min(cost)), float(np.max(cost)))


def _cost(name: str, value: Any, n_rows: int) -> Any:
    if isinstance(value, (int, float)) and 0 < value <= LARGEST_COST:  # the usual case
        return float(value)
    cost = _of_rows(name, value, n_rows)
    refuse_negative(name, cost)
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
    cost = as_numbers(name, value)
    if cost.ndim > 1 or (cost.ndim == 1 and cost.size != n_rows):
        raise ValueError(
            f"{name} must be one number or one for each of the {n_rows} rows, got an array of "
            f"shape {cost.shape}"
        )
    return cost


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


def check_outcomes(
    n_rows: int, *, fn_cost: Any, fp_cost: Any, tp_cost: Any = None, tn_cost: Any = None
) -> tuple[NetCosts, tuple[Any, Any, Any, Any], bool]:
    """Check the costs of the outcomes, each a number or an array with one for every row.

    If neither ``tp_cost`` nor ``tn_cost`` is given, right predictions cost nothing, and mistakes
    must cost something: a cost of 0 or below is taken for an error. With one of them, any finite
    costs are allowed, unless both mistakes on a row are cheaper than the right predictions.

    Returns
    -------
    net : NetCosts
    outcomes : tuple
        Costs of a false negative, false positive, true positive and true negative.
    states_right : bool
        Whether the cost of a right prediction is given.
    """
    if tp_cost is None and tn_cost is None:
        net = check_costs(fn_cost, fp_cost, n_rows)
        return net, (*net, 0.0, 0.0), False
    stated = (0.0 if cost is None else cost for cost in (fn_cost, fp_cost, tp_cost, tn_cost))
    pairs = zip(COST_NAMES, stated, strict=True)
    fn, fp, tp, tn = (check_cell(name, cost, n_rows) for name, cost in pairs)
    net = NetCosts(fn - tp, fp - tn)
    _refuse_reversed(net)
    positive = [_positive_part(cost) for cost in net]
    if all(part is not None for part in positive):
        check_size(NetCosts(*positive))
    return net, (fn, fp, tp, tn), True


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
