"""Votes for one of several classes: SAMME, SAMME.C2, AdaC2.M1 and BAdaCost.

A learner votes for class h(x). Its cells are the pairs (true class j, vote k), with the weights
E[j, k]; a rule maps them to a step a and to factors of the weights. With K classes, C the costs
beyond those of right predictions, and Y_k the vector of 1 at k and -1/(K-1) elsewhere, the scores
are the sum of b Y_h(x), where b is a function of a.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log as log_of_whole
from typing import Any, ClassVar

import numpy as np

from costboost._core.arithmetic import Floats, each, exp, log, sinh
from costboost._core.cells import MOST_EXPONENT, Cells, LogSum
from costboost._core.engine._kernels import increasing_root
from costboost._core.rules.discrete import (
    ADABOOST,
    ADAC2,
    CSADA,
    SHARE_FLOOR,
    balance,
    confidence,
    half_log_ratio,
)
from costboost._core.rules.record import UNIFORM, VOTE, Criterion, SeveralRule


@dataclass(frozen=True, kw_only=True)
class VoteRule(SeveralRule):
    """Learners that vote for one of several classes.

    Attributes
    ----------
    price : C -> array
        Price of a vote for class k where class j is true, for a row of weight 1.
    step : (E, C) -> float
        The step a, from the weights of the cells (true class, vote).
    update : (C, a) -> array
        The factor by which the weights of each cell change.
    score_step : (a, K) -> float
        The factor b of the vote in the scores.
    codes : C -> array
        Row k: what a vote for class k adds to the score of each class, for b = 1.
    """

    learners: ClassVar[tuple[str, ...]] = ("stump", "tree")

    price: Callable[[Floats], Floats]
    step: Callable[[Floats, Floats], float]
    update: Callable[[Floats, float], Floats]
    score_step: Callable[[float, int], float]
    codes: Callable[[Floats], Floats]
    criterion: Criterion = VOTE


def net_costs(matrix: Floats) -> Floats:
    """Costs beyond that of the right prediction, not below 0, the greatest being 1."""
    beyond = np.maximum(matrix - np.diag(matrix)[:, None], 0.0)
    return np.asarray(beyond / (beyond.max() or 1.0))


def class_costs(costs: Floats) -> Floats:
    """c: the mean cost of a mistake on each class, the greatest being 1."""
    total = costs.sum(axis=1)
    return np.asarray(total / (total.max() or 1.0))


def start_of_classes(initial_weights: str, costs: Floats, shares: Floats) -> Floats:
    """Initial weight of a row of each class, by the parameter of classifiers."""
    if initial_weights == "cost":
        return class_costs(costs)
    if initial_weights == "balanced":
        return np.asarray(1 / (len(shares) * shares))
    return np.ones(len(costs))


def right_and_wrong(E: Floats) -> tuple[float, float]:
    """Sums of E over the right votes and over the wrong ones."""
    right = float(np.trace(E))
    return right, float(np.where(np.eye(len(E), dtype=bool), 0.0, E).sum())


# ---- prices and codes ----------------------------------------------------------------------------


def one_for_a_mistake(costs: Floats) -> Floats:
    """[k != y]."""
    return 1 - np.eye(len(costs))


def class_codes(costs: Floats) -> Floats:
    """Y_k: 1 at k, -1/(K-1) elsewhere."""
    n_classes = len(costs)
    return np.where(np.eye(n_classes, dtype=bool), 1.0, -1 / (n_classes - 1))


# ---- SAMME, SAMME.C2, AdaC2.M1 -------------------------------------------------------------------


def samme_step(E: Floats, costs: Floats) -> float:
    """log(W= / W!=) + log(K - 1)."""
    return 2 * half_log_ratio(*right_and_wrong(E)) + log_of_whole(len(E) - 1)


def cost_step(E: Floats, costs: Floats) -> float:
    """1/2 log(sum of w c over the right / over the wrong)."""
    return half_log_ratio(*right_and_wrong(E * class_costs(costs)[:, None]))


def samme_update(costs: Floats, step: float) -> Floats:
    """exp(a [h != y])."""
    return np.asarray(np.where(np.eye(len(costs), dtype=bool), 1.0, limited_exp(step)))


def samme_cost_update(costs: Floats, step: float) -> Floats:
    """c exp(a [h != y])."""
    return class_costs(costs)[:, None] * samme_update(costs, step)


def cost_update(costs: Floats, step: float) -> Floats:
    """c exp(-a) where h is right, c exp(a) where it is wrong."""
    right = np.eye(len(costs), dtype=bool)
    factor = np.where(right, limited_exp(-step), limited_exp(step))
    return np.asarray(class_costs(costs)[:, None] * factor)


def limited_exp(exponent: float) -> float:
    """e^exponent, for exponents of a size up to `MOST_EXPONENT`."""
    return float(exp(min(max(exponent, -MOST_EXPONENT), MOST_EXPONENT)))


def samme_score_step(step: float, n_classes: int) -> float:
    """a (K - 1)^2 / K."""
    return step * (n_classes - 1) ** 2 / n_classes


def own_step(step: float, n_classes: int) -> float:
    """a."""
    return step


def samme_shares(score: Floats, costs: Floats | None) -> Floats:
    """P = softmax(F / (K - 1))."""
    return _softmax(score / (score.shape[1] - 1))


def _softmax(score: Floats) -> Floats:
    terms: Floats = exp(score - score.max(axis=1, keepdims=True))
    total = terms[:, 0].copy()
    for column in terms.T[1:]:
        total += column
    return np.asarray(terms / total[:, None])


# ---- BAdaCost ------------------------------------------------------------------------------------


def star(costs: Floats) -> Floats:
    """C* = C minus its row sums on the diagonal."""
    return costs - np.diag(costs.sum(axis=1))


def exponents(costs: Floats) -> Floats:
    """G = K / (K - 1) C*: the exponent of the loss of a row of class j after a vote for k."""
    n_classes = len(costs)
    return n_classes / (n_classes - 1) * star(costs)


def unit_step_price(costs: Floats) -> Floats:
    """exp(G[y, k]) - exp(G[y, y])."""
    G = exponents(costs)
    return np.asarray(exp(G) - exp(np.diag(G))[:, None])


def gradient_price(costs: Floats) -> Floats:
    """G[y, k] - G[y, y]."""
    G = exponents(costs)
    return G - np.diag(G)[:, None]


def cost_balance(E: Floats, costs: Floats) -> float:
    """root of sum of E G exp(a G) = 0; 0 if the loss does not fall at 0."""
    E, G = with_mistakes(E), exponents(costs)
    if float((E * G).sum()) >= 0:
        return 0.0
    size = float(np.abs(G).max())
    rate = G / size  # the step is found in units of 1 / size
    rising, falling = (_log_sum(E[part], rate[part]) for part in (rate > 0, rate < 0))

    def gap(step: float) -> tuple[float, float]:
        (up, faster), (down, slower) = rising(step), falling(step)
        return up - down, faster - slower

    return float(increasing_root(gap) / size)


def _log_sum(weight: Floats, rate: Floats) -> LogSum:
    """log of the sum of weight |rate| e^(rate x), as a function of x."""
    some = weight > 0
    weight, rate = weight[some], rate[some]
    return LogSum(log(weight), log(np.abs(rate)), rate, rate)


def with_mistakes(E: Floats) -> Floats:
    """E with mistakes of `SHARE_FLOOR` in every class that has fewer: steps are finite."""
    n_classes = len(E)
    total = E.sum(axis=1)
    wrong = np.where(np.eye(n_classes, dtype=bool), 0.0, E).sum(axis=1)
    few = wrong < SHARE_FLOOR * total
    floored = np.repeat((SHARE_FLOOR * total / (n_classes - 1))[:, None], n_classes, axis=1)
    np.fill_diagonal(floored, (1 - SHARE_FLOOR) * total)
    return np.where(few[:, None], floored, E)


def cost_exponential(costs: Floats, step: float) -> Floats:
    """exp(a G[y, h])."""
    exponent = step * exponents(costs)
    factors: Floats = exp(np.clip(exponent, -MOST_EXPONENT, MOST_EXPONENT))
    return factors


def cost_codes(costs: Floats) -> Floats:
    """-C* Y_k."""
    return -exponents(costs).T


def cost_shares(score: Floats, costs: Floats | None) -> Floats:
    """P proportional to v exp(F), v > 0 the row vector with v C* = 0."""
    assert costs is not None
    return _softmax(score + log_shares(costs))


def log_shares(costs: Floats) -> Floats:
    """log v, where v > 0 is the row vector with v C* = 0 and greatest entry 1."""
    found: Floats = log(_left_null(costs))
    return found


def _left_null(costs: Floats) -> Floats:
    """The positive vector v with v C* = 0: the stationary distribution of the rates C."""
    flow = np.array(costs)
    n_classes = len(flow)
    for last in range(n_classes - 1, 0, -1):
        flow[:last, last] /= max(float(flow[last, :last].sum()), LEAST_RATE)
        flow[:last, :last] += flow[:last, last : last + 1] * flow[last, :last]
    shares = np.ones(n_classes)
    for k in range(1, n_classes):
        shares[k] = float((shares[:k] * flow[:k, k]).sum())
    return np.asarray(np.maximum(shares / shares.max(), LEAST_RATE))


LEAST_RATE = 1e-300


# ---- the table -----------------------------------------------------------------------------------

SAMME = VoteRule(
    name="SAMME",
    price=one_for_a_mistake,
    step=samme_step,
    update=samme_update,
    score_step=samme_score_step,
    codes=class_codes,
    probability=samme_shares,
    factors=net_costs,
    cost_blind=True,
)
SAMME_C2 = replace(
    SAMME, name="SAMME.C2", update=samme_cost_update, cost_blind=False, costs_in_rounds=True
)
ADAC2_M1 = replace(
    SAMME_C2, name="AdaC2.M1", step=cost_step, update=cost_update, score_step=own_step
)
BADACOST = VoteRule(
    name="BAdaCost",
    price=unit_step_price,
    step=cost_balance,
    update=cost_exponential,
    score_step=own_step,
    codes=cost_codes,
    probability=cost_shares,
    factors=net_costs,
    costs_in_rounds=True,
)
BADACOST_GRADIENT = replace(BADACOST, price=gradient_price)


# ---- the same algorithms for two classes ---------------------------------------------------------

SAMME_OF_TWO = replace(ADABOOST, name="SAMME")
SAMME_C2_OF_TWO = replace(ADAC2, name="SAMME.C2", start=UNIFORM, step=confidence)
ADAC2_M1_OF_TWO = replace(ADAC2, name="AdaC2.M1", start=UNIFORM)


def sinh_of_cost(cost: Any) -> Any:
    """w (e^(2c) - e^(-2c)), the greatest cost c being 1."""
    return 2 * sinh(2 * cost / np.max(cost))


def balance_of_sinh(cells: Cells) -> float:
    """root of sum_!= w c e^(c alpha) = sum_= w c e^(-c alpha)."""
    weight = cells.weight * each(_over_sinh, cells.cost / cells.cost.max())
    return balance(type(cells)(weight, cells.outcome, cells.cost, cells.positive))


def _over_sinh(cost: Any) -> Any:
    """c / (e^(2c) - e^(-2c)), which is 1/4 at 0."""
    some = np.maximum(cost, LEAST_RATE)
    return some / (2 * sinh(2 * some))


BADACOST_GRADIENT_OF_TWO = replace(CSADA, name="BAdaCost", criterion=VOTE)
BADACOST_OF_TWO = replace(BADACOST_GRADIENT_OF_TWO, focus=sinh_of_cost, step=balance_of_sinh)
