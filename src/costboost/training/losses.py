"""Losses and costs of rows after each round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.loop import Round
from costboost.model import DecisionRule
from costboost.rules import Costs
from costboost.vectors import Floats

EDGE = 1e-10


def log_losses(probability: Floats, positive: NDArray[np.uint8]) -> Floats:
    """Log loss of each row, probabilities being clipped to [1e-10, 1 - 1e-10]."""
    inner = np.clip(probability, EDGE, 1 - EDGE)
    return -np.log(np.where(positive, inner, 1 - inner))


# ---- the mean cost of the training rows after each round -----------------------------------------


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
    largest = problem.cost.max()
    amounts = weight * (problem.cost / largest)
    quantum = 2.0 ** (np.ceil(np.log2(amounts.sum())) - 52)  # whole quanta add up exactly
    amount = np.rint(amounts / quantum).astype(np.int64)
    above = training.amounts_above(decision.rule, rounds, limit, row_limit, amount)
    fn = int(amount[problem.positive.astype(bool)].sum()) - above[:, 0]
    return np.asarray((fn + above[:, 1]) * (quantum * largest / weight.sum()))


def _cost_by_rows(decision: DecisionRule, training: Any, rounds: Sequence[Round]) -> Floats:
    """Mean cost after each round without a common score threshold: every row is decided."""
    problem = training.problem
    votes = np.cumsum([abs(one.step) for one in rounds])
    truth = training.rows.label > 0
    amounts, counts = (training.in_order(part) for part in (problem.cost, problem.counts))
    costs = Costs(*(training.in_order(c) if np.ndim(c) else c for c in problem.costs))
    result = []
    for k, score in enumerate(training.stages(rounds, getattr(decision.rule, "combine", None))):
        wrong = decision.positive(score, costs, float(votes[k]), k + 1) != truth
        result.append(float(np.average(wrong * amounts, weights=counts)))
    return np.array(result)


def stages(votes: Iterator[tuple[float, Floats]], combine: Any) -> Iterator[Floats]:
    """The score after each round, in one array that is updated in place."""
    score: Any = 0.0
    for step, vote in votes:
        if combine is not None:
            score = combine(score, step, vote)
        elif isinstance(score, float):
            score = step * vote
        else:
            score += step * vote
        yield np.asarray(score)


def staged_above(
    scores: Iterator[Floats],
    positive: NDArray[np.bool_],
    limit: Floats,
    row_limit: Any,
    amount: Any,
) -> NDArray[Any]:
    """Amount of the positives and of the negatives above the threshold after each round."""

    def total(of: NDArray[np.bool_]) -> Any:
        return np.count_nonzero(of) if amount is None else amount[of].sum()

    result, negative = [], ~positive
    for score, bound in zip(scores, limit, strict=True):
        above = score > bound * (1.0 if row_limit is None else row_limit)
        result.append([total(above & positive), total(above & negative)])
    return np.array(result).reshape(-1, 2)
