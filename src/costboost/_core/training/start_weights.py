"""Weights of the rows before the first round."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from costboost._core.model import DecisionRule
from costboost._core.training.problem import Problem


def initial_weights(problem: Problem, decision: DecisionRule) -> NDArray[np.float64]:
    """Sample weight times initial weight of every row."""
    cost = problem.cost / problem.largest_cost
    focus = decision.rule.focus(cost)
    if decision.own_start:
        cost = decision.rule.scale(problem.cost, decision.n_rounds)
    share = np.where(problem.positive, problem.prior, 1 - problem.prior)
    weight = np.ones(problem.n_rows) if problem.weight is None else problem.weight
    start = decision.start.weight(cost / (np.abs(cost).max() or 1.0), share)
    return np.asarray(weight / weight.max() * start * focus)


def class_weights(problem: Problem, decision: DecisionRule) -> list[float]:
    """Initial weight of a row of each class, for class costs and constant sample weights."""
    pair = np.array(problem.costs, dtype=float)
    pair = pair / np.abs(pair).max()
    focus = decision.rule.focus(pair)
    if decision.own_start:
        pair = decision.rule.scale(pair, decision.n_rounds)
    share = np.array([problem.prior, 1 - problem.prior])
    weights: list[float] = (decision.start.weight(pair, share) * focus).tolist()
    return weights
