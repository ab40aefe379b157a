"""Cost-sensitive AdaBoost and AdaDB: the split is chosen together with its step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from naive.constants import FLOOR, Array
from naive.discrete import discrete_learner, weighted_error
from naive.draws import drawn
from naive.learners import WeakLearner, best_polarity_stump
from naive.model import NaiveModel, Problem, may_be_added, normalised, start


@dataclass(frozen=True)
class Tally:
    """Cost, total weight and weight of mistakes: per class, or per row if costs differ by row.

    For class costs the entries are (C+, T+, b) and (C-, T-, d) of Masnadi's Theorem 3.
    """

    cost: Array
    total: Array
    wrong: Array


def tally(problem: Problem, w: Array, votes: Array) -> Tally:
    wrong = np.where(votes != problem.y, w, 0.0)
    for members in (problem.y > 0, problem.y < 0):
        # A class without mistakes has no finite root: it is taken to be wrong by this share.
        if wrong[members].sum() < FLOOR * w[members].sum():
            wrong[members] = FLOOR * w[members]
    if not problem.class_costs:
        return Tally(problem.c, w, wrong)
    positive, negative = problem.y > 0, problem.y < 0
    return Tally(
        np.array([problem.fn[0], problem.fp[0]]),
        np.array([w[positive].sum(), w[negative].sum()]),
        np.array([wrong[positive].sum(), wrong[negative].sum()]),
    )


def mistaken(t: Tally) -> Array:
    """Costs where there are mistakes: what is right must not make e^(c alpha) overflow."""
    return np.where(t.wrong > 0, t.cost, 0.0)


def pair_loss(t: Tally, alpha: float) -> float:
    """Masnadi's loss of a learner with its step."""
    up, down = np.exp(mistaken(t) * alpha), np.exp(-t.cost * alpha)
    return (t.wrong * (up - down) + t.total * down).sum()


def pair_slope(t: Tally, alpha: float) -> float:
    """Derivative of the loss; Masnadi's eq. 41 sets it to 0. It grows with alpha."""
    left = 2 * t.cost * t.wrong * np.cosh(mistaken(t) * alpha)
    right = t.cost * t.total * np.exp(-t.cost * alpha)
    return (left - right).sum()


def step_csada(t: Tally) -> float:
    """The root of the slope; 0 if the loss does not fall at 0."""
    if pair_slope(t, 0.0) >= 0:
        return 0.0
    upper = 1 / t.cost.max()
    while pair_slope(t, upper) < 0:
        upper *= 2
    return brentq(lambda alpha: pair_slope(t, alpha), 0.0, upper, xtol=1e-15, rtol=1e-15)


def step_adadb(t: Tally) -> float:
    """The same root as a polynomial in x = e^(-m alpha) on (0, 1), m the dearest mistake's cost."""
    m = mistaken(t).max()

    def polynomial(x: float) -> float:
        right = t.cost * (t.total - t.wrong) * x ** (1 + t.cost / m)
        wrong = t.cost * t.wrong * x ** (1 - mistaken(t) / m)
        return (right - wrong).sum()

    if polynomial(1.0) <= 0:
        return 0.0
    lower = 0.5  # not 0, where the polynomial vanishes if the dearest rows are right
    while polynomial(lower) > 0:
        lower /= 2
    return -math.log(brentq(polynomial, lower, 2 * lower, xtol=1e-300, rtol=1e-15)) / m


def fit_csada(
    model: NaiveModel,
    problem: Problem,
    step: Callable[[Tally], float],
    wanted: WeakLearner,
) -> None:
    """Stump and step are chosen jointly (Masnadi, Algorithm 1); other learners see D = c w."""
    X, y, c = problem.X, problem.y, problem.c
    w = start(problem, np.ones_like(c))

    for m in range(1, problem.rounds + 1):
        D = normalised(c * w)
        part, weight = drawn(problem, w, m)

        def loss_with_own_step(votes: Array, part: Problem = part, w: Array = weight) -> float:
            t = tally(part, w, votes)
            return pair_loss(t, step(t))

        learner = (
            best_polarity_stump(part, weight, loss_with_own_step, wanted.shape.min_samples_leaf)
            if wanted.kind == "stump"
            else discrete_learner(*drawn(problem, D, m), wanted)
        )
        if learner is None:
            model.stop_reason = "no positive step"
            return
        votes = learner.predict(X)
        error = weighted_error(D, y, votes)
        alpha = problem.learning_rate * step(tally(problem, w, votes))
        if not may_be_added(problem, alpha):
            if problem.draws is None:
                model.stop_reason = "no positive step"
                return
            model.wait(learner, 0.0, w, error)
            continue
        model.add(learner, alpha, w, error)
        if error < FLOOR:
            model.stop_reason = "perfect learner"
            return
        w = normalised(w * np.exp(-c * alpha * y * votes))
