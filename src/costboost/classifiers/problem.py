"""What is to be learnt: the rows that were given, and the weights that rounds begin with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.engine.binning import Binning
from costboost.rules import Costs, Rule, Start
from costboost.tables import Table

FINE = 2**20
"""What a row of mean weight counts in quantiles, where weights are relative."""
MOST_COPIES = 2**53


def are_relative(weight: NDArray[np.float64] | None, usual_weight: float) -> bool:
    """Whether weights do not say how often each row was seen, as whole numbers do.

    A row then counts as one where rows are counted: weights that add up to 1 do not make one row of
    all rows together.
    """
    counts = np.array([usual_weight]) if weight is None else weight
    return bool(np.any(counts != np.floor(counts)) or counts.sum() > MOST_COPIES)


@dataclass(frozen=True)
class Problem:
    """The rows that were given, or some of them, checked."""

    table: Table
    positive: NDArray[np.uint8]
    weight: NDArray[np.float64] | None
    """None where all are the same, ..."""
    costs: Costs
    usual_weight: float = 1.0
    """... namely this."""
    relative: bool = False
    """Whether weights are not numbers of rows."""
    binning: Binning | None = None
    """Bins that were found on these rows and others."""
    about: str = ""
    """Which class is the positive one, where several are so in turn and an error has to say it."""

    @property
    def counts(self) -> NDArray[np.float64]:
        """How often each row counts."""
        return np.full(self.n_rows, self.usual_weight) if self.weight is None else self.weight

    @property
    def copies(self) -> NDArray[np.int64] | None:
        """Rows that each row stands for; None if that is one row each."""
        if self.relative or (self.weight is None and self.usual_weight == 1):
            return None
        return self.counts.astype(np.int64)

    @property
    def quantile_counts(self) -> NDArray[np.int64] | None:
        """What each row counts in quantiles, no weight being 0; None if all count the same."""
        if self.weight is None or not self.relative:
            return self.copies
        parts = np.rint(self.weight / self.weight.mean() * FINE)
        return np.asarray(np.maximum(parts, 1), dtype=np.int64)

    @property
    def seen(self) -> NDArray[np.float64]:
        """How often each row was seen: its weight, or once if weights are relative."""
        return np.ones(self.n_rows) if self.relative else self.counts

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def cost(self) -> NDArray[np.float64]:
        """Cost of a mistake on each row."""
        return np.asarray(self.costs.of_class(self.positive), dtype=np.float64)

    @property
    def per_row_costs(self) -> bool:
        """Whether costs differ from row to row within a class."""
        return bool(np.ndim(self.costs.fn) or np.ndim(self.costs.fp))

    @property
    def prior(self) -> float:
        """Weighted share of the positives."""
        return float(np.average(self.positive, weights=self.weight))

    def take(self, rows: NDArray[np.intp]) -> Problem:
        """The given rows only."""
        costs = Costs(*(c[rows] if np.ndim(c) else c for c in self.costs))
        weight = None if self.weight is None else self.weight[rows]
        return replace(
            self,
            table=self.table.take(rows),
            positive=self.positive[rows],
            weight=weight,
            costs=costs,
        )

    def counting(self) -> Problem:
        """Without the rows of weight 0, which take no part."""
        if self.weight is None or self.weight.all():
            return self
        return self.take(np.flatnonzero(self.weight))

    def mean_costs(self) -> Costs:
        """The costs, averaged over rows where they differ from row to row."""
        return Costs(
            *(float(np.average(c, weights=self.weight)) if np.ndim(c) else c for c in self.costs)
        )


class Beginning(NamedTuple):
    """A rule, the start it is to have, and how many rounds are asked for."""

    rule: Rule
    start: Start
    own_start: bool
    """Whether the start is the rule's own, which sees the costs as the rule scales them."""
    n_rounds: int
    learning_rate: float


def initial_weights(problem: Problem, beginning: Beginning) -> NDArray[np.float64]:
    """Sample weight times initial weight of every row, as a learner is to see it."""
    cost = problem.cost / problem.cost.max()
    focus = beginning.rule.focus(cost)
    if beginning.own_start:
        cost = beginning.rule.scale(problem.cost, beginning.n_rounds)
    share = np.where(problem.positive, problem.prior, 1 - problem.prior)
    weight = np.ones(problem.n_rows) if problem.weight is None else problem.weight
    start = beginning.start.weight(cost / cost.max(), share)
    return np.asarray(weight / weight.max() * start * focus)


def class_weights(problem: Problem, beginning: Beginning) -> list[float]:
    """Initial weight of a row of each class, where that is all they depend on."""
    pair = np.array(problem.costs, dtype=float)
    pair = pair / pair.max()
    focus = beginning.rule.focus(pair)
    if beginning.own_start:
        pair = beginning.rule.scale(pair, beginning.n_rounds)
    share = np.array([problem.prior, 1 - problem.prior])
    weights: list[float] = (beginning.start.weight(pair, share) * focus).tolist()
    return weights
