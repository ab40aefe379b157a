r"""The sigmoid of greatest likelihood, by Newton's method, in a form that cannot overflow.

Let m = y f(s) be the margin of a row, y in {-1, +1}, and q the probability that the sigmoid gives
to the row's own class. If the target for q is 1 - slack, the negative log-likelihood is

.. math:: -(1 - slack) \log q - slack \log(1 - q) = \log(1 + e^{-m}) + slack \cdot m.

Written so, nothing is ever subtracted from a number near 1: Lin, Lin & Weng's safe form, for both
classes at once. Where the slack is above 0 the loss grows in both directions of the margin, so
that the best sigmoid is finite even for scores that separate the classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.checks import Floats

MOST_STEPS = 200
"""Twenty are usual. Separable scores take one for each unit of the margin, log(n) in all."""
MOST_HALVINGS = 40
SETTLED = 1e-9
"""A step that moves no logit further is the last: Newton's next would be about its square."""
ARMIJO = 1e-4
ROUNDING = 1e-15
LEAST_SPREAD = float(np.finfo(np.float64).tiny)
"""Scores closer together count as equal: no number is left to say how far apart they are."""
FARTHEST = 1e300


@dataclass(frozen=True)
class Sigmoid:
    """P = 1 / (1 + exp(-(offset + sum of slope (column - center) / scale)))."""

    center: Floats
    scale: Floats
    slope: Floats
    offset: float
    loss: float
    """Mean negative log-likelihood on the sample it was fitted to."""

    @property
    def weights(self) -> Floats:
        """Coefficients of the columns as given."""
        return self.slope / self.scale

    @property
    def intercept(self) -> float:
        """Logit where all columns are 0."""
        return self.offset - float(self.slope @ (self.center / self.scale))


class _Look(NamedTuple):
    """What Newton's method sees from where it stands."""

    loss: float
    pull: Floats
    """Slope of each row's loss, downhill."""
    curvature: Floats


def fit_sigmoid(
    columns: Floats, positive: NDArray[np.bool_], weight: Floats, slack: Floats
) -> Sigmoid:
    """Sigmoid of greatest likelihood; the result does not depend on the scale of the columns."""
    center, scale = spread(columns)
    z = standardise(columns, center, scale)
    sign = np.where(positive, 1.0, -1.0)
    share = weight / weight.sum()
    slope, offset = np.zeros(z.shape[1]), _prior_logit(positive, share)
    logit = np.full(len(z), offset)
    here = _look(logit, sign, share, slack)
    for _ in range(MOST_STEPS):
        tilt, shift, gain = _newton_step(z, here)
        move = z @ tilt + shift
        size, there = _walk(here, logit, move, gain, sign, share, slack)
        if there is None:
            break
        slope, offset, here = slope + size * tilt, offset + size * shift, there
        logit = z @ slope + offset
        if size * np.abs(move).max() <= SETTLED:
            break
    return Sigmoid(center, scale, slope, float(offset), here.loss)


def _walk(
    here: _Look, logit: Floats, move: Floats, gain: float, *rows: Floats
) -> tuple[float, _Look | None]:
    """As much of a step as lowers the loss; None if rounding allows no better."""
    size = 1.0
    for _ in range(MOST_HALVINGS):
        there = _look(logit + size * move, *rows)
        if there.loss <= here.loss - ARMIJO * size * gain + ROUNDING * abs(here.loss):
            return size, there
        size /= 2
    return 0.0, None


def spread(columns: Floats) -> tuple[Floats, Floats]:
    """Middle and half the range of each column, without overflow; a constant has scale 1."""
    low, high = columns.min(axis=0) / 2, columns.max(axis=0) / 2
    half = high - low
    return low + high, np.where(half < LEAST_SPREAD, 1.0, half)


def standardise(columns: Floats, center: Any, scale: Any) -> Floats:
    """Columns as multiples of the scale, finite however far from the center they are."""
    with np.errstate(over="ignore"):
        z: Floats = np.clip((columns / 2 - center / 2) / (scale / 2), -FARTHEST, FARTHEST)
    return z


def _prior_logit(positive: NDArray[np.bool_], share: Floats) -> float:
    """Where the search starts: the log-odds of the classes, in reach of a few steps."""
    rate = float(np.clip(share[positive].sum(), 1e-6, 1 - 1e-6))
    return float(np.log(rate / (1 - rate)))


def _look(logit: Floats, sign: Floats, share: Floats, slack: Floats) -> _Look:
    margin = sign * logit
    tail = np.exp(-np.abs(margin))
    wrong = np.where(margin > 0, tail, 1.0) / (1 + tail)
    loss = np.log1p(tail) + np.maximum(-margin, 0.0) + slack * margin
    pull = share * sign * (wrong - slack)
    return _Look(float(share @ loss), pull, share * tail / (1 + tail) ** 2)


def _newton_step(z: Floats, here: _Look) -> tuple[Floats, float, float]:
    """Change of slope and offset, and how much loss it would save on a straight line.

    Columns are centred by their weighted means, which splits the offset off: columns that are
    nearly constant then keep their digits. Columns that depend on each other share a change.
    """
    total, push = here.curvature.sum(), here.pull.sum()
    mean = (here.curvature @ z) / total
    away = z - mean
    hessian = (away * here.curvature[:, None]).T @ away
    slope_pull = here.pull @ away
    tilt: Floats = np.linalg.lstsq(hessian, slope_pull, rcond=None)[0]
    level = push / total
    return tilt, float(level - mean @ tilt), float(slope_pull @ tilt + push * level)
