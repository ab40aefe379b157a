"""An algorithm to be analysed, and losses as functions of the margin."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_expit, logit

from costboost.classifiers.base import BoostingClassifier, rule_of
from costboost.classifiers.checks import check_costs
from costboost.classifiers.parameters import check_parameters
from costboost.model import DecisionRule
from costboost.rules import STARTS, Costs, NewtonRule, RowData, Rule, Scale, Start
from costboost.vectors import Floats


@dataclass(frozen=True)
class Algorithm:
    """Everything on which the weights, the score and the decisions of an algorithm depend."""

    name: str
    rule: Any
    start: Start
    own_start: bool
    """Whether ``start`` is that of the rule, computed from costs as the rule scales them."""
    costs: Costs
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


def _costs(fn_cost: Any, fp_cost: Any) -> Costs:
    for name, cost in (("fn_cost", fn_cost), ("fp_cost", fp_cost)):
        if np.ndim(cost):
            raise ValueError(
                f"{name} must be one number, got an array of shape {np.shape(cost)}: "
                "costboost.theory covers costs of classes, not of rows"
            )
    return check_costs(fn_cost, fp_cost, 1)


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
