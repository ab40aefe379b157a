"""Boosting of rows without features, to observe how a rule changes weights and margins.

The boosting loop and the states are those of a fit. Only the rows and the weak learner are special:
a row has a label and a weight, and a hypothesis is given as the leaf of every row.

Two quantities of each row are observed between the rounds. One is its margin ``y F``. The other is
its *log-gradient*: the logarithm of its weight, sample weight excluded. If the algorithm descends a
loss, this is log(-dL / d(yF)) up to a constant which all rows share, because weights are shares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from costboost.cells import Floats, Outcome
from costboost.loop import State, Training, boost, state_of
from costboost.rules import Criterion, RealRule, ScoreRule
from costboost.theory.loss import Algorithm

SMALL_STEPS = np.array([1.0, 2.0, 3.0, 4.0])
"""Integer multiples of a small step, so that different paths meet at a margin."""
WIDE_STEPS = np.array([1.0, 2.0, 3.0, 4.0, 8.0, 16.0, 32.0])
ANY_STEPS = np.linspace(0.1, 8.0, 1000)

SHIFT = 1e-4
"""Change of a step for the numerical derivative of the score."""
MOST_LOG_ODDS = 300.0
"""A leaf value changes its sign at log-odds between minus this and this."""
VOTES = np.array([-1.0, 1.0])
"""Values of the two leaves of a hypothesis that votes."""


# ---- rows and hypotheses without features --------------------------------------------------------


class FeaturelessRows:
    """Rows with labels (+1, -1) and weights that sum to 1, as the states of the loop need them."""

    draws = False

    def __init__(self, label: Floats, weight: Floats) -> None:
        self.label = label
        self.negative = label < 0
        self.weight = weight

    def begin_round(self, m: int) -> None:
        """Do nothing: no rows are drawn."""

    def set_row_weights(self, weight: Floats, cost: Any = None) -> None:
        """Replace the weights by the given ones, normalised; costs are not used."""
        self.weight = weight / weight.sum()

    def scores(self, hypothesis: LeafHypothesis) -> Floats:
        """h(x) of every row."""
        return hypothesis.scores(self)


class LeafHypothesis:
    """A hypothesis given as the leaf of every row; the rows of a class in a leaf are a cell."""

    tree: int | None = None
    solved: Floats | None = None
    pooled: Floats | None = None

    def __init__(
        self,
        rows: FeaturelessRows,
        leaf: NDArray[np.intp],
        n_leaves: int = 2,
        value: Floats | None = None,
    ) -> None:
        self.leaf = leaf
        self.many_leaves = n_leaves > 2
        self._cell = leaf + n_leaves * rows.negative
        self.weight = np.asarray(np.bincount(self._cell, rows.weight, 2 * n_leaves), np.float64)
        if value is not None:
            self.take_values(value)

    def take_values(self, value: Floats) -> None:
        self.value = value
        self.outcome = Outcome(np.concatenate([value, -value]))

    def weigh_all_rows(self, rows: FeaturelessRows) -> None:
        pass

    def reweigh(self, rows: FeaturelessRows, factors: Floats) -> None:
        rows.set_row_weights(rows.weight * factors[self._cell])

    def scores(self, rows: FeaturelessRows) -> Floats:
        scores: Floats = self.value[self.leaf]
        return scores

    def leaves(self, rows: FeaturelessRows) -> NDArray[np.intp]:
        return self.leaf


Draw = Callable[[FeaturelessRows], LeafHypothesis | None]
"""Returns the hypothesis of the next round, or None to stop."""


class DrawingLearner:
    """A weak learner whose hypotheses come from a function; it records the weights of each round.

    After ``n_rounds`` hypotheses it returns None, which ends the loop.
    """

    def __init__(self, draw: Draw, n_rounds: int) -> None:
        self.draw = draw
        self.n_rounds = n_rounds
        self.weights: list[Floats] = []

    def find(self, rows: FeaturelessRows, criterion: Criterion) -> LeafHypothesis | None:
        self.weights.append(rows.weight)
        return self.draw(rows) if len(self.weights) <= self.n_rounds else None

    def recall(self, rows: Any, memory: Any, criterion: Criterion) -> Any:
        raise NotImplementedError("a simulation is never continued")

    def model(self, rounds: Any) -> Any:
        raise NotImplementedError("a simulation makes no model")


# ---- one ensemble --------------------------------------------------------------------------------


class Stage(NamedTuple):
    """All rows between two rounds."""

    margin: Floats
    """y F."""
    log_gradient: Floats


class Ensemble(NamedTuple):
    """A simulated ensemble."""

    steps: list[float]
    votes: list[Floats]
    """h(x) of every row in each round."""
    stages: list[Stage]
    """Before the first round and after each."""


def state_on(algorithm: Algorithm, rule: Any, rows: Any, sample_weight: Floats) -> State:
    """The state of a fit, on rows with these sample weights and without a learning rate."""
    data = algorithm.rows(rows.label, sample_weight)
    return state_of(rule, Training(rows, algorithm.cost_pair, None, lambda: data, 1.0))


def simulate(
    algorithm: Algorithm, rule: Any, label: Floats, sample_weight: Floats, draw: Draw, n_rounds: int
) -> Ensemble:
    """Boost rows without features, with hypotheses that are drawn.

    No ensemble ends early because a hypothesis is perfect or its step is small or negative.
    """
    rows = FeaturelessRows(label, algorithm.rows(label, sample_weight).start)
    state = state_on(algorithm, rule, rows, sample_weight)
    state.ends_when_perfect, state.least_step = False, 0.0
    learner = DrawingLearner(draw, n_rounds)
    # one round more than is drawn, so that the learner is shown the weights after the last one
    rounds = list(boost(state, rows, learner, n_rounds + 1, keep_negative=True))
    steps, votes = [one.step for one in rounds], [one.hypothesis.scores(rows) for one in rounds]
    scores = [np.zeros_like(label)]
    for step, vote in zip(steps, votes, strict=True):
        scores.append(_combine(rule, scores[-1], step, vote))
    score, offset = np.array(scores), _offset(algorithm, label) - np.log(sample_weight)
    with np.errstate(divide="ignore"):
        log_gradient = np.log(np.array(learner.weights)) + offset - np.log(score_rate(rule, score))
    return Ensemble(steps, votes, list(map(Stage, label * score, log_gradient)))


def _offset(algorithm: Algorithm, label: Floats) -> Floats:
    """Difference between log-gradients and logarithms of weights.

    A leaf value may depend on more than the weights of its rows, such as costs. Where the value is
    0, the gradients of the two classes are equal; their weights at that point give the difference.
    """
    if not isinstance(algorithm.rule, RealRule):
        return np.zeros_like(label)
    return np.where(label > 0, -_log_odds_of_value_0(algorithm), 0.0)


@lru_cache(maxsize=64)
def _log_odds_of_value_0(algorithm: Algorithm) -> float:
    """Log-odds of the weights of the two classes at which the value of a leaf is 0."""
    rule = without_smoothing(algorithm.rule)
    fn, fp = algorithm.cost_pair.tolist()
    criterion = rule.criterion._replace(fn_cost=fn, fp_cost=fp)

    def value(log_odds: float) -> float:
        p, q = expit([[log_odds], [-log_odds]])
        return float(rule.leaf(p, q, criterion)[0])

    return float(brentq(value, -MOST_LOG_ODDS, MOST_LOG_ODDS, xtol=1e-14, rtol=1e-14))


def without_smoothing(rule: Any) -> Any:
    """The rule with leaf values that are not smoothed; other rules are returned as they are."""
    if not isinstance(rule, RealRule):
        return rule
    return replace(rule, criterion=rule.criterion._replace(smoothing=0.0))


def _combine(rule: Any, score: Floats, step: float, vote: Floats) -> Floats:
    """The score after a round."""
    if isinstance(rule, ScoreRule) and rule.combine is not None:
        return np.asarray(rule.combine(score, step, vote))
    return score + step * vote


def score_rate(rule: Any, score: Floats, step: float = 0.0, vote: Floats | None = None) -> Floats:
    """Derivative of the score with respect to the step, for a vote of +1 unless one is given."""
    vote = np.ones_like(score) if vote is None else vote
    if not isinstance(rule, ScoreRule) or rule.combine is None:
        return vote
    further, less = (_combine(rule, score, step + shift, vote) for shift in (SHIFT, -SHIFT))
    return (further - less) / (2 * SHIFT)


# ---- ensembles with drawn steps ------------------------------------------------------------------


class Paths(NamedTuple):
    """An ensemble with drawn steps; axes are rounds, classes (the positive first) and paths."""

    steps: Floats
    outcome: Floats
    """y h of the positive rows in each round."""
    margin: Floats
    """Before the first round and after each."""
    log_gradient: Floats


def simulate_drawn(
    algorithm: Algorithm,
    label: Floats,
    sample_weight: Floats,
    steps: Sequence[float],
    outcomes: Sequence[Floats],
) -> list[Stage]:
    """Stages of an ensemble with the given steps and outcomes ``y h`` instead of the rule's own."""
    rule = algorithm.rule
    step, value = iter(steps), iter([label * outcome for outcome in outcomes])
    if isinstance(rule, RealRule):
        rule = replace(rule, leaf=lambda p, q, criterion: next(value), leaf_of_many=None)
        own_leaf = np.arange(label.size)

        def draw(rows: FeaturelessRows) -> LeafHypothesis:
            return LeafHypothesis(rows, own_leaf, label.size)

    else:
        rule = replace(rule, step=lambda *_: next(step))

        def draw(rows: FeaturelessRows) -> LeafHypothesis:
            return LeafHypothesis(rows, (next(value) > 0).astype(np.intp), value=VOTES)

    return simulate(algorithm, rule, label, sample_weight, draw, len(outcomes)).stages


