"""What calibrators share: base class, checks of scores, and the fit of a sigmoid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from costboost.checks import Floats, check_labels, check_scores, check_weight, distinct, some
from costboost.elementary import (
    dot,
    log,
    logistic_point,
    matrix_product,
    newton_sums,
    symmetric_inverse,
)
from costboost.vectors import RowVector


class Sample(NamedTuple):
    """Validated scores, labels and weights, without the rows of weight 0."""

    score: Floats
    positive: NDArray[np.bool_]
    weight: Floats
    classes: NDArray[Any]
    """The two labels in sorted order; the second is positive."""


def check_sample(score: Any, y: Any, sample_weight: Any) -> Sample:
    """Validate scores, labels and weights; rows of both classes are required."""
    score = check_scores("score", score)
    if score.size == 0:
        raise ValueError("score is empty; calibration needs scores of both classes")
    classes, positive = _check_two_classes(y, score.size)
    weight = check_weight(sample_weight, score.size, "scores")
    counts = weight > 0
    if not 0 < positive[counts].sum() < counts.sum():
        raise ValueError(
            "y has one class only among the rows whose sample_weight is not 0; calibration needs "
            "scores of both classes"
        )
    return Sample(score[counts], positive[counts], weight[counts], classes)


def _check_two_classes(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The two distinct labels in sorted order, and which rows have the second one."""
    if np.shape(y) != (n_rows,):
        raise ValueError(
            f"y must have one label for each of the {n_rows} scores, got an array of shape "
            f"{np.shape(y)}"
        )
    labels = check_labels("y", y)
    classes = distinct(labels)
    if classes.size != 2:
        raise ValueError(f"y must have two classes, got {classes.size}: {some(classes)}")
    return classes, np.asarray(labels == classes[1], dtype=np.bool_)


# ---- base class ----------------------------------------------------------------------------------


class Calibrator(BaseEstimator):
    """Base class of the calibrators; not meant to be used by itself.

    A calibrator has no parameters. Its fitted attributes, whose names end in an underscore, are
    numbers or arrays.
    """

    # `score` is data like scikit-learn's X, not metadata that could be routed.
    __metadata_request__fit = {"score": UNUSED}  # noqa: RUF012
    __metadata_request__predict_proba = {"score": UNUSED}  # noqa: RUF012

    classes_: NDArray[Any]

    def fit(self, score: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the mapping from scores to probabilities.

        Parameters
        ----------
        score : array of shape (n_samples,)
            Scores of rows that the classifier was not trained on.
        y : array of shape (n_samples,)
            Labels of two classes; the greater one in sorted order is positive.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts: a weight of 2 is equivalent to repeating the row, a weight of
            0 to leaving it out.

        Returns
        -------
        self
        """
        sample = check_sample(score, y, sample_weight)
        self._learn(sample)
        self.classes_ = sample.classes
        return self

    @property
    def increases(self) -> bool:
        """Whether a greater score never has a smaller probability."""
        return True

    def probability(self, score: Any) -> Floats:
        """Probability of the positive class.

        Parameters
        ----------
        score : array of shape (n_samples,)

        Returns
        -------
        array of shape (n_samples,)
        """
        if "classes_" not in vars(self):
            check_is_fitted(self)
        if not isinstance(score, RowVector):
            score = check_scores("score", score)
        return self._map(score)

    def predict_proba(self, score: Any) -> Floats:
        """Probability of each class, in the order of ``classes_``.

        Parameters
        ----------
        score : array of shape (n_samples,)

        Returns
        -------
        array of shape (n_samples, 2)
        """
        positive = self.probability(score)
        return np.column_stack([1 - positive, positive])

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Fitted attributes by name, as arrays."""
        check_is_fitted(self)
        return {name: np.asarray(value) for name, value in vars(self).items()}

    @classmethod
    def from_state(cls, state: dict[str, NDArray[Any]]) -> Self:
        """Create a fitted calibrator from the result of ``get_state``."""
        self = cls()
        for name, value in state.items():
            setattr(self, name, value if np.ndim(value) else float(value))
        return self

    def _learn(self, sample: Sample) -> None:
        """Set the fitted attributes."""
        raise NotImplementedError

    def _map(self, score: Floats) -> Floats:
        """Probability of the positive class for validated scores."""
        raise NotImplementedError


# ---- maximum likelihood fit of a sigmoid by Newton's method, without overflow --------------------


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
