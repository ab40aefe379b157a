"""Training on binned rows, with any weak learner of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector, exact_sum, looked_up
from costboost._core.backends.data import OtherRows
from costboost._core.backends.local import binner
from costboost._core.backends.offers import check_offered
from costboost._core.backends.protocol import DrawsRows
from costboost._core.engine.binning import Binning, positives_first
from costboost._core.engine.ensemble import Ensemble, on_grid, round_to_grid
from costboost._core.learners.each_class import EachClassLearner
from costboost._core.learners.line import LineLearner
from costboost._core.learners.logistic import LogisticLearner
from costboost._core.learners.lookup import LookupLearner
from costboost._core.learners.raw_values import BinValues, Columns
from costboost._core.learners.stump import StumpLearner
from costboost._core.learners.tree import TreeLearner
from costboost._core.learners.vote_tree import VoteLearner
from costboost._core.loop.boost import Round
from costboost._core.loop.class_state import ClassState
from costboost._core.loop.families import kind_of, state_of
from costboost._core.loop.multinomial_state import MultinomialState, ScoreTraining
from costboost._core.loop.state import State
from costboost._core.loop.training import Training
from costboost._core.loop.vote_state import VoteState, VoteTraining
from costboost._core.model import ScoresModel
from costboost._core.model.constraints import Constraints
from costboost._core.parameters.estimators import LEARNERS
from costboost._core.rules.multinomial import MultinomialRule
from costboost._core.rules.record import NetCosts, RowData, Rule
from costboost._core.rules.votes import VoteRule, start_of_classes
from costboost._core.tables import Coder
from costboost._core.training.held_out import OtherValues, TreeScores
from costboost._core.training.plan import Plan
from costboost._core.training.problem import Problem
from costboost._core.training.staged_scores import staged_above, stages
from costboost._core.training.start_weights import class_weights, initial_weights


class BinnedTraining:
    """Training on the engine, with any weak learner but a wrapped one."""

    def __init__(self, problem: Problem, plan: Plan) -> None:
        assert problem.data is not None
        self.problem = problem
        self.plan = plan
        self.binning: Binning = problem.data.binning
        linear = plan.learner == "linear"  # its scores are those of values, not of bins
        self.rows = problem.training_rows(plan, self.columns() if linear else None)
        copies = problem.copies
        if copies is not None:
            self.rows.count_copies(self.vector(copies))
        draws = plan.draws_of(self.rows)
        if draws is not None:
            check_offered(self.rows.backend, (DrawsRows,) if draws.share < 1 else ())
            numbers = self.vector(problem.row_numbers) if draws.share < 1 else None
            self.rows.randomise(draws, numbers)
        self._constrain(plan.constraints)
        self.learner: Any = CONSTRUCTORS[plan.learner](self, plan)
        if problem.code is not None:
            self.learner = _learner_of_several(self, plan, problem)
        self.stumps = isinstance(self.learner, StumpLearner)

    def _constrain(self, constraints: Constraints) -> None:
        """Give features their directions; a ValueError if a category has one."""
        monotonic = constraints.monotonic
        if monotonic is None:
            return
        ordered = np.flatnonzero((monotonic != 0) & (self.binning.categorical != 0))
        if ordered.size:
            name = self.problem.table.names[ordered[0]]
            raise ValueError(
                f"monotonic_cst is {monotonic[ordered[0]]} for column {name!r}, which holds "
                "categories: they have no order. Encode them as numbers in the order meant, or "
                "give the column 0"
            )
        self.rows.direct(monotonic)

    def columns(self) -> Columns:
        """The raw values of the rows, positives first."""
        order = positives_first(np.arange(self.problem.n_rows), self.problem.positive)
        return Columns(self.problem.own_table, order)

    def bin_values(self, columns: Columns, learner: str) -> BinValues:
        """A value for every bin; a ValueError if there are categories, which have none."""
        categories = np.flatnonzero(self.binning.categorical)
        if categories.size:
            name = self.problem.table.names[categories[0]]
            raise ValueError(
                f"estimator={learner!r} needs numbers, but column {name!r} holds categories; "
                "encode them as numbers, or take estimator='stump' or 'tree'"
            )
        return BinValues(self.binning, columns, self.rows.bins, self.rows.copies)

    @property
    def coders(self) -> list[Coder | None]:
        return self.binning.coders

    def state(self, empty: Any, learning_rate: float, counts: bool) -> State:
        """The state before the first round of a model.

        With several classes, ``counts`` is whether decisions are counted after each round.
        """
        if isinstance(empty, ScoresModel):
            return self._state_of_scores(empty, learning_rate, counts and not empty.by_cost)
        decision = empty.decision
        problem, rule = self.problem, decision.rule
        per_row = problem.per_row_costs
        pair = rule.scale(np.array(problem.mean_costs(), dtype=float), decision.n_rounds)
        cost = None
        if per_row:
            cost = self.vector(rule.scale(problem.cost, decision.n_rounds))

        def all_rows() -> RowData:
            costs = NetCosts(*[self.vector(c) if np.ndim(c) else c for c in problem.costs])
            start = self.vector(initial_weights(problem, decision))
            return RowData(
                self.rows.label,
                start / exact_sum(start),
                costs,
                problem.mean_costs(),
                decision.n_rounds,
            )

        self._check_offered(kind_of(rule, per_row))
        given = self.rows, pair, cost, all_rows, learning_rate, self.rows.samples
        state = state_of(rule, Training(*given, self._l2, self._of_row))
        if isinstance(state, ClassState):
            if problem.weight is None and not per_row:
                self.rows.weights.set_classes(class_weights(problem, decision))
            else:
                self.rows.weights.set_rows(self.vector(initial_weights(problem, decision)))
        return state

    def _check_offered(self, kind: type[State]) -> None:
        """Raise `NotOffered` if the back end lacks what states of a kind, or the learner, need."""
        check_offered(self.rows.backend, (*kind.needs, *self.learner.needs))

    @property
    def _l2(self) -> float:
        """Penalty of leaf values, for weights that add up to 1 instead of the number of rows."""
        penalty = self.plan.parameters.l2_regularization
        return penalty / float(self.problem.seen.sum()) if penalty else 0.0

    @property
    def _of_row(self) -> float:
        """Mean weight of an observed row, where weights add up to 1; 0 without categories."""
        return 1 / float(self.problem.seen.sum()) if self.binning.categorical.any() else 0.0

    def _state_of_scores(self, empty: ScoresModel, learning_rate: float, counts: bool) -> State:
        """The state before the first round, with a score for each class."""
        problem = self.problem
        assert problem.code is not None
        code = self.vector(problem.code.astype(np.int32))
        start = self.vector(problem.counts / problem.counts.max())
        self._check_offered(VoteState if isinstance(empty.rule, VoteRule) else MultinomialState)
        if isinstance(empty.rule, VoteRule):
            assert empty.rule.factors is not None
            costs = empty.rule.factors(empty.matrix)
            factor = start_of_classes(
                self.plan.parameters.initial_weights, costs, problem.class_shares
            )
            start = start * looked_up(factor, code)
            given = self.rows, code, start / exact_sum(start), costs, learning_rate
            return VoteState(empty.rule, VoteTraining(*given))
        assert isinstance(empty.rule, MultinomialRule)
        training = ScoreTraining(
            self.rows,
            len(empty.classes),
            code,
            start / exact_sum(start),
            empty.rule.log_factors(empty.matrix),
            learning_rate,
            self._l2,
            self._of_row,
            counts,
        )
        return MultinomialState(empty.rule, training)

    def vector(self, values: NDArray[Any]) -> Vector:
        """A vector with these values for the rows of the problem."""
        return self.rows.vector(self.in_order(values))

    def in_order(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of the rows in the order of the engine: those of positives first."""
        return self.rows.arranged(values, self.problem.positive)

    def other_rows(self, problem: Problem) -> OtherRows:
        """Rows of another problem, for the scores of hypotheses: binned, if need be by itself."""
        if LEARNERS[self.plan.learner].on_values:
            return OtherValues(Columns(problem.own_table))
        n_jobs = self.plan.parameters.n_jobs
        if problem.data is self.problem.data:
            assert problem.data is not None
            return problem.data.other_rows(problem.rows, n_jobs)
        none = np.zeros(problem.n_rows, dtype=np.uint8)
        table = binner(problem.table, problem.rows)
        return table.binned(self.binning, none, n_jobs).other_rows(None, n_jobs)

    def tree_scores(self, problem: Problem) -> TreeScores | None:
        """Rows of another problem, for scores of several rounds of trees or stumps.

        None for other learners, several classes and rows on a cluster.
        """
        if not isinstance(self.learner, (TreeLearner, StumpLearner)):
            return None
        trees = self.other_rows(problem).trees
        return None if trees is None else TreeScores(trees)

    def memory(self, model: Any, steps: Floats) -> list[Any]:
        """The hypotheses of an ensemble, reversed if their step was negative."""
        if self.problem.code is not None:
            return list(self.learner.memory(model))
        return [
            model.reversed(one) if step < 0 else one
            for one, step in zip(model.rounds(), steps, strict=True)
        ]

    def constant(self, sign: float) -> Ensemble:
        """An ensemble with the same score for every row."""
        return Ensemble.constant(sign)

    def amounts_above(
        self, rule: Rule, rounds: Sequence[Round], limit: Floats, row_limit: Any, amount: Any
    ) -> NDArray[Any]:
        """Amount of the positives and negatives that score above the limit, after each round."""
        if row_limit is not None:
            row_limit = self.vector(row_limit)
        if amount is not None:
            amount = self.vector(amount)
        combine = getattr(rule, "combine", None)
        if self.stumps and combine is None:
            splits, values = self.learner.laid([(r.hypothesis, r.step) for r in rounds])
            first = np.arange(0, values.size + 1, 2, dtype=np.int32)
            values = round_to_grid(values.ravel(), first).reshape(-1, 2)
            return self.rows.amounts_above(splits, values, limit, row_limit, amount)
        positive = self.rows.label > 0
        return staged_above(self.stages(rounds, combine), positive, limit, row_limit, amount)

    def stages(self, rounds: Sequence[Round], combine: Any) -> Iterator[Vector]:
        """Scores of the training rows after each round, as the ensemble predicts them."""
        if isinstance(self.learner, LineLearner):
            return stages(((r.step, self.rows.scores(r.hypothesis)) for r in rounds), combine)
        hypotheses: list[Any] = [copy(r.hypothesis) for r in rounds]
        values = on_grid([r.step * r.hypothesis.value for r in rounds])
        for hypothesis, value in zip(hypotheses, values, strict=True):
            hypothesis.value = value
        return stages(((1.0, self.rows.scores(one)) for one in hypotheses), combine)