@lru_cache(maxsize=64)
def unit(algorithm: Algorithm) -> float:
    """A small step: one after which the weights of right and wrong rows differ by a factor e^1/2.

    The scale of scores may be 1 / cost. If the weights do not depend on the step, it is 0.25.
    """
    label, outcome = np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, -1.0, 1.0, -1.0])
    has_values = isinstance(algorithm.rule, RealRule)
    for size in np.logspace(-12, 12, 25).tolist():
        once, twice = (
            simulate_drawn(
                algorithm,
                label,
                np.ones(4),
                [1.0 if has_values else k * size],
                [k * size * outcome if has_values else outcome],
            )[-1]
            for k in (2.0, 4.0)  # not 1: a score of 1e-12 counts as 0
        )
        difference = float(np.ptp(twice.log_gradient - once.log_gradient))
        if difference > 1e-3:
            return float(size / difference)
    return 0.25


def simulate_paths(
    algorithm: Algorithm,
    random: np.random.Generator,
    n_paths: int,
    *,
    sizes: Floats = SMALL_STEPS,
    sign: float = 1.0,
    mirrored: bool = False,
    sample_weight: Floats | None = None,
) -> Paths:
    """One ensemble with random steps and outcomes.

    Path i of the positives and path i of the negatives have the same outcomes ``y h``, or if
    mirrored the same votes ``h``: they are then rows of both classes with the same features.
    Further rows of one class, with other paths, make the classes differ as a whole.

    ``sizes`` are the possible steps in units of `unit`. Where leaves have values, a size is drawn
    for every row instead.
    """
    n_further = n_paths // 2
    label = np.repeat([1.0, -1.0, random.choice([1.0, -1.0])], [n_paths, n_paths, n_further])
    pairs = np.ones(2 * n_paths) if sample_weight is None else sample_weight
    drawn = list(_draw_rounds(algorithm, random, n_paths + n_further, sizes, sign))
    steps = [step for step, _ in drawn]
    own = [outcome[:n_paths] for _, outcome in drawn]
    other = -1.0 if mirrored else 1.0
    outcomes = [
        np.concatenate([outcome[:n_paths], other * outcome[:n_paths], outcome[n_paths:]])
        for _, outcome in drawn
    ]
    weight = np.concatenate([pairs, np.ones(n_further)])
    stages = simulate_drawn(algorithm, label, weight, steps, outcomes)
    margin, log_gradient = (
        np.array([stage[field][: 2 * n_paths] for stage in stages]).reshape(-1, 2, n_paths)
        for field in (0, 1)
    )
    return Paths(np.array(steps), np.array(own), margin, log_gradient)


