"""What a state of one score is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from costboost._core.arithmetic import Floats, Vector
from costboost._core.loop.state import NO_SIZE
from costboost._core.rules.record import RealRule, RowData, Rule


class Training(NamedTuple):
    """A training set: rows, costs and learning rate."""

    rows: Any
    """The rows: `Rows` with their initial weights, or the `RawRows` of a wrapped learner."""
    pair: Floats
    """Cost of a mistake on a positive and on a negative row, as the rule scales them."""
    cost: Vector | None
    """Cost of a mistake on every row, as the rule scales it; None for class costs."""
    all_rows: Callable[[], RowData]
    """Labels, initial weights and unscaled costs of every row."""
    learning_rate: float
    samples: bool = False
    """Whether hypotheses are found on a sample of the rows."""
    l2: float = 0.0
    """Penalty of squared leaf values of a regression, on the scale of the initial weights."""
    of_row: float = 0.0
    """Mean initial weight of an observed row; 0 if no feature is categorical."""

    def least_step(self, rule: Rule) -> float:
        """Size up to which a step counts as 0: a rounding error."""
        in_costs = rule.scores_per_cost and not isinstance(rule, RealRule)  # whose step is 1
        return NO_SIZE / float(self.pair.max()) if in_costs else NO_SIZE
