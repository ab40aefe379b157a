"""An algorithm to be analysed, losses as functions of the margin, and simulated ensembles.

Boosting of rows without features shows how a rule changes weights and margins. The boosting loop
and the states are those of a fit. Only the rows and the weak learner are special: a row has a label
and a weight, and a hypothesis is given as the leaf of every row.

Two quantities of each row are observed between the rounds. One is its margin ``y F``. The other is
its *log-gradient*: the logarithm of its weight, sample weight excluded. If the algorithm descends a
loss, this is log(-dL / d(yF)) up to a constant which all rows share, because weights are shares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from numbers import Integral
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, log_expit, logit

from costboost._core.cells import Outcome
from costboost._core.costs import Costs
from costboost._core.loop import State, Training, boost, state_of
from costboost._core.model import DecisionRule
from costboost._core.parameters.parameter import check_parameters
from costboost._core.rules.record import (
    STARTS,
    Criterion,
    NetCosts,
    NewtonRule,
    RealRule,
    RowData,
    Rule,
    Scale,
    ScoreRule,
    Start,
)
from costboost.classifiers.base import BoostingClassifier, rule_of
from costboost_lab.arrays import Floats


@dataclass(frozen=True)
class Algorithm:
    """Everything on which the weights, the score and the decisions of an algorithm depend."""

    name: str
    rule: Any
    start: Start
    own_start: bool
    """Whether ``start`` is that of the rule, computed from costs as the rule scales them."""
    costs: NetCosts
    n_rounds: int
    """Rounds of a fit; rules that spread costs over the rounds depend on it."""
    prior: float
    """Share of the positives, for initial weights that balance the classes."""
    calibrated: bool = False
    """Whether decisions are made from calibrated probabilities."""

    @property
    def cost_pair(self) -> Floats:
        """Cost of a mistake on a positive and on a negative row, as the rule scales them."""
        return np.asarray(self.rule.scale(self._pair, self.n_rounds), dtype=np.float64)

    @property
    def start_pair(self) -> Floats:
        """Initial weight of a positive and of a negative row for the weak learner."""
        cost = self.cost_pair if self.own_start else self._pair
        share = np.array([self.prior, 1 - self.prior])
        return np.asarray(self.start.weight(cost, share) * self.rule.focus(self._pair))

    @property
    def _pair(self) -> Floats:
        return np.array([self.costs.fn, self.costs.fp], dtype=np.float64)

    @property
    def positive_is_costlier(self) -> bool:
        """Whether a false negative costs at least as much as a false positive."""
        return bool(self.costs.fn >= self.costs.fp)

    def rows(self, label: Floats, weight: Floats) -> RowData:
        """Labels, initial weights and costs of rows with the given sample weights."""
        start = weight * of_class(self.start_pair, label)
        return RowData(label, start / start.sum(), self.costs, self.costs, self.n_rounds)

    @property
    def decision(self) -> DecisionRule:
        """The library's conversion of scores to decisions, without a calibrator."""
        return DecisionRule(
            self.rule, self.start, self.own_start, self.prior, self.n_rounds, self.costs
        )

    def scale(self, votes: float) -> Scale:
        """Scale of the score after all rounds, given the sum of the steps."""
        return Scale(self.costs, 0.0, votes)


def of_class(pair: Floats, label: Floats) -> Floats:
    """``pair[0]`` for positive rows and ``pair[1]`` for negative rows."""
    return np.asarray(np.where(label > 0, pair[0], pair[1]))


def algorithm_of(
    algorithm: Any, fn_cost: Any, fp_cost: Any, n_rounds: int | None, prior: float
) -> Algorithm:
    """The algorithm of a classifier, of a class of classifiers, or of a rule."""
    costs = _costs(fn_cost, fp_cost)
    if isinstance(algorithm, type) and issubclass(algorithm, BoostingClassifier):
        algorithm = algorithm()
    if isinstance(algorithm, BoostingClassifier):
        check_parameters(algorithm)
        rule, own = rule_of(algorithm), algorithm.initial_weights == "auto"
        start = rule.start if own else STARTS[algorithm.initial_weights]
        rounds = _rounds(algorithm.n_estimators if n_rounds is None else n_rounds)
        calibrated = algorithm.calibration is not None
        return Algorithm(rule.name, rule, start, own, costs, rounds, prior, calibrated)
    if isinstance(algorithm, Rule):
        rounds = _rounds(100 if n_rounds is None else n_rounds)
        return Algorithm(algorithm.name, algorithm, algorithm.start, True, costs, rounds, prior)
    raise ValueError(
        "algorithm must be one of the boosting classifiers of costboost, its class or its rule, "
        f"such as CGAdaClassifier; got {algorithm!r}"
    )


