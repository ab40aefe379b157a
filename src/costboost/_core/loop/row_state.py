"""The state of rules whose rounds use costs of rows."""

from __future__ import annotations

from costboost._core.arithmetic import exact_sum
from costboost._core.backends.offers import Needs
from costboost._core.backends.protocol import KeepsClassWeights, SumsBins, SumsVectors
from costboost._core.cells import Outcome, RowCells
from costboost._core.learners.hypothesis import Hypothesis
from costboost._core.loop.class_state import take_values
from costboost._core.loop.state import NO_STEP
from costboost._core.loop.training import Training
from costboost._core.rules.record import DiscreteRule, RealRule


class RowState:
    """State of rules that use individual costs of rows in every round: every row is a cell."""

    needs: Needs = (SumsBins, KeepsClassWeights, SumsVectors)
    reason = NO_STEP

    def __init__(self, rule: DiscreteRule | RealRule, training: Training) -> None:
        assert training.cost is not None
        self.rule = rule
        self.rows = training.rows
        self.cost = training.cost
        self.learning_rate = training.learning_rate
        fn, fp = training.pair.tolist()
        self.criterion = rule.criterion._replace(fn_cost=fn, fp_cost=fp)
        self.ends_when_perfect = isinstance(rule, DiscreteRule)
        self.least_step = training.least_step(rule)
        self.samples = training.samples
        self.weight = training.all_rows().start
        self.positive = self.rows.label > 0

    def begin_round(self, m: int) -> None:
        self.rows.set_row_weights(self.weight, self.cost)

    def evaluate(self, hypothesis: Hypothesis) -> tuple[float, float]:
        rule = self.rule
        if isinstance(rule, RealRule):
            self._take_values(rule, hypothesis)
        margin = self.rows.label * self.rows.scores(hypothesis)
        self.cells = RowCells(self.weight, Outcome(margin), self.cost, self.positive)
        step = rule.step(self.cells) if isinstance(rule, DiscreteRule) else 1.0
        return self.learning_rate * step, self.cells.wrong()

    def _take_values(self, rule: RealRule, hypothesis: Hypothesis) -> None:
        if rule.leaf_of_rows is None:
            take_values(rule, hypothesis, self.criterion)
            return
        if hypothesis.solved is not None:
            hypothesis.take_values(hypothesis.solved)
            return
        leaf, n = self.rows.leaves(hypothesis), len(hypothesis.weight) // 2
        weight, label = self.rows.row_weight if self.samples else self.weight, self.rows.label
        value = rule.leaf_of_rows(weight, label, self.cost, leaf, n, self.criterion)
        hypothesis.take_values(value)

    def advance(self, hypothesis: Hypothesis, step: float) -> None:
        weight = self.weight * self.rule.update(self.cells, step)
        self.weight = weight / exact_sum(weight)
