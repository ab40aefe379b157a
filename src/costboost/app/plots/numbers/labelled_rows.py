"""Labelled rows with their weights, costs, classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from costboost._core.arrays import Flags
from costboost.metrics.checks import Floats, check_cost, check_labels, check_weight, distinct, some


class LabelledRows(NamedTuple):
    """Rows of two classes with their weights and costs."""

    positive: Flags
    weight: Floats
    fn_cost: Floats
    fp_cost: Floats
    """Costs of false negatives and false positives: one number each, or one for each row."""
    label: Any
    """The positive class."""
    other: Any
    """The negative class."""

    def take(self, rows: Any) -> LabelledRows:
        """The given rows, such as those of a fold."""
        part = self._replace(
            positive=self.positive[rows],
            weight=self.weight[rows],
            fn_cost=self.fn_cost[rows] if self.fn_cost.ndim else self.fn_cost,
            fp_cost=self.fp_cost[rows] if self.fp_cost.ndim else self.fp_cost,
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
        """Cost of a mistake on each row."""
        return np.where(self.positive, self.fn_cost, self.fp_cost)

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
    fn_cost: Any = None,
    fp_cost: Any = None,
) -> LabelledRows:
    """Checked labels of two classes with weights and costs; defaults are 1."""
    labels = check_labels("y_true", y_true)
    label, other = two_classes(distinct(labels), pos_label)
    positive = np.asarray(labels == label, dtype=np.bool_)
    weight = check_weight(sample_weight, labels.size)
    fn, fp = (
        check_cost(name, 1.0 if value is None else value, labels.size)
        for name, value in (("fn_cost", fn_cost), ("fp_cost", fp_cost))
    )
    rows = LabelledRows(positive, weight, fn, fp, label, other).check()
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
