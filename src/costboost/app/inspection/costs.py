"""Costs against the frequencies of the classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.checks import Floats, check_labels, check_not_negative
from costboost._core.costs import Costs, check_matrix, known_costs, one_against_rest
from costboost._core.names import MISTAKES
from costboost._core.wording import amount
from costboost.app.inspection.values import Finding
from costboost.app.reading.errors import some


def inspect_costs(
    y: Any,
    *,
    pos_label: Any = None,
    fn_cost: Any = None,
    fp_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
) -> list[Finding]:
    """Check costs of mistakes against the frequencies of the classes.

    In most applications of costs the rare class is the costly one to miss. Costs that contradict
    this are probably swapped, or the wrong class is the positive one.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.
    pos_label : label, default=None
        The positive class of two. By default the greater label.
    fn_cost, fp_cost : float or array-like of shape (n_samples,), default=1.0
        Costs of a false negative (a miss) and of a false positive (a false alarm).
    cost_matrix : array-like of shape (n_classes, n_classes), default=None
        Costs of all mistakes, true classes in rows and predictions in columns, in the order of the
        sorted labels. It takes the place of the two costs and is needed for more than two classes.
    costs : Costs, default=None
        The costs in one record, instead of the others.

    Returns
    -------
    list of Finding
        Codes are:

        - ``"no_costs"``: all mistakes cost 1
        - ``"costs_swapped"``: missing the rare class costs less than a false alarm
        - ``"frequent_positive"``: the positive class is the frequent one, and costly to miss
        - ``"row_costs_once"``: one mistake has a cost in each row, the other costs 1
        - ``"matrix_transposed"``: missing the rarest class costs less than predicting it wrongly

    Examples
    --------
    >>> from costboost.inspection import inspect_costs
    >>> y = ["paid"] * 95 + ["default"] * 5
    >>> for finding in inspect_costs(y, pos_label="default", fn_cost=1, fp_cost=10):
    ...     print(finding.code)
    costs_swapped
    """
    labels = check_labels("y", y)
    classes, count = np.unique(labels, return_counts=True)
    if classes.size < 2:
        raise ValueError(f"y has one class only, {classes[0]!r}; costs need at least two")
    stated = known_costs(costs, fn_cost, fp_cost, cost_matrix=cost_matrix)
    if classes.size > 2 or "cost_matrix" in stated:
        matrix = check_matrix(stated.get("cost_matrix"), classes)
        return list(_matrix_findings(matrix, classes, count))
    label = classes[1] if pos_label is None else pos_label
    positive = np.asarray(labels == label)
    if not positive.any():
        raise ValueError(f"pos_label={pos_label!r} is not in y, which has {classes.tolist()}")
    net = Costs.outcomes(**stated).net if costs is not None else None
    pair = zip(MISTAKES, net or (stated.get(name, 1.0) for name in MISTAKES), strict=True)
    checked = [_checked_costs(name, cost, labels.size) for name, cost in pair]
    return list(_two_class_findings(label, positive, *checked))


def _checked_costs(name: str, cost: Any, n_rows: int) -> Floats:
    values = check_not_negative(name, cost)
    if values.shape not in ((), (n_rows,)):
        raise ValueError(f"{name} has shape {values.shape}, but y has {n_rows} rows")
    return values


def _matrix_findings(
    matrix: Floats, classes: NDArray[Any], count: NDArray[np.intp]
) -> Iterator[Finding]:
    off_diagonal = matrix[~np.eye(len(matrix), dtype=bool)]
    if np.all(off_diagonal == 1) and not np.diag(matrix).any():
        yield Finding(
            "no_costs",
            f"there are {classes.size} classes ({some(classes.tolist())}), and every mistake "
            "costs 1",
            "give a cost_matrix",
        )
        return
    share = count / count.sum()
    miss, alarm = one_against_rest(matrix, share)
    rare = int(share.argmin())
    if share[rare] < share.max() and miss[rare] < alarm[rare]:
        yield Finding(
            "matrix_transposed",
            f"{classes[rare].item()!r} is the rarest class ({share[rare]:.1%} of the rows), and "
            f"missing it costs less ({amount(miss[rare])} on average) than predicting it where "
            f"another class is true ({amount(alarm[rare])})",
            "is the cost matrix transposed? Its rows are the true classes",
        )


def _two_class_findings(
    label: Any, positive: NDArray[np.bool_], fn_cost: Floats, fp_cost: Floats
) -> Iterator[Finding]:
    label = label.item() if hasattr(label, "item") else label
    fn = float(np.mean(np.broadcast_to(fn_cost, positive.shape)[positive]))
    fp = float(np.mean(np.broadcast_to(fp_cost, positive.shape)[~positive]))
    share = float(positive.mean())
    if fn == fp == 1:
        message = "no costs were given, so that all mistakes count the same"
        yield Finding("no_costs", message, "give fn_cost and fp_cost")
    if fn_cost.ndim and not fp_cost.ndim and fp_cost == 1:
        yield _row_costs_once("miss", "false alarm", "fp_cost", fn, fp / (fn + fp))
    elif fp_cost.ndim and not fn_cost.ndim and fn_cost == 1:
        yield _row_costs_once("false alarm", "miss", "fn_cost", fp, fp / (fn + fp))
    elif share < 0.5 and fn < fp:
        yield Finding(
            "costs_swapped",
            f"{label!r} is the rare class ({share:.1%} of the rows), and missing it costs less "
            f"({amount(fn)}) than a false alarm ({amount(fp)})",
            "are fn_cost and fp_cost swapped?",
        )
    elif share > 0.5 and fn > fp:
        yield Finding(
            "frequent_positive",
            f"{label!r} is the frequent class ({share:.1%} of the rows), and the one that is "
            "costly to miss",
            "if the rare class is the one that matters, make it pos_label",
        )


def _row_costs_once(
    mistake: str, other: str, parameter: str, mean: float, threshold: float
) -> Finding:
    return Finding(
        "row_costs_once",
        f"a {mistake} has a cost of its own in each row ({amount(mean)} on average), but a {other} "
        f"costs 1, so that rows are predicted positive from a probability of about "
        f"{threshold:.1%} on",
        f"give {parameter} in the same unit",
    )
