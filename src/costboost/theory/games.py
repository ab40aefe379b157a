"""The rounds of a rule, played with rows that have labels and weights but no features.

A game knows the family of a rule (whether learners vote, have leaves, or are weighed by the scores)
and calls the rule's functions as they are. What it shows of each row is its margin ``y F`` and its
*pull*: the logarithm of the force with which the row asks for a greater margin, sample weight
apart. If the algorithm descends a loss, the pull is log(-dL / d(yF)), but for a constant that
all rows share, because weights are shares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from costboost.cells import Cells, Floats, Outcome, RowCells
from costboost.rules import Criterion, DiscreteRule, RealRule, ScoreRule
from costboost.theory.algorithm import Algorithm, of_class

SHIFT = 1e-4
"""Of a step, to see how fast the score moves with it."""
MOST_LOG_ODDS = 300.0
"""Log-odds in a leaf between which there are some at which it says nothing."""


class Position(NamedTuple):
    """The rows between two rounds."""

    margin: Floats
    """y F."""
    pull: Floats
    state: Any = None
    """What the rule itself keeps."""


class Direction(NamedTuple):
    """A number that a round chooses, and how fast the margins grow with it."""

    size: float
    rate: Floats


class Choice(NamedTuple):
    """What a rule does with a hypothesis: step, y h (or y g) and the directions moved in."""

    step: float
    outcome: Floats
    directions: list[Direction]


class Game(Protocol):
    """Rounds of one family."""

    votes: bool
    """Whether outcomes are +1 and -1, and steps free."""

    def begin(self) -> Position:
        """Before the first round."""

    def hypothesis(self, random: np.random.Generator, right: float) -> Any:
        """A learner that is right on about this share of the rows."""

    def choose(self, position: Position, hypothesis: Any) -> Choice:
        """What the rule makes of the hypothesis."""

    def move(self, position: Position, step: float, outcome: Floats) -> Position:
        """After a round with this step and these outcomes y h."""


def game_of(algorithm: Algorithm, label: Floats, weight: Floats) -> Game:
    """The game of the rule's family."""
    games: dict[type, Callable[[Algorithm, Floats, Floats], Game]] = {
        DiscreteRule: VoteGame,
        RealRule: LeafGame,
        ScoreRule: ScoreGame,
    }
    return games[type(algorithm.rule)](algorithm, label, weight)


