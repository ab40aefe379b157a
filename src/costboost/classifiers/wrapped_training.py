"""Training with a scikit-learn classifier as the weak learner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats
from costboost.classifiers.problem import Beginning, Problem, initial_weights
from costboost.classifiers.staging import staged_above, stages
from costboost.learners.wrapped import Committee, RawRows, WrappedLearner
from costboost.loop import Round
from costboost.rules import RowData, Rule
from costboost.states import State, Training, state_of
from costboost.tables import Coder, Table
from costboost.vectors import exact_sum


class RawTraining:
    """Training with a scikit-learn classifier as the weak learner."""

    coders: Sequence[Coder | None] = ()

    def __init__(self, problem: Problem, options: dict[str, Any], random: Any) -> None:
        self.problem = problem
        self.learner = WrappedLearner(options["estimator"], random, options["resample"])
        self.rows = RawRows(problem.table, np.where(problem.positive, 1.0, -1.0))

    def state(self, beginning: Beginning) -> State:
        problem, rule = self.problem, beginning.rule
        pair = rule.scale(np.array(problem.mean_costs(), dtype=float), beginning.n_rounds)
        cost = rule.scale(problem.cost, beginning.n_rounds) if problem.per_row_costs else None
        start = initial_weights(problem, beginning)
        self.rows.set_row_weights(start)
        rows = RowData(
            self.rows.label,
            start / exact_sum(start),
            problem.costs,
            problem.mean_costs(),
            beginning.n_rounds,
        )
        return state_of(
            rule, Training(self.rows, pair, cost, lambda: rows, beginning.learning_rate)
        )

    @staticmethod
    def in_order(values: NDArray[Any]) -> NDArray[Any]:
        """Values of the rows in their order, which is the user's."""
        return values

    def other_rows(self, table: Table) -> Any:
        return RawRows(table, np.ones(table.n_rows))

    def memory(self, model: Committee, steps: Floats) -> Sequence[Any]:
        return model.members

    def constant(self, sign: float) -> Committee:
        return Committee([], np.empty((0, 2)), sign)

    def amounts_above(
        self, rule: Rule, rounds: Sequence[Round], limit: Floats, row_limit: Any, amount: Any
    ) -> NDArray[Any]:
        positive = self.problem.positive.astype(bool)
        scores = self.stages(rounds, getattr(rule, "combine", None))
        return staged_above(scores, positive, limit, row_limit, amount)

    def stages(self, rounds: Sequence[Round], combine: Any) -> Iterator[Floats]:
        """Scores of the training rows after each round."""
        return stages(((r.step, self.rows.scores(r.hypothesis)) for r in rounds), combine)
