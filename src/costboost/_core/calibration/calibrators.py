"""Platt, logistic, log-odds, beta and isotonic calibration, and what these calibrators share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from costboost._core.arithmetic import (
    RowVector,
    dot,
    expit,
    interpolate,
    log,
    log1p,
    logistic_point,
    matrix_product,
    newton_sums,
    symmetric_inverse,
)
from costboost._core.checks import Floats, check_labels, check_scores, check_weight, distinct, some


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


# ---- Platt scaling and logistic calibration ------------------------------------------------------

LEAST_SLACK = 1e-10
"""Slack that keeps a logistic fit finite; negligible for scores of overlapping classes."""
LOG_ODDS_SMOOTHING, SMOOTHING_OF_A_ROW = 0.25, 5.0
"""Rows that the targets of log-odds calibration add to each class, where Platt's add one: so many
and, as few rows tell little, the second number divided by the size of the smaller class."""
LARGEST = float(np.finfo(np.float64).max)


class _SigmoidCalibrator(Calibrator):
    """A sigmoid of the standardised score, whose coefficients are finite for scores of any size."""

    center_: float
    scale_: float
    slope_: float
    offset_: float

    def _slack(self, sample: Sample) -> Floats:
        """Difference between each row's target and its label in {0, 1}."""
        raise NotImplementedError

    def _learn(self, sample: Sample) -> None:
        fitted = fit_sigmoid(
            sample.score[:, None], sample.positive, sample.weight, self._slack(sample)
        )
        self.center_, self.scale_ = float(fitted.center[0]), float(fitted.scale[0])
        self.slope_, self.offset_ = float(fitted.slope[0]), fitted.offset

    def _map(self, score: Floats) -> Floats:
        z = standardise(score, self.center_, self.scale_)
        with np.errstate(over="ignore"):
            found: Floats = expit(self.slope_ * z + self.offset_)
        return found

    @property
    def increases(self) -> bool:
        return self.slope_ >= 0

    @property
    def a_(self) -> float:
        """A in 1 / (1 + exp(A s + B)); below 0 if higher scores are more often positive."""
        return _finite(0.0 - self.slope_ / self.scale_)

    @property
    def b_(self) -> float:
        """B in 1 / (1 + exp(A s + B))."""
        return _finite(self.slope_ * (self.center_ / self.scale_) - self.offset_)


def _finite(value: float) -> float:
    return max(-LARGEST, min(LARGEST, value))


class PlattCalibrator(_SigmoidCalibrator):
    r"""Platt scaling: a sigmoid of the score, fitted to smoothed targets.

    .. math::

        P(y=+1 \mid s) = \frac{1}{1 + e^{A s + B}}

    with A and B of greatest likelihood for the targets

    .. math::

        t_+ = \frac{n_+ + 1}{n_+ + 2}, \qquad t_- = \frac{1}{n_- + 2}.

    Take it when rows for calibration are few, and for the scores of boosting, whose distortion is a
    sigmoid. Take :class:`IsotonicCalibrator` when there are thousands and the distortion may be
    of another shape.

    Attributes
    ----------
    a_, b_ : float
        A and B.
    center_, scale_, slope_, offset_ : float
        The stored form of A and B: A s + B = -(slope (s - center) / scale + offset). It stays
        exact for scores of any size.
    classes_ : array of shape (2,)
        The labels; the second one is positive.

    Notes
    -----
    The numbers of positive and negative rows in the targets are sums of weights: a weight of 2 is
    equivalent to repeating the row. With weights that add up to 1, all targets and probabilities
    are therefore near 1/2; pass counts.

    Scores that separate the classes give a finite, steep sigmoid, constant scores A = 0.
    Multiplying the scores by a number or shifting them changes no probability.

    References
    ----------
    J. C. Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin
    Classifiers, 1999. H.-T. Lin, C.-J. Lin, R. C. Weng, "A note on Platt's probabilistic outputs
    for support vector machines", Machine Learning 68, 2007.

    Examples
    --------
    >>> from costboost.calibration import PlattCalibrator
    >>> platt = PlattCalibrator().fit([0.1, 0.3, 0.4, 0.6, 0.8], [0, 0, 1, 0, 1])
    >>> platt.probability([0.0, 0.5, 1.0]).round(3)
    array([0.183, 0.451, 0.752])
    """

    _smoothing: ClassVar[float] = 1.0

    def _slack(self, sample: Sample) -> Floats:
        return smoothing_slack(sample.positive, sample.weight, self._smoothing)


