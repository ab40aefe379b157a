"""Training a model: rows and learner are put together, the loop is run, the result laid out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats
from costboost.classifiers.deciding import Deciding
from costboost.engine._kernels import sides
from costboost.engine.binning import Binning
from costboost.engine.ensemble import Ensemble, Node, leaf
from costboost.learners.stump import StumpLearner
from costboost.learners.tree import TreeLearner
from costboost.learners.wrapped import Committee, RawRows, WrappedLearner
from costboost.loop import NO_STEP, Round, Schedule, boost
from costboost.rules import Costs, Rule, Start
from costboost.shards import Shards
from costboost.tables import Coder, Table
from costboost.threads import threads


@dataclass(frozen=True)
class Problem:
    """The rows to learn from, checked, without those of weight 0."""

    table: Table
    positive: NDArray[np.uint8]
    weight: NDArray[np.float64] | None
    costs: Costs

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
        return Problem(self.table.take(rows), self.positive[rows], weight, costs)

    def mean_costs(self) -> Costs:
        """The costs, averaged over rows where they differ from row to row."""
        return Costs(
            *(float(np.average(c, weights=self.weight)) if np.ndim(c) else c for c in self.costs)
        )


class ClassCosts:
    """Cost of each cell (class, leaf) when costs depend on the class only."""

    def __init__(self, costs: Costs) -> None:
        self.pair = np.array([float(np.mean(costs.fn)), float(np.mean(costs.fp))])
        self._known: dict[int, Floats] = {}

    def __call__(self, hypothesis: Any) -> Floats:
        n = len(hypothesis.weight)
        if n not in self._known:
            self._known[n] = np.repeat(self.pair, n // 2)
        return self._known[n]


class BinnedTraining:
    """Training on the engine: stumps and trees."""

    def __init__(self, problem: Problem, options: dict[str, Any]) -> None:
        table = problem.table
        n_threads = threads(options["n_jobs"], table.n_rows * table.n_features)
        self.problem = problem
        self.binning = Binning(
            table, options["max_bins"], options["categorical_features"], n_threads
        )
        binned = self.binning.rows(table, problem.positive, n_threads)
        self.rows = Shards([binned], self.binning.n_bins, self.binning.categorical)
        depth, leaves, least = (
            options[name] for name in ("max_depth", "max_leaf_nodes", "min_samples_leaf")
        )
        one_split = depth == 1 or leaves == 2
        self.stumps = options["estimator"] != "tree" or one_split
        self.learner: Any = (
            StumpLearner(self.binning, least)
            if self.stumps
            else TreeLearner(self.binning, depth, leaves, least)
        )

    @property
    def coders(self) -> list[Coder | None]:
        return self.binning.coders

    def start(self, start: Start) -> None:
        """Give the rows their initial weights."""
        problem = self.problem
        share = np.array([problem.prior, 1 - problem.prior])
        if problem.weight is None and not problem.per_row_costs:
            pair = np.array(problem.costs, dtype=float)
            self.rows.start((start.weight(pair / pair.max(), share)).tolist())
            return
        weight = np.ones(problem.n_rows) if problem.weight is None else problem.weight
        cost, of_class = problem.cost, np.where(problem.positive, share[0], share[1])
        factors = start.weight(cost / cost.max(), of_class)
        self.rows.start((1.0, 1.0), [self._in_order(weight / weight.max() * factors)])

    def _in_order(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of the rows in the order of the engine: positives first."""
        positive = self.problem.positive.astype(bool)
        return np.concatenate([values[positive], values[~positive]])

    def other_rows(self, table: Table) -> Any:
        """Other rows, in bins, on which hypotheses can be scored."""
        return self.binning.rows(table, np.zeros(table.n_rows, dtype=np.uint8), 1)

    def memory(self, model: Ensemble) -> list[Sequence[Node]]:
        return [model.tree(t) for t in range(len(model))]

    def model(self, rounds: Sequence[Round]) -> Ensemble:
        return Ensemble.from_trees(r.hypothesis.nodes(self.binning, r.step) for r in rounds)  # type: ignore[attr-defined]

    def constant(self, sign: float) -> Ensemble:
        return Ensemble.from_trees([[leaf(sign)]])

    def amounts_above(
        self, rounds: Sequence[Round], limit: Floats, row_limit: Any, amount: Any
    ) -> NDArray[Any]:
        """Amount of the positives and negatives that score above the limit, after each round."""
        shard = self.rows.shards[0]
        if row_limit is not None:
            row_limit = self._in_order(row_limit)
        if amount is not None:
            amount = self._in_order(amount)
        if self.stumps:
            splits = [r.hypothesis.split for r in rounds]  # type: ignore[attr-defined]
            steps = np.array([r.step * s.polarity for r, s in zip(rounds, splits, strict=True)])
            above: NDArray[Any] = shard.sum_staged(
                *sides(splits), np.column_stack([-steps, steps]), limit, row_limit, amount,
            )  # fmt: skip
            return above
        first_negative = shard.n_positive
        return _staged_above(
            (r.step * r.hypothesis.scores(shard) for r in rounds),
            np.arange(shard.n_rows) < first_negative, limit, row_limit, amount,
        )  # fmt: skip


