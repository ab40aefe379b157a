"""Training a model: rows and learner are put together, the loop is run, the result laid out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats, exact_sum
from costboost.classifiers.deciding import Deciding
from costboost.engine._kernels import Splits
from costboost.engine.binning import Binning
from costboost.engine.ensemble import Ensemble, leaf
from costboost.learners.columns import BinValues, Columns
from costboost.learners.line import LineLearner
from costboost.learners.logistic import LogisticLearner
from costboost.learners.lookup import LookupLearner
from costboost.learners.stump import StumpLearner
from costboost.learners.tree import TreeLearner
from costboost.learners.wrapped import Committee, RawRows, WrappedLearner
from costboost.loop import NO_STEP, Round, boost
from costboost.rules import Costs, Rows, Rule, Start
from costboost.shards import Shards
from costboost.states import State, Training, state_of
from costboost.tables import Coder, Table
from costboost.threads import threads

MOST_BINS = 255
"""Bins of a feature that the engine can tell apart, besides the missing values."""
ENOUGH_BINS = 16
"""A feature may have so many, however few the rows are."""


@dataclass(frozen=True)
class Problem:
    """The rows that were given, or some of them, checked."""

    table: Table
    positive: NDArray[np.uint8]
    weight: NDArray[np.float64] | None
    """None where all are the same, ..."""
    costs: Costs
    usual_weight: float = 1.0
    """... namely this."""
    binning: Binning | None = None
    """Bins that were found on these rows and others."""

    @property
    def counts(self) -> NDArray[np.float64]:
        """How often each row counts."""
        return np.full(self.n_rows, self.usual_weight) if self.weight is None else self.weight

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def cost(self) -> NDArray[np.float64]:
        """Cost of a mistake on each row."""
        return np.asarray(self.costs.of_class(self.positive), dtype=np.float64)

    @property
    def per_row_costs(self) -> bool:
        """Whether costs differ from row to row within a class."""
        return bool(np.ndim(self.costs.fn) or np.ndim(self.costs.fp))

    @property
    def prior(self) -> float:
        """Weighted share of the positives."""
        return float(np.average(self.positive, weights=self.weight))

    def take(self, rows: NDArray[np.intp]) -> Problem:
        """The given rows only."""
        costs = Costs(*(c[rows] if np.ndim(c) else c for c in self.costs))
        weight = None if self.weight is None else self.weight[rows]
        return replace(
            self,
            table=self.table.take(rows),
            positive=self.positive[rows],
            weight=weight,
            costs=costs,
        )

    def counting(self) -> Problem:
        """Without the rows of weight 0, which take no part."""
        if self.weight is None or self.weight.all():
            return self
        return self.take(np.flatnonzero(self.weight))

    def mean_costs(self) -> Costs:
        """The costs, averaged over rows where they differ from row to row."""
        return Costs(
            *(float(np.average(c, weights=self.weight)) if np.ndim(c) else c for c in self.costs)
        )


class Beginning(NamedTuple):
    """A rule, the start it is to have, and how many rounds are asked for."""

    rule: Rule
    start: Start
    own_start: bool
    """Whether the start is the rule's own, which sees the costs as the rule scales them."""
    n_rounds: int
    learning_rate: float


def initial_weights(problem: Problem, beginning: Beginning) -> NDArray[np.float64]:
    """Sample weight times initial weight of every row, as a learner is to see it."""
    cost = problem.cost / problem.cost.max()
    focus = beginning.rule.focus(cost)
    if beginning.own_start:
        cost = beginning.rule.scale(problem.cost, beginning.n_rounds)
    share = np.where(problem.positive, problem.prior, 1 - problem.prior)
    weight = np.ones(problem.n_rows) if problem.weight is None else problem.weight
    start = beginning.start.weight(cost / cost.max(), share)
    return np.asarray(weight / weight.max() * start * focus)


def class_weights(problem: Problem, beginning: Beginning) -> list[float]:
    """Initial weight of a row of each class, where that is all they depend on."""
    pair = np.array(problem.costs, dtype=float)
    pair = pair / pair.max()
    focus = beginning.rule.focus(pair)
    if beginning.own_start:
        pair = beginning.rule.scale(pair, beginning.n_rounds)
    share = np.array([problem.prior, 1 - problem.prior])
    weights: list[float] = (beginning.start.weight(pair, share) * focus).tolist()
    return weights


