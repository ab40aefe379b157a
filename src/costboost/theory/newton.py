"""The Newton family: what the engine makes learners regress on, against the loss of the rule."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from costboost.cells import Floats
from costboost.engine._kernels import Likelihood
from costboost.rows import LARGEST_LOGIT
from costboost.rules import NewtonRule
from costboost.theory.algorithm import Algorithm
from costboost.theory.curves import LogisticCurves
from costboost.theory.descent import EXACT, Case, Check, Descent, shares
from costboost.theory.implied import Contradiction

N_ROWS = 40
N_LEAVES = 3


class Regression(NamedTuple):
    """Rows of a round: what they are regressed on, and what their loss says."""

    margin: Floats
    label: Floats
    response: Floats
    """Response times weight, which is to be the fall of the loss, in the direction of F."""
    weight: Floats
    fall: Floats
    """-dL/dF."""
    bend: Floats
    """The second derivative."""


def regressions(algorithm: Algorithm, random: np.random.Generator) -> list[Regression]:
    """One for each round, at scores drawn freely."""
    return [_regression(algorithm, random, m + 1) for m in range(algorithm.n_rounds)]


def _regression(algorithm: Algorithm, random: np.random.Generator, number: int) -> Regression:
    rule: NewtonRule = algorithm.rule
    label = np.repeat([1.0, -1.0], N_ROWS)
    curves = LogisticCurves(algorithm)
    margin = random.normal(size=label.size) * 2 / float(curves.rates.max())
    sample = random.uniform(0.5, 1.5, label.size)
    rows = algorithm.rows(label, sample)
    likelihood = Likelihood(label, rows.start, rule.steepness(rows), *rule.logit(rows, number))
    plain = rule.weight_of_twice_score
    losses, response, weight = np.empty((3, label.size))
    likelihood.working(label * margin, LARGEST_LOGIT, plain, losses, response, weight, 1)
    positive = label > 0
    fall, bend = (
        sample * np.exp(np.where(positive, of(margin, True, number), of(margin, False, number)))
        for of in (curves.log_fall, curves.log_bend)
    )
    return Regression(margin, label, response, weight, label * fall, bend)


def contradiction(rounds: list[Regression]) -> Contradiction | None:
    """Two rows whose responses are not in the ratio in which their loss falls."""
    for one in rounds:
        share = np.log(one.response / one.fall)
        low, high = int(np.argmin(share)), int(np.argmax(share))
        if share[high] - share[low] > EXACT:
            break
    else:
        return None
    pull = float(abs(one.response[high] / one.response[low]))
    fall = float(abs(one.fall[high] / one.fall[low]))
    margins = [float(one.margin[k]) for k in (high, low)]
    return Contradiction(
        f"of two rows with the margins {margins[0]:.4g} and {margins[1]:.4g} the learner is pulled "
        f"as by {pull:.4g} : 1, but their loss falls as {fall:.4g} : 1",
        {"margins": margins, "pulls": [pull, 1.0], "falls": [fall, 1.0]},
    )


def descend(algorithm: Algorithm, rounds: list[Regression], random: np.random.Generator) -> Descent:
    """The first step tried, times the mean response of a leaf, against Newton's step."""
    cases = []
    for number, one in enumerate(rounds, start=1):
        first = algorithm.rule.first_step(algorithm.rows(one.label, np.ones_like(one.label)))
        leaf = random.integers(N_LEAVES, size=one.label.size)
        for k in range(N_LEAVES):
            inside = (leaf == k).astype(float)
            step = float(first * (one.response @ inside) / (one.weight @ inside))
            wanted = float(one.fall @ inside / (one.bend @ inside))
            size = float(one.bend @ inside / (np.abs(one.fall) @ inside))
            check = Check("before", "Newton", wanted, abs(step - wanted) * size)
            weights = shares(np.abs(one.fall), one.label, one.label * inside)
            cases.append(Case(number, step, weights, [check]))
    return Descent(cases)
