"""The mean cost of the training rows after each round."""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, each, exact_sum
from costboost._core.loop import Round
from costboost._core.model import DecisionRule, ScoresModel
from costboost._core.rules.record import NetCosts
from costboost._core.training.losses import class_costs
from costboost._core.training.problem import Problem


def staged_cost(model: ScoresModel, problem: Problem, rounds: Sequence[Round]) -> Floats:
    """Mean cost of the training rows after each round, with several classes."""
    if not model.n_iter:
        return np.empty(0)
    counted: list[Any] = [getattr(one.hypothesis, "confusion", None) for one in rounds]
    if not model.by_cost and all(one is not None for one in counted):
        return np.array([float((model.matrix * one).sum()) for one in counted])
    scores = model.scores_after(problem.own_table, model.ends.tolist(), None)
    costs = (class_costs(model, score, problem.code) for score in scores)
    return np.array([float(np.average(one, weights=problem.weight)) for one in costs])


def training_cost(decision: DecisionRule, training: Any, rounds: Sequence[Round]) -> Floats:
    """Mean cost of the training rows after each round."""
    if not rounds:
        return np.empty(0)
    problem = training.problem
    steps = np.array([one.step for one in rounds])
    if not decision.has_limits(problem.costs):
        return _cost_by_rows(decision, training, rounds)
    limit, row_limit = decision.limits(problem.costs, steps)
    if problem.weight is None and not problem.per_row_costs:
        above = training.amounts_above(decision.rule, rounds, limit, row_limit, None)
        fn, fp = int(problem.positive.sum()) - above[:, 0], above[:, 1]
        costs: Floats = (problem.costs.fn * fn + problem.costs.fp * fp) / problem.n_rows
        return costs
    weight = np.ones(problem.n_rows) if problem.weight is None else problem.weight
    weight = weight / weight.max()
    largest = problem.largest_cost
    amounts = weight * (problem.cost / largest)
    mantissa, exponent = frexp(np.abs(amounts).sum())
    quantum = ldexp(1.0, exponent - (mantissa == 0.5) - 52)  # whole quanta add up exactly
    amount = np.rint(amounts / quantum).astype(np.int64)
    above = training.amounts_above(decision.rule, rounds, limit, row_limit, amount)
    fn = int(amount[problem.positive.astype(bool)].sum()) - above[:, 0]
    return np.asarray((fn + above[:, 1]) * (quantum * largest / weight.sum()))


def _cost_by_rows(decision: DecisionRule, training: Any, rounds: Sequence[Round]) -> Floats:
    """Mean cost after each round without a common score threshold: every row is decided."""
    problem = training.problem
    votes = np.cumsum([abs(one.step) for one in rounds])
    truth = training.rows.label > 0
    total = exact_sum(problem.counts)
    amounts = training.vector(problem.cost * problem.counts)
    costs = [training.vector(c) if np.ndim(c) else c for c in problem.costs]
    result = []
    for k, score in enumerate(training.stages(rounds, getattr(decision.rule, "combine", None))):
        positive = each(_decided, score, *costs, decision, float(votes[k]), k + 1)
        result.append(exact_sum((positive != truth) * amounts) / total)
    return np.array(result)


def _decided(
    score: Floats, fn: Any, fp: Any, decision: DecisionRule, votes: float, n_added: int
) -> NDArray[np.bool_]:
    """Which rows are decided to be positive after so many rounds."""
    return decision.positive(score, NetCosts(fn, fp), votes, n_added)
