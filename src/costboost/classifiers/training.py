"""Training a model: rows and learner are put together, the loop is run, the result laid out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats
from costboost.classifiers.problem import Beginning, Problem, class_weights, initial_weights
from costboost.classifiers.staging import staged_above, stages
from costboost.engine._kernels import Splits
from costboost.engine.binning import Binning
from costboost.engine.ensemble import Ensemble, leaf, on_grid
from costboost.learners.linear import BinValues, Columns, LineLearner, LogisticLearner
from costboost.learners.stump import LookupLearner, StumpLearner
from costboost.learners.tree import TreeLearner
from costboost.loop import NO_STEP, Round, boost
from costboost.rows import local_rows
from costboost.rules import Costs, RowData, Rule
from costboost.states import State, Training, state_of
from costboost.tables import Coder, Table
from costboost.threads import threads
from costboost.vectors import Vector, exact_sum

MOST_BINS = 255
"""Bins of a feature that the engine can tell apart, besides the missing values."""
ENOUGH_BINS = 16
"""A feature may have so many, however few the rows are."""


def found_bins(problem: Problem, learner: str, options: dict[str, Any]) -> Binning:
    """The bins of the rows."""
    table, max_bins = problem.table, options["max_bins"]
    if max_bins == MOST_BINS:
        max_bins = USUAL_BINS.get(learner, MOST_BINS)
    copies = problem.copies
    n_rows = table.n_rows if copies is None else int(copies.sum())
    max_bins = min(max_bins, max(ENOUGH_BINS, n_rows // options["rows_a_bin"]))
    n_threads = threads(options["n_jobs"], table.n_rows * table.n_features)
    counts = problem.quantile_counts
    return Binning(table, max_bins, options["categorical_features"], n_threads, counts)


class BinnedTraining:
    """Training on the engine: all learners but wrapped ones."""

    def __init__(self, problem: Problem, learner: str, options: dict[str, Any]) -> None:
        table = problem.table
        n_threads = threads(options["n_jobs"], table.n_rows * table.n_features)
        self.problem = problem
        self.binning = problem.binning or found_bins(problem, learner, options)
        binned = self.binning.rows(table, problem.positive, n_threads)
        columns = [self.columns()] if learner == "linear" else None  # scored on values, not on bins
        self.rows = local_rows([binned], self.binning.n_bins, self.binning.categorical, columns)
        copies = problem.copies
        if copies is not None:
            self.rows.count_copies(self.vector(copies))
        self.learner: Any = LEARNERS[learner](self, options)
        self.stumps = isinstance(self.learner, StumpLearner)

    def columns(self) -> Columns:
        """The raw values of the rows, in the order of the engine."""
        return Columns(self.problem.table, self.in_order(np.arange(self.problem.n_rows)))

    def bin_values(self, columns: Columns, learner: str) -> BinValues:
        """A value for every bin; only numbers have one."""
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

    def state(self, beginning: Beginning) -> State:
        """The rows as they are before the first round."""
        problem, rule = self.problem, beginning.rule
        per_row = problem.per_row_costs
        pair = rule.scale(np.array(problem.mean_costs(), dtype=float), beginning.n_rounds)
        cost = None
        if per_row:
            cost = self.vector(rule.scale(problem.cost, beginning.n_rounds))
        if problem.weight is None and not per_row:
            self.rows.weights.set_classes(class_weights(problem, beginning))
        else:
            self.rows.weights.set_rows(self.vector(initial_weights(problem, beginning)))

        def all_rows() -> RowData:
            costs = Costs(*(self.vector(c) if np.ndim(c) else c for c in problem.costs))
            start = self.vector(initial_weights(problem, beginning))
            return RowData(
                self.rows.label,
                start / exact_sum(start),
                costs,
                problem.mean_costs(),
                beginning.n_rounds,
            )

        return state_of(rule, Training(self.rows, pair, cost, all_rows, beginning.learning_rate))

    def vector(self, values: NDArray[Any]) -> Vector:
        """Values of the rows as a vector of the rows."""
        return self.rows.vector(self.in_order(values))

    def in_order(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of the rows in the order of the engine: positives first."""
        positive = self.problem.positive.astype(bool)
        return np.concatenate([values[positive], values[~positive]])

    def other_rows(self, table: Table) -> Any:
        """Other rows on which hypotheses can be scored."""
        if isinstance(self.learner, (LineLearner, LogisticLearner)):
            return Columns(table)
        return self.binning.rows(table, np.zeros(table.n_rows, dtype=np.uint8), 1)

    def memory(self, model: Any, steps: Floats) -> list[Any]:
        """The hypotheses of a model, without the steps that were kept negative."""
        return [
            model.reversed(one) if step < 0 else one
            for one, step in zip(model.rounds(), steps, strict=True)
        ]

    def constant(self, sign: float) -> Ensemble:
        return Ensemble.from_trees([[leaf(sign)]])

    def amounts_above(
        self, rule: Rule, rounds: Sequence[Round], limit: Floats, row_limit: Any, amount: Any
    ) -> NDArray[Any]:
        """Amount of the positives and negatives that score above the limit, after each round."""
        if row_limit is not None:
            row_limit = self.in_order(row_limit)
        if amount is not None:
            amount = self.in_order(amount)
        combine = getattr(rule, "combine", None)
        if self.stumps and combine is None:
            splits = Splits([r.hypothesis.split for r in rounds])  # type: ignore[attr-defined]
            values = np.array(on_grid([r.step * r.hypothesis.value for r in rounds]))
            return self.rows.amounts_above(splits, values, limit, row_limit, amount)
        positive = self.rows.label > 0
        return staged_above(self.stages(rounds, combine), positive, limit, row_limit, amount)

    def stages(self, rounds: Sequence[Round], combine: Any) -> Iterator[Floats]:
        """Scores of the training rows after each round, as the ensemble predicts them."""
        if isinstance(self.learner, LineLearner):
            return stages(((r.step, self.rows.scores(r.hypothesis)) for r in rounds), combine)
        hypotheses: list[Any] = [copy(r.hypothesis) for r in rounds]
        values = on_grid([r.step * r.hypothesis.value for r in rounds])
        for hypothesis, value in zip(hypotheses, values, strict=True):
            hypothesis.value = value
        return stages(((1.0, self.rows.scores(one)) for one in hypotheses), combine)