def random_votes(random: np.random.Generator, right: float, n: int) -> Floats:
    """y h of a hypothesis; not all are right or wrong."""
    outcome = np.where(random.random(n) < right, 1.0, -1.0)
    outcome[:2] = outcome[n // 2 : n // 2 + 2] = 1.0, -1.0
    return outcome


class _CellGame:
    """Weights are multiplied, cell by cell; every row is a cell."""

    def __init__(self, algorithm: Algorithm, label: Floats, weight: Floats) -> None:
        self.rule = algorithm.rule
        self.label = label
        self.weight = weight
        self.positive = label > 0
        self.cost = of_class(algorithm.cost_pair, label)
        self.start = of_class(algorithm.start_pair, label)

    def cells(self, log_weight: Floats, outcome: Floats) -> Cells:
        """The round as the rule sees it."""
        weight = self.weight * np.exp(log_weight - log_weight.max())
        return RowCells(weight / weight.sum(), Outcome(outcome), self.cost, self.positive)

    def factor(self, log_weight: Floats, outcome: Floats, step: float) -> Floats:
        """Logarithm of what the round multiplies the weights by."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.rule.update(self.cells(log_weight, outcome), step)))


class VoteGame(_CellGame):
    """Learners that vote: the weights that they see are what the rows pull with."""

    votes = True

    def begin(self) -> Position:
        return Position(np.zeros_like(self.label), np.log(self.start))

    def hypothesis(self, random: np.random.Generator, right: float) -> Floats:
        return random_votes(random, right, self.label.size)

    def choose(self, position: Position, hypothesis: Floats) -> Choice:
        step = self.rule.step(self.cells(position.pull, hypothesis))
        return Choice(step, hypothesis, [Direction(step, hypothesis)])

    def move(self, position: Position, step: float, outcome: Floats) -> Position:
        pull = position.pull + self.factor(position.pull, outcome, step)
        return Position(position.margin + step * outcome, pull)


class LeafGame(_CellGame):
    """Learners whose leaves have values.

    A leaf's value may see more of its rows than their weights. Where it says nothing, the two
    classes pull alike, and from their weights there follows what a row pulls with.
    """

    votes = False

    def __init__(self, algorithm: Algorithm, label: Floats, weight: Floats) -> None:
        super().__init__(algorithm, label, weight)
        fn, fp = algorithm.cost_pair.tolist()
        self.criterion: Criterion = self.rule.criterion._replace(
            fn_cost=fn, fp_cost=fp, smoothing=0.0
        )
        balance = brentq(self._undecided, -MOST_LOG_ODDS, MOST_LOG_ODDS, xtol=1e-14, rtol=1e-14)
        self.lean = np.where(self.positive, -balance, 0.0)

    def _undecided(self, log_odds: float) -> float:
        p, q = expit([[log_odds], [-log_odds]])
        return float(self.rule.leaf(p, q, self.criterion)[0])

    def begin(self) -> Position:
        return Position(np.zeros_like(self.label), np.log(self.start) + self.lean)

    def hypothesis(self, random: np.random.Generator, right: float) -> Any:
        """The leaf of each row, two leaves or more, and in each of them rows of either class."""
        n_leaves = int(random.choice([2, 5]))
        leaf = random.integers(n_leaves, size=self.label.size)
        shifted = np.where(self.positive, leaf // 2, n_leaves - 1 - leaf // 2)
        leaf = np.where(random.random(self.label.size) < right, shifted, leaf)
        half = self.label.size // 2
        leaf[:n_leaves] = leaf[half : half + n_leaves] = np.arange(n_leaves)
        return leaf

    def choose(self, position: Position, hypothesis: Any) -> Choice:
        leaf, n_leaves = hypothesis, int(hypothesis.max()) + 1
        weight = self.cells(position.pull - self.lean, self.label).weight
        sides = [
            np.bincount(leaf[side], weight[side], n_leaves)
            for side in (self.positive, ~self.positive)
        ]
        many = n_leaves > 2 and self.rule.leaf_of_many is not None
        value = (self.rule.leaf_of_many if many else self.rule.leaf)(*sides, self.criterion)
        directions = [
            Direction(float(one), np.where(value[leaf] == one, self.label, 0.0))
            for one in np.unique(value)
        ]
        return Choice(1.0, self.label * value[leaf], directions)

    def move(self, position: Position, step: float, outcome: Floats) -> Position:
        pull = position.pull + self.factor(position.pull - self.lean, outcome, step)
        return Position(position.margin + step * outcome, pull)


class ScoreGame:
    """Learners that vote under weights which the rule makes from the scores.

    Where the score does not simply grow by the vote, a row pulls with its weight divided by the
    speed at which a vote moves its score.
    """

    votes = True

    def __init__(self, algorithm: Algorithm, label: Floats, weight: Floats) -> None:
        self.rule = algorithm.rule
        self.rows = algorithm.rows(label, weight)
        self.label = label
        self.log_sample = np.log(weight)

    def begin(self) -> Position:
        return self._position(np.zeros_like(self.label), self.rule.begin(self.rows))

    def hypothesis(self, random: np.random.Generator, right: float) -> Floats:
        return random_votes(random, right, self.label.size)

    def choose(self, position: Position, hypothesis: Floats) -> Choice:
        step = self.rule.step(self.rows, position.state, hypothesis)
        speed = self._speed(self.label * position.margin, step, self.label * hypothesis)
        return Choice(step, hypothesis, [Direction(step, self.label * speed)])

    def move(self, position: Position, step: float, outcome: Floats) -> Position:
        vote = self.label * outcome
        state = self.rule.advance(self.rows, position.state, step, vote)
        return self._position(self._combine(self.label * position.margin, step, vote), state)

    def _position(self, score: Floats, state: Any) -> Position:
        speed = self._speed(score, 0.0, np.ones_like(score))
        pull = np.log(state.weight) - self.log_sample - np.log(speed)
        return Position(self.label * score, pull, state)

    def _combine(self, score: Floats, step: float, vote: Floats) -> Floats:
        if self.rule.combine is None:
            return score + step * vote
        return np.asarray(self.rule.combine(score, step, vote))

    def _speed(self, score: Floats, step: float, vote: Floats) -> Floats:
        """How fast the score moves with the step."""
        further, less = (self._combine(score, step + shift, vote) for shift in (SHIFT, -SHIFT))
        return (further - less) / (2 * SHIFT)
