"""The loss that an update of the weights implies, or two rows which show that there is none.

If the weights come from descending a loss of the margin, rows of the same class and margin pull
alike after the same number of rounds, whatever happened on the way. Where rounds multiply the
weights, that leaves one form: the logarithm of the pull falls along a straight line, so that

    -dL / d(yF) = exp(lean - rate y F)

with a rate for each class and a lean for each round, 0 for the negative class. That is fitted to
ensembles with freely drawn steps; a misfit comes with its counter-example.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from costboost.cells import Floats
from costboost.theory.algorithm import Algorithm
from costboost.theory.plays import Play, free_play

N_PLAYS = 12
N_PATHS = 40
EXACT = 1e-7
"""A line that misses no logarithm by more than this goes through all of them."""
SAME_MARGIN = 1e-9


class Implied(NamedTuple):
    """The straight lines of the two classes."""

    lean: Floats
    """Before the first round, and after each."""
    rate: Floats
    """Of the positive and of the negative class."""
    misfit: float


class Contradiction(NamedTuple):
    """Rows that no loss of the margin can have weighed."""

    because: str
    numbers: dict[str, Any]


def implied(algorithm: Algorithm, random: np.random.Generator) -> Implied | Contradiction:
    """The loss that the rounds imply, or why there is none."""
    plays = [free_play(algorithm, random, N_PATHS) for _ in range(N_PLAYS)]
    lines = _straight_lines(plays)
    if lines.misfit < EXACT:
        return _falling(lines)
    found = _two_paths(plays) or _two_ensembles(plays)
    if found is None:
        raise ValueError(
            f"the weights of {algorithm.name} are a function of margin, class and round, but no "
            "exponential one: the theory does not cover such a rule yet"
        )
    return found


def _falling(lines: Implied) -> Implied | Contradiction:
    """The same, if greater margins make for smaller weights."""
    if lines.rate.min() > 0:
        return lines
    rates = lines.rate.tolist()
    return Contradiction(
        "the weights do not fall as the margin grows: those of the positives change as "
        f"exp({-rates[0]:.4g} m), those of the negatives as exp({-rates[1]:.4g} m)",
        {"rates": rates},
    )


def _straight_lines(plays: Sequence[Play]) -> Implied:
    """Least squares: the rates from rows of one class, the leans from the difference of classes.

    Only within an ensemble and a round are pulls compared, because all of them share a constant.
    """
    margin, pull = (np.array([play[field] for play in plays]) for field in (2, 3))
    around = [values - values.mean(axis=3, keepdims=True) for values in (margin, pull)]
    across = (0, 1, 3)
    rate = -(around[0] * around[1]).sum(across) / (around[0] ** 2).sum(across)
    rate[np.abs(rate) < EXACT * np.abs(rate).max(initial=1e-300)] = 0.0
    height = pull + rate[:, None] * margin  # the same for all rows of a class and ensemble
    level = height.mean(axis=3)
    lean = (level[:, :, 0] - level[:, :, 1]).mean(axis=0)
    within = np.abs(height - level[..., None]).max()
    between = np.abs(level[:, :, 0] - level[:, :, 1] - lean).max()
    return Implied(lean, rate, float(max(within, between)))


# ---- counter-examples ----------------------------------------------------------------------------


class _Pair(NamedTuple):
    """Two rows of an ensemble that share class and margin."""

    play: Play
    time: int
    side: int
    first: int
    second: int

    @property
    def apart(self) -> float:
        pull = self.play.pull[self.time, self.side]
        return float(abs(pull[self.first] - pull[self.second]))


def _two_paths(plays: Sequence[Play]) -> Contradiction | None:
    """Two rows of a class with one margin and two weights, after as few rounds as possible."""
    pairs = [pair for play in plays for pair in _meetings(play) if pair.apart > EXACT]
    if not pairs:
        return None
    pair = min(pairs, key=lambda one: (one.time, -one.apart))
    play, time, side = pair.play, pair.time, pair.side
    paths = [play.outcome[:time, path] for path in (pair.first, pair.second)]
    pull = play.pull[time, side, [pair.first, pair.second]]
    weights = np.exp(pull - pull.min())
    margin = round(float(play.margin[time, side, pair.first]), 12) + 0.0
    steps = play.steps[:time]
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


def _meetings(play: Play) -> Iterator[_Pair]:
    for time in range(1, len(play.margin)):
        for side in (0, 1):
            margin = play.margin[time, side]
            order = np.argsort(margin, kind="stable")
            for k in np.flatnonzero(np.diff(margin[order]) < SAME_MARGIN):
                yield _Pair(play, time, side, int(order[k]), int(order[k + 1]))


def _two_ensembles(plays: Sequence[Play]) -> Contradiction | None:
    """Rows of both classes with one margin, whose weights have another ratio in another ensemble.

    Within each ensemble the ratio is the same at all margins, or two paths would have been found.
    """
    time = 1
    ratios = [float(np.exp(np.diff(play.pull[time, ::-1, 0], axis=0)[0])) for play in plays]
    low, high = int(np.argmin(ratios)), int(np.argmax(ratios))
    if ratios[high] - ratios[low] < EXACT:
        return None
    steps = [float(plays[k].steps[0]) for k in (low, high)]
    return Contradiction(
        f"after {time} round a positive and a negative row of the same margin weigh as "
        f"{ratios[low]:.4g} : 1 if the step was {steps[0]:.4g}, and as {ratios[high]:.4g} : 1 if "
        f"it was {steps[1]:.4g}",
        {"steps": steps, "weights": [ratios[low], ratios[high]]},
    )


def listed(values: Any) -> str:
    """Numbers in brackets."""
    return "(" + ", ".join(f"{value:.4g}" for value in np.asarray(values).tolist()) + ")"
