"""Regularised family: WeightBoost and AdaBoost_Reg."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from naive.constants import FLOOR, STEP_LIMIT, Array
from naive.discrete import discrete_learner, half_log_ratio, weighted_error
from naive.learners import WeakLearner
from naive.model import NaiveModel, Problem, may_be_added, normalised, start


def fit_weightboost(
    model: NaiveModel, problem: Problem, wanted: WeakLearner, beta: float = 0.5
) -> None:
    """Nyga, Algorithm 17: a learner counts less where the ensemble is already sure."""
    X, y = problem.X, problem.y
    s = start(problem, np.ones_like(problem.s))
    F = np.zeros(len(s))
    model.damping = beta
    for _ in range(problem.rounds):
        w = normalised(s * np.exp(-y * F - np.abs(beta * F)))
        learner = discrete_learner(problem, w, wanted)
        if learner is None:
            model.stop_reason = "no positive step"
            return
        votes = learner.predict(X)
        error = weighted_error(w, y, votes)
        alpha = problem.learning_rate * half_log_ratio(w[votes == y].sum(), w[votes != y].sum())
        if not may_be_added(problem, alpha):
            model.stop_reason = "no positive step"
            return
        model.add(learner, alpha, w, error)
        if error < FLOOR:
            model.stop_reason = "perfect learner"
            return
        F = F + alpha * np.exp(-np.abs(beta * F)) * votes


@dataclass(frozen=True)
class SoftMargin:
    """AdaBoost_Reg's loss as a function of one more step alpha (Nyga, eq. 2.81).

    `margin` and `influence` (sum alpha_r w_r) and `size` (sum alpha_r) are of the rounds so far.
    """

    y: Array
    s: Array
    margin: Array  # rho
    influence: Array  # |a| mu
    size: float  # |a|
    w: Array  # weights of this round
    edge: Array  # y h of this round
    C: float
    p: float
    class_aware: bool

    def mistrust(self, alpha: float) -> tuple[Array, Array]:
        """mu, and the derivative of |a| mu in alpha."""
        influence, size = self.influence + alpha * self.w, self.size + alpha
        if size == 0:  # the first round at alpha = 0: mu = alpha w / alpha for every alpha
            influence, size = self.w, 1.0
        if not self.class_aware:
            return influence / size, self.w
        level = self.leveller(influence)
        level_rise = self.leveller_slope(influence, self.w)
        return influence * level / size, self.w * level + influence * level_rise

    def class_mean(self, values: Array) -> Array:
        means = np.empty_like(values)
        for rows in (self.y > 0, self.y < 0):
            means[rows] = (self.s[rows] * values[rows]).sum() / self.s[rows].sum()
        return means

    def mean(self, values: Array) -> float:
        return (self.s * values).sum() / self.s.sum()

    def leveller(self, values: Array) -> Array:
        """Mean over all rows by mean over the row's class: both classes mistrusted alike."""
        return self.mean(values) / self.class_mean(values)

    def leveller_slope(self, values: Array, rise: Array) -> Array:
        over, under = self.mean(values), self.class_mean(values)
        return (self.mean(rise) * under - over * self.class_mean(rise)) / under**2

    def terms(self, alpha: float) -> Array:
        mu, _ = self.mistrust(alpha)
        size = self.size + alpha
        soft = self.margin + alpha * self.edge + self.C * size * mu**self.p
        return self.s * np.exp(-soft / 2)

    def slope(self, alpha: float) -> float:
        """Derivative of the sum of the terms: |a| mu^p = (|a| mu)^p |a|^(1-p)."""
        mu, rise = self.mistrust(alpha)
        penalty_rise = self.p * mu ** (self.p - 1) * rise + (1 - self.p) * mu**self.p
        return (-0.5 * self.terms(alpha) * (self.edge + self.C * penalty_rise)).sum()

    def step(self) -> float:
        if self.slope(0.0) >= 0:
            return 0.0
        if self.slope(STEP_LIMIT) <= 0:
            return STEP_LIMIT
        return brentq(self.slope, 0.0, STEP_LIMIT, xtol=1e-15, rtol=1e-15)


def fit_adaboostreg(
    model: NaiveModel,
    problem: Problem,
    wanted: WeakLearner,
    C: float = 1.0,
    p: float = 1.0,
    class_aware: bool = False,
) -> None:
    """Nyga, Algorithm 16: rows that were often heavy are mistrusted and let go."""
    X, y = problem.X, problem.y
    s = start(problem, np.ones_like(problem.s))
    w, margin, influence, size = s, np.zeros_like(s), np.zeros_like(s), 0.0
    for _ in range(problem.rounds):
        learner = discrete_learner(problem, w, wanted)
        if learner is None:
            model.stop_reason = "no positive step"
            return
        votes = learner.predict(X)
        error = weighted_error(w, y, votes)
        soft = SoftMargin(y, s, margin, influence, size, w, y * votes, C, p, class_aware)
        alpha = problem.learning_rate * soft.step()
        if not may_be_added(problem, alpha):
            model.stop_reason = "no positive step"
            return
        model.add(learner, alpha, w, error)
        if error < FLOOR:
            model.stop_reason = "perfect learner"
            return
        margin = margin + alpha * y * votes
        influence, size = influence + alpha * w, size + alpha
        w = normalised(soft.terms(alpha))
