"""Training with a scikit-learn classifier as the weak learner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from costboost._core.arithmetic import Floats, Vector, exact_sum
from costboost._core.learners.wrapped import Committee, RawRows, WrappedLearner
from costboost._core.loop import Round, State, Training, state_of
from costboost._core.model import BinaryModel
from costboost._core.rules.record import RowData, Rule
from costboost._core.tables import Coder
from costboost._core.training.held_out import OtherValues
from costboost._core.training.plan import Plan
from costboost._core.training.problem import Problem
from costboost._core.training.staged_scores import staged_above, stages
from costboost._core.training.start_weights import initial_weights


class WrappedTraining:
    """Training with a scikit-learn classifier as the weak learner."""

    coders: Sequence[Coder | None] = ()

    def __init__(self, problem: Problem, plan: Plan) -> None:
        self.problem = problem
        random = check_random_state(plan.seed())
        self.learner = WrappedLearner(plan.parameters.estimator, random, plan.parameters.resample)
        self.rows = RawRows(problem.own_table, np.where(problem.positive, 1.0, -1.0))

    def state(self, empty: BinaryModel, learning_rate: float, counts: bool) -> State:
        """The state before the first round of a model."""
        decision = empty.decision
        problem, rule = self.problem, decision.rule
        pair = rule.scale(np.array(problem.mean_costs(), dtype=float), decision.n_rounds)
        cost = rule.scale(problem.cost, decision.n_rounds) if problem.per_row_costs else None
        start = initial_weights(problem, decision)
        self.rows.set_row_weights(start)
        rows = RowData(
            self.rows.label,
            start / exact_sum(start),
            problem.costs,
            problem.mean_costs(),
            decision.n_rounds,
        )
        return state_of(rule, Training(self.rows, pair, cost, lambda: rows, learning_rate))

    @staticmethod
    def vector(values: NDArray[Any]) -> NDArray[Any]:
        """Values of the rows, unchanged: the order is that of the problem."""
        return values

    def other_rows(self, problem: Problem) -> OtherValues:
        """Rows of another problem, for the scores of hypotheses."""
        return OtherValues(RawRows(problem.own_table, np.ones(problem.n_rows)))

    def tree_scores(self, problem: Problem) -> None:
        """None: a wrapped classifier is scored on values."""

    def memory(self, model: Committee, steps: Floats) -> Sequence[Any]:
        """The hypotheses of an ensemble."""
        return model.members

    def constant(self, sign: float) -> Committee:
        """An ensemble with the same score for every row."""
        return Committee([], np.empty((0, 2)), sign)

    def amounts_above(
        self, rule: Rule, rounds: Sequence[Round], limit: Floats, row_limit: Any, amount: Any
    ) -> NDArray[Any]:
        positive = self.problem.positive.astype(bool)
        scores = self.stages(rounds, getattr(rule, "combine", None))
        return staged_above(scores, positive, limit, row_limit, amount)

    def stages(self, rounds: Sequence[Round], combine: Any) -> Iterator[Vector]:
        """Scores of the training rows after each round."""
        return stages(((r.step, self.rows.scores(r.hypothesis)) for r in rounds), combine)
