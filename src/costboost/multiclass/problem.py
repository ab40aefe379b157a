"""Training problem of several classes: the cost of every prediction on each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.checks import some, warn
from costboost.classifiers.checks import check_labels, sorted_labels
from costboost.costs import cheapest, check_matrix, check_row_costs, least_is_zero
from costboost.vectors import Floats

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Problem:
    """Costs of every prediction on every row, and the labels of the rows.

    From the costs of a row its least cost is subtracted, and all are divided by the greatest
    difference.
    """

    cost: Floats
    """Scaled costs of shape (n_rows, n_classes), from 0 to 1."""
    label: Codes
    """The cheapest class of each row, which Abe et al. take for the true one."""
    truth: Codes
    """The class in y; equal to ``label`` if only costs were given."""
    matrix: Floats
    """C[i, j]: mean cost of predicting j on rows of the true class i, in the user's unit."""
    given: Floats
    """Costs of the rows as the user gave them."""
    unit: float
    """A scaled cost of 1 in the user's unit."""

    @property
    def n_rows(self) -> int:
        return len(self.label)

    @property
    def n_classes(self) -> int:
        return int(self.cost.shape[1])

    def mean_cost(self, code: Codes) -> float:
        """Mean cost of the predicted class codes, in the user's unit."""
        return float(self.given[np.arange(self.n_rows), code].mean())

    def take(self, rows: Codes) -> Problem:
        """The problem of the given rows."""
        own = {name: getattr(self, name)[rows] for name in ("cost", "label", "truth", "given")}
        return replace(self, **own)


def read_problem(y: Any, costs: Any, cost_matrix: Any, n_rows: int) -> tuple[NDArray[Any], Problem]:
    """Classes and training problem from labels, costs of each row, or a cost matrix."""
    if costs is None:
        return _from_labels(y, cost_matrix, n_rows)
    labels = None if y is None else _labels(y, n_rows)
    given = check_row_costs(costs, labels)
    if len(given) != n_rows:
        raise ValueError(f"costs has {len(given)} rows, but X has {n_rows} rows")
    cost, unit = _as_shares(given)
    if labels is None:
        classes, truth = np.arange(given.shape[1]), cheapest(cost)
    else:
        classes, truth = _classes_of_columns(labels, given.shape[1])
    label = cheapest(cost, truth)
    _warn_of_ties(cost, labels is not None)
    _warn_of_other_labels(label, truth)
    return classes, Problem(cost, label, truth, _mean_matrix(given, truth), given, unit)


def _from_labels(y: Any, cost_matrix: Any, n_rows: int) -> tuple[NDArray[Any], Problem]:
    if y is None:
        raise ValueError(
            "This classifier requires y to be passed, but the target y is None; y may only be left "
            "out where costs are given for every row"
        )
    classes, truth = np.unique(_labels(y, n_rows), return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only, {some(classes)}; a classifier needs rows of two classes"
        )
    matrix = check_matrix(cost_matrix, classes)
    given = matrix[truth]
    cost, unit = _as_shares(given)
    return classes, Problem(cost, cheapest(cost, truth), truth, matrix, given, unit)


def _as_shares(given: Floats) -> tuple[Floats, float]:
    """Costs minus the least of each row, divided by the greatest difference; and that difference.

    The result does not depend on the unit, nor on a constant added to all costs of a row.
    """
    beyond = least_is_zero(given)
    unit = float(beyond.max())
    return beyond / unit, unit


def _labels(y: Any, n_rows: int) -> NDArray[Any]:
    labels = check_labels(y)
    sorted_labels(labels)
    if labels.size != n_rows:
        raise ValueError(f"y has {labels.size} labels, but X has {n_rows} rows")
    return labels


def _classes_of_columns(y: NDArray[Any], k: int) -> tuple[NDArray[Any], Codes]:
    """Classes of k columns of costs, either the labels in y or 0 to k - 1; and codes of y."""
    classes, code = np.unique(y, return_inverse=True)
    if len(classes) == k:
        return classes, code
    if y.dtype.kind in "iu" and classes[0] >= 0 and classes[-1] < k:
        return np.arange(k), y.astype(np.intp)
    raise ValueError(
        f"costs has {k} columns, but y has {len(classes)} classes, {some(classes)}: there must be "
        "a column for each class, in sorted order. If some classes do not occur, give y as numbers "
        f"from 0 to {k - 1}"
    )


def _mean_matrix(given: Floats, truth: Codes) -> Floats:
    """Mean costs of the rows of each true class; of all rows for a class without rows."""
    k = given.shape[1]
    count = np.bincount(truth, minlength=k)
    total = np.stack([np.bincount(truth, given[:, j], k) for j in range(k)], axis=1)
    mean = total / np.maximum(count, 1)[:, None]
    return np.where(count[:, None] > 0, mean, given.mean(axis=0))


def _warn_of_ties(cost: Floats, labelled: bool) -> None:
    tied = int(((cost == 0).sum(axis=1) > 1).sum())
    if tied:
        taken = (
            "the label in y is taken where it is one of them, else the first; mistakes among them "
            "will be made freely"
            if labelled
            else "without y, the first of them is taken for the true one"
        )
        warn(f"{tied} of {len(cost)} rows have several cheapest classes; {taken}")


def _warn_of_other_labels(label: Codes, truth: Codes) -> None:
    other = int((label != truth).sum())
    if other:
        warn(
            f"on {other} of {len(label)} rows the label in y is not the cheapest prediction by "
            "costs; training goes by the costs. Columns of costs are predictions, in the order of "
            "classes_",
        )
