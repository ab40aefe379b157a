"""The rows to learn from: what every prediction costs on each, and which label is the best."""

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
    """Costs of every row beyond its least one, as shares of the greatest of these."""

    cost: Floats
    """n_rows x n_classes, at most 1."""
    label: Codes
    """The cheapest class of each row, which Abe et al. take for the true one."""
    truth: Codes
    """The class that y names; the same as ``label`` where only costs were given."""
    matrix: Floats
    """C[i, j]: the mean cost of predicting j on rows whose truth is i, in the user's unit."""
    given: Floats
    """Costs of the rows as the user gave them."""
    unit: float
    """What a cost of 1 here is in the user's unit."""

    @property
    def n_rows(self) -> int:
        return len(self.label)

    @property
    def n_classes(self) -> int:
        return int(self.cost.shape[1])

    def mean_cost(self, code: Codes) -> float:
        """What predictions for the rows cost on average, in the user's unit."""
        return float(self.given[np.arange(self.n_rows), code].mean())

    def take(self, rows: Codes) -> Problem:
        """The same for some of the rows."""
        own = {name: getattr(self, name)[rows] for name in ("cost", "label", "truth", "given")}
        return replace(self, **own)


def read_problem(y: Any, costs: Any, cost_matrix: Any, n_rows: int) -> tuple[NDArray[Any], Problem]:
    """The classes, and the costs of the rows, from whatever of the three the user gave."""
    if costs is None:
        return _from_labels(y, cost_matrix, n_rows)
    labels = None if y is None else _labels(y, n_rows)
    given = check_row_costs(costs, labels)
    if len(given) != n_rows:
        raise ValueError(f"costs has {len(given)} lines, but X has {n_rows} rows")
    cost, unit = _as_shares(given)
    if labels is None:
        classes, truth = np.arange(given.shape[1]), cheapest(cost)
    else:
        classes, truth = _classes_of_columns(labels, given.shape[1])
    label = cheapest(cost, truth)
    _mention_ties(cost, labels is not None)
    _mention_other_labels(label, truth)
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
    """Costs beyond the least of each row as shares of the greatest, and that one.

    A constant added to all costs of a row, or another unit, is gone before anything is learnt.
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
    """Classes for k columns of costs: the labels that occur, or 0, ..., k - 1."""
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
    """Mean costs for each true class; for one that does not occur, those of all rows."""
    k = given.shape[1]
    count = np.bincount(truth, minlength=k)
    total = np.stack([np.bincount(truth, given[:, j], k) for j in range(k)], axis=1)
    mean = total / np.maximum(count, 1)[:, None]
    return np.where(count[:, None] > 0, mean, given.mean(axis=0))


def _mention_ties(cost: Floats, labelled: bool) -> None:
    tied = int(((cost == 0).sum(axis=1) > 1).sum())
    if tied:
        taken = (
            "the label in y is taken where it is one of them, else the first; mistakes among them "
            "will be made freely"
            if labelled
            else "without y, the first of them is taken for the true one"
        )
        warn(f"{tied} of {len(cost)} rows have several cheapest classes; {taken}")


def _mention_other_labels(label: Codes, truth: Codes) -> None:
    other = int((label != truth).sum())
    if other:
        warn(
            f"on {other} of {len(label)} rows the label in y is not the cheapest prediction by "
            "costs; training goes by the costs. Columns of costs are predictions, in the order of "
            "classes_",
        )
