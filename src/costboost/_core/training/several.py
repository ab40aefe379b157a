"""Rows of several classes, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.checks import some
from costboost._core.costs import one_against_rest
from costboost._core.rules.record import NetCosts
from costboost._core.tables import Features, Table
from costboost._core.training.problem import Problem, are_relative


@dataclass(frozen=True, kw_only=True)
class SeveralClasses:
    """Rows of several classes, checked."""

    table: Table
    features: Features
    classes: NDArray[Any]
    code: NDArray[np.intp]
    """Number of the class of each row."""
    weight: NDArray[np.float64] | None
    """Sample weights, or None if they are constant."""
    usual_weight: float
    """The constant sample weight."""
    groups: NDArray[np.intp] | None
    """A number for the group of each row; no split separates rows of a group."""
    matrix: Floats
    """Cost of predicting class j (column) where class i (row) is true."""

    def against_rest(self) -> list[Problem]:
        """The problem of each class against the rest."""
        total = self.class_totals()
        fn_cost, fp_cost = one_against_rest(self.matrix, total / total.sum())
        relative = are_relative(self.weight, self.usual_weight)
        return [
            Problem(
                table=self.table,
                features=self.features,
                classes=np.array([False, True]),
                positive_index=1,
                positive=(self.code == c).astype(np.uint8),
                weight=self.weight,
                costs=NetCosts(float(fn_cost[c]), float(fp_cost[c])),
                usual_weight=self.usual_weight,
                groups=self.groups,
                relative=relative,
                description=f"class {some(self.classes[c : c + 1])} against the rest",
            )
            for c in range(len(self.classes))
        ]

    def together(self) -> Problem:
        """The problem of all classes, for rules with a score for each."""
        return Problem(
            table=self.table,
            features=self.features,
            classes=self.classes,
            positive_index=0,
            positive=np.zeros(self.table.n_rows, dtype=np.uint8),
            weight=self.weight,
            costs=NetCosts(1.0, 1.0),
            usual_weight=self.usual_weight,
            groups=self.groups,
            relative=are_relative(self.weight, self.usual_weight),
            code=self.code,
            matrix=self.matrix,
        )

    def class_totals(self) -> Floats:
        """Weight of the rows of each class; a ValueError if a class has none."""
        counts = np.ones(self.table.n_rows) if self.weight is None else self.weight
        total: Floats = np.bincount(self.code, counts, len(self.classes)).astype(np.float64)
        if not total.all():
            raise ValueError(
                f"class {some(self.classes[total == 0])} has no row whose sample_weight is not 0; "
                "drop its rows, or give one of them a weight"
            )
        return total

    def single_rows(self) -> NDArray[np.bool_]:
        """Which classes have only one row whose weight is not 0."""
        code = self.code if self.weight is None else self.code[self.weight > 0]
        return np.asarray(np.bincount(code, minlength=len(self.classes)) == 1)