class LogisticCalibrator(_SigmoidCalibrator):
    r"""Logistic calibration: the sigmoid of the score that has the greatest likelihood.

    .. math::

        P(y=+1 \mid s) = \frac{1}{1 + e^{A s + B}}

    It is :class:`PlattCalibrator` without the corrected targets. The two differ on small samples,
    where this one is the more confident: prefer Platt's there. Multiplying all weights by a number
    changes nothing here.

    Attributes
    ----------
    a_, b_ : float
        A and B.
    center_, scale_, slope_, offset_ : float
        The stored form of A and B: A s + B = -(slope (s - center) / scale + offset).
    classes_ : array of shape (2,)
        The labels; the second one is positive.

    Notes
    -----
    For scores that separate the classes the likelihood has no maximum: it grows with the slope.
    Targets of 1 - 1e-10 and 1e-10 make the slope finite; for other scores their effect is
    negligible.

    References
    ----------
    A. Niculescu-Mizil, R. Caruana, "Obtaining calibrated probabilities from boosting", UAI 2005.

    Examples
    --------
    >>> from costboost.calibration import LogisticCalibrator
    >>> logistic = LogisticCalibrator().fit([0.1, 0.3, 0.4, 0.6, 0.8], [0, 0, 1, 0, 1])
    >>> logistic.probability([0.0, 0.5, 1.0]).round(3)
    array([0.045, 0.447, 0.932])
    """

    def _slack(self, sample: Sample) -> Floats:
        return np.full(sample.score.shape, LEAST_SLACK)


# ---- Platt scaling of log-odds, for scores that are probabilities --------------------------------


class LogOddsCalibrator(PlattCalibrator):
    r"""Platt scaling of the log-odds of a score in [0, 1].

    .. math::

        P(y=+1 \mid s) = \frac{1}{1 + e^{A \log(s / (1 - s)) + B}}

    with A and B of greatest likelihood for the targets

    .. math::

        t_+ = 1 - \frac{m}{n_+}, \qquad t_- = \frac{m}{n_-}, \qquad
        m = \frac{n s}{n + 2 s}, \quad s = \frac{1}{4} + \frac{5}{n}, \quad n = \min(n_+, n_-).

    It is beta calibration with a = b, and leaves good probabilities as they are (A = -1, B = 0),
    which Platt's sigmoid of the score itself cannot: it flattens both ends. Take it for scores of a
    logistic loss, such as those of LogitBoost, which are mostly too confident.

    Attributes
    ----------
    a_, b_ : float
        A and B.
    center_, scale_, slope_, offset_ : float
        The stored form of A and B: A t + B = -(slope (t - center) / scale + offset), where t is
        the log-odds of the score.
    classes_ : array of shape (2,)
        The labels; the second one is positive.

    Notes
    -----
    Scores are clipped to [1e-10, 1 - 1e-10].

    Where there are many rows the targets are nearer to 0 and 1 than Platt's, which add s = 1: with
    n negative rows no probability below about 1 / (n + 2) is then learned, and from a hundred rows
    no decision that depends on a probability of 1%, as it does where a false negative costs a
    hundred times as much as a false positive. Where a class has few rows they are farther from 0
    and 1, as these rows may be far from the others by chance: three rows of one class that the
    scores separate from the others are given about 0.7. Both classes lose the same weight m, so
    that the mean of the targets is the share of the positives. Without any correction, classes that
    the scores separate would have probabilities of exactly 0 and 1.

    References
    ----------
    J. C. Platt, "Probabilistic outputs for support vector machines", Advances in Large Margin
    Classifiers, 1999. C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, "On calibration of modern neural
    networks", ICML 2017 (matrix and temperature scaling, of which this is the binary form).

    Examples
    --------
    >>> from costboost.calibration import LogOddsCalibrator
    >>> calibrator = LogOddsCalibrator().fit([0.1, 0.3, 0.4, 0.6, 0.8], [0, 0, 1, 0, 1])
    >>> calibrator.probability([0.1, 0.5, 0.9]).round(3)
    array([0.242, 0.425, 0.632])
    """

    def _slack(self, sample: Sample) -> Floats:
        return balanced_slack(sample.positive, sample.weight)

    def _learn(self, sample: Sample) -> None:
        super()._learn(sample._replace(score=log_odds(sample.score)))

    def _map(self, score: Floats) -> Floats:
        return super()._map(log_odds(score))