def _stump_or_tree(training: BinnedTraining, options: dict[str, Any]) -> Any:
    """A tree, unless it may have one split only."""
    depth, leaves, least = (
        options[name] for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf")
    )
    if depth == 1 or leaves == 2:
        return StumpLearner(training.binning, least)
    return TreeLearner(training.binning, depth, leaves, least)


def _line(training: BinnedTraining, options: dict[str, Any]) -> Any:
    columns = training.columns()
    return LineLearner(columns, training.bin_values(columns, "linear"))


def _logistic(training: BinnedTraining, options: dict[str, Any]) -> Any:
    return LogisticLearner(training.binning, training.bin_values(training.columns(), "logistic"))


LEARNERS: dict[str, Callable[[BinnedTraining, dict[str, Any]], Any]] = {
    "stump": lambda training, options: StumpLearner(training.binning, options["min_samples_leaf"]),
    "tree": _stump_or_tree,
    "lookup": lambda training, options: LookupLearner(training.binning),
    "linear": _line,
    "logistic": _logistic,
}
"""How the learners of the engine are put together, by their names."""
USUAL_BINS = {"lookup": 16}
"""Bins of a feature where the user says nothing, for learners that want fewer than the most."""


def train(
    training: Any,
    beginning: Beginning,
    keep_negative: bool,
    memory: Sequence[Any],
    watchers: Sequence[Callable[[Round], str | None]],
) -> tuple[list[Round], str]:
    """Run the loop; each watcher sees every round and may end the fit by giving a reason."""
    state = training.state(beginning)
    rounds: list[Round] = []
    for one in boost(
        state, training.rows, training.learner, beginning.n_rounds, keep_negative, memory
    ):
        rounds.append(one)
        for watch in watchers:
            reason = watch(one)
            if reason:
                return rounds, reason
        if one.ends:
            return rounds, one.ends
    return rounds, NO_STEP
