"""The boosting loop, shared by all algorithms, learners and kinds of rows, and its states.

A state holds what changes between two rounds. Each family of rules has a class of states.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import isfinite
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector, exact_sum, exact_sums, looked_up
from costboost._core.backends.offers import Needs
from costboost._core.backends.protocol import (
    KeepsClassWeights,
    RunsNewton,
    ScoresClasses,
    SumsBins,
    SumsLosses,
    SumsVectors,
)
from costboost._core.cells import Cells, Outcome, RowCells
from costboost._core.engine._kernels import is_stopped
from costboost._core.learners.hypothesis import Hypothesis, WeakLearner
from costboost._core.rows import Rows, Trial
from costboost._core.rules.multinomial import MultinomialRule
from costboost._core.rules.record import (
    Criterion,
    DiscreteRule,
    NewtonRule,
    RealRule,
    RowData,
    Rule,
    ScoreRule,
)
from costboost._core.rules.votes import VoteRule

LOG = logging.getLogger(__name__)

ALL_ROUNDS = "all rounds done"
PERFECT = "a perfect learner was found"
NO_STEP = "no learner with a positive step was left"
NO_REAL_STEP = (
    "the step of the next learner is not a finite real number, because its formula is for costs "
    "of at most 1; set max_cost=1"
)
NO_DESCENT = "no step of the next learner lowers the loss"

PERFECT_ERROR = 1e-10
"""Boosting ends with a learner whose weighted error is below this and whose step is positive."""

Listener = Callable[[int, int], None]
"""Called with the number of rounds done and the number of rounds requested."""
LISTENER: ContextVar[Listener | None] = ContextVar("LISTENER", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call ``listener(round, n_rounds)`` after every round of any ensemble in this context."""
    before = LISTENER.set(listener)
    try:
        yield
    finally:
        LISTENER.reset(before)


class Round(NamedTuple):
    """One round: hypothesis, step and weighted error."""

    hypothesis: Hypothesis
    step: float
    error: float


class DrawnRounds(Protocol):
    """Rows of which some, or features of which some, may be drawn for a round."""

    draws: bool
    """Whether any are drawn."""

    def begin_round(self, m: int) -> None:
        """Draw those of round m, counted from 1."""


def boost(
    state: State,
    rows: DrawnRounds,
    learner: WeakLearner,
    n_rounds: int,
    keep_negative: bool = False,
    memory: Sequence[Any] = (),
) -> Generator[Round, None, str]:
    """Boost until the rounds are done or no further learner may be added; return the reason.

    Every learner added is yielded as a `Round`; the caller may stop iterating at any time. To
    continue a fit, the first rounds use the learners in ``memory`` instead of searching for them.
    Where rows or features are drawn, a learner without a positive step does not end boosting, as
    the next round draws others: it gets a step of 0, and is yielded before the next one that has a
    step.

    Yields nothing if not even one learner could be added.
    """
    listener, logs_rounds = LISTENER.get(), LOG.isEnabledFor(logging.DEBUG)
    waiting: list[Round] = []
    reason = NO_STEP
    for t in range(n_rounds):
        if rows.draws:
            rows.begin_round(t + 1)
        state.begin_round(t + 1)
        hypothesis = (
            learner.recall(rows, memory[t], state.criterion)
            if t < len(memory)
            else learner.find(rows, state.criterion)
        )
        if hypothesis is None:
            return NO_STEP
        step, error = state.evaluate(hypothesis)
        if not isfinite(step) or abs(step) <= state.least_step or (step < 0 and not keep_negative):
            reason = state.reason if isfinite(step) else NO_REAL_STEP
            if not rows.draws:
                return reason
            waiting.append(Round(hypothesis, 0.0, error))
            state.advance(hypothesis, 0.0)
            continue
        if waiting:
            yield from waiting
            waiting.clear()
        if logs_rounds:
            LOG.debug("round %d of %d: step %.4g, error %.4g", t + 1, n_rounds, step, error)
        if listener is not None:
            listener(t + 1, n_rounds)
        if is_stopped():
            raise KeyboardInterrupt
        yield Round(hypothesis, step, error)
        if state.ends_when_perfect and step > 0 and error < PERFECT_ERROR:
            return PERFECT
        if t + 1 == n_rounds:
            return ALL_ROUNDS
        state.advance(hypothesis, step)
    return reason


# ---- what changes between two rounds -------------------------------------------------------------

NO_SIZE = 1e-12
"""Steps up to this size count as 0, for scores that are not in units of cost."""
ROUNDING = 1e-13
"""Relative change of a loss that is attributed to rounding."""
HALVINGS = 30
"""Most halvings of a Newton step before boosting ends."""


class State(Protocol):
    """Interface between the boosting loop and a family of rules."""

    needs: Needs
    """Parts of the protocol of back ends that the rows need."""
    criterion: Criterion
    ends_when_perfect: bool
    least_step: float
    """Steps up to this size count as 0: they are rounding errors."""
    reason: str
    """Why no learner may be added if a step is not positive."""

    def begin_round(self, m: int) -> None:
        """Set the weights or targets of round m, counted from 1."""

    def evaluate(self, hypothesis: Hypothesis) -> tuple[float, float]:
        """Step of the hypothesis (0 if it may not be added), and its weighted error."""

    def advance(self, hypothesis: Hypothesis, step: float) -> None:
        """Update the weights or scores after the hypothesis has been added."""


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
            _take_values(self._real_rule, hypothesis, self.criterion)
        if self.samples:
            hypothesis.weigh_all_rows(self.rows)
        self.cells = Cells(hypothesis.weight, hypothesis.outcome, *self._of_cells[n])
        step = 1.0 if self._step is None else self._step(self.cells)
        return self.learning_rate * step, self.cells.wrong()

    def advance(self, hypothesis: Hypothesis, step: float) -> None:
        factors = self.rule.update(self.cells, step)
        hypothesis.reweigh(self.rows, factors)  # type: ignore[arg-type]  # an array, as cells are


def _take_values(rule: RealRule, hypothesis: Hypothesis, criterion: Criterion) -> None:
    """Set the leaf values of a hypothesis by the rule."""
    weight = hypothesis.weight if hypothesis.pooled is None else hypothesis.pooled
    n = len(weight) // 2
    leaf = rule.leaf_of_many if hypothesis.many_leaves and rule.leaf_of_many else rule.leaf
    hypothesis.take_values(leaf(weight[:n], weight[n:], criterion))


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
            _take_values(rule, hypothesis, self.criterion)
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
        error = _error(self.state.weight, margin)
        step = self.rule.step(self.all_rows, self.state, margin)
        return self.learning_rate * step, error

    def advance(self, hypothesis: Hypothesis, step: float) -> None:
        vote = self.rows.scores(hypothesis)
        self.state = self.rule.advance(self.all_rows, self.state, step, vote)


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


def _error(weight: Vector, margin: Vector) -> float:
    """Total weight of misclassified rows."""
    return exact_sum(weight * (margin < 0))


def kind_of(rule: Rule, row_costs: bool) -> type[ClassState | RowState | ScoreState | NewtonState]:
    """The kind of state for the family of the rule; rows may have costs of their own."""
    if isinstance(rule, NewtonRule):
        return NewtonState
    if isinstance(rule, ScoreRule):
        return ScoreState
    return RowState if rule.costs_in_rounds and row_costs else ClassState


def state_of(rule: Any, training: Training) -> State:
    """Create the state for the family of the rule."""
    return kind_of(rule, training.cost is not None)(rule, training)
