"""The state of rules whose learners vote for one of several classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from costboost._core.arithmetic import Floats, Vector, exact_sum, exact_sums, looked_up
from costboost._core.backends.offers import Needs
from costboost._core.backends.protocol import KeepsClassWeights, SumsBins
from costboost._core.loop.state import NO_SIZE, NO_STEP
from costboost._core.rows import Rows
from costboost._core.rules.votes import VoteRule


class VoteState:
    """State of rules whose learners vote for one of several classes."""

    needs: Needs = (SumsBins, KeepsClassWeights)
    ends_when_perfect = True
    least_step = NO_SIZE
    reason = NO_STEP

    def __init__(self, rule: VoteRule, training: VoteTraining) -> None:
        self.rule = rule
        self.rows = training.rows
        self.code = training.code
        self.costs = training.costs
        self.learning_rate = training.learning_rate
        self.criterion = rule.criterion
        self.weight = training.start
        self.price = rule.price(training.costs)

    def begin_round(self, m: int) -> None:
        self.rows.set_votes(self.weight, self.code, self.price)

    def evaluate(self, hypothesis: Any) -> tuple[float, float]:
        n_classes = len(self.costs)
        vote = looked_up(hypothesis.vote, self.rows.leaves(hypothesis))
        self.cell = self.code * n_classes + vote
        cells = exact_sums(self.weight, self.cell, n_classes**2).reshape(n_classes, n_classes)
        self.step = self.learning_rate * self.rule.step(cells, self.costs)
        error = float(np.where(np.eye(n_classes, dtype=bool), 0.0, cells).sum())
        return self.rule.score_step(self.step, n_classes), error

    def advance(self, hypothesis: Any, step: float) -> None:
        factors = self.rule.update(self.costs, self.step if step else 0.0)
        weight = self.weight * looked_up(factors.ravel(), self.cell)
        self.weight = weight / exact_sum(weight)


class VoteTraining(NamedTuple):
    """A training set of several classes, for learners that vote."""

    rows: Rows
    code: Vector
    """Number of the class of each row."""
    start: Vector
    """Weights of the rows, summing to 1."""
    costs: Floats
    """Costs of predicting class k (column) where class j (row) is true, as the rule scales them."""
    learning_rate: float
