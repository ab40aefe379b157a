"""What a fit knows between two rounds, for each family of rules; the loop drives them all alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Cells, Floats, Outcome, RowCells, exact_sum
from costboost.learners.hypothesis import Hypothesis
from costboost.rules import Criterion, DiscreteRule, NewtonRule, RealRule, Rows, ScoreRule

HALVINGS = 30
"""A Newton step is halved at most so often before the ensemble ends."""


class State(Protocol):
    """Between the rounds."""

    criterion: Criterion
    ends_when_perfect: bool

    def focus(self, m: int) -> None:
        """Show the learner what to learn in round m, counted from 1."""

    def judge(self, hypothesis: Hypothesis) -> tuple[float, float]:
        """Step of the round's hypothesis (0 where it may not be added), and its weighted error."""

    def advance(self, hypothesis: Hypothesis, step: float) -> None:
        """The hypothesis is part of the ensemble now."""


class Training(NamedTuple):
    """What the states need of a training set."""

    rows: Any
    """Rows with their initial weights (classes) or none yet (rows)."""
    pair: Floats
    """Cost of a mistake on a positive and on a negative row, as the rule wants them."""
    cost: Floats | None
    """The same for every row, in the order of the rows; None for class costs."""
    all_rows: Callable[[], Rows]
    """Labels, initial weights and unscaled costs of every row."""
    learning_rate: float


class ClassState:
    """Weights change by class and leaf: the engine keeps them."""

    def __init__(self, rule: DiscreteRule | RealRule, training: Training) -> None:
        self.rule = rule
        self.rows = training.rows
        self.learning_rate = training.learning_rate
        fn, fp = training.pair.tolist()
        self.criterion = rule.criterion._replace(fn_cost=fn, fp_cost=fp)
        self.pair = training.pair
        self.ends_when_perfect = isinstance(rule, DiscreteRule)
        self._costs: dict[int, Floats] = {}

    def focus(self, m: int) -> None:
        pass

    def judge(self, hypothesis: Hypothesis) -> tuple[float, float]:
        weight = hypothesis.weight
        n = len(weight)
        if n not in self._costs:
            self._costs[n] = np.repeat(self.pair, n // 2)
        self.cells, step = _see(self.rule, hypothesis, self.criterion, self._costs[n])
        return self.learning_rate * step, self.cells.wrong()

    def advance(self, hypothesis: Hypothesis, step: float) -> None:
        hypothesis.reweigh(self.rows, self.rule.update(self.cells, step))


def _see(
    rule: DiscreteRule | RealRule, hypothesis: Hypothesis, criterion: Criterion, cost: Floats
) -> tuple[Cells, float]:
    """The cells of a hypothesis, its leaves with values if the rule gives them, and its step."""
    if isinstance(rule, DiscreteRule):
        cells = Cells(hypothesis.weight, hypothesis.outcome, cost)
        return cells, rule.step(cells)
    _take_values(rule, hypothesis, criterion)
    return Cells(hypothesis.weight, hypothesis.outcome, cost), 1.0


def _take_values(rule: RealRule, hypothesis: Hypothesis, criterion: Criterion) -> None:
    n = len(hypothesis.weight) // 2
    hypothesis.take_values(rule.leaf(hypothesis.weight[:n], hypothesis.weight[n:], criterion))


class RowState:
    """Every row has a cost of its own, so that every row is a cell."""

    def __init__(self, rule: DiscreteRule | RealRule, training: Training) -> None:
        assert training.cost is not None
        self.rule = rule
        self.rows = training.rows
        self.cost = training.cost
        self.learning_rate = training.learning_rate
        self.criterion = rule.criterion
        self.ends_when_perfect = isinstance(rule, DiscreteRule)
        self.weight = training.all_rows().start

    def focus(self, m: int) -> None:
        self.rows.weigh(self.weight)

    def judge(self, hypothesis: Hypothesis) -> tuple[float, float]:
        rule = self.rule
        if isinstance(rule, RealRule):
            _take_values(rule, hypothesis, self.criterion)
        margin = self.rows.label * self.rows.scores(hypothesis)
        self.cells = RowCells(self.weight, Outcome(margin), self.cost)
        step = rule.step(self.cells) if isinstance(rule, DiscreteRule) else 1.0
        return self.learning_rate * step, self.cells.wrong()

    def advance(self, hypothesis: Hypothesis, step: float) -> None:
        weight = self.weight * self.rule.update(self.cells, step)
        self.weight = weight / exact_sum(weight)


class ScoreState:
    """Weights are a function of the score of each row."""

    ends_when_perfect = True

    def __init__(self, rule: ScoreRule, training: Training) -> None:
        self.rule = rule
        self.rows = training.rows
        self.learning_rate = training.learning_rate
        self.criterion = rule.criterion
        self.all_rows = training.all_rows()
        self.state = rule.begin(self.all_rows)

    def focus(self, m: int) -> None:
        self.rows.weigh(self.state.weight)

    def judge(self, hypothesis: Hypothesis) -> tuple[float, float]:
        margin = self.rows.label * self.rows.scores(hypothesis)
        error = RowCells(self.state.weight, Outcome(margin), margin).wrong()
        step = self.rule.step(self.all_rows, self.state, margin)
        return self.learning_rate * step, error

    def advance(self, hypothesis: Hypothesis, step: float) -> None:
        vote: NDArray[np.float64] = self.rows.scores(hypothesis)
        self.state = self.rule.advance(self.all_rows, self.state, step, vote)


class NewtonState:
    """Learners regress on a working response; the step is halved until the loss does not rise."""

    ends_when_perfect = False

    def __init__(self, rule: NewtonRule, training: Training) -> None:
        self.rule = rule
        self.rows = training.rows
        self.learning_rate = training.learning_rate
        self.criterion = rule.criterion
        self.all_rows = training.all_rows()
        self.score: Floats = np.zeros_like(self.all_rows.label)
        self.m = 0

    def focus(self, m: int) -> None:
        self.m = m
        response, weight = self.rule.working(self.all_rows, self.score, m)
        total = exact_sum(weight)
        self.weight = weight / total
        self.rows.aim(response / total, self.weight)

    def judge(self, hypothesis: Hypothesis) -> tuple[float, float]:
        self.direction = self.rows.scores(hypothesis)
        margin = self.rows.label * self.direction
        error = RowCells(self.weight, Outcome(margin), margin).wrong()
        now = self._loss(self.score)
        step = self.learning_rate * self.rule.first_step(self.all_rows)
        for _ in range(HALVINGS + 1):
            if self._loss(self.score + step * self.direction) <= now:
                return step, error
            step /= 2
        return 0.0, error

    def _loss(self, score: Floats) -> float:
        return exact_sum(self.rule.loss(self.all_rows, score, self.m))

    def advance(self, hypothesis: Hypothesis, step: float) -> None:
        self.score = self.score + step * self.direction


def state_of(rule: Any, training: Training) -> State:
    """The state that the rule's family needs."""
    if isinstance(rule, NewtonRule):
        return NewtonState(rule, training)
    if isinstance(rule, ScoreRule):
        return ScoreState(rule, training)
    by_row = rule.costs_in_rounds and training.cost is not None
    return RowState(rule, training) if by_row else ClassState(rule, training)