def _stump_or_tree(training: BinnedTraining, plan: Plan) -> Any:
    """A tree, or a stump if only one split is allowed."""
    depth, leaves = plan.parameters.max_depth, plan.parameters.max_leaf_nodes
    least = plan.parameters.min_samples_leaf
    if depth == 1 or leaves == 2:
        return StumpLearner(training.binning, least)
    return TreeLearner(training.binning, depth, leaves, least, plan.constraints.for_trees)


def _line(training: BinnedTraining, plan: Plan) -> Any:
    columns = training.columns()
    return LineLearner(columns, training.bin_values(columns, "linear"))


def _logistic(training: BinnedTraining, plan: Plan) -> Any:
    return LogisticLearner(training.binning, training.bin_values(training.columns(), "logistic"))


def _learner_of_several(training: BinnedTraining, plan: Plan, problem: Problem) -> Any:
    """A learner for the score of each class, or one that votes for a class."""
    rule = plan.rule
    if not isinstance(rule, VoteRule):
        return EachClassLearner(training.learner, len(problem.classes))
    assert problem.matrix is not None
    assert rule.factors is not None
    codes = rule.codes(rule.factors(problem.matrix))
    stump = plan.learner == "stump"
    depth = 1 if stump else plan.parameters.max_depth
    leaves = None if stump else plan.parameters.max_leaf_nodes
    least, interactions = plan.parameters.min_samples_leaf, plan.constraints.for_trees
    return VoteLearner(training.binning, codes, depth, leaves, least, interactions)


CONSTRUCTORS: dict[str, Callable[[BinnedTraining, Plan], Any]] = {
    "stump": lambda training, plan: StumpLearner(
        training.binning, plan.parameters.min_samples_leaf
    ),
    "tree": _stump_or_tree,
    "lookup": lambda training, plan: LookupLearner(training.binning),
    "linear": _line,
    "logistic": _logistic,
}
"""Constructors of the weak learners, by name."""
