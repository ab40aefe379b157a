"""The state of Newton's method on a loss of one score."""

from __future__ import annotations

import numpy as np

from costboost._core.backends.offers import Needs
from costboost._core.backends.protocol import RunsNewton, SumsBins, SumsLosses
from costboost._core.learners.hypothesis import Hypothesis
from costboost._core.loop.state import NO_DESCENT
from costboost._core.loop.training import Training
from costboost._core.rows import Trial
from costboost._core.rules.record import NewtonRule

ROUNDING = 1e-13
"""Relative change of a loss that is attributed to rounding."""
HALVINGS = 30
"""Most halvings of a Newton step before boosting ends."""


class NewtonState:
    """State of rules that fit a working response; steps that increase the loss are halved."""

    needs: Needs = (SumsBins, SumsLosses, RunsNewton)
    ends_when_perfect = False
    reason = NO_DESCENT

    def __init__(self, rule: NewtonRule, training: Training) -> None:
        self.rule = rule
        self.rows = training.rows
        self.learning_rate = training.learning_rate
        self.criterion = rule.criterion
        self.least_step = training.least_step(rule)
        self.all_rows = training.all_rows()
        self.rows.set_targets()
        self.response = training.rows.response
        self.response.few_bits_rows = rule.few_bits_rows
        self.first_step = rule.first_step(self.all_rows)
        self.l2, self.of_row = training.l2, training.of_row
        self.reached = np.inf

    def begin_round(self, m: int) -> None:
        rule, rows = self.rule, self.all_rows
        if m == 1 or rule.logit_moves:
            likelihood = rows.label, rows.start, rule.steepness(rows), *rule.logit(rows, m)
            self.response.set_likelihood(*likelihood, rule.expected)
            self.reached = self.response.linearise(rule.weight_of_twice_score)
        if self.l2 or (rule.criterion.per_category and self.of_row):
            total = self.response.total_weight  # whose sum is 1 for the learner
            self.criterion = rule.criterion.per_weight(self.l2, self.of_row, total)

    def evaluate(self, hypothesis: Hypothesis) -> tuple[float, float]:
        how = not self.rule.logit_moves, self.rule.weight_of_twice_score
        before, limit = self.reached, self.reached * (1 + ROUNDING)
        step = self.learning_rate * self.first_step
        scores = self.rows.scores(hypothesis)
        error, self.reached = self.response.propose(scores, Trial(step, *how))
        for left in reversed(range(HALVINGS + 1)):
            if self.reached <= limit:
                return step, error
            limit = before * (1 - ROUNDING)
            step = step / 2 if left else 0.0
            self.reached = self.response.loss_after(Trial(step, *how))
        return 0.0, error

    def advance(self, hypothesis: Hypothesis, step: float) -> None:
        self.response.accept()