def _costs(fn_cost: Any, fp_cost: Any) -> NetCosts:
    for name, cost in (("fn_cost", fn_cost), ("fp_cost", fp_cost)):
        if np.ndim(cost):
            raise ValueError(
                f"{name} must be one number, got an array of shape {np.shape(cost)}: "
                "costboost.theory covers costs of classes, not of rows"
            )
    return Costs.checked(1, fn_cost=fn_cost, fp_cost=fp_cost).net


def _rounds(n_rounds: Any) -> int:
    if isinstance(n_rounds, bool) or not isinstance(n_rounds, Integral) or n_rounds < 1:
        raise ValueError(f"n_rounds must be a whole number of at least 1, got {n_rounds!r}")
    return int(n_rounds)


# ---- losses as functions of the margin, for either class and each round --------------------------


LARGEST_MARGIN = 100.0
"""Range of margins, in units of `Loss.unit`, in which a swap is searched for."""
ROUNDING = 1e-9
FARTHEST = 1e9
"""Scores, in units of `Loss.unit`, up to which a minimum is searched for."""
LARGE_LOGIT = 40.0
"""For a logit x of at least this, log(1 + e^(-x)) equals e^(-x) up to rounding."""


class Contradiction(NamedTuple):
    """Rows whose weights cannot be the gradient of any loss of the margin."""

    because: str
    numbers: dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """Whether a property holds, with the evidence.

    Attributes
    ----------
    holds : bool
    because : str
        The evidence in a sentence or two, with its numbers.
    measured : dict
        The numbers.
    counter_example : dict
        Steps, margins, weights or probabilities that violate the property. Empty if it holds.
    """

    holds: bool
    because: str
    measured: dict[str, Any] = field(default_factory=dict)
    counter_example: dict[str, Any] = field(default_factory=dict)


# ---- shapes --------------------------------------------------------------------------------------


class Curves(Protocol):
    """Logarithms of a loss and of its descent -dL/d(yF), up to a factor common to both classes."""

    def log_value(self, margin: Floats, positive: bool, number: int) -> Floats: ...

    def log_descent(self, margin: Floats, positive: bool, number: int) -> Floats: ...

    def formula(self, positive: bool, number: int, factor: float) -> str:
        """The loss, times a factor, as text with m for the margin."""

    @property
    def rates(self) -> Floats:
        """The largest relative descent -dL/d(yF) / L of either class."""


@dataclass(frozen=True)
class ExponentialCurves:
    """exp(offset - rate m) / rate, the loss that a multiplicative update of the weights implies.

    The offset is 0 for the negative class. For the positive class it depends on the round.
    """

    offset: Floats
    """Of the positive class before the first round and after each."""
    rates: Floats
    """Of the positive and of the negative class."""
    after: bool
    """Whether round t has the offset after round t, instead of the one before it."""

    def log_descent(self, margin: Floats, positive: bool, number: int) -> Floats:
        offset = self.offset[number if self.after else number - 1] if positive else 0.0
        return np.asarray(offset - self.rates[0 if positive else 1] * margin)

    def log_value(self, margin: Floats, positive: bool, number: int) -> Floats:
        rate = float(self.rates[0 if positive else 1])
        return np.asarray(self.log_descent(margin, positive, number) - np.log(rate))

    def formula(self, positive: bool, number: int, factor: float) -> str:
        size = factor * float(np.exp(self.log_value(np.asarray(0.0), positive, number)))
        return f"{_times(size)}exp(-{_times(float(self.rates[0 if positive else 1]))}m)"


