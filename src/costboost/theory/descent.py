"""FGD-consistency: do weights and steps come from greedy descent on one loss?

The update says what the loss is (`costboost.theory.implied`). The step must then be where that loss
is least along the hypothesis, so that after it the hypothesis has no edge left::

    sum of -L'(y F) dyF/dalpha = 0

or Newton's step towards that place. A loss that changes from round to round can be lined up with
the steps in two ways. *before*: the step descends the loss whose gradient are the weights it was
found under (Viola and Jones). *after*: the loss whose gradient are the weights that follow it
(Nikolaou et al.). Either is accepted if it holds in all rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from costboost.cells import Floats
from costboost.theory.algorithm import Algorithm, of_class
from costboost.theory.games import Direction
from costboost.theory.implied import Implied
from costboost.theory.plays import OwnRound, own_play

N_PLAYS = 12
N_ROWS = 30
ENOUGH = 60
"""Steps after which no further ensemble is played."""
EXACT = 1e-7
"""An edge that is this small a part of the weights is none."""
DOUBLINGS = 8
"""Of a reach of 1 / rate, in which the least loss along a hypothesis is looked for."""
ALIGNMENTS = {
    "before": "the weights it was found under",
    "after": "the weights that follow it",
}
METHODS = {"line search": "the least loss along the hypothesis", "Newton": "Newton's step"}


class Check(NamedTuple):
    """A step against what the loss asks for, in one of the ways to line them up."""

    alignment: str
    method: str
    wanted: float
    """The step by this alignment and method."""
    gap: float
    """Edge left over, as a part of the weights."""


class Case(NamedTuple):
    """A step of a rule, checked in all ways."""

    round: int
    step: float
    weights: dict[str, float]
    """Shares of the weight before the round, by class and by which way the step moves the row."""
    checks: list[Check]

    @property
    def gap(self) -> float:
        """In the way that fits best."""
        return min(check.gap for check in self.checks)


class Descent(NamedTuple):
    """The steps that were looked at."""

    cases: list[Case]

    @property
    def worst(self) -> dict[tuple[str, str], float]:
        """The greatest gap, for each alignment and method."""
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
        """Ways to line up the rounds that hold; either, if the steps hold in neither."""
        found = [name for name in ALIGNMENTS if any(name == pair[0] for pair in self.holds)]
        return found or list(ALIGNMENTS)


def descend(algorithm: Algorithm, lines: Implied, random: np.random.Generator) -> Descent:
    """Compare the steps of many rounds with those that the implied loss asks for."""
    cases: list[Case] = []
    for _ in range(N_PLAYS):
        if len(cases) >= ENOUGH:
            break
        for one in own_play(algorithm, random, N_ROWS):
            cases += [_case(one, direction, lines.rate) for direction in one.choice.directions]
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
    ahead = one.after.pull + rate * moved  # the loss of the next weights, at the old margins
    forces = {
        name: one.weight * np.exp(pull - pull.max())
        for name, pull in (("before", one.before.pull), ("after", ahead))
    }
    checks = [
        _check(name, method, force, rate, direction)
        for method in METHODS
        for name, force in forces.items()
    ]
    weights = shares(forces["before"], one.label, direction.rate)
    return Case(one.number, direction.size, weights, checks)


def shares(force: Floats, label: Floats, speed: Floats) -> dict[str, float]:
    """Weight by class and direction, as parts of the whole."""
    groups = {
        f"{what} {way}": (label == sign) & (speed * turn > 0)
        for what, sign in (("positives", 1), ("negatives", -1))
        for way, turn in (("up", 1), ("down", -1))
    }
    total = float(force[speed != 0].sum())
    return {name: float(force[chosen].sum()) / total for name, chosen in groups.items()}


def _check(alignment: str, method: str, force: Floats, rate: Floats, direction: Direction) -> Check:
    """The edge that is left along a direction, in which the forces fall by their rates."""
    speed = direction.rate

    def edge(step: float) -> float:
        left = force * np.exp(-rate * step * speed)
        return float(left @ speed / (left @ np.abs(speed)))

    if method == "Newton":
        bend = float((force * rate) @ speed**2)
        wanted = float(force @ speed) / bend
        gap = abs(wanted - direction.size) * bend / float(force @ np.abs(speed))
    else:
        wanted = _root(edge, 1 / float(rate.max()))
        gap = abs(edge(direction.size))
    return Check(alignment, method, wanted, gap)


def _root(edge: Callable[[float], float], unit: float) -> float:
    """The step at which no edge is left; the edge falls with the step."""
    reach = unit
    for _ in range(DOUBLINGS):
        if edge(-reach) >= 0 >= edge(reach):
            return float(brentq(edge, -reach, reach, xtol=1e-14 * unit, rtol=1e-14))
        reach *= 2
    return inf
