"""Rules and losses: whether the steps descend a given loss, and which loss the rounds imply.

A step must minimise the loss along the hypothesis, so that after it the hypothesis has no edge::

    sum of -L'(y F) dyF/dalpha = 0

or be Newton's step towards the minimum. A loss that changes from round to round can be aligned with
the steps in two ways. *before*: the step descends the loss whose gradient are the weights under
which it was found (Viola and Jones). *after*: the loss whose gradient are the weights after the
round (Nikolaou et al.). Either is accepted if it holds in all rounds.

Conversely, if the weights are the gradient of a loss of the margin, rows of the same class and
margin have the same gradient after the same number of rounds, whatever their outcomes in these
rounds. Where rounds multiply the weights, only one form of loss is possible: the logarithm of the
gradient is linear,

    -dL / d(yF) = exp(offset - rate y F)

with a rate for each class and an offset for each round, which is 0 for the negative class. This
form is fitted to simulated ensembles with random steps. If it does not fit, there is a
counter-example: two rows of the same margin with different gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from costboost._core.engine._kernels import Likelihood
from costboost._core.loop import NewtonState
from costboost._core.rows import LARGEST_LOGIT
from costboost._core.rules.record import NewtonRule, RealRule
from costboost_lab.arrays import Floats
from costboost_lab.theory.loss import (
    Algorithm,
    Contradiction,
    Curves,
    ExponentialCurves,
    FeaturelessRows,
    LeafHypothesis,
    Loss,
    Paths,
    Stage,
    algorithm_of,
    logistic_curves,
    of_class,
    random_hypothesis,
    score_rate,
    simulate,
    simulate_paths,
    state_on,
    without_smoothing,
)

N_ENSEMBLES = 12
N_ROWS = 30
ENOUGH_STEPS = 60
"""No further ensemble is simulated once there are so many steps."""
NO_EDGE = 1e-7
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
        return [pair for pair, gap in self.worst.items() if gap < NO_EDGE]

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

    @property
    def total_weight(self) -> float:
        """Sum of the weights of the regression."""
        return float(self.weight.sum())

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
        if share[high] - share[low] > NO_EDGE:
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


# ---- the loss that the rounds imply --------------------------------------------------------------

SEED = 0
"""Seed of random paths and hypotheses: an audit has always the same result."""
N_PATHS = 40
LARGEST_MISFIT = 1e-7
"""The linear form fits if it differs from no log-gradient by more than this."""
SAME_MARGIN = 1e-9
DIGITS = 9
"""Counter-examples are compared up to so many digits: rounding does not decide which is shown."""


@dataclass(frozen=True)
class Analysis:
    """The loss of an algorithm, if it has one, and how its steps relate to the loss."""

    algorithm: Algorithm
    curves: dict[str, Curves]
    """The loss for each alignment of weights and rounds; empty if there is no loss."""
    contradiction: Contradiction | None
    descent: Descent | None

    @property
    def losses(self) -> list[Loss]:
        """The loss for each alignment that is compatible with the steps."""
        if self.descent is None:
            return []
        names = [name for name in self.descent.alignments if name in self.curves]
        return [self._loss(name) for name in names]

    def _loss(self, alignment: str) -> Loss:
        algorithm = self.algorithm
        costs = algorithm.costs
        curves = self.curves[alignment]
        return Loss(algorithm.name, costs.fn, costs.fp, algorithm.n_rounds, curves)


def analyse(algorithm: Algorithm) -> Analysis:
    """Find the loss of an algorithm from its likelihood or from simulated ensembles."""
    random = np.random.default_rng(SEED)
    if isinstance(algorithm.rule, NewtonRule):
        rounds = regressions(algorithm, random)
        descent = compare_newton_steps(rounds, random)
        curves: dict[str, Curves] = {"before": logistic_curves(algorithm)}
        return Analysis(algorithm, curves, response_contradiction(rounds), descent)
    lines = implied_lines(algorithm, random)
    if isinstance(lines, Contradiction):
        return Analysis(algorithm, {}, lines, None)
    curves = {
        name: ExponentialCurves(lines.offset, lines.rate, name == "after") for name in ALIGNMENTS
    }
    return Analysis(algorithm, curves, None, compare_steps(algorithm, lines.rate, random))


def losses(
    algorithm: Any, fn_cost: float = 2.0, fp_cost: float = 1.0, *, n_rounds: int | None = None
) -> Loss:
    """The loss of an algorithm as a function of margin, class and round.

    It is derived from the rule. The weights of the rows after a round are minus the derivative of
    the loss, so that the loss is their integral over the margin (Nikolaou et al., equation 13)::

        w = -dL / d(yF)

    For the Newton family the loss is the negative log-likelihood. A loss that changes with the
    rounds is aligned with them so that the step of round t descends the loss of round t, if such
    an alignment exists; otherwise the loss of round t is that of the weights after the round.

    Use it to compute or plot what an algorithm minimises. It does not depend on data.

    Parameters
    ----------
    algorithm : classifier, class of a classifier, or rule
        Such as ``CGAdaClassifier`` or ``AdaCostClassifier(beta="ting")``.
    fn_cost, fp_cost : float, default 2 and 1
        Costs of the two classes.
    n_rounds : int, optional
        Number of rounds. Default: ``n_estimators`` of the classifier.

    Returns
    -------
    Loss
        To be called with ``(margin, positive, round)``; with ``ratio``, ``swap`` and ``minimiser``.

    Raises
    ------
    ValueError
        If the weights are not a function of margin, class and round, so that there is no such
        loss. The message contains a counter-example.

    References
    ----------
    N. Nikolaou et al., "Cost-sensitive boosting algorithms: Do we really need them?", Machine
    Learning 104, 2016, equation 13, table 3, figures 1 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> from costboost.algorithms import CGAdaClassifier, CSAdaClassifier, CSB2Classifier
    >>> from costboost_lab.theory import losses
    >>> margin = np.array([-1.0, 0.0, 1.0])
    >>> loss = losses(CGAdaClassifier, fn_cost=2, fp_cost=1)
    >>> loss(margin, positive=True).round(3), loss(margin, positive=False).round(3)
    (array([5.437, 2.   , 0.736]), array([2.718, 1.   , 0.368]))
    >>> loss = losses(CSAdaClassifier, fn_cost=2, fp_cost=1)
    >>> loss(margin, positive=True).round(3), round(abs(loss.swap()), 6)
    (array([7.389, 1.   , 0.135]), 0.0)
    >>> losses(CSB2Classifier)
    Traceback (most recent call last):
        ...
    ValueError: CSB2 implies no loss of the margin: two positive rows have the margin 0 after 3...
    """
    found = analyse(algorithm_of(algorithm, fn_cost, fp_cost, n_rounds, 0.5))
    if not found.losses:
        assert found.contradiction is not None
        raise ValueError(
            f"{found.algorithm.name} implies no loss of the margin: {found.contradiction.because}"
        )
    return found.losses[-1]


# ---- the linear form -----------------------------------------------------------------------------


class Lines(NamedTuple):
    """Log-gradients as linear functions of the margin: offset - rate y F."""

    offset: Floats
    """Of the positive class, before the first round and after each."""
    rate: Floats
    """Of the positive and of the negative class."""
    misfit: float


def implied_lines(algorithm: Algorithm, random: np.random.Generator) -> Lines | Contradiction:
    """The lines that the rounds imply, or a counter-example."""
    ensembles = [simulate_paths(algorithm, random, N_PATHS) for _ in range(N_ENSEMBLES)]
    lines = _fit_lines(ensembles)
    if lines.misfit < LARGEST_MISFIT:
        return _check_decreasing(lines)
    found = _two_paths(ensembles) or _two_ensembles(ensembles)
    if found is None:
        raise ValueError(
            f"the weights of {algorithm.name} are a function of margin, class and round, but not "
            "an exponential one: costboost.theory does not cover such a rule yet"
        )
    return found


def _check_decreasing(lines: Lines) -> Lines | Contradiction:
    """The given lines if larger margins mean smaller weights, otherwise a contradiction."""
    if lines.rate.min() > 0:
        return lines
    rates = lines.rate.tolist()
    return Contradiction(
        "the weights do not fall as the margin grows: those of the positives change as "
        f"exp({-rates[0]:.4g} m), those of the negatives as exp({-rates[1]:.4g} m)",
        {"rates": rates},
    )


def _fit_lines(ensembles: Sequence[Paths]) -> Lines:
    """Least squares: rates from rows of one class, offsets from the difference of the classes.

    Log-gradients are compared within an ensemble and a round only, because they share a constant.
    """
    margin, gradient = (
        np.array([one[field] for one in ensembles])
        for field in (Paths._fields.index("margin"), Paths._fields.index("log_gradient"))
    )
    centred = [values - values.mean(axis=3, keepdims=True) for values in (margin, gradient)]
    across = (0, 1, 3)
    rate = -(centred[0] * centred[1]).sum(across) / (centred[0] ** 2).sum(across)
    rate[np.abs(rate) < LARGEST_MISFIT * np.abs(rate).max(initial=1e-300)] = 0.0
    height = gradient + rate[:, None] * margin  # equal for all rows of a class and ensemble
    level = height.mean(axis=3)
    offset = (level[:, :, 0] - level[:, :, 1]).mean(axis=0)
    within = np.abs(height - level[..., None]).max()
    between = np.abs(level[:, :, 0] - level[:, :, 1] - offset).max()
    return Lines(offset, rate, float(max(within, between)))


# ---- counter-examples ----------------------------------------------------------------------------


class _Pair(NamedTuple):
    """Two rows of an ensemble with the same class and margin."""

    ensemble: Paths
    time: int
    side: int
    first: int
    second: int

    @property
    def difference(self) -> float:
        gradient = self.ensemble.log_gradient[self.time, self.side]
        return float(abs(gradient[self.first] - gradient[self.second]))


def _two_paths(ensembles: Sequence[Paths]) -> Contradiction | None:
    """Two rows of a class with one margin and two weights, after as few rounds as possible."""
    pairs = [pair for one in ensembles for pair in _pairs(one) if pair.difference > LARGEST_MISFIT]
    if not pairs:
        return None
    pair = min(pairs, key=lambda one: (one.time, -round(one.difference, DIGITS)))
    ensemble, time, side = pair.ensemble, pair.time, pair.side
    paths = [ensemble.outcome[:time, path] for path in (pair.first, pair.second)]
    gradient = ensemble.log_gradient[time, side, [pair.first, pair.second]]
    weights = np.exp(gradient - gradient.min())
    margin = round(float(ensemble.margin[time, side, pair.first]), 12) + 0.0
    steps = ensemble.steps[:time]
    what = "positive" if side == 0 else "negative"
    return Contradiction(
        f"two {what} rows have the margin {margin:.4g} after {time} rounds with the steps "
        f"{listed(steps)}, one with the outcomes y h = {listed(paths[0])}, the other with "
        f"{listed(paths[1])}, but they weigh as {weights[0]:.4g} : {weights[1]:.4g}",
        {
            "class": what,
            "margin": margin,
            "steps": steps.tolist(),
            "outcomes": [path.tolist() for path in paths],
            "weights": weights.tolist(),
        },
    )


def _pairs(ensemble: Paths) -> Iterator[_Pair]:
    for time in range(1, len(ensemble.margin)):
        for side in (0, 1):
            margin = ensemble.margin[time, side]
            order = np.argsort(margin, kind="stable")
            for k in np.flatnonzero(np.diff(margin[order]) < SAME_MARGIN):
                yield _Pair(ensemble, time, side, int(order[k]), int(order[k + 1]))


def _two_ensembles(ensembles: Sequence[Paths]) -> Contradiction | None:
    """Rows of both classes with one margin, whose weights have different ratios in two ensembles.

    Within each ensemble the ratio is the same at all margins; otherwise `_two_paths` finds a pair.
    """
    time = 1
    ratios = [
        float(np.exp(np.diff(one.log_gradient[time, ::-1, 0], axis=0)[0])) for one in ensembles
    ]
    low, high = int(np.argmin(ratios)), int(np.argmax(ratios))
    if ratios[high] - ratios[low] < LARGEST_MISFIT:
        return None
    steps = [float(ensembles[k].steps[0]) for k in (low, high)]
    return Contradiction(
        f"after {time} round a positive and a negative row of the same margin weigh as "
        f"{ratios[low]:.4g} : 1 if the step was {steps[0]:.4g}, and as {ratios[high]:.4g} : 1 if "
        f"it was {steps[1]:.4g}",
        {"steps": steps, "weights": [ratios[low], ratios[high]]},
    )


def listed(values: Any) -> str:
    """Numbers in brackets, separated by commas."""
    return "(" + ", ".join(f"{value:.4g}" for value in np.asarray(values).tolist()) + ")"