class RawTraining:
    """Training with a scikit-learn classifier as the weak learner."""

    coders: Sequence[Coder | None] = ()

    def __init__(self, problem: Problem, options: dict[str, Any], random: Any) -> None:
        self.problem = problem
        self.learner = WrappedLearner(options["estimator"], random)
        self.rows = RawRows(problem.table.X, 2 * problem.positive.astype(np.int64) - 1)

    def start(self, start: Start) -> None:
        problem = self.problem
        weight = np.ones(problem.n_rows) if problem.weight is None else problem.weight
        share = np.where(problem.positive, problem.prior, 1 - problem.prior)
        cost = problem.cost
        self.rows.start(weight / weight.max() * start.weight(cost / cost.max(), share))

    def other_rows(self, table: Table) -> Any:
        return RawRows(table.X, np.ones(table.n_rows, dtype=np.int64))

    def memory(self, model: Committee) -> Sequence[Any]:
        return model.members

    def model(self, rounds: Sequence[Round]) -> Committee:
        members = [r.hypothesis.estimator for r in rounds]  # type: ignore[attr-defined]
        return Committee(members, np.array([r.step for r in rounds]))

    def constant(self, sign: float) -> Committee:
        return Committee([], np.empty(0), sign)

    def amounts_above(
        self, rounds: Sequence[Round], limit: Floats, row_limit: Any, amount: Any
    ) -> NDArray[Any]:
        votes = (r.step * r.hypothesis.training_votes(self.rows) for r in rounds)  # type: ignore[attr-defined]
        return _staged_above(votes, self.problem.positive.astype(bool), limit, row_limit, amount)


def _staged_above(
    votes: Iterator[Floats], positive: NDArray[np.bool_], limit: Floats, row_limit: Any, amount: Any
) -> NDArray[Any]:
    score = np.zeros(positive.size)
    amount = np.ones(positive.size) if amount is None else amount
    result = []
    for vote, bound in zip(votes, limit, strict=True):
        score += vote
        above = score > bound * (1.0 if row_limit is None else row_limit)
        result.append([amount[above & positive].sum(), amount[above & ~positive].sum()])
    return np.array(result).reshape(-1, 2)


# ---- running the loop ----------------------------------------------------------------------------


def train(
    rule: Rule,
    training: Any,
    schedule: Schedule,
    memory: Sequence[Any],
    watchers: Sequence[Callable[[Round], str | None]],
) -> tuple[list[Round], str]:
    """Run the loop on rows that have their initial weights.

    Each watcher sees every round and may end the fit by giving a reason.
    """
    costs = ClassCosts(training.problem.costs)
    rounds: list[Round] = []
    for one in boost(rule, training.rows, training.learner, costs, schedule, memory):
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
    limit, row_limit = deciding.limits(problem.costs, steps)
    if problem.weight is None and not problem.per_row_costs:
        above = training.amounts_above(rounds, limit, row_limit, None)
        misses, alarms = int(problem.positive.sum()) - above[:, 0], above[:, 1]
        costs: Floats = (problem.costs.fn * misses + problem.costs.fp * alarms) / problem.n_rows
        return costs
    weight = np.ones(problem.n_rows) if problem.weight is None else problem.weight
    weight = weight / weight.max()
    dearest = problem.cost.max()
    money = weight * (problem.cost / dearest)
    quantum = 2.0 ** (np.ceil(np.log2(money.sum())) - 52)  # whole quanta add up exactly
    amount = np.rint(money / quantum).astype(np.int64)
    above = training.amounts_above(rounds, limit, row_limit, amount)
    missed = int(amount[problem.positive.astype(bool)].sum()) - above[:, 0]
    return np.asarray((missed + above[:, 1]) * (quantum * dearest / weight.sum()))
