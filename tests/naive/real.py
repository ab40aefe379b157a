"""Real-valued family: leaves have values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from naive.constants import Array
from naive.discrete import discrete_learner, spread_leaves, start_at_one, start_at_root
from naive.draws import drawn
from naive.learners import Leaves, TreeShape, WeakLearner, best_split, grow_tree, lookup_table
from naive.logistic import best_logistic
from naive.model import Learner, NaiveModel, Problem, Stump, normalised, start


@dataclass(frozen=True)
class Leaf:
    """The rows of one leaf (or bin), with the weights of all rows summing to 1."""

    w: Array
    y: Array
    c: Array

    @property
    def p(self) -> float:
        return self.w[self.y > 0].sum()

    @property
    def q(self) -> float:
        return self.w[self.y < 0].sum()


@dataclass(frozen=True)
class RealRule:
    """One row of the table of the real-valued algorithms."""

    start: Callable[[Array, int], Array]  # (c, M)
    value: Callable[[Leaf], float]
    loss: Callable[[Leaf, float], float]  # the split minimises its sum over the leaves
    update: Callable[[Array, Array, int], Array]  # (c, y g, M)


def exponential_loss(leaf: Leaf, g: float) -> float:
    return leaf.p * math.exp(-g) + leaf.q * math.exp(g)


def error_loss(leaf: Leaf, g: float) -> float:
    """Weighted error of the leaf's sign: Nyga's weak learner."""
    return leaf.q if g > 0 else leaf.p


def squared_loss(leaf: Leaf, g: float) -> float:
    return leaf.p * (1 - g) ** 2 + leaf.q * (-1 - g) ** 2


def cost_exponential_loss(leaf: Leaf, g: float) -> float:
    return (leaf.w * np.exp(-leaf.c * leaf.y * g)).sum()


def half_log_odds(smoothing: float) -> Callable[[Leaf], float]:
    return lambda leaf: 0.5 * math.log((leaf.p + smoothing) / (leaf.q + smoothing))


def mean_label(leaf: Leaf) -> float:
    """GentleBoost's (p-q)/(p+q); a leaf whose weights have vanished says nothing."""
    total = leaf.p + leaf.q
    return (leaf.p - leaf.q) / total if total > 0 else 0.0


def cost_log_odds(problem: Problem, smoothing: float) -> Callable[[Leaf], float]:
    """CS-RealBoost (Masnadi, eq. 49)."""
    if problem.class_costs:
        fn, fp = problem.fn[0], problem.fp[0]
        return lambda leaf: (
            math.log((leaf.p + smoothing) * fn / ((leaf.q + smoothing) * fp)) / (fn + fp)
        )

    # Rows with costs of their own: smoothing is one more row of each class at the mean costs,
    # which is the formula above when the costs are equal.
    fn = (problem.s * problem.fn).sum()
    fp = (problem.s * problem.fp).sum()

    def value(leaf: Leaf) -> float:
        w = np.append(leaf.w, [smoothing, smoothing])
        cy = np.append(leaf.c * leaf.y, [fn, -fp])

        def slope(g: float) -> float:  # falls with g
            return (cy * w * np.exp(np.minimum(-cy * g, 700.0))).sum()

        bound = 1 / np.abs(cy).max()
        while slope(-bound) < 0 or slope(bound) > 0:
            bound *= 2
        return brentq(slope, -bound, bound, xtol=1e-15, rtol=1e-15)

    return value


def update_real(c: Array, yg: Array, M: int) -> Array:
    return np.exp(-yg)


def update_real_root(c: Array, yg: Array, M: int) -> Array:
    """k = c^(1/M) each round, so that the last round carries all of the cost (Nyga, eq. 2.61)."""
    return c ** (1 / M) * np.exp(-yg)


def update_real_cost(c: Array, yg: Array, M: int) -> Array:
    return np.exp(-c * yg)


def realboost_rule(criterion: str = "loss", smoothing: float = 1e-4) -> RealRule:
    loss = {"loss": exponential_loss, "error": error_loss}[criterion]
    return RealRule(start_at_one, half_log_odds(smoothing), loss, update_real)


def gentleboost_rule() -> RealRule:
    return RealRule(start_at_one, mean_label, squared_loss, update_real)


def csra_rule(criterion: str = "loss", smoothing: float = 1e-4) -> RealRule:
    loss = {"loss": exponential_loss, "error": error_loss}[criterion]
    return RealRule(start_at_root, half_log_odds(smoothing), loss, update_real_root)


def csga_rule() -> RealRule:
    return RealRule(start_at_root, mean_label, squared_loss, update_real_root)


def csrealboost_rule(problem: Problem, smoothing: float = 1e-4) -> RealRule:
    value = cost_log_odds(problem, smoothing)
    return RealRule(start_at_one, value, cost_exponential_loss, update_real_cost)


