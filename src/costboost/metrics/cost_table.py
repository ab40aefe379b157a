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
    check_numbers,
    check_pos_label,
    check_same_length,
    check_weight,
    distinct,
    some,
)

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class CostTable:
    """Predictions for some rows, and the cost of every possible prediction for each of them.

    Rows with the same costs share a profile: with a cost matrix there is one for each true class,
    with costs of rows one for each row.
    """

    cost: Floats
    """Cost of each prediction (columns) for each profile (rows)."""
    profile: Codes
    """Profile of each row."""
    predicted: Codes
    """Predicted class of each row, as a column of ``cost``."""
    weight: Floats

    def of_predictions(self) -> Floats:
        """Cost of the prediction of each row, unweighted."""
        costs: Floats = self.cost[self.profile, self.predicted]
        return costs

    def total(self) -> float:
        """Weighted sum of the costs of all predictions."""
        return float(self.weight @ self.of_predictions())

    def of_constant_predictions(self) -> Floats:
        """Total cost of predicting the same class for every row, for each class."""
        return self._profile_weights() @ self.cost

    def least(self) -> float:
        """Total cost of the cheapest prediction for every row."""
        return float(self._profile_weights() @ self.cost.min(axis=1))

    def greatest(self) -> float:
        """Total cost of the most expensive prediction for every row."""
        return float(self._profile_weights() @ self.cost.max(axis=1))

    def _profile_weights(self) -> Floats:
        return np.bincount(self.profile, self.weight, len(self.cost)).astype(np.float64)


@dataclass(frozen=True)
class CostArguments:
    """Cost arguments of a measure: costs of two classes, a cost matrix, or costs of rows."""

    fn_cost: Any = None
    fp_cost: Any = None
    cost_matrix: Any = None
    costs: Any = None
    labels: Any = None
    pos_label: Any = None
    tp_cost: Any = None
    tn_cost: Any = None

    def __post_init__(self) -> None:
        of_classes = self.of_mistakes or self.of_right_predictions
        if of_classes + (self.cost_matrix is not None) + (self.costs is not None) > 1:
            raise ValueError(
                "costs are given twice: pass fn_cost and fp_cost, or cost_matrix, or costs"
            )
        if self.two_classes and self.labels is not None:
            raise ValueError("labels orders cost_matrix or costs; for fn_cost, pass pos_label")
        if not self.two_classes and self.pos_label is not None:
            raise ValueError("pos_label goes with fn_cost and fp_cost; for a matrix, pass labels")

    @property
    def of_mistakes(self) -> bool:
        """Whether a cost of a mistake is given."""
        return self.fn_cost is not None or self.fp_cost is not None

    @property
    def of_right_predictions(self) -> bool:
        """Whether a cost of a right prediction is given, so that costs may be gains."""
        return self.tp_cost is not None or self.tn_cost is not None

    @property
    def two_classes(self) -> bool:
        """Whether the costs are those of the outcomes of two classes."""
        return self.cost_matrix is None and self.costs is None

    def net(self) -> CostArguments:
        """The costs of mistakes minus those of right predictions, which then cost nothing."""
        if not self.of_right_predictions:
            return self
        given = self.fn_cost, self.fp_cost, self.tp_cost, self.tn_cost
        usual = 1.0, 1.0, 0.0, 0.0
        fn, fp, tp, tn = (
            check_numbers("a cost", default if value is None else value)
            for value, default in zip(given, usual, strict=True)
        )
        return CostArguments(fn - tp, fp - tn, pos_label=self.pos_label)

    def table(self, y_true: Any, y_pred: Any, sample_weight: Any) -> CostTable:
        """Validate labels, predictions and weights, and combine them with the costs."""
        predicted = check_labels("y_pred", y_pred)
        if y_true is None and self.costs is not None:
            y_true = predicted  # with costs of rows, the labels are not used
        true = check_labels("y_true", y_true)
        check_same_length(true.size, "y_pred", predicted.size)
        weight = check_weight(sample_weight, predicted.size)
        make = self._of_two_classes if self.two_classes else self._of_several_classes
        table = make(true, predicted, weight)
        with np.errstate(over="ignore"):
            if not np.isfinite(table.greatest()):
                raise ValueError("costs add up to more than a number can hold; take a larger unit")
        return table

    def _of_two_classes(
        self, true: NDArray[Any], predicted: NDArray[Any], weight: Floats
    ) -> CostTable:
        pos_label = self._positive(distinct(true, predicted))
        if not (self.of_mistakes or self.of_right_predictions):
            raise ValueError(
                "no costs are given; pass fn_cost and fp_cost, one of which may be left out and is "
                "then 1, or cost_matrix, or costs. With equal costs of 1 the cost is the error rate"
            )
        positive, code = true == pos_label, (predicted == pos_label).astype(np.intp)
        given = {"fn_cost": self.fn_cost, "fp_cost": self.fp_cost}
        right = {"tp_cost": self.tp_cost, "tn_cost": self.tn_cost}
        gains = self.of_right_predictions
        fn, fp, tp, tn = (
            check_cost(name, usual if value is None else value, true.size, gains)
            for usual, pair in ((1.0, given), (0.0, right))
            for name, value in pair.items()
        )
        if fn.ndim == fp.ndim == tp.ndim == tn.ndim == 0:
            cost = np.array([[float(tn), float(fp)], [float(fn), float(tp)]])
            return CostTable(cost, positive.astype(np.intp), code, weight)
        cost = np.column_stack([np.where(positive, fn, tn), np.where(positive, tp, fp)])
        return CostTable(cost, np.arange(true.size), code, weight)

    def _positive(self, classes: NDArray[Any]) -> Any:
        if len(classes) > 2:
            raise ValueError(
                f"there are {len(classes)} classes, {some(classes)}: misses and false alarms are "
                "for two; pass cost_matrix or costs"
            )
        if self.pos_label is None:
            return classes[-1]  # with a single class there are no errors, whichever it is
        check_pos_label(classes, self.pos_label)
        return self.pos_label

    def _of_several_classes(
        self, true: NDArray[Any], predicted: NDArray[Any], weight: Floats
    ) -> CostTable:
        labels = distinct(true, predicted) if self.labels is None else _check_order(self.labels)
        code, k = _codes(predicted, labels, "y_pred"), len(labels)
        if self.costs is not None:
            cost = _check_shape("costs", self.costs, (predicted.size, k), labels)
            return CostTable(cost, np.arange(predicted.size), code, weight)
        cost = _check_shape("cost_matrix", self.cost_matrix, (k, k), labels)
        return CostTable(cost, _codes(true, labels, "y_true"), code, weight)


def _check_shape(name: str, value: Any, shape: tuple[int, int], labels: NDArray[Any]) -> Floats:
    cost = check_not_negative(name, value)
    if cost.shape != shape:
        raise ValueError(
            f"{name} must have the shape {shape} for the classes {some(labels)}, got "
            f"{cost.shape}; if classes are missing from y_true and y_pred, pass labels"
        )
    return cost


def _check_order(labels: Any) -> NDArray[Any]:
    """Validate the order of the classes: each label once."""
    order = check_labels("labels", labels)
    if len(distinct(order)) < order.size:
        raise ValueError(f"labels must differ, got {some(order)}")
    return order


def _codes(y: NDArray[Any], labels: NDArray[Any], name: str) -> Codes:
    """Position of each label of ``y`` in ``labels``."""
    distinct(y, labels)  # raises for types that cannot be compared
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
