"""Labelled rows with their weights, costs, classes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from costboost._core.arrays import Flags
from costboost._core.costs import Costs
from costboost.metrics.checks import Floats, check_labels, check_weight, distinct, some
from costboost.metrics.decided import outcome_costs


class LabelledRows(NamedTuple):
    """Rows of two classes with their weights and costs."""

    positive: Flags
    weight: Floats
    costs: Costs
    label: Any
    """The positive class."""
    other: Any
    """The negative class."""

    def take(self, rows: Any) -> LabelledRows:
        """The given rows, such as those of a fold."""
        part = self._replace(
            positive=self.positive[rows],
            weight=self.weight[rows],
            costs=self.costs.rows(rows),
        )
        return part.check()

    def check(self) -> LabelledRows:
        """Raise a ValueError unless both classes have rows with positive weights."""
        if not 0 < self.weight[self.positive].sum() < self.weight.sum():
            raise ValueError(
                "every row that counts, maybe of some fold, is of one class; there must be rows of "
                "both with weights above 0"
            )
        return self

    @property
    def cost(self) -> Floats:
        """Cost of a mistake on each row beyond that of the right prediction."""
        return np.asarray(self.costs.net.of_class(self.positive))

    @property
    def right(self) -> Floats | None:
        """Cost of the right prediction for each row; None if it costs nothing."""
        right = self.costs.right
        return None if right is None else np.where(self.positive, *right)

    @property
    def weighted_cost(self) -> Floats:
        """Cost of a mistake on each row times its weight."""
        return self.weight * self.cost

    @property
    def skew(self) -> float:
        """Share of the negative class in the cost of predicting every row wrongly."""
        return float(self.weighted_cost[~self.positive].sum() / self.weighted_cost.sum())

    @property
    def cost_proportion(self) -> float:
        """Share of a false positive in the mean costs of the two mistakes."""
        fn, fp = (
            np.average(self.cost[side], weights=self.weight[side])
            for side in (self.positive, ~self.positive)
        )
        return float(fp / (fn + fp))

    @property
    def positive_share(self) -> float:
        """Share of the positive class, by weight."""
        return float(self.weight[self.positive].sum() / self.weight.sum())


def read_rows(
    y_true: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
    stated: Mapping[str, Any] = MappingProxyType({}),
) -> LabelledRows:
    """Checked labels of two classes with weights, and the costs that are stated by name."""
    labels = check_labels("y_true", y_true)
    label, other = two_classes(distinct(labels), pos_label)
    positive = np.asarray(labels == label, dtype=np.bool_)
    weight = check_weight(sample_weight, labels.size)
    costs = outcome_costs(stated, labels.size)
    rows = LabelledRows(positive, weight, costs, label, other).check()
    if not rows.weighted_cost.any():
        raise ValueError("fn_cost and fp_cost are zero for every row; some mistake must cost")
    return rows


def two_classes(classes: Any, pos_label: Any) -> tuple[Any, Any]:
    """The positive class, by default the greater one, and the negative one."""
    found = np.asarray(classes)
    if len(found) != 2:
        raise ValueError(
            f"these plots are for two classes, but there are {len(found)}: {some(found)}"
        )
    if pos_label is None:
        return found[1], found[0]
    if not np.any(found == pos_label):
        given = some(np.asarray([pos_label]))
        raise ValueError(f"pos_label is {given}, but the classes are {some(found)}")
    return found[found == pos_label][0], found[found != pos_label][0]