def log_odds(score: Floats) -> Floats:
    """The log-odds of scores in [0, 1], clipped so that they are finite."""
    s = np.clip(check_unit(score), EDGE, 1 - EDGE)
    found: Floats = log(s) - log1p(-s)
    return found


# ---- beta calibration ----------------------------------------------------------------------------


EDGE = 1e-10
"""Scores are clipped to this distance from 0 and 1, so that their logarithms are finite."""


class BetaCalibrator(Calibrator):
    r"""Beta calibration: for scores in [0, 1] whose two ends may be distorted differently.

    .. math::

        P(y=+1 \mid s) = \frac{1}{1 + 1 \Big/ \left(e^c \frac{s^a}{(1-s)^b}\right)},
        \qquad a, b \ge 0

    with a, b, c of greatest likelihood: logistic regression on log s and -log(1 - s). If a
    coefficient comes out negative it is dropped and the others are fitted again, as in the paper,
    so that a higher score never means a lower probability. That is the best fit with a, b >= 0;
    where both come out negative, each of the two is tried without the other.

    Take it when the score is a probability, or a share of votes. Unlike Platt's sigmoid it can
    leave good probabilities as they are: a = b = 1, c = 0 is the identity.

    Attributes
    ----------
    a_, b_, c_ : float
        The three parameters.
    classes_ : array of shape (2,)
        The labels; the second one is positive.

    Notes
    -----
    Scores are clipped to [1e-10, 1 - 1e-10]. Targets are those of :class:`LogisticCalibrator`, so
    that the fit is finite for scores that separate the classes. Scores that decrease where the
    labels increase give a = b = 0: the share of positives for every row.

    References
    ----------
    M. Kull, T. Silva Filho, P. Flach, "Beta calibration: a well-founded and easily implemented
    improvement on logistic calibration for binary classifiers", AISTATS 2017.

    Examples
    --------
    >>> from costboost.calibration import BetaCalibrator
    >>> beta = BetaCalibrator().fit([0.1, 0.3, 0.4, 0.6, 0.8], [0, 0, 1, 0, 1])
    >>> beta.probability([0.0, 0.5, 1.0]).round(3)
    array([0.   , 0.456, 1.   ])
    """

    a_: float
    b_: float
    c_: float

    def _learn(self, sample: Sample) -> None:
        columns = np.column_stack(_logarithms(check_unit(sample.score)))
        (self.a_, self.b_), self.c_ = _best(columns, sample, self._slack(sample))

    def _slack(self, sample: Sample) -> Floats:
        """Difference between each row's target and its label in {0, 1}."""
        return np.full(sample.score.shape, LEAST_SLACK)

    def _map(self, score: Floats) -> Floats:
        of_one, of_other = _logarithms(check_unit(score))
        found: Floats = expit(of_one * self.a_ + of_other * self.b_ + self.c_)
        return found


