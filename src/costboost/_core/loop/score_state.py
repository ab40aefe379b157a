"""The state of rules whose weights follow from the scores."""

from __future__ import annotations

from costboost._core.arithmetic import exact_sum
from costboost._core.backends.offers import Needs
from costboost._core.backends.protocol import KeepsClassWeights, SumsBins
from costboost._core.learners.hypothesis import Hypothesis
from costboost._core.loop.state import NO_STEP
from costboost._core.loop.training import Training
from costboost._core.rules.record import ScoreRule


class ScoreState:
    """State of rules whose weights are a function of the score of each row."""

    needs: Needs = (SumsBins, KeepsClassWeights)
    ends_when_perfect = True
    reason = NO_STEP

    def __init__(self, rule: ScoreRule, training: Training) -> None:
        self.rule = rule
        self.rows = training.rows
        self.learning_rate = training.learning_rate
        self.criterion = rule.criterion
        self.least_step = training.least_step(rule)
        self.all_rows = training.all_rows()
        self.state = rule.begin(self.all_rows)

    def begin_round(self, m: int) -> None:
        self.rows.set_row_weights(self.state.weight)

    def evaluate(self, hypothesis: Hypothesis) -> tuple[float, float]:
        margin = self.rows.label * self.rows.scores(hypothesis)
        error = exact_sum(self.state.weight * (margin < 0))
        step = self.rule.step(self.all_rows, self.state, margin)
        return self.learning_rate * step, error

    def advance(self, hypothesis: Hypothesis, step: float) -> None:
        vote = self.rows.scores(hypothesis)
        self.state = self.rule.advance(self.all_rows, self.state, step, vote)
