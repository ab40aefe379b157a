"""Univariate logistic regression, Nikolaou's base learner: P(y=+1|x) = 1/(1+e^(-(a x + b)))."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from naive.constants import FLAT, RIDGE, TIE, Array
from naive.learners import first_of_least, place_missing
from naive.model import Constant, Learner, Problem, Split, Stump


@dataclass(frozen=True)
class LogisticCurve:
    """a and b for the standardised feature (x - mean) / deviation."""

    slope: float
    intercept: float
    mean: float
    deviation: float

    @property
    def threshold(self) -> float:
        """Where the probability is 1/2, in the feature's own units."""
        return self.mean - self.deviation * self.intercept / self.slope


def logistic_objective(x: Array, y: Array, w: Array, ab: Array) -> float:
    """Log loss under weights summing to 1, and a ridge on the slope only."""
    return (w * np.logaddexp(0.0, -y * (ab[0] * x + ab[1]))).sum() + RIDGE / 2 * ab[0] ** 2


def logistic_newton_step(x: Array, y: Array, w: Array, ab: Array) -> tuple[Array, float]:
    """The step that the objective's quadratic expansion asks for, and twice what it promises."""
    z = ab[0] * x + ab[1]
    pull = w * y * expit(-y * z)  # y* - p, without the cancellation
    v = w * expit(z) * expit(-z)
    descent = np.array([(pull * x).sum() - RIDGE * ab[0], pull.sum()])
    hessian = np.array([[(v * x * x).sum() + RIDGE, (v * x).sum()], [(v * x).sum(), v.sum()]])
    step = np.linalg.solve(hessian, descent)
    return step, float(descent @ step)


def logistic_coefficients(x: Array, y: Array, w: Array) -> tuple[float, float]:
    """Slope and intercept of least objective, by Newton's method with halved steps.

    Under one class alone the intercept has no finite optimum; in the limit the slope is 0.
    """
    plus, minus = w[y > 0].sum(), w[y < 0].sum()
    if plus == 0 or minus == 0:
        return 0.0, math.copysign(math.inf, plus - minus)
    ab = np.array([0.0, math.log(plus / minus)])
    for _ in range(200):
        step, promise = logistic_newton_step(x, y, w, ab)
        here = logistic_objective(x, y, w, ab)
        ceiling = here * (1 + 1e-14)  # near the optimum rounding hides what a good step gains
        while logistic_objective(x, y, w, ab + step) > ceiling:
            step = step / 2
        ab = ab + step
        if promise <= 1e-24 * here:
            break
    return float(ab[0]), float(ab[1])


def logistic_curve(column: Array, y: Array, D: Array) -> LogisticCurve | None:
    """The regression on the rows where the feature is present; None if it does not vary there."""
    present = ~np.isnan(column)
    x, total = column[present], D[present].sum()
    if len(np.unique(x)) < 2 or total == 0:
        return None
    w = D[present] / total
    mean = (w * x).sum()
    deviation = math.sqrt((w * (x - mean) ** 2).sum())
    if deviation == 0:  # all but one value have lost their weight
        return None
    slope, intercept = logistic_coefficients((x - mean) / deviation, y[present], w)
    return LogisticCurve(slope, intercept, mean, deviation)


# (mask of the right rows, vote of the right) -> criterion, left value, right value
Judge = Callable[[Array, float], tuple[float, float, float]]


def logistic_hypothesis(
    problem: Problem, D: Array, feature: int, curve: LogisticCurve, judge: Judge
) -> tuple[float, Learner]:
    """A curve crosses 1/2 once, so its votes are a stump's, or constant where it is flat."""
    X = problem.X
    if abs(curve.slope) < FLAT:
        vote = 1.0 if curve.intercept > TIE else -1.0
        criterion, _, value = judge(np.ones(len(X), dtype=bool), vote)
        return criterion, Constant(value)
    vote = math.copysign(1.0, curve.slope)
    # A threshold beyond all rows is allowed, hence sides of no rows.
    placed = place_missing(
        X[:, feature], curve.threshold, D, lambda right: judge(right, vote)[0], min_rows=0
    )
    assert placed is not None
    split = Split(feature, curve.threshold, placed[1])
    criterion, left, right = judge(split.right(X), vote)
    return criterion, Stump(split, left, right)


def best_logistic(problem: Problem, D: Array, judge: Judge) -> Learner | None:
    """Each feature has one regression; the feature of least criterion wins."""
    criteria: list[float] = []
    learners: list[Learner] = []
    for feature in range(problem.X.shape[1]):
        curve = logistic_curve(problem.X[:, feature], problem.y, D)
        if curve is not None:
            criterion, learner = logistic_hypothesis(problem, D, feature, curve, judge)
            criteria.append(criterion)
            learners.append(learner)
    return learners[first_of_least(criteria)] if learners else None
