"""Many ensembles, played by a rule: with steps drawn freely, or with those the rule chooses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from costboost.cells import Floats
from costboost.theory.algorithm import Algorithm
from costboost.theory.games import Choice, Game, Position, game_of

SMALL = np.array([1.0, 2.0, 3.0, 4.0])
"""Steps in small units: whole numbers, so that different paths meet at a margin."""
WIDE = np.array([1.0, 2.0, 3.0, 4.0, 8.0, 16.0, 32.0])
ANY = np.linspace(0.1, 8.0, 1000)


class Play(NamedTuple):
    """One ensemble; arrays have a round, a class (the positive first) and a path."""

    steps: Floats
    outcome: Floats
    """y h in each round, of the positive rows."""
    margin: Floats
    """Before the first round, and after each."""
    pull: Floats


@lru_cache(maxsize=64)
def unit(algorithm: Algorithm) -> float:
    """A small step: one that sets the weights of right and wrong rows apart by a factor of e^1/2.

    Scores may be measured in 1 / cost. Where the step does not matter to the weights, any will do.
    """
    label, outcome = np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, -1.0, 1.0, -1.0])
    game = game_of(algorithm, label, np.ones(4))
    begin = game.begin()
    for size in np.logspace(-12, 12, 25).tolist():
        once, twice = (
            game.move(begin, *((k * size, outcome) if game.votes else (1.0, k * size * outcome)))
            for k in (1.0, 2.0)
        )
        apart = float(np.ptp(twice.pull - once.pull))
        if apart > 1e-3:
            return float(size / apart / 2)
    return 0.25


def free_play(
    algorithm: Algorithm,
    random: np.random.Generator,
    n_paths: int,
    *,
    sizes: Floats = SMALL,
    sign: float = 1.0,
    mirrored: bool = False,
    weight: Floats | None = None,
) -> Play:
    """One ensemble with steps and outcomes drawn freely.

    Path i of the positives and path i of the negatives have the same outcomes ``y h``, or if
    mirrored the same votes ``h``: they are then one place with rows of both classes. Further rows
    of one class, which go other ways, see to it that the classes are not alike as a whole.
    """
    crowd = n_paths // 2
    label = np.repeat([1.0, -1.0, random.choice([1.0, -1.0])], [n_paths, n_paths, crowd])
    pairs = np.ones(2 * n_paths) if weight is None else weight
    game = game_of(algorithm, label, np.concatenate([pairs, np.ones(crowd)]))
    other = -1.0 if mirrored else 1.0
    position = game.begin()
    positions, steps, outcomes = [position], [], []
    for step, outcome in _free_rounds(game, algorithm, random, n_paths + crowd, sizes, sign):
        own, aside = outcome[:n_paths], outcome[n_paths:]
        position = game.move(position, step, np.concatenate([own, other * own, aside]))
        positions.append(position)
        steps.append(step)
        outcomes.append(own)
    margin, pull = (
        np.array([one[field][: 2 * n_paths] for one in positions]).reshape(-1, 2, n_paths)
        for field in (0, 1)
    )
    return Play(np.array(steps), np.array(outcomes), margin, pull)


def _free_rounds(
    game: Game,
    algorithm: Algorithm,
    random: np.random.Generator,
    n_outcomes: int,
    sizes: Floats,
    sign: float,
) -> Iterator[tuple[float, Floats]]:
    """Step and outcomes of each round; learners with values have a size for every row."""
    sizes = sizes * unit(algorithm)
    for _ in range(algorithm.n_rounds):
        outcome = random.choice([1.0, -1.0], n_outcomes)
        if game.votes:
            yield sign * float(random.choice(sizes)), outcome
        else:
            yield 1.0, outcome * random.choice(sizes, n_outcomes)


class OwnRound(NamedTuple):
    """A round as the rule plays it: before, what it chose, after."""

    number: int
    before: Position
    choice: Choice
    after: Position
    weight: Floats
    """Sample weights."""
    label: Floats


def own_play(algorithm: Algorithm, random: np.random.Generator, n_rows: int) -> Iterator[OwnRound]:
    """The rounds of one ensemble with random hypotheses, which get the steps of the rule."""
    label = np.repeat([1.0, -1.0], n_rows)
    weight = random.uniform(0.5, 1.5, 2 * n_rows)
    game = game_of(algorithm, label, weight)
    before = game.begin()
    for number in range(1, algorithm.n_rounds + 1):
        hypothesis: Any = game.hypothesis(random, random.uniform(0.6, 0.9))
        choice = game.choose(before, hypothesis)
        if not isfinite(choice.step) or choice.step == 0:
            return
        after = game.move(before, choice.step, choice.outcome)
        if not np.isfinite(after.pull).all():  # a row has lost all of its weight
            return
        yield OwnRound(number, before, choice, after, weight, label)
        before = after


def steps_can_be_negative(algorithm: Algorithm, random: np.random.Generator) -> bool:
    """Whether the rule ever gives a hypothesis a negative step, which a fit may keep."""
    label, weight = np.repeat([1.0, -1.0], 20), np.ones(40)
    game = game_of(algorithm, label, weight)
    rights = np.linspace(0.1, 0.9, 9)
    return any(
        game.choose(game.begin(), game.hypothesis(random, right)).step < 0 for right in rights
    )
