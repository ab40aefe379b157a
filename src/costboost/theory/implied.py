"""The loss that the rounds of an algorithm imply, or two rows which prove that there is none.

If the weights are the gradient of a loss of the margin, rows of the same class and margin have the
same gradient after the same number of rounds, whatever their outcomes in these rounds. Where rounds
multiply the weights, only one form of loss is possible: the logarithm of the gradient is linear,

    -dL / d(yF) = exp(offset - rate y F)

with a rate for each class and an offset for each round, which is 0 for the negative class. This
form is fitted to simulated ensembles with random steps. If it does not fit, there is a
counter-example.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from costboost.rules import NewtonRule
from costboost.theory.descent import (
    ALIGNMENTS,
    Descent,
    compare_newton_steps,
    compare_steps,
    regressions,
    response_contradiction,
)
from costboost.theory.loss import (
    Algorithm,
    Contradiction,
    Curves,
    ExponentialCurves,
    Loss,
    algorithm_of,
    logistic_curves,
)
from costboost.theory.simulation import Paths, simulate_paths
from costboost.vectors import Floats

SEED = 0
"""Seed of random paths and hypotheses: an audit has always the same result."""
N_ENSEMBLES = 12
N_PATHS = 40
EXACT = 1e-7
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
    >>> from costboost import CGAdaClassifier, CSAdaClassifier, CSB2Classifier
    >>> from costboost.theory import losses
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
    if lines.misfit < EXACT:
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
    rate[np.abs(rate) < EXACT * np.abs(rate).max(initial=1e-300)] = 0.0
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
    pairs = [pair for one in ensembles for pair in _pairs(one) if pair.difference > EXACT]
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
    if ratios[high] - ratios[low] < EXACT:
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
