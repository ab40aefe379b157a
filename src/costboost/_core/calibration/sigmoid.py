"""The sigmoid of greatest likelihood, by Newton's method without overflow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import (
    dot,
    log,
    logistic_point,
    matrix_product,
    newton_sums,
    symmetric_inverse,
)
from costboost._core.checks import Floats

LEAST_SLACK = 1e-10
"""Slack that keeps a logistic fit finite; negligible for scores of overlapping classes."""
LOG_ODDS_SMOOTHING, SMOOTHING_OF_A_ROW = 0.25, 5.0
"""Rows that the targets of log-odds calibration add to each class, where Platt's add one: so many
and, as few rows tell little, the second number divided by the size of the smaller class."""


NO_SLACK = 1e-30
"""Lower bound of the slack for sums of weights above 1e30, so that margins stay below 70."""
MOST_STEPS = 200
"""Newton steps; 20 are usual. Separable scores take one for each unit of the margin, log(n)."""
MOST_HALVINGS = 40
SETTLED = 1e-9
"""Converged if no logit changes by more: the next Newton step would be about its square."""
ARMIJO = 1e-4
ROUNDING = 1e-15
LEAST_SPREAD = float(np.finfo(np.float64).tiny)
"""Scores within this range count as constant: their differences would underflow."""
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
        """Coefficients of the columns before standardisation."""
        return self.slope / self.scale

    @property
    def intercept(self) -> float:
        """Logit where all columns are 0."""
        return self.offset - dot(self.slope, self.center / self.scale)


class _Point(NamedTuple):
    """Loss at the current coefficients, with the derivatives of every row's loss by its logit."""

    loss: float
    gradient: Floats
    """Negative gradient."""
    curvature: Floats
    """Second derivative."""


def smoothing_slack(positive: NDArray[np.bool_], weight: Floats, rows: float) -> Floats:
    """Slack of smoothed targets: (n + rows) / (n + 2 rows) for the own class, which has n rows.

    ``rows=1`` gives Platt's targets.
    """
    of_class = np.where(positive, weight[positive].sum(), weight[~positive].sum())
    slack: Floats = rows / (of_class + 2 * rows)
    return np.maximum(slack, NO_SLACK)


def balanced_slack(positive: NDArray[np.bool_], weight: Floats) -> Floats:
    """Slack of the targets of log-odds calibration, by which both classes lose the same weight."""
    of_class = np.where(positive, weight[positive].sum(), weight[~positive].sum())
    smaller = float(of_class.min())
    rows = LOG_ODDS_SMOOTHING + SMOOTHING_OF_A_ROW / smaller
    slack: Floats = smaller / of_class * (rows / (smaller + 2 * rows))
    return np.maximum(slack, NO_SLACK)


def fit_sigmoid(
    columns: Floats, positive: NDArray[np.bool_], weight: Floats, slack: Floats
) -> Sigmoid:
    r"""Fit a sigmoid by maximum likelihood; the fit does not depend on the scale of the columns.

    Let m = y f(s) be the margin of a row, y in {-1, +1}, and q the probability that the sigmoid
    gives to the row's own class. If the target for q is 1 - slack, the negative log-likelihood is

    .. math:: -(1 - slack) \log q - slack \log(1 - q) = \log(1 + e^{-m}) + slack \cdot m.

    In this form, that of Lin, Lin & Weng for both classes at once, nothing is subtracted from a
    number near 1. Where the slack is above 0 the loss grows in both directions of the margin, so
    that the best sigmoid is finite even for scores that separate the classes.
    """
    center, scale = spread(columns)
    z = np.ascontiguousarray(standardise(columns, center, scale))
    sign = np.where(positive, 1.0, -1.0)
    share = _shares(weight)
    slope, offset = np.zeros(z.shape[1]), _prior_logit(positive, share)
    logit = np.full(len(z), offset)
    point = _evaluate(logit, sign, share, slack)
    for _ in range(MOST_STEPS):
        slope_step, offset_step, gain = _newton_step(z, point)
        move = matrix_product(z, slope_step) + offset_step
        size, candidate = _line_search(point, logit, move, gain, sign, share, slack)
        if candidate is None:
            break
        slope, offset, point = slope + size * slope_step, offset + size * offset_step, candidate
        logit = matrix_product(z, slope) + offset
        if size * np.abs(move).max() <= SETTLED:
            break
    return Sigmoid(center, scale, slope, float(offset), point.loss)


def _shares(weight: Floats) -> Floats:
    """Weights as shares of their sum, also if that is too large for a float."""
    with np.errstate(over="ignore"):
        total = weight.sum()
    if np.isfinite(total):
        return np.asarray(weight / total)
    small = weight / weight.max() / weight.size
    return np.asarray(small / small.sum())


def _line_search(
    point: _Point, logit: Floats, move: Floats, gain: float, *rows: Floats
) -> tuple[float, _Point | None]:
    """Halve a Newton step until it lowers the loss; None if rounding allows no improvement."""
    size = 1.0
    for _ in range(MOST_HALVINGS):
        candidate = _evaluate(logit + size * move, *rows)
        if candidate.loss <= point.loss - ARMIJO * size * gain + ROUNDING * abs(point.loss):
            return size, candidate
        size /= 2
    return 0.0, None


def spread(columns: Floats) -> tuple[Floats, Floats]:
    """Center and half the range of each column, without overflow; a constant has scale 1."""
    low, high = columns.min(axis=0) / 2, columns.max(axis=0) / 2
    half = high - low
    return low + high, np.where(half < LEAST_SPREAD, 1.0, half)


def standardise(columns: Floats, center: Any, scale: Any) -> Floats:
    """Subtract the center and divide by the scale, without overflow."""
    with np.errstate(over="ignore"):
        z: Floats = np.clip((columns / 2 - center / 2) / (scale / 2), -FARTHEST, FARTHEST)
    return z


def _prior_logit(positive: NDArray[np.bool_], share: Floats) -> float:
    """Starting point: the log-odds of the classes, clipped so that a few steps suffice."""
    rate = float(np.clip(share[positive].sum(), 1e-6, 1 - 1e-6))
    return float(log(rate / (1 - rate)))


def _evaluate(logit: Floats, sign: Floats, share: Floats, slack: Floats) -> _Point:
    """Compute loss, gradient and curvature for the logits of all rows."""
    return _Point(*logistic_point(logit, sign, share, slack))


def _newton_step(z: Floats, point: _Point) -> tuple[Floats, float, float]:
    """Change of slope and offset, and the decrease of the loss by its linear approximation.

    Columns are centred by their weighted means, which separates the offset, so that columns that
    are nearly constant keep their precision. Collinear columns share a change.
    """
    if not z.shape[1]:
        gradient = float(point.gradient.sum())
        step = gradient / float(point.curvature.sum())
        return np.empty(0), step, gradient * step
    total, total_gradient, mean, slope_gradient, hessian = newton_sums(
        z, point.gradient, point.curvature
    )
    slope_step = matrix_product(symmetric_inverse(hessian), slope_gradient)
    mean_step = total_gradient / total
    decrease = dot(slope_gradient, slope_step) + total_gradient * mean_step
    return slope_step, mean_step - dot(mean, slope_step), decrease
