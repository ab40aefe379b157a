"""Cost of every possible prediction for every row: the common form of all cost arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.metrics.checks import (
    Floats,
    check_cost,
    check_labels,
    check_not_negative,
    check_same_length,
    check_weight,
    distinct,
    some,
)

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Stakes:
    """Decisions and what they could have cost.

    Rows share a line of the table where their costs are the same: with a cost matrix there is a
    line for each class, with costs of their own one for each row.
    """

    table: Floats
    """Cost of each prediction (columns) on each line."""
    line: Codes
    chosen: Codes
    weight: Floats

    def of_rows(self) -> Floats:
        """What each decision has cost."""
        costs: Floats = self.table[self.line, self.chosen]
        return costs

    def total(self) -> float:
        """What all decisions have cost."""
        return float(self.weight @ self.of_rows())

    def always(self) -> Floats:
        """What it would have cost to predict the same class for every row, for each class."""
        return self._weight_of_lines() @ self.table

    def least(self) -> float:
        """Cost of the best decision on every row."""
        return float(self._weight_of_lines() @ self.table.min(axis=1))

    def greatest(self) -> float:
        """Cost of the worst decision on every row."""
        return float(self._weight_of_lines() @ self.table.max(axis=1))

    def _weight_of_lines(self) -> Floats:
        return np.bincount(self.line, self.weight, len(self.table)).astype(np.float64)


@dataclass(frozen=True)
class Costs:
    """Costs as the user states them, in one of three ways."""

    fn_cost: Any = None
    fp_cost: Any = None
    cost_matrix: Any = None
    costs: Any = None
    labels: Any = None
    pos_label: Any = None

    def __post_init__(self) -> None:
        of_classes = self.fn_cost is not None or self.fp_cost is not None
        if of_classes + (self.cost_matrix is not None) + (self.costs is not None) > 1:
            raise ValueError(
                "costs are given twice: pass fn_cost and fp_cost, or cost_matrix, or costs"
            )
        if self.two_classes and self.labels is not None:
            raise ValueError("labels orders cost_matrix or costs; for fn_cost, pass pos_label")
        if not self.two_classes and self.pos_label is not None:
            raise ValueError("pos_label goes with fn_cost and fp_cost; for a matrix, pass labels")

    @property
    def two_classes(self) -> bool:
        """Whether there are only misses and false alarms."""
        return self.cost_matrix is None and self.costs is None

    def stakes(self, y_true: Any, y_pred: Any, sample_weight: Any) -> Stakes:
        """What the predictions could have cost."""
        said = check_labels("y_pred", y_pred)
        if y_true is None and self.costs is not None:
            y_true = said  # costs of their own say all there is to know about the rows
        true = check_labels("y_true", y_true)
        check_same_length(true.size, "y_pred", said.size)
        weight = check_weight(sample_weight, said.size)
        stakes = (self._of_two if self.two_classes else self._of_many)(true, said, weight)
        with np.errstate(over="ignore"):
            if not np.isfinite(stakes.greatest()):
                raise ValueError("costs add up to more than a number can hold; take a larger unit")
        return stakes

    def _of_two(self, true: NDArray[Any], said: NDArray[Any], weight: Floats) -> Stakes:
        pos_label = self._positive(distinct(true, said))
        if self.fn_cost is None and self.fp_cost is None:
            raise ValueError(
                "no costs are given; pass fn_cost and fp_cost, one of which may be left out and is "
                "then 1, or cost_matrix, or costs. With equal costs of 1 the cost is the error rate"
            )
        positive, chosen = true == pos_label, (said == pos_label).astype(np.intp)
        fn, fp = (
            check_cost(name, 1.0 if value is None else value, true.size)
            for name, value in (("fn_cost", self.fn_cost), ("fp_cost", self.fp_cost))
        )
        if fn.ndim == fp.ndim == 0:
            table = np.array([[0.0, float(fp)], [float(fn), 0.0]])
            return Stakes(table, positive.astype(np.intp), chosen, weight)
        table = np.column_stack([np.where(positive, fn, 0.0), np.where(positive, 0.0, fp)])
        return Stakes(table, np.arange(true.size), chosen, weight)

    def _positive(self, classes: NDArray[Any]) -> Any:
        if len(classes) > 2:
            raise ValueError(
                f"there are {len(classes)} classes, {some(classes)}: misses and false alarms are "
                "for two; pass cost_matrix or costs"
            )
        if self.pos_label is None:
            return classes[-1]  # a single class has no mistakes, so that its name cannot matter
        if len(classes) == 2 and not np.any(classes == self.pos_label):
            raise ValueError(
                f"pos_label is {self.pos_label!r}, but the classes are {some(classes)}"
            )
        return self.pos_label

    def _of_many(self, true: NDArray[Any], said: NDArray[Any], weight: Floats) -> Stakes:
        labels = distinct(true, said) if self.labels is None else _check_order(self.labels)
        chosen = _codes(said, labels, "y_pred")
        if self.costs is not None:
            table = _table("costs", self.costs, (said.size, len(labels)), labels)
            return Stakes(table, np.arange(said.size), chosen, weight)
        table = _table("cost_matrix", self.cost_matrix, (len(labels), len(labels)), labels)
        return Stakes(table, _codes(true, labels, "y_true"), chosen, weight)


def _table(name: str, value: Any, shape: tuple[int, int], labels: NDArray[Any]) -> Floats:
    table = check_not_negative(name, value)
    if table.shape != shape:
        raise ValueError(
            f"{name} must have the shape {shape} for the classes {some(labels)}, got "
            f"{table.shape}; if classes are missing from y_true and y_pred, pass labels"
        )
    return table


def _check_order(labels: Any) -> NDArray[Any]:
    order = check_labels("labels", labels)
    if len(distinct(order)) < order.size:
        raise ValueError(f"labels must differ, got {some(order)}")
    return order


def _codes(y: NDArray[Any], labels: NDArray[Any], name: str) -> Codes:
    """The place of each label in the order of labels."""
    distinct(y, labels)  # complains about kinds that cannot be compared
    sorter = np.argsort(labels)
    place = np.searchsorted(labels, y, sorter=sorter)
    codes: Codes = sorter[np.minimum(place, len(labels) - 1)]
    unknown = labels[codes] != y
    if unknown.any():
        raise ValueError(
            f"{name} contains {y[unknown].tolist()[0]!r}, which is not among the labels "
            f"{some(labels)}"
        )
    return codes
