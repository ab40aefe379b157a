"""The state of rules under costs of the classes: a weight for each row, kept by the rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.backends.offers import Needs
from costboost._core.backends.protocol import KeepsClassWeights, SumsBins
from costboost._core.cells import Cells
from costboost._core.learners.hypothesis import Hypothesis
from costboost._core.loop.state import NO_STEP
from costboost._core.loop.training import Training
from costboost._core.rules.record import Criterion, DiscreteRule, RealRule


class ClassState:
    """State of rules whose weights change by class and leaf; the weights are kept by the rows."""

    needs: Needs = (SumsBins, KeepsClassWeights)
    reason = NO_STEP

    def __init__(self, rule: DiscreteRule | RealRule, training: Training) -> None:
        self.rule = rule
        self.rows = training.rows
        self.learning_rate = training.learning_rate
        fn, fp = training.pair.tolist()
        self.criterion = rule.criterion._replace(fn_cost=fn, fp_cost=fp)
        self.pair = training.pair
        self._real_rule = rule if isinstance(rule, RealRule) else None
        self._step = rule.step if isinstance(rule, DiscreteRule) else None
        self.ends_when_perfect = self._step is not None
        self.least_step = training.least_step(rule)
        self.samples = training.samples
        self._of_cells: dict[int, tuple[Floats, NDArray[np.bool_]]] = {}

    def begin_round(self, m: int) -> None:
        pass

    def evaluate(self, hypothesis: Hypothesis) -> tuple[float, float]:
        n = len(hypothesis.weight)
        if n not in self._of_cells:
            self._of_cells[n] = np.repeat(self.pair, n // 2), np.arange(n) < n // 2
        if self._real_rule is not None:
            take_values(self._real_rule, hypothesis, self.criterion)
        if self.samples:
            hypothesis.weigh_all_rows(self.rows)
        self.cells = Cells(hypothesis.weight, hypothesis.outcome, *self._of_cells[n])
        step = 1.0 if self._step is None else self._step(self.cells)
        return self.learning_rate * step, self.cells.wrong()

    def advance(self, hypothesis: Hypothesis, step: float) -> None:
        factors = self.rule.update(self.cells, step)
        hypothesis.reweigh(self.rows, factors)  # type: ignore[arg-type]  # an array, as cells are


def take_values(rule: RealRule, hypothesis: Hypothesis, criterion: Criterion) -> None:
    """Set the leaf values of a hypothesis by the rule."""
    weight = hypothesis.weight if hypothesis.pooled is None else hypothesis.pooled
    n = len(weight) // 2
    leaf = rule.leaf_of_many if hypothesis.many_leaves and rule.leaf_of_many else rule.leaf
    hypothesis.take_values(leaf(weight[:n], weight[n:], criterion))