@dataclass(frozen=True)
class LogisticCurves:
    """s log(1 + exp(-y t)) with the logit t = slope F + offset, the loss of the Newton family."""

    algorithm: Algorithm

    @property
    def rates(self) -> Floats:
        slope, _ = self._logit(True, 1)
        return np.array([slope, slope])

    def _logit(self, positive: bool, number: int) -> tuple[float, float]:
        """Slope and offset of y t as a function of the margin."""
        rule: NewtonRule = self.algorithm.rule
        sign = 1.0 if positive else -1.0
        rows = self.algorithm.rows(np.array([sign]), np.ones(1))
        slope, offset = rule.logit(rows, number)
        return float(slope), sign * float(np.ravel(offset)[0])  # of the only row

    def log_descent(self, margin: Floats, positive: bool, number: int) -> Floats:
        slope, offset = self._logit(positive, number)
        start = np.log(self.algorithm.start_pair[0 if positive else 1] * slope)
        return np.asarray(start + log_expit(-slope * margin - offset))

    def descent(self, margin: Floats, positive: bool, number: int) -> Floats:
        """Minus the derivative of the loss."""
        return np.asarray(np.exp(self.log_descent(margin, positive, number)))

    def curvature(self, margin: Floats, positive: bool, number: int) -> Floats:
        """The second derivative of the loss."""
        slope, offset = self._logit(positive, number)
        descent = self.log_descent(margin, positive, number)
        return np.asarray(np.exp(descent + np.log(slope) + log_expit(slope * margin + offset)))

    def log_value(self, margin: Floats, positive: bool, number: int) -> Floats:
        slope, offset = self._logit(positive, number)
        start = np.log(self.algorithm.start_pair[0 if positive else 1])
        at = np.asarray(slope * margin + offset)
        small = np.log(-log_expit(np.minimum(at, LARGE_LOGIT)))
        return np.asarray(start + np.where(at < LARGE_LOGIT, small, -at))

    def formula(self, positive: bool, number: int, factor: float) -> str:
        slope, offset = self._logit(positive, number)
        size = factor * self.algorithm.start_pair[0 if positive else 1]
        odds = _times(np.exp(-offset))
        return f"{_times(size)}log(1 + {odds}exp(-{_times(slope)}m))"


@dataclass(frozen=True)
class SigmoidCurves(LogisticCurves):
    """s / (1 + exp(y t)): the probability of a mistake, which is bounded and not convex."""

    def log_descent(self, margin: Floats, positive: bool, number: int) -> Floats:
        slope, offset = self._logit(positive, number)
        right = log_expit(slope * margin + offset)
        return np.asarray(super().log_descent(margin, positive, number) + right)

    def curvature(self, margin: Floats, positive: bool, number: int) -> Floats:
        slope, offset = self._logit(positive, number)
        bend = slope * np.tanh((slope * margin + offset) / 2)
        return np.asarray(self.descent(margin, positive, number) * bend)

    def log_value(self, margin: Floats, positive: bool, number: int) -> Floats:
        slope, offset = self._logit(positive, number)
        start = np.log(self.algorithm.start_pair[0 if positive else 1])
        return np.asarray(start + log_expit(-slope * margin - offset))

    def formula(self, positive: bool, number: int, factor: float) -> str:
        slope, offset = self._logit(positive, number)
        size = factor * self.algorithm.start_pair[0 if positive else 1]
        return f"{size:.4g} / (1 + {_times(np.exp(offset))}exp({_times(slope)}m))"


def logistic_curves(algorithm: Algorithm) -> LogisticCurves:
    """The loss of a rule of the Newton family."""
    expected = algorithm.rule.expected
    return SigmoidCurves(algorithm) if expected else LogisticCurves(algorithm)


def _times(factor: float) -> str:
    """A factor as text in front of an expression; 1 is omitted."""
    text = f"{factor:.4g}"
    return "" if text == "1" else f"{text} "


# ---- the loss of an algorithm --------------------------------------------------------------------


