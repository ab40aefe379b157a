"""The state of Newton's method on a loss of a score for each class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from costboost._core.arithmetic import Floats, Vector
from costboost._core.backends.offers import Needs
from costboost._core.backends.protocol import ScoresClasses, SumsBins, SumsLosses
from costboost._core.loop.newton_state import HALVINGS, ROUNDING
from costboost._core.loop.state import NO_DESCENT, NO_SIZE
from costboost._core.rows import Rows
from costboost._core.rules.multinomial import MultinomialRule


class MultinomialState:
    """State of rules with a score for each class; steps that increase the loss are halved."""

    needs: Needs = (SumsBins, SumsLosses, ScoresClasses)
    ends_when_perfect = False
    least_step = NO_SIZE
    reason = NO_DESCENT

    def __init__(self, rule: MultinomialRule, training: ScoreTraining) -> None:
        self.rows = training.rows
        self.criterion = rule.criterion.per_weight(training.l2, training.of_row, 1.0)
        self.first_step = training.learning_rate * (1 - 1 / training.n_classes)
        self.responses = training.rows.begin_scores(training.n_classes)
        given = training.code, training.start, training.log_factors, rule.exponential
        self.responses.set_loss(*given)
        self.counts = training.counts
        self.reached = np.inf

    def begin_round(self, m: int) -> None:
        if m == 1:
            self.reached = self.responses.linearise()

    def evaluate(self, hypothesis: Any) -> tuple[float, float]:
        before, limit = self.reached, self.reached * (1 + ROUNDING)
        step = self.first_step
        for _ in range(HALVINGS + 1):
            self.reached = self.responses.linearise(step)
            if self.reached <= limit:
                break
            limit = before * (1 - ROUNDING)
            step /= 2
        else:
            step, self.reached = 0.0, self.responses.linearise()
        if step:
            self.responses.accept(step)
        if self.counts:
            hypothesis.confusion = self.responses.confusion()
        return step, hypothesis.error

    def advance(self, hypothesis: Any, step: float) -> None:
        pass  # the scores were moved when the step was found


class ScoreTraining(NamedTuple):
    """A training set of several classes."""

    rows: Rows
    n_classes: int
    code: Vector
    """Number of the class of each row."""
    start: Vector
    """Weights of the rows, summing to 1."""
    log_factors: Floats | None
    """Logarithms of the factors of the loss; None if all are 1."""
    learning_rate: float
    l2: float = 0.0
    """Penalty of squared leaf values of a regression, on the scale of the weights."""
    of_row: float = 0.0
    """Mean initial weight of an observed row; 0 if no feature is categorical."""
    counts: bool = False
    """Whether the decisions for the rows are counted after each round."""
