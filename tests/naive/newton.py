"""Newton family: LogitBoost, CSLB, CS-LogitBoost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from naive.constants import CLIP, HALVINGS, LEAF_LIMIT, Array
from naive.draws import drawn
from naive.learners import Leaves, WeakLearner, best_split, first_of_least, grow_tree, lookup_table
from naive.model import Learner, Linear, NaiveModel, Problem, Stump, start


@dataclass(frozen=True)
class NewtonRule:
    """One row of the Newton table; F is the score before the round, m counts from 1."""

    working: Callable[[Array, Array, int], tuple[Array, Array]]  # (s, F, m) -> w z, w
    first_step: float
    loss: Callable[[Array, Array, int], float]  # (s, F, m)


def sigmoid(t: Array) -> Array:
    return np.clip(np.exp(-np.logaddexp(0.0, -t)), CLIP, 1 - CLIP)


def residual(y: Array, t: Array) -> Array:
    """y* - p, for positives as 1 - p without the cancellation where p is nearly 1."""
    return np.where(y > 0, sigmoid(-t), -sigmoid(t))


def variance(t: Array) -> Array:
    """p (1 - p), likewise."""
    return sigmoid(t) * sigmoid(-t)


def logitboost_rule(problem: Problem) -> NewtonRule:
    y = problem.y

    def working(s: Array, F: Array, m: int) -> tuple[Array, Array]:
        return s * residual(y, 2 * F), s * variance(2 * F)

    def loss(s: Array, F: Array, m: int) -> float:
        return (s * np.logaddexp(0.0, -2 * y * F)).sum()

    return NewtonRule(working, 0.5, loss)


def cslb_rule(problem: Problem) -> NewtonRule:
    """Nyga, Algorithm 14, with k^m in round m: k = (C+/C-)^(1/M)."""
    y = problem.y
    log_k = np.log(problem.fn / problem.fp) / problem.rounds

    def working(s: Array, F: Array, m: int) -> tuple[Array, Array]:
        t = 2 * F - m * log_k
        return s * residual(y, t), s * variance(t)

    def loss(s: Array, F: Array, m: int) -> float:
        return (s * np.logaddexp(0.0, y * (m * log_k - 2 * F))).sum()

    return NewtonRule(working, 0.5, loss)


def cslogitboost_rule(problem: Problem, weighting: str = "newton") -> NewtonRule:
    """Masnadi, Algorithm 3; `margin` is the paper's eq. 55."""
    y = problem.y
    gamma = (problem.fn + problem.fp) / 2
    eta = 0.5 * np.log(problem.fp / problem.fn)
    mean_gamma = (problem.s * gamma).sum()
    tilt = gamma / mean_gamma  # 1 for class costs

    def working(s: Array, F: Array, m: int) -> tuple[Array, Array]:
        t = 2 * (gamma * F + eta)
        v = {"newton": variance(t), "margin": variance(2 * F)}[weighting]
        return s * v * residual(y, t) / variance(t) * tilt, s * v * tilt**2

    def loss(s: Array, F: Array, m: int) -> float:
        return (s * np.logaddexp(0.0, -2 * y * (gamma * F + eta))).sum()

    return NewtonRule(working, 1 / (2 * mean_gamma), loss)


def squares(wz: Array, w: Array, g: Array) -> float:
    """sum w (z-g)^2 without sum w z^2, which every candidate shares and z makes huge."""
    return (w * g**2 - 2 * wz * g).sum()


def squares_stump(
    problem: Problem, wz: Array, w: Array, penalty: float, min_rows: int = 1
) -> Learner | None:
    """Chosen on leaf values as they are, used with leaf values clipped."""

    def mean(rows: Array) -> float:
        return wz[rows].sum() / (w[rows].sum() + penalty) if w[rows].sum() > 0 else 0.0

    def criterion(right: Array) -> float:
        values = mean(right), mean(~right)
        return squares(wz, w, np.where(right, *values)) + penalty * sum(v**2 for v in values)

    def values(right: Array) -> tuple[float, float]:
        return mean(~right), mean(right)

    split = best_split(problem, w, criterion, min_rows, values)
    if split is None:
        return None
    right = split.right(problem.X)
    left_value, right_value = np.clip([mean(~right), mean(right)], -LEAF_LIMIT, LEAF_LIMIT)
    return Stump(split, float(left_value), float(right_value))


