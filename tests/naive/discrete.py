"""Discrete family: one loop, five choices."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from naive.constants import FLOOR, TIE, Array
from naive.constrained import LEVEL_SMOOTHING, Bounds
from naive.draws import drawn
from naive.learners import Leaves, WeakLearner, best_polarity_stump, grow_tree, lookup_table, spread
from naive.logistic import best_logistic
from naive.model import Learner, NaiveModel, Problem, may_be_added, normalised, start


@dataclass(frozen=True)
class DiscreteRule:
    """One row of the table: costs, initial weights, step and reweighting (learners see w)."""

    scale: Callable[[Array], Array]
    start: Callable[[Array, int], Array]  # (c, M)
    step: Callable[[Array, Array, Array], float]  # (w, c, y h)
    update: Callable[[Array, float, Array, int], Array]  # (c, alpha, y h, M)


# Column 1, how the costs are scaled.


def as_given(c: Array) -> Array:
    return c


def least_is_one(c: Array) -> Array:
    return c / c.min()


def greatest_is(limit: float) -> Callable[[Array], Array]:
    return lambda c: limit * c / c.max()


# Column 2, the initial weights.


def start_at_one(c: Array, M: int) -> Array:
    return np.ones_like(c)


def start_at_cost(c: Array, M: int) -> Array:
    return c


def start_at_root(c: Array, M: int) -> Array:
    return c ** (1 / M)


# Column 4, the step. u = y h: +1 where the learner is right, -1 where it is wrong.


def half_log_ratio(a: float, b: float) -> float:
    """1/2 log a/b with both floored as shares of their sum."""
    return 0.5 * math.log(max(a / (a + b), FLOOR) / max(b / (a + b), FLOOR))


def step_adaboost(w: Array, c: Array, u: Array) -> float:
    return half_log_ratio(w[u > 0].sum(), w[u < 0].sum())


def step_adac2(w: Array, c: Array, u: Array) -> float:
    """Sun's eq. for AdaC2, and Nyga's for AdaC1: the weights enter times the cost."""
    return half_log_ratio((w * c)[u > 0].sum(), (w * c)[u < 0].sum())


# 1 + r and 1 - r are summed row by row, because their difference may be all that is left.


def half_log_edge(w: Array, part: Array) -> float:
    """1/2 log (1 + r)/(1 - r), r the w-weighted mean of `part`; nan where it is imaginary.

    If |part| <= 1, both are shares of the weights, and only a perfect learner brings one to 0.
    Otherwise nothing keeps them above 0 (Nikolaou, footnote 9).
    """
    w = w / w.sum()
    above, below = (w * (1 + part)).sum(), (w * (1 - part)).sum()
    if np.abs(part).max() > 1 + FLOOR and min(above, below) <= FLOOR * (above + below):
        return math.nan
    return half_log_ratio(above, below)


def step_adac1(w: Array, c: Array, u: Array) -> float:
    """r = sum w c u."""
    return half_log_edge(w, c * u)


def step_adac3(w: Array, c: Array, u: Array) -> float:
    """S = sum w c, r = sum w c^2 u; (S +- r) / S has the weights w c."""
    return half_log_edge(w * c, c * u)


def step_adacost(w: Array, c: Array, u: Array) -> float:
    """r = sum w u beta."""
    return half_log_edge(w, u * adacost_beta(c, u))


# Column 5, the factor by which a weight changes.


def adacost_beta(c: Array, u: Array) -> Array:
    """A dear mistake is punished more, a dear right answer rewarded less (Fan et al.)."""
    return np.where(u < 0, (1 + c) / 2, (1 - c) / 2)


def csb_gamma(c: Array, u: Array) -> Array:
    """The cost counts on mistakes only (Ting; Nikolaou Table 2)."""
    return np.where(u < 0, c, 1.0)


def update_adaboost(c: Array, alpha: float, u: Array, M: int) -> Array:
    return np.exp(-alpha * u)


def update_asymada(c: Array, alpha: float, u: Array, M: int) -> Array:
    return c ** (1 / M) * np.exp(-alpha * u)


def update_csb0(c: Array, alpha: float, u: Array, M: int) -> Array:
    return csb_gamma(c, u)


def update_csb1(c: Array, alpha: float, u: Array, M: int) -> Array:
    return csb_gamma(c, u) * np.exp(-u)


def update_csb2(c: Array, alpha: float, u: Array, M: int) -> Array:
    return csb_gamma(c, u) * np.exp(-alpha * u)


def update_adac1(c: Array, alpha: float, u: Array, M: int) -> Array:
    return np.exp(-c * alpha * u)


def update_adac2(c: Array, alpha: float, u: Array, M: int) -> Array:
    return c * np.exp(-alpha * u)


def update_adac3(c: Array, alpha: float, u: Array, M: int) -> Array:
    return c * np.exp(-c * alpha * u)


def update_adacost(c: Array, alpha: float, u: Array, M: int) -> Array:
    return np.exp(-adacost_beta(c, u) * alpha * u)


ADABOOST = DiscreteRule(as_given, start_at_one, step_adaboost, update_adaboost)
CGADA = DiscreteRule(as_given, start_at_cost, step_adaboost, update_adaboost)
ASYMADA = DiscreteRule(as_given, start_at_root, step_adaboost, update_asymada)
CSB0 = DiscreteRule(least_is_one, start_at_cost, step_adaboost, update_csb0)
CSB1 = DiscreteRule(least_is_one, start_at_cost, step_adaboost, update_csb1)
CSB2 = DiscreteRule(least_is_one, start_at_cost, step_adaboost, update_csb2)
ADAC1_SUN = DiscreteRule(greatest_is(1.0), start_at_cost, step_adac1, update_adac1)
ADAC1_NYGA = DiscreteRule(least_is_one, start_at_cost, step_adac2, update_adac1)
ADAC2 = DiscreteRule(as_given, start_at_cost, step_adac2, update_adac2)
ADAC3 = DiscreteRule(greatest_is(1.0), start_at_cost, step_adac3, update_adac3)


def adacost_rule(beta: str = "fan", max_cost: float | None = 0.5) -> DiscreteRule:
    step = {"fan": step_adacost, "ting": step_adaboost}[beta]
    return scaled(DiscreteRule(as_given, start_at_cost, step, update_adacost), max_cost)


def adac1_rule(step: str = "sun", max_cost: float | str | None = "auto") -> DiscreteRule:
    return scaled({"sun": ADAC1_SUN, "nyga": ADAC1_NYGA}[step], max_cost)


def adac3_rule(max_cost: float | None = 1.0) -> DiscreteRule:
    return scaled(ADAC3, max_cost)


def scaled(rule: DiscreteRule, max_cost: float | str | None) -> DiscreteRule:
    """Costs scaled to a greatest one, or as they are (None), or as the rule has them ("auto")."""
    if isinstance(max_cost, str):
        return rule
    return replace(rule, scale=as_given if max_cost is None else greatest_is(max_cost))


def weighted_error(D: Array, y: Array, votes: Array) -> float:
    return D[votes != y].sum()


def majority(problem: Problem, D: Array) -> Callable[[Array], float]:
    """The vote of some rows; +1 only if positives outweigh negatives by more than rounding."""

    def vote(rows: Array) -> float:
        weight, y = D[rows], problem.y[rows]
        return 1.0 if weight[y > 0].sum() > weight[y < 0].sum() + TIE else -1.0

    return vote


def spread_leaves(
    problem: Problem,
    D: Array,
    value: Callable[[Array], float],
    bounded: Callable[[float, Bounds], float],
) -> Leaves:
    """Trees that are to err little are grown by 2 sqrt(p q): Kearns and Mansour 1996.

    It is the exponential loss of the half log-odds, on which bounds are, slightly smoothed.
    """

    def shares(rows: Array) -> tuple[float, float]:
        weight, y = D[rows], problem.y[rows]
        return weight[y > 0].sum(), weight[y < 0].sum()

    def level(rows: Array) -> float:
        p, q = shares(rows)
        return 0.5 * math.log((p + LEVEL_SMOOTHING) / (q + LEVEL_SMOOTHING))

    def at(rows: Array, g: float) -> float:
        p, q = shares(rows)
        return p * math.exp(-g) + q * math.exp(g)

    return Leaves(value, lambda rows: spread(D[rows], problem.y[rows]), level, at, bounded)


def vote_table(problem: Problem, D: Array, n_bins: int) -> Learner | None:
    """Each bin votes for its majority; the feature of least D-weighted error."""
    vote = majority(problem, D)

    def error(rows: Array) -> float:
        return D[rows][problem.y[rows] != vote(rows)].sum()

    def level(bins: list[Array]) -> float:
        rows = np.any(bins, axis=0)
        p, q = D[rows & (problem.y > 0)].sum(), D[rows & (problem.y < 0)].sum()
        smoothing = len(bins) * LEVEL_SMOOTHING
        return 0.5 * math.log((p + smoothing) / (q + smoothing))

    def sign(level: float) -> float:
        return 1.0 if level > 0 else -1.0

    def error_at(rows: Array, level: float) -> float:
        return D[rows][problem.y[rows] != sign(level)].sum()

    leaves = Leaves(vote, error, at=error_at, pool=level, answer=sign)
    return lookup_table(problem, leaves, n_bins)


def logistic_voter(problem: Problem, D: Array) -> Learner | None:
    def judge(right: Array, vote: float) -> tuple[float, float, float]:
        return weighted_error(D, problem.y, np.where(right, vote, -vote)), -vote, vote

    return best_logistic(problem, D, judge)


def discrete_learner(problem: Problem, D: Array, wanted: WeakLearner) -> Learner | None:
    """The weak learner of least D-weighted error; a tree of more than one split is greedy."""
    if wanted.kind == "tree":
        vote = majority(problem, D)
        leaves = spread_leaves(problem, D, vote, lambda own, bounds: bounds.vote(own))
        return grow_tree(problem, D, leaves, wanted.shape)
    if wanted.kind == "lookup":
        return vote_table(problem, D, wanted.n_bins)
    if wanted.kind == "logistic":
        return logistic_voter(problem, D)
    return best_polarity_stump(
        problem,
        D,
        lambda votes: weighted_error(D, problem.y, votes),
        wanted.shape.min_samples_leaf,
    )


def fit_discrete(
    model: NaiveModel, problem: Problem, rule: DiscreteRule, wanted: WeakLearner
) -> None:
    X, y, M = problem.X, problem.y, problem.rounds
    c = rule.scale(problem.c)
    w = start(problem, rule.start(c, M))
    for m in range(1, M + 1):
        D = w
        learner = discrete_learner(*drawn(problem, D, m), wanted)
        if learner is None:
            model.stop_reason = "no positive step"
            return
        votes = learner.predict(X)
        error = weighted_error(D, y, votes)
        alpha = problem.learning_rate * rule.step(w, c, y * votes)
        if not may_be_added(problem, alpha):
            if problem.draws is None:
                model.stop_reason = "no positive step"
                return
            model.wait(learner, 0.0, w, error)
            w = normalised(w * rule.update(c, 0.0, y * votes, M))
            continue
        model.add(learner, alpha, w, error)
        if error < FLOOR and alpha > 0:
            model.stop_reason = "perfect learner"
            return
        w = normalised(w * rule.update(c, alpha, y * votes, M))