class _SmoothedBeta(BetaCalibrator):
    """Beta calibration fitted to the targets of log-odds calibration."""

    def _slack(self, sample: Sample) -> Floats:
        return balanced_slack(sample.positive, sample.weight)


def smoothed_beta(score: Any, y: Any, sample_weight: Any = None) -> BetaCalibrator:
    """Beta calibration fitted to the targets of log-odds calibration."""
    return BetaCalibrator.from_state(_SmoothedBeta().fit(score, y, sample_weight).get_state())


def check_unit(score: Floats) -> Floats:
    """Validate that scores are between 0 and 1."""
    if isinstance(score, RowVector):
        return score
    outside = (score < 0) | (score > 1)
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        raise ValueError(
            f"this calibration takes scores from 0 to 1, got {score[row]:g} in row {row}; pass "
            "probabilities, or take PlattCalibrator"
        )
    return score


def _logarithms(score: Floats) -> tuple[Floats, Floats]:
    """log s and -log(1 - s), both of which increase with the score."""
    inner = np.clip(score, EDGE, 1 - EDGE)
    return log(inner), -log1p(-inner)


def _best(columns: Floats, sample: Sample, slack: Floats) -> tuple[tuple[float, float], float]:
    """Non-negative coefficients and the intercept of greatest likelihood."""

    def fit(*kept: int) -> tuple[Sigmoid, Floats]:
        fitted = fit_sigmoid(columns[:, kept], sample.positive, sample.weight, slack)
        weights = np.zeros(2)
        weights[list(kept)] = fitted.weights
        return fitted, weights

    candidates = [fit(0, 1)]
    if np.any(candidates[0][1] < 0):
        candidates = [fit(0), fit(1), fit()]
    allowed = [one for one in candidates if np.all(one[1] >= 0)]
    fitted, (a, b) = min(allowed, key=lambda one: one[0].loss)
    return (float(a), float(b)), fitted.intercept


# ---- isotonic regression -------------------------------------------------------------------------


class IsotonicCalibrator(Calibrator):
    r"""Isotonic regression: the non-decreasing function of the score nearest to the labels.

    .. math::

        P = \arg\min_{g\ \text{non-decreasing}} \sum_i w_i (y^*_i - g(s_i))^2,
        \qquad y^* \in \{0, 1\}

    It is scikit-learn's ``IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")`` and gives
    its numbers. Take it when there are thousands of rows for calibration; it corrects any
    distortion that keeps the order. On few rows it overfits: take :class:`PlattCalibrator`.

    Below the first and above the last block of mixed labels, probabilities are exactly 0 and 1.
    Decisions by cost then ignore the remaining risk there, and the log-loss of an error is
    infinite. The Brier score is hardly affected.

    Attributes
    ----------
    thresholds_, values_ : array
        Scores and the probabilities at them; values in between are interpolated linearly.
    classes_ : array of shape (2,)
        The labels; the second one is positive.

    References
    ----------
    B. Zadrozny, C. Elkan, "Transforming classifier scores into accurate multiclass probability
    estimates", KDD 2002.

    Examples
    --------
    >>> from costboost.calibration import IsotonicCalibrator
    >>> isotonic = IsotonicCalibrator().fit([0.1, 0.3, 0.4, 0.6, 0.8], [0, 0, 1, 0, 1])
    >>> isotonic.probability([0.0, 0.35, 0.5, 1.0])
    array([0.  , 0.25, 0.5 , 1.  ])
    """

    thresholds_: Floats
    values_: Floats

    def _learn(self, sample: Sample) -> None:
        fitted = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(
            sample.score, sample.positive.astype(np.float64), sample.weight
        )
        self.thresholds_ = np.asarray(fitted.X_thresholds_, dtype=np.float64)
        self.values_ = np.asarray(fitted.y_thresholds_, dtype=np.float64)

    def _map(self, score: Floats) -> Floats:
        # interpolation between huge scores may exceed the ends by an ulp
        found: Floats = np.clip(interpolate(score, self.thresholds_, self.values_), 0.0, 1.0)
        return found
