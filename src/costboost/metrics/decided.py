"""Rows, what was done with each, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Codes
from costboost._core.baselines import shares_of
from costboost._core.caching import cached_property
from costboost._core.costs import Costs
from costboost._core.costs.record import OUTCOMES, PREDICTIONS
from costboost._core.names import COST_NAMES, MISTAKES, RIGHT
from costboost.metrics.checks import (
    Floats,
    check_cost,
    check_labels,
    check_not_negative,
    check_pos_label,
    check_same_length,
    check_weight,
    distinct,
    some,
)


@dataclass(frozen=True, eq=False)
class Decided:
    """Rows, what was done with each, and what that costs."""

    costs: Costs
    """For the classes and the rows."""
    action: Codes
    """Action of each row, as a column of the costs."""
    truth: Codes
    """True class of each row, as a row of the costs."""
    weight: Floats

    @cached_property
    def _profiles(self) -> tuple[Floats, Codes]:
        """Cost of each action (columns) for each profile (rows), and the profile of each row.

        Rows with the same costs share a profile: there is one for each true class, or one for each
        row if its costs are its own.
        """
        if self.costs.n_rows is None:
            return self.costs.table, self.truth
        return self.costs.realised(self.truth), np.arange(self.truth.size)

    @property
    def paid(self) -> Floats:
        """Cost of the action of each row, unweighted."""
        cost, profile = self._profiles
        return np.asarray(cost[profile, self.action])

    def total(self) -> float:
        """Weighted sum of the costs of all actions."""
        return float(self.weight @ self.paid)

    def of_constant_actions(self) -> Floats:
        """Total cost of each action if all rows had it."""
        return self._profile_weights() @ self._profiles[0]

    def least(self) -> float:
        """Total cost of the cheapest action for every row."""
        return float(self._profile_weights() @ self._profiles[0].min(axis=1))

    def greatest(self) -> float:
        """Total cost of the most expensive action for every row."""
        return float(self._profile_weights() @ self._profiles[0].max(axis=1))

    def _profile_weights(self) -> Floats:
        cost, profile = self._profiles
        return np.bincount(profile, self.weight, len(cost)).astype(np.float64)

    def by_costs(self) -> Decided:
        """The rows decided by their costs alone, at the shares of the true classes."""
        if self.costs.form == PREDICTIONS:
            raise ValueError(
                "baseline='costs' needs the cost of every prediction where each class is true, but "
                "costs has those where the class of the row is true; pass predictions as baseline"
            )
        if self.costs.form == OUTCOMES:
            share = float(np.average(self.truth, weights=self.weight))
            shares = np.array([1 - share, share])
        else:
            shares = shares_of(self.truth, self.weight, len(self.costs.entries))
        return replace(self, action=self.costs.by_shares(shares, self.truth.size))


def decided(
    y_true: Any,
    y_pred: Any,
    stated: Mapping[str, Any],
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Decided:
    """Validate labels, predictions and weights, and combine them with the costs.

    ``stated`` are the arguments of a measure that state costs, without those that are None.
    """
    forms = (bool(set(stated) & set(COST_NAMES)), "cost_matrix" in stated, "costs" in stated)
    if sum(forms) > 1:
        raise ValueError(
            "costs are given twice: pass fn_cost and fp_cost, or cost_matrix, or costs"
        )
    record = stated.get("costs")
    if isinstance(record, Costs):
        labels = record.classes if labels is None and record.classes else labels
        if record.form != PREDICTIONS:
            stated = record.arguments
    two_classes = "cost_matrix" not in stated and "costs" not in stated
    if two_classes and labels is not None:
        raise ValueError("labels orders cost_matrix or costs; for fn_cost, pass pos_label")
    if not two_classes and pos_label is not None:
        raise ValueError("pos_label goes with fn_cost and fp_cost; for a matrix, pass labels")
    predicted = check_labels("y_pred", y_pred)
    if y_true is None and "costs" in stated:
        y_true = predicted  # with costs of rows, the labels are not used
    true = check_labels("y_true", y_true)
    check_same_length(true.size, "y_pred", predicted.size)
    weight = check_weight(sample_weight, predicted.size)
    if two_classes:
        found = _of_two_classes(true, predicted, stated, pos_label, weight)
    else:
        found = _of_several_classes(true, predicted, stated, labels, weight)
    with np.errstate(over="ignore"):
        if not np.isfinite(found.greatest()):
            raise ValueError("costs add up to more than a number can hold; take a larger unit")
    return found


def _of_two_classes(
    true: NDArray[Any],
    predicted: NDArray[Any],
    stated: Mapping[str, Any],
    pos_label: Any,
    weight: Floats,
) -> Decided:
    positive = _positive(distinct(true, predicted), pos_label)
    if not stated:
        raise ValueError(
            "no costs are given; pass fn_cost and fp_cost, one of which may be left out and is "
            "then 1, or cost_matrix, or costs. With equal costs of 1 the cost is the error rate"
        )
    code, truth = ((y == positive).astype(np.intp) for y in (predicted, true))
    return Decided(outcome_costs(stated, true.size), code, truth, weight)


def outcome_costs(stated: Mapping[str, Any], n_rows: int) -> Costs:
    """Costs of the outcomes for a measure: mistakes that are not stated cost 1."""
    usual = dict.fromkeys(MISTAKES, 1.0) | dict.fromkeys(RIGHT, 0.0)
    gains = any(name in stated for name in RIGHT)
    fn, fp, tp, tn = (
        check_cost(name, stated.get(name, usual[name]), n_rows, gains) for name in COST_NAMES
    )
    return Costs(((tn, fp), (fn, tp)), states_right=gains)


def _positive(classes: NDArray[Any], pos_label: Any) -> Any:
    if len(classes) > 2:
        raise ValueError(
            f"there are {len(classes)} classes, {some(classes)}: misses and false alarms are "
            "for two; pass cost_matrix or costs"
        )
    if pos_label is None:
        return classes[-1]  # with a single class there are no errors, whichever it is
    check_pos_label(classes, pos_label)
    return pos_label


def _of_several_classes(
    true: NDArray[Any],
    predicted: NDArray[Any],
    stated: Mapping[str, Any],
    labels: Any,
    weight: Floats,
) -> Decided:
    order = distinct(true, predicted) if labels is None else _check_order(labels)
    code, k = _codes(predicted, order, "y_pred"), len(order)
    of_rows = "costs" in stated
    name, shape = ("costs", (predicted.size, k)) if of_rows else ("cost_matrix", (k, k))
    costs = stated[name]
    if not isinstance(costs, Costs):
        values = check_not_negative(name, costs)
        _check_shape(name, values.shape, shape, order)
        costs = (Costs.per_prediction if of_rows else Costs.matrix)(values)
    costs = costs.for_classes(order.tolist())
    rows = () if costs.n_rows is None else (costs.n_rows,)
    n_rows = (predicted.size,) if rows else ()
    _check_shape("costs", (*rows, len(costs.entries[0])), (*n_rows, k), order)
    return Decided(costs, code, code if of_rows else _codes(true, order, "y_true"), weight)


def _check_shape(
    name: str, given: tuple[int, ...], shape: tuple[int, ...], labels: NDArray[Any]
) -> None:
    if given != shape:
        raise ValueError(
            f"{name} must have the shape {shape} for the classes {some(labels)}, got "
            f"{given}; if classes are missing from y_true and y_pred, pass labels"
        )


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
