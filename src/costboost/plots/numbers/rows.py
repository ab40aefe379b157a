"""Labelled rows, what counts on them and what mistakes on them cost."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.metrics.checks import (
    Floats,
    check_cost,
    check_labels,
    check_weight,
    distinct,
    some,
)

Flags = NDArray[np.bool_]


class Rows(NamedTuple):
    """Rows of two classes."""

    positive: Flags
    weight: Floats
    fn_cost: Floats
    fp_cost: Floats
    """Costs of mistakes: one number, or one for each row."""
    label: Any
    """The positive one of the classes."""
    other: Any

    def take(self, rows: Any) -> Rows:
        """Some of them, such as those of a fold."""
        part = self._replace(
            positive=self.positive[rows],
            weight=self.weight[rows],
            fn_cost=self.fn_cost[rows] if self.fn_cost.ndim else self.fn_cost,
            fp_cost=self.fp_cost[rows] if self.fp_cost.ndim else self.fp_cost,
        )
        return part.check()

    def check(self) -> Rows:
        """Misses and false alarms are told apart on rows of both classes only."""
        if not 0 < self.weight[self.positive].sum() < self.weight.sum():
            raise ValueError(
                "every row that counts, maybe of some fold, is of one class; there must be rows of "
                "both with weights above 0"
            )
        return self

    @property
    def cost(self) -> Floats:
        """What a mistake on each row costs."""
        return np.where(self.positive, self.fn_cost, self.fp_cost)

    @property
    def stakes(self) -> Floats:
        """What the mistakes on each row cost, taken as often as it counts."""
        return self.weight * self.cost

    @property
    def skew(self) -> float:
        """Share of the negative class in what being wrong everywhere would cost."""
        return float(self.stakes[~self.positive].sum() / self.stakes.sum())

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
) -> Rows:
    """Labels of two classes with weights and costs, checked; what is not said is 1."""
    labels = check_labels("y_true", y_true)
    label, other = two_classes(distinct(labels), pos_label)
    positive = np.asarray(labels == label, dtype=np.bool_)
    weight = check_weight(sample_weight, labels.size)
    fn, fp = (
        check_cost(name, 1.0 if value is None else value, labels.size)
        for name, value in (("fn_cost", fn_cost), ("fp_cost", fp_cost))
    )
    rows = Rows(positive, weight, fn, fp, label, other).check()
    if not rows.stakes.any():
        raise ValueError("fn_cost and fp_cost are zero for every row; some mistake must cost")
    return rows


def two_classes(classes: Any, pos_label: Any) -> tuple[Any, Any]:
    """The positive class, by default the greater one, and the other."""
    found = np.asarray(classes)
    if len(found) != 2:
        raise ValueError(
            f"these pictures are for two classes, but there are {len(found)}: {some(found)}"
        )
    if pos_label is None:
        return found[1], found[0]
    if not np.any(found == pos_label):
        said = some(np.asarray([pos_label]))
        raise ValueError(f"pos_label is {said}, but the classes are {some(found)}")
    return found[found == pos_label][0], found[found != pos_label][0]