def real_leaves(problem: Problem, w: Array, rule: RealRule) -> Leaves:
    """The rule's value, and its criterion under that value, of some rows."""

    def leaf(rows: Array) -> Leaf:
        return Leaf(w[rows], problem.y[rows], problem.c[rows])

    def value(rows: Array) -> float:
        return rule.value(leaf(rows))

    def at(rows: Array, g: float) -> float:
        return rule.loss(leaf(rows), g)

    def pool(bins: list[Array]) -> float:
        """Smoothing is as in every single bin."""
        k = len(bins)
        one = leaf(np.any(bins, axis=0))
        return rule.value(replace(one, w=one.w / k))

    return Leaves(value, lambda rows: at(rows, value(rows)), value, at, pool=pool)


def leaf_stump(problem: Problem, w: Array, leaves: Leaves, min_rows: int = 1) -> Learner | None:
    def criterion(right: Array) -> float:
        return leaves.loss(~right) + leaves.loss(right)

    def values(right: Array) -> tuple[float, float]:
        return leaves.value(~right), leaves.value(right)

    split = best_split(problem, w, criterion, min_rows, values)
    if split is None:
        return None
    return Stump(split, *values(split.right(problem.X)))


def real_tree(problem: Problem, w: Array, rule: RealRule, shape: TreeShape) -> Learner:
    """Grown by the rule's criterion; the weighted error, which stalls, is grown by its bound."""
    leaves = real_leaves(problem, w, rule)
    if rule.loss is error_loss:
        leaves = spread_leaves(problem, w, leaves.value, leaves.bounded)
    return grow_tree(problem, w, leaves, shape)


def logistic_leaves(problem: Problem, w: Array, leaves: Leaves) -> Learner | None:
    """The regression gives the threshold only; its two sides are leaves of the rule."""

    def judge(right: Array, vote: float) -> tuple[float, float, float]:
        criterion = leaves.loss(~right) + leaves.loss(right)
        return criterion, leaves.value(~right), leaves.value(right)

    return best_logistic(problem, w, judge)


def real_learner(problem: Problem, w: Array, rule: RealRule, wanted: WeakLearner) -> Learner | None:
    leaves = real_leaves(problem, w, rule)
    if wanted.kind == "tree":
        return real_tree(problem, w, rule, wanted.shape)
    if wanted.kind == "lookup":
        return lookup_table(problem, leaves, wanted.n_bins)
    if wanted.kind == "logistic":
        return logistic_leaves(problem, w, leaves)
    return leaf_stump(problem, w, leaves, wanted.shape.min_samples_leaf)


def fit_real(model: NaiveModel, problem: Problem, rule: RealRule, wanted: WeakLearner) -> None:
    """F += g; there is no step and no perfect learner, since smoothing keeps g finite."""
    X, y, c, M = problem.X, problem.y, problem.c, problem.rounds
    nu = problem.learning_rate
    w = start(problem, rule.start(c, M))
    for m in range(1, M + 1):
        g = real_learner(*drawn(problem, w, m), rule, wanted)
        if g is None:
            model.stop_reason = "no positive step"
            return
        model.add(g, nu, w)
        w = normalised(w * rule.update(c, y * nu * g.predict(X), M))


@dataclass(frozen=True)
class TwoSteps:
    """RareBoost's learner: a vote for +1 weighs alpha+, a vote for -1 weighs alpha-."""

    voter: Learner
    plus: float
    minus: float

    def predict(self, X: Array) -> Array:
        votes = self.voter.predict(X)
        return np.where(votes > 0, self.plus, self.minus) * votes


def fit_rareboost_groups(
    model: NaiveModel, problem: Problem, wanted: WeakLearner, smoothing: float = 1e-4
) -> None:
    """Nyga, Algorithm 15, for learners of more than two leaves (for stumps: see realboost)."""
    X, y = problem.X, problem.y
    nu = problem.learning_rate
    w = start(problem, np.ones_like(problem.s))
    for _ in range(problem.rounds):
        voter = discrete_learner(problem, w, wanted)
        if voter is None:
            model.stop_reason = "no positive step"
            return
        h = voter.predict(X)
        tp, fp = w[(h > 0) & (y > 0)].sum(), w[(h > 0) & (y < 0)].sum()
        tn, fn = w[(h < 0) & (y < 0)].sum(), w[(h < 0) & (y > 0)].sum()
        plus = 0.5 * math.log((tp + smoothing) / (fp + smoothing))
        minus = 0.5 * math.log((tn + smoothing) / (fn + smoothing))
        g = TwoSteps(voter, plus, minus)
        model.add(g, nu, w)
        w = normalised(w * np.exp(-y * nu * g.predict(X)))
