"""Comparison of the steps of a rule with the greedy descent on its loss.

The step must minimise the loss along the hypothesis, so that after it the hypothesis has no edge::

    sum of -L'(y F) dyF/dalpha = 0

or be Newton's step towards the minimum. A loss that changes from round to round can be aligned with
the steps in two ways. *before*: the step descends the loss whose gradient are the weights under
which it was found (Viola and Jones). *after*: the loss whose gradient are the weights after the
round (Nikolaou et al.). Either is accepted if it holds in all rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from costboost.engine._kernels import Likelihood
from costboost.loop import NewtonState
from costboost.rows import LARGEST_LOGIT
from costboost.rules import RealRule
from costboost.theory.loss import Algorithm, Contradiction, logistic_curves, of_class
from costboost.theory.simulation import (
    FeaturelessRows,
    LeafHypothesis,
    Stage,
    random_hypothesis,
    score_rate,
    simulate,
    state_on,
    without_smoothing,
)
from costboost.vectors import Floats

N_ENSEMBLES = 12
N_ROWS = 30
ENOUGH_STEPS = 60
"""No further ensemble is simulated once there are so many steps."""
EXACT = 1e-7
"""An edge which is a smaller share of the weights than this counts as none."""
DOUBLINGS = 8
"""Of an interval of 1 / rate, in which the minimum along a hypothesis is searched for."""
ALIGNMENTS = {
    "before": "the weights it was found under",
    "after": "the weights that follow it",
}
METHODS = {"line search": "the least loss along the hypothesis", "Newton": "Newton's step"}


class Check(NamedTuple):
    """A step compared with the one that the loss requires, for one alignment and method."""

    alignment: str
    method: str
    wanted: float
    """The step that the loss requires."""
    gap: float
    """The remaining edge as a share of the weights."""


class Case(NamedTuple):
    """A step of a rule with its checks for all alignments and methods."""

    round: int
    step: float
    weights: dict[str, float]
    """Shares of the weight before the round, by class and by direction of the step."""
    checks: list[Check]

    @property
    def gap(self) -> float:
        """The smallest gap."""
        return min(check.gap for check in self.checks)


class Descent(NamedTuple):
    """All steps that were compared."""

    cases: list[Case]

    @property
    def worst(self) -> dict[tuple[str, str], float]:
        """The largest gap for each alignment and method."""
        gaps: dict[tuple[str, str], float] = {}
        for check in (check for case in self.cases for check in case.checks):
            pair = check.alignment, check.method
            gaps[pair] = max(gaps.get(pair, 0.0), check.gap)
        return gaps

    @property
    def holds(self) -> list[tuple[str, str]]:
        """Alignments and methods that hold in all rounds, line searches first."""
        return [pair for pair, gap in self.worst.items() if gap < EXACT]

    @property
    def alignments(self) -> list[str]:
        """The alignments that hold; both, if neither does."""
        found = [name for name in ALIGNMENTS if any(name == pair[0] for pair in self.holds)]
        return found or list(ALIGNMENTS)


class Direction(NamedTuple):
    """A number that a round chooses: the step, or a leaf value."""

    size: float
    rate: Floats
    """Derivative of the margins with respect to it."""


class OwnRound(NamedTuple):
    """A round with the step of the rule."""

    number: int
    before: Stage
    after: Stage
    directions: list[Direction]
    sample_weight: Floats
    label: Floats


def simulate_own(
    algorithm: Algorithm, random: np.random.Generator, n_rows: int
) -> Iterator[OwnRound]:
    """The rounds of one ensemble with random hypotheses and the steps of the rule.

    The ensemble ends before the round in which a row loses all of its weight.
    """
    label = np.repeat([1.0, -1.0], n_rows)
    sample_weight = random.uniform(0.5, 1.5, 2 * n_rows)
    rule = without_smoothing(algorithm.rule)

    def draw(rows: FeaturelessRows) -> LeafHypothesis | None:
        if not rows.weight.all():
            return None
        return random_hypothesis(rule, rows, random, random.uniform(0.6, 0.9))

    found = simulate(algorithm, rule, label, sample_weight, draw, algorithm.n_rounds)
    rounds = zip(found.steps, found.votes, pairwise(found.stages), strict=True)
    for number, (step, vote, (before, after)) in enumerate(rounds, start=1):
        if not np.isfinite(after.log_gradient).all():
            return
        if isinstance(rule, RealRule):
            directions = [
                Direction(float(value), np.where(vote == value, label, 0.0))
                for value in np.unique(vote)
            ]
        else:
            speed = score_rate(rule, label * before.margin, step, vote)
            directions = [Direction(step, label * speed)]
        yield OwnRound(number, before, after, directions, sample_weight, label)


def compare_steps(algorithm: Algorithm, rates: Floats, random: np.random.Generator) -> Descent:
    """Compare simulated steps with those of an exponential loss with the given rates."""
    cases: list[Case] = []
    for _ in range(N_ENSEMBLES):
        if len(cases) >= ENOUGH_STEPS:
            break
        for one in simulate_own(algorithm, random, N_ROWS):
            cases += [_case(one, direction, rates) for direction in one.directions]
    if not cases:
        raise ValueError(
            f"with fn_cost={algorithm.costs.fn:g} and fp_cost={algorithm.costs.fp:g} the first "
            f"round of {algorithm.name} leaves some rows without any weight, so that its steps "
            "cannot be checked; take costs that are less far apart"
        )
    return Descent(cases)


def _case(one: OwnRound, direction: Direction, rates: Floats) -> Case:
    rate = of_class(rates, one.label)
    moved = one.after.margin - one.before.margin
    # the gradient of the loss after the round, at the margins before it
    ahead = one.after.log_gradient + rate * moved
    gradients = {
        name: one.sample_weight * np.exp(log_gradient - log_gradient.max())
        for name, log_gradient in (("before", one.before.log_gradient), ("after", ahead))
    }
    checks = [
        _check(name, method, gradient, rate, direction)
        for method in METHODS
        for name, gradient in gradients.items()
    ]
    weights = _shares(gradients["before"], one.label, direction.rate)
    return Case(one.number, direction.size, weights, checks)


def _shares(gradient: Floats, label: Floats, speed: Floats) -> dict[str, float]:
    """Shares of the weight by class and direction."""
    groups = {
        f"{what} {way}": (label == sign) & (speed * turn > 0)
        for what, sign in (("positives", 1), ("negatives", -1))
        for way, turn in (("up", 1), ("down", -1))
    }
    total = float(gradient[speed != 0].sum())
    return {name: float(gradient[chosen].sum()) / total for name, chosen in groups.items()}


def _check(
    alignment: str, method: str, gradient: Floats, rate: Floats, direction: Direction
) -> Check:
    """Check a direction in which the gradient of each row decays at its rate."""
    speed = direction.rate

    def edge(step: float) -> float:
        left = gradient * np.exp(-rate * step * speed)
        return float(left @ speed / (left @ np.abs(speed)))

    if method == "Newton":
        curvature = float((gradient * rate) @ speed**2)
        wanted = float(gradient @ speed) / curvature
        gap = abs(wanted - direction.size) * curvature / float(gradient @ np.abs(speed))
    else:
        wanted = _root(edge, 1 / float(rate.max()))
        gap = abs(edge(direction.size))
    return Check(alignment, method, wanted, gap)


def _root(edge: Callable[[float], float], unit: float) -> float:
    """The step with no remaining edge; the edge decreases with the step."""
    reach = unit
    for _ in range(DOUBLINGS):
        if edge(-reach) >= 0 >= edge(reach):
            return float(brentq(edge, -reach, reach, xtol=1e-14 * unit, rtol=1e-14))
        reach *= 2
    return inf


# ---- the Newton family ---------------------------------------------------------------------------

N_NEWTON_ROWS = 40
N_LEAVES = 3


class ScoredRows:
    """Rows without features at given scores: what a `NewtonState` needs to set the targets."""

    def __init__(self, label: Floats, score: Floats) -> None:
        self.label = label
        self.score = score
        self.response = self
        self.losses, self.target, self.weight = np.empty((3, label.size))

    def set_likelihood(
        self, label: Floats, start: Floats, share: Any, slope: Any, offset: Any, expected: bool
    ) -> None:
        """Set a logistic likelihood with the logit slope * score + offset."""
        self.likelihood = Likelihood(label, start, share, slope, offset, expected)

    def linearise(self, plain: bool) -> float:
        """Compute the working response times its weight, and the weight; return the loss."""
        computed = self.losses, self.target, self.weight
        self.likelihood.working(self.score, LARGEST_LOGIT, plain, *computed, 1)
        return float(self.losses.sum())

    def set_targets(self) -> None:
        """Nothing: there are no features by which to sum the targets."""


class Regression(NamedTuple):
    """The rows of a round: targets of the regression, and derivatives of the loss."""

    margin: Floats
    label: Floats
    response: Floats
    """Working response times weight, which should be proportional to -dL/dF."""
    weight: Floats
    descent: Floats
    """-dL/dF."""
    curvature: Floats
    """The second derivative of the loss."""
    first_step: float
    """The step that a fit tries first."""


def regressions(algorithm: Algorithm, random: np.random.Generator) -> list[Regression]:
    """The regression of each round, at random scores."""
    return [_regression(algorithm, random, m + 1) for m in range(algorithm.n_rounds)]


def _regression(algorithm: Algorithm, random: np.random.Generator, number: int) -> Regression:
    label = np.repeat([1.0, -1.0], N_NEWTON_ROWS)
    curves = logistic_curves(algorithm)
    margin = random.normal(size=label.size) * 2 / float(curves.rates.max())
    sample = random.uniform(0.5, 1.5, label.size)
    rows = ScoredRows(label, label * margin)
    state = state_on(algorithm, algorithm.rule, rows, sample)
    assert isinstance(state, NewtonState)
    for m in sorted({1, number}):  # a likelihood that is the same in all rounds is set in the first
        state.begin_round(m)
    positive = label > 0
    descent, curvature = (
        sample * np.where(positive, of(margin, True, number), of(margin, False, number))
        for of in (curves.descent, curves.curvature)
    )
    return Regression(
        margin, label, rows.target, rows.weight, label * descent, curvature, state.first_step
    )


def response_contradiction(rounds: list[Regression]) -> Contradiction | None:
    """Two rows whose working responses are not proportional to the derivatives of their loss."""
    for one in rounds:
        share = np.log(one.response / one.descent)
        low, high = int(np.argmin(share)), int(np.argmax(share))
        if share[high] - share[low] > EXACT:
            break
    else:
        return None
    response = float(abs(one.response[high] / one.response[low]))
    slope = float(abs(one.descent[high] / one.descent[low]))
    margins = [float(one.margin[k]) for k in (high, low)]
    return Contradiction(
        f"for two rows with the margins {margins[0]:.4g} and {margins[1]:.4g} the targets of the "
        f"regression are in the ratio {response:.4g} : 1, but the slopes of their losses in the "
        f"ratio {slope:.4g} : 1",
        {"margins": margins, "targets": [response, 1.0], "slopes": [slope, 1.0]},
    )


def compare_newton_steps(rounds: list[Regression], random: np.random.Generator) -> Descent:
    """Compare the first step tried, times the mean response of a leaf, with Newton's step."""
    cases = []
    for number, one in enumerate(rounds, start=1):
        leaf = random.integers(N_LEAVES, size=one.label.size)
        for k in range(N_LEAVES):
            inside = (leaf == k).astype(float)
            step = float(one.first_step * (one.response @ inside) / (one.weight @ inside))
            wanted = float(one.descent @ inside / (one.curvature @ inside))
            size = float(np.abs(one.curvature) @ inside / (np.abs(one.descent) @ inside))
            check = Check("before", "Newton", wanted, abs(step - wanted) * size)
            weights = _shares(np.abs(one.descent), one.label, one.label * inside)
            cases.append(Case(number, step, weights, [check]))
    return Descent(cases)