def _draw_rounds(
    algorithm: Algorithm, random: np.random.Generator, n_outcomes: int, sizes: Floats, sign: float
) -> Iterator[tuple[float, Floats]]:
    """Step and outcomes of each round."""
    sizes = sizes * unit(algorithm)
    for _ in range(algorithm.n_rounds):
        outcome = random.choice([1.0, -1.0], n_outcomes)
        if isinstance(algorithm.rule, RealRule):
            yield 1.0, outcome * random.choice(sizes, n_outcomes)
        else:
            yield sign * float(random.choice(sizes)), outcome


# ---- random hypotheses ---------------------------------------------------------------------------


def random_hypothesis(
    rule: Any, rows: FeaturelessRows, random: np.random.Generator, right: float
) -> LeafHypothesis:
    """A hypothesis that is right on about this share of the rows, but neither on all nor none.

    If leaves have values, there are two or five of them, each with rows of both classes.
    """
    n, half = rows.label.size, rows.label.size // 2
    if not isinstance(rule, RealRule):
        outcome = np.where(random.random(n) < right, 1.0, -1.0)
        outcome[:2] = outcome[half : half + 2] = 1.0, -1.0
        return LeafHypothesis(rows, (rows.label * outcome > 0).astype(np.intp), value=VOTES)
    n_leaves = int(random.choice([2, 5]))
    leaf = random.integers(n_leaves, size=n)
    shifted = np.where(rows.negative, n_leaves - 1 - leaf // 2, leaf // 2)
    leaf = np.where(random.random(n) < right, shifted, leaf)
    leaf[:n_leaves] = leaf[half : half + n_leaves] = np.arange(n_leaves)
    return LeafHypothesis(rows, leaf, n_leaves)


def steps_can_be_negative(algorithm: Algorithm, random: np.random.Generator) -> bool:
    """Whether the rule gives a negative step to some hypothesis."""
    label = np.repeat([1.0, -1.0], 20)
    rule = without_smoothing(algorithm.rule)

    def step(right: float) -> float:
        def draw(rows: FeaturelessRows) -> LeafHypothesis:
            return random_hypothesis(rule, rows, random, right)

        return sum(simulate(algorithm, rule, label, np.ones(40), draw, 1).steps)

    return any(step(right) < 0 for right in np.linspace(0.1, 0.9, 9).tolist())