def found_bins(problem: Problem, learner: str, options: dict[str, Any]) -> Binning:
    """The bins of the rows."""
    table, max_bins = problem.table, options["max_bins"]
    if max_bins == MOST_BINS:
        max_bins = USUAL_BINS.get(learner, MOST_BINS)
    max_bins = min(max_bins, max(ENOUGH_BINS, table.n_rows // options["rows_a_bin"]))
    n_threads = threads(options["n_jobs"], table.n_rows * table.n_features)
    return Binning(table, max_bins, options["categorical_features"], n_threads)


class BinnedTraining:
    """Training on the engine: all learners but wrapped ones."""

    def __init__(self, problem: Problem, learner: str, options: dict[str, Any]) -> None:
        table = problem.table
        n_threads = threads(options["n_jobs"], table.n_rows * table.n_features)
        self.problem = problem
        self.binning = problem.binning or found_bins(problem, learner, options)
        binned = self.binning.rows(table, problem.positive, n_threads)
        self.rows = Shards([binned], self.binning.n_bins, self.binning.categorical)
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
        return BinValues(self.binning, columns, self.rows.bins)

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
            cost = self.in_order(rule.scale(problem.cost, beginning.n_rounds))
        if problem.weight is None and not per_row:
            self.rows.start(class_weights(problem, beginning))
        else:
            self.rows.start((1.0, 1.0), [self.in_order(initial_weights(problem, beginning))])

        def all_rows() -> Rows:
            costs = Costs(*(self.in_order(c) if np.ndim(c) else c for c in problem.costs))
            start = self.in_order(initial_weights(problem, beginning))
            return Rows(
                self.rows.label,
                start / exact_sum(start),
                costs,
                problem.mean_costs(),
                beginning.n_rounds,
            )

        return state_of(rule, Training(self.rows, pair, cost, all_rows, beginning.learning_rate))

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
        shard = self.rows.shards[0]
        if row_limit is not None:
            row_limit = self.in_order(row_limit)
        if amount is not None:
            amount = self.in_order(amount)
        combine = getattr(rule, "combine", None)
        if self.stumps and combine is None:
            splits = Splits([r.hypothesis.split for r in rounds])  # type: ignore[attr-defined]
            values = np.array([r.step * r.hypothesis.value for r in rounds])
            above: NDArray[Any] = shard.sum_staged(
                splits.feature, splits.left, values, limit, row_limit, amount
            )
            return above
        positive = np.arange(shard.n_rows) < shard.n_positive
        stages = _stages(((r.step, self.rows.scores(r.hypothesis)) for r in rounds), combine)
        return _staged_above(stages, positive, limit, row_limit, amount)


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
    training.rows.views = [columns]  # a line is scored on values, not on bins
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
        self.rows.weigh(start)
        rows = Rows(
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
        votes = ((r.step, self.rows.scores(r.hypothesis)) for r in rounds)
        stages = _stages(votes, getattr(rule, "combine", None))
        positive = self.problem.positive.astype(bool)
        return _staged_above(stages, positive, limit, row_limit, amount)


def _stages(votes: Iterator[tuple[float, Floats]], combine: Any) -> Iterator[Floats]:
    """The score after each round, in one array that changes from round to round."""
    score: Any = 0.0
    for step, vote in votes:
        if combine is not None:
            score = combine(score, step, vote)
        elif isinstance(score, float):
            score = step * vote
        else:
            score += step * vote
        yield np.asarray(score)


def _staged_above(
    scores: Iterator[Floats],
    positive: NDArray[np.bool_],
    limit: Floats,
    row_limit: Any,
    amount: Any,
) -> NDArray[Any]:
    def total(of: NDArray[np.bool_]) -> Any:
        return np.count_nonzero(of) if amount is None else amount[of].sum()

    result, negative = [], ~positive
    for score, bound in zip(scores, limit, strict=True):
        above = score > bound * (1.0 if row_limit is None else row_limit)
        result.append([total(above & positive), total(above & negative)])
    return np.array(result).reshape(-1, 2)


# ---- running the loop ----------------------------------------------------------------------------


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


def training_cost(deciding: Deciding, training: Any, rounds: Sequence[Round]) -> Floats:
    """Mean cost of the training rows after each round."""
    if not rounds:
        return np.empty(0)
    problem = training.problem
    steps = np.array([one.step for one in rounds])
    if not deciding.has_limits(problem.costs):
        return _cost_by_rows(deciding, training, rounds)
    limit, row_limit = deciding.limits(problem.costs, steps)
    if problem.weight is None and not problem.per_row_costs:
        above = training.amounts_above(deciding.rule, rounds, limit, row_limit, None)
        misses, alarms = int(problem.positive.sum()) - above[:, 0], above[:, 1]
        costs: Floats = (problem.costs.fn * misses + problem.costs.fp * alarms) / problem.n_rows
        return costs
    weight = np.ones(problem.n_rows) if problem.weight is None else problem.weight
    weight = weight / weight.max()
    dearest = problem.cost.max()
    money = weight * (problem.cost / dearest)
    quantum = 2.0 ** (np.ceil(np.log2(money.sum())) - 52)  # whole quanta add up exactly
    amount = np.rint(money / quantum).astype(np.int64)
    above = training.amounts_above(deciding.rule, rounds, limit, row_limit, amount)
    missed = int(amount[problem.positive.astype(bool)].sum()) - above[:, 0]
    return np.asarray((missed + above[:, 1]) * (quantum * dearest / weight.sum()))


def _cost_by_rows(deciding: Deciding, training: Any, rounds: Sequence[Round]) -> Floats:
    """The same by deciding for every row."""
    problem = training.problem
    said = ((one.step, training.rows.scores(one.hypothesis)) for one in rounds)
    votes = np.cumsum([abs(one.step) for one in rounds])
    truth = training.rows.label > 0
    money, counts = (training.in_order(part) for part in (problem.cost, problem.counts))
    costs = Costs(*(training.in_order(c) if np.ndim(c) else c for c in problem.costs))
    result = []
    for k, score in enumerate(_stages(said, getattr(deciding.rule, "combine", None))):
        wrong = deciding.positive(score, costs, float(votes[k]), k + 1) != truth
        result.append(float(np.average(wrong * money, weights=counts)))
    return np.array(result)