@dataclass(frozen=True)
class Loss:
    """The loss that an algorithm minimises: a function of the margin ``y F``, class and round.

    Call it with margins: ``loss(margin, positive=True, round=1)``. A loss is determined up to a
    factor for each round. It is scaled such that, at the margin 0, the class with the smaller cost
    of a mistake (both classes, if the costs are equal) has the loss 1.

    Attributes
    ----------
    name : str
        The algorithm.
    fn_cost, fp_cost : float
        The costs.
    n_rounds : int
        Rounds of the fit, M. Rounds are counted from 1; algorithms that spread the costs over
        their rounds have applied all of them in round M.
    """

    name: str
    fn_cost: float
    fp_cost: float
    n_rounds: int
    curves: Curves = field(repr=False)

    def __call__(self, margin: Any, positive: bool = True, round: int = 1) -> Floats:
        """The loss of a row of the given class with the given margin, in a round.

        Parameters
        ----------
        margin : number or array
            y F.
        positive : bool, default=True
            Whether the row is of the positive class.
        round : int, default=1
            From 1 to ``n_rounds``.

        Returns
        -------
        array of the shape of ``margin``
        """
        margin = _margins(margin)
        with np.errstate(over="ignore"):
            return np.exp(self._log(margin, positive, round))

    def ratio(self, margin: Any, round: int = 1) -> Floats:
        """Loss of the costlier class divided by that of the other one (Nikolaou's r_L).

        Where it is below 1, the asymmetry is swapped. If the costs are equal, the loss of the
        positive class is divided by that of the negative one.
        """
        margin = _margins(margin)
        with np.errstate(over="ignore"):
            return np.exp(self.log_ratio(margin, round))

    def swap(self, round: int = 1) -> float | None:
        """The margin on one side of which the costlier class has the smaller loss.

        None if it has the smaller loss at no margin, minus infinity if at every one.
        """
        margin = np.linspace(-LARGEST_MARGIN, LARGEST_MARGIN, 4001) * self.unit

        def level(at: Any) -> Any:
            return self.log_ratio(np.asarray(at), round) + ROUNDING

        below = level(margin) < 0
        if not below.any():
            return None
        if below.all():
            return -np.inf
        first = int(np.flatnonzero(below[1:] != below[:-1])[0])
        root = brentq(level, margin[first], margin[first + 1])
        return float(np.round(root / self.unit, 6) * self.unit)

    @property
    def unit(self) -> float:
        """A margin over which the loss, and the ratio of the two losses, change considerably."""
        largest, apart = float(self.curves.rates.max()), float(np.ptp(self.curves.rates))
        return 1 / (apart if apart > ROUNDING * largest else largest)

    def formula(self, round: int = 1) -> str:
        """The loss of both classes as text, with m for the margin."""
        self._check(round)
        factor = np.exp(-self._log_scale(round))
        both = [self.curves.formula(positive, round, factor) for positive in (True, False)]
        return both[0] if both[0] == both[1] else f"{both[0]} of positives, {both[1]} of negatives"

    def minimiser(self, probability: Any, round: int = 1) -> Floats:
        """The score F of least expected loss where the positive class has this probability.

        The root of ``P L'(+1, F) = (1 - P) L'(-1, -F)``, the population minimiser.

        Parameters
        ----------
        probability : number or array
            P(y = +1 | x), between 0 and 1.
        round : int, default=1
        """
        p = np.asarray(probability, dtype=np.float64)
        if not np.all((p > 0) & (p < 1)):
            raise ValueError(f"probabilities must be between 0 and 1, got {probability!r}")
        self._check(round)
        roots = [self.minimiser_at(float(one), round) for one in logit(p).ravel()]
        return np.array(roots).reshape(p.shape)

    def minimiser_at(self, log_odds: float, number: int) -> float:
        """The population minimiser where the positive class has these log-odds.

        It is infinite if the expected loss falls, or rises, at every score.
        """

        def gradient(score: float) -> float:
            up = self.curves.log_descent(np.asarray(score), True, number)
            down = self.curves.log_descent(np.asarray(-score), False, number)
            return float(log_odds + up - down)

        reach = unit = 1 / float(self.curves.rates.min())
        while gradient(-reach) <= 0 or gradient(reach) >= 0:
            if reach > FARTHEST * unit:
                return float(np.copysign(np.inf, gradient(reach)))
            reach *= 2
        return float(brentq(gradient, -reach, reach, xtol=1e-14 * unit, rtol=1e-14))

    def _log(self, margin: Floats, positive: bool, number: int) -> Floats:
        self._check(number)
        return self.curves.log_value(margin, positive, number) - self._log_scale(number)

    def _log_scale(self, number: int) -> float:
        """Logarithm of the unscaled loss of the less costly class at the margin 0."""
        positive = self.fn_cost < self.fp_cost
        return float(self.curves.log_value(np.asarray(0.0), positive, number))

    def log_ratio(self, margin: Floats, number: int) -> Floats:
        """Logarithm of `ratio`, which does not overflow."""
        costlier = self.fn_cost >= self.fp_cost
        return self._log(margin, costlier, number) - self._log(margin, not costlier, number)

    def _check(self, number: Any) -> None:
        if number != int(number) or not 1 <= number <= self.n_rounds:
            raise ValueError(f"round must be a number from 1 to {self.n_rounds}, got {number!r}")


def _margins(margin: Any) -> Floats:
    margins: Floats = np.asarray(margin, dtype=np.float64)
    if not np.all(np.isfinite(margins)):
        raise ValueError("margins must be finite numbers, but there is NaN or infinity among them")
    return margins


# ---- simulation: boosting of rows without features -----------------------------------------------

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
    start = np.asarray(algorithm.rows(label, sample_weight).start)
    rows = FeaturelessRows(label, start)
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