def squares_leaves(wz: Array, w: Array, penalty: float) -> Leaves:
    """A leaf answers with its clipped mean and is judged by its own."""

    def mean(rows: Array) -> float:
        total = w[rows].sum()
        return float(wz[rows].sum() / (total + penalty)) if total > 0 else 0.0

    def value(rows: Array) -> float:
        return float(np.clip(mean(rows), -LEAF_LIMIT, LEAF_LIMIT))

    def loss(rows: Array) -> float:
        return -wz[rows].sum() * mean(rows)

    def at(rows: Array, g: float) -> float:
        return (w[rows].sum() + penalty) * g**2 - 2 * wz[rows].sum() * g

    def pool(bins: list[Array]) -> float:
        """The penalty is that of every single bin."""
        rows = np.any(bins, axis=0)
        total = w[rows].sum()
        return float(wz[rows].sum() / (total + len(bins) * penalty)) if total > 0 else 0.0

    def clipped(level: float) -> float:
        return float(np.clip(level, -LEAF_LIMIT, LEAF_LIMIT))

    return Leaves(
        value, loss, mean, at, lambda own, bounds: clipped(bounds.clip(own)), pool, clipped
    )


def squares_line(problem: Problem, wz: Array, w: Array) -> Learner:
    """g = a x_j + b by weighted least squares (Masnadi's LogitBoost)."""
    if np.isnan(problem.X).any():
        raise ValueError("the linear learner takes no missing values")
    criteria: list[float] = []
    learners: list[Learner] = []
    for feature in range(problem.X.shape[1]):
        x = problem.X[:, feature]
        x_mean, z_mean = (w * x).sum() / w.sum(), wz.sum() / w.sum()
        if len(np.unique(x)) == 1:
            slope = 0.0
        else:
            slope = ((wz - w * z_mean) * (x - x_mean)).sum() / (w * (x - x_mean) ** 2).sum()
        line = Linear(feature, slope, z_mean - slope * x_mean)
        criteria.append(squares(wz, w, line.predict(problem.X)))
        learners.append(line)
    return learners[first_of_least(criteria)]


def squares_learner(
    problem: Problem, wz: Array, w: Array, wanted: WeakLearner, penalty: float
) -> Learner | None:
    if wanted.kind == "tree":
        return grow_tree(problem, w, squares_leaves(wz, w, penalty), wanted.shape)
    if wanted.kind == "lookup":
        return lookup_table(problem, squares_leaves(wz, w, penalty), wanted.n_bins)
    if wanted.kind == "linear":
        return squares_line(problem, wz, w)
    return squares_stump(problem, wz, w, penalty, wanted.shape.min_samples_leaf)


def fit_newton(model: NaiveModel, problem: Problem, rule: NewtonRule, wanted: WeakLearner) -> None:
    s = start(problem, np.ones_like(problem.s))  # the chosen start multiplies s throughout
    F = np.zeros(len(s))
    for m in range(1, problem.rounds + 1):
        wz, w = rule.working(s, F, m)
        part, weight = drawn(problem, w, m)
        kept = slice(None) if problem.draws is None else problem.draws.rows(m)
        total = w[kept].sum()
        # ties are judged with weights summing to 1; s sums to 1 instead of the number of rows
        penalty = problem.l2 / problem.copies.sum() / total
        g = squares_learner(part, wz[kept] / total, weight / weight.sum(), wanted, penalty)
        w = w / w.sum()
        if g is None:
            model.stop_reason = "no positive step"
            return
        direction = g.predict(problem.X)
        step = problem.learning_rate * rule.first_step
        halvings = 0
        # rounding alone is no rise: a direction of nothing keeps its step. Nor is it a descent,
        # which a tiny step uphill would be otherwise
        before, limit = rule.loss(s, F, m), rule.loss(s, F, m) * (1 + 1e-13)
        while rule.loss(s, F + step * direction, m) > limit:
            if halvings == HALVINGS:
                step = 0.0
                break
            limit = before * (1 - 1e-13)
            step /= 2
            halvings += 1
        if step == 0:
            if problem.draws is None:
                model.stop_reason = "loss would rise"
                return
            model.wait(g, 0.0, w)
            continue
        model.add(g, step, w)
        F = F + step * direction
