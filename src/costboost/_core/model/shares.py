r"""Shares of the classes among unlabelled rows, estimated as far as the scores identify them.

With probabilities :math:`p_k(x)` that refer to shares :math:`\pi_k`, the log-likelihood of shares
s is :math:`\ell(s) = \sum_i w_i \log \sum_k s_k r_{ik}` with :math:`r_{ik} = p_k(x_i) / \pi_k`.
Its maximum is of no use where scores hardly separate the classes: it goes to 0 or 1 by chance, and
an error of calibration of size e moves it by about :math:`e / R^2`, where :math:`R^2` is the share
of the variance of the class that the scores explain. Therefore

- the calibration has an error of its own, as if it had been made with a number of labelled rows;
- intervals and tests use the log-likelihood divided by how much this error inflates the variance;
- the estimate is the most probable value if shifts of the log-odds are normal with mean 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, chdtri, softmax

from costboost._core.arithmetic import Floats
from costboost._core.checks import warn

SHARE_BISECTIONS = 100
MOST_STEPS = 5000
SETTLED = 1e-12
"""EM has converged if no share changes by more."""
LEAST_SHARE = 1e-12
"""Estimated shares are at least this, so that odds are finite."""

# ---- shares of greatest likelihood ---------------------------------------------------------------


def density_ratios(probability: Floats, prior: Floats) -> Floats:
    """P(x | class) / P(x) of each row and class: probabilities over the shares they refer to."""
    return np.asarray(probability / prior)


def log_likelihood(ratios: Floats, shares: Floats, weight: Floats) -> float:
    """Log-likelihood of shares of the classes, relative to that of the shares of training."""
    with np.errstate(divide="ignore"):
        return float(weight @ np.log(ratios @ shares))


def most_likely_shares(ratios: Floats, weight: Floats) -> Floats:
    """Shares of the classes of greatest likelihood (Saerens et al. 2002).

    The limit of their EM iterations; with two classes it is found by bisection, because the
    log-likelihood is concave.
    """
    if ratios.shape[1] == 2:
        share = _most_likely_share(ratios[:, 0], ratios[:, 1], weight)
        return np.array([1 - share, share])
    return em(ratios, weight)


def _most_likely_share(negative: Floats, positive: Floats, weight: Floats) -> float:
    low, high = 0.0, 1.0
    beyond = positive - negative
    for _ in range(SHARE_BISECTIONS):
        share = (low + high) / 2
        if share in (low, high):
            break
        if weight @ (beyond / (negative + share * beyond)) > 0:
            low = share
        else:
            high = share
    return float(np.clip((low + high) / 2, LEAST_SHARE, 1 - LEAST_SHARE))


def em(ratios: Floats, weight: Floats, fixed: tuple[int, float] | None = None) -> Floats:
    """Shares of the classes by the EM algorithm, extrapolated (SQUAREM, Varadhan & Roland 2008).

    With ``fixed``, the share of a class is held at a value.
    """
    k = ratios.shape[1]
    shares = np.full(k, 1 / k)
    if fixed is not None:
        shares = _with_fixed(shares, fixed)
    total = weight.sum()

    def step(q: Floats) -> Floats:
        found: Floats = q * (weight @ (ratios / (ratios @ q)[:, None])) / total
        return found if fixed is None else _with_fixed(found, fixed)

    for _ in range(MOST_STEPS):
        first = step(shares)
        second = step(first)
        change, bend = first - shares, second - 2 * first + shares
        size = np.sqrt(change @ change)
        if size < SETTLED:
            break
        curve = np.sqrt(bend @ bend)
        length = -max(size / curve, 1.0) if curve > 0 else -1.0
        further = shares - 2 * length * change + length**2 * bend
        if np.all(further > 0) and log_likelihood(ratios, further, weight) >= log_likelihood(
            ratios, second, weight
        ):
            second = step(further)
        shares = second
    shares = np.maximum(shares, LEAST_SHARE)
    return np.asarray(shares / shares.sum())


def _with_fixed(shares: Floats, fixed: tuple[int, float]) -> Floats:
    """Shares of which one is held at a value; the others keep their proportions."""
    k, value = fixed
    others = np.maximum(shares, LEAST_SHARE)
    others = others * ((1 - value) / (others.sum() - others[k]))
    others[k] = value
    return np.asarray(others)


# ---- how far the scores identify them ------------------------------------------------------------

TRAINING_ROWS = 3.0
"""Training rows that calibrate as well as one labelled row that training has not seen.

Scores of training rows are not those of the final model, which has seen them. On the sets of
benchmarks/prevalence.py, means of probabilities and slopes of `CostBoostClassifier` are as far off
as for 1.3; other classifiers were not measured.
"""
UNKNOWN_ROWS = 1000
"""Training rows of a classifier that does not record how many there were."""
LEAST_LEVEL_ERROR = 0.015
"""Standard error of the mean probability, in its standard deviations, after any number of rows."""
LEAST_SLOPE_ERROR = 0.05
"""Standard error of the slope of the log-odds after any number of rows."""
USUAL_SHIFT = 1.0
"""Standard deviation of shifts of the log-odds of a class before rows are seen."""
SHIFT = 0.05
"""p-value below which the shares have changed beyond chance."""
REGION_BISECTIONS = 20
PASSES = 3
NEWTON_STEPS = 50
SMALLEST_STEP = 1e-6
SETTLED_LOGS = 1e-8
LEAST_ROWS = 0.5
"""A most likely share of fewer rows than this is one at the boundary."""
RIDGE = 1e-9
TINY = 1e-12

AT_BOUNDARY = (
    "the most likely shares of the classes leave a class without rows, and the scores do not rule "
    "out the shares of training: these are taken"
)
ALMOST_AT_BOUNDARY = (
    "the most likely shares of the classes leave a class without rows: the estimate is drawn "
    "towards the shares of training"
)


def calibration_rows(n_train: float = UNKNOWN_ROWS) -> float:
    """Labelled rows, not seen in training, that would calibrate as well as training has done."""
    return n_train / TRAINING_ROWS


class Estimated(NamedTuple):
    """Shares of the classes, as far as the scores identify them."""

    shares: Floats
    most_likely: Floats
    at_boundary: bool
    """Whether the most likely shares leave a class without rows."""
    kept: bool = False
    """Whether the shares are those of training for that reason."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """Unlabelled rows with their probabilities, as a mixture of the classes.

    Parameters
    ----------
    probability : array of shape (n_rows, n_classes)
    prior : array of shape (n_classes,)
        Shares of the classes that the probabilities refer to.
    weight : array of shape (n_rows,)
        How often each row counts.
    rows : float
        Labelled rows that would calibrate as well, see `calibration_rows`.
    """

    probability: Floats
    prior: Floats
    weight: Floats
    rows: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratios", density_ratios(self.probability, self.prior))

    ratios: Floats = field(init=False)
    """P(x | class) / P(x) of each row and class."""

    @property
    def n_rows(self) -> float:
        """Number of rows, each as often as it counts."""
        return float(self.weight.sum())

    def log_likelihood(self, shares: Floats) -> float:
        """Log-likelihood of shares relative to those of training."""
        return log_likelihood(self.ratios, shares, self.weight)

    def most_likely(self) -> Floats:
        """Shares of greatest likelihood."""
        return most_likely_shares(self.ratios, self.weight)

    def with_share(self, k: int, share: float) -> Floats:
        """The most likely shares if that of class k is given."""
        if self.prior.size == 2:
            return np.array([1 - share, share] if k else [share, 1 - share])
        return em(self.ratios, self.weight, (k, share))

    # ---- what an error of calibration does -------------------------------------------------------

    @property
    def inflation(self) -> float:
        """Variance of the score at the shares of training, in that of exact probabilities.

        The mean probability of rows like those of training is not quite their share: it has the
        error of a mean over the rows of calibration.
        """
        return 1 + self.n_rows * (1 / self.rows + LEAST_LEVEL_ERROR**2)

    def information(self, shares: Floats, basis: Floats) -> tuple[Floats, Floats]:
        """Information of shares in directions that keep their sum, and what calibration adds.

        The second matrix is the covariance of the score by errors of calibration.
        """
        mixed = np.maximum(self.ratios @ shares, TINY)[:, None]
        score = (self.ratios / mixed) @ basis
        known = (score * self.weight[:, None]).T @ score
        slope = self._slope(shares, mixed) @ basis
        return known, (self.inflation - 1) * known + np.outer(slope, slope)

    def _slope(self, shares: Floats, mixed: Floats) -> Floats:
        """Change of the score by one standard error of the slope of the log-odds.

        The slope turns around the point at which the mean probabilities of training stay. Rows
        count as in training: by their weight over their density in the mixture.
        """
        p, weight = self.probability, self.weight / mixed[:, 0]
        weight = weight / weight.sum()
        logs = np.log(np.maximum(p, TINY))
        spread = np.diag(weight @ p) - (p * weight[:, None]).T @ p
        moved = weight @ (p * centred(logs, p))
        beyond = centred(logs - np.linalg.lstsq(spread, moved, rcond=None)[0], p)
        known = self.rows * float(weight @ (p * beyond**2).sum(axis=1))
        change = p * beyond / self.prior
        score = change / mixed - self.ratios * ((change @ shares)[:, None] / mixed**2)
        error = np.sqrt(1 / max(known, TINY) + LEAST_SLOPE_ERROR**2)
        return np.asarray(error * (self.weight @ score))

    def discount(self, k: int, shares: Floats) -> float:
        """Variance of the share of class k by exact probabilities, over that by these."""
        basis = directions(shares.size)
        known, added = self.information(shares, basis)
        inverse = np.linalg.inv(known + RIDGE * self.n_rows * np.eye(len(known)))
        toward = inverse @ basis[k]
        exact = float(basis[k] @ toward)
        return exact / (exact + float(toward @ added @ toward))

    # ---- the estimate ----------------------------------------------------------------------------

    def estimated(self) -> Estimated:
        """Shares of the classes, as far as the scores identify them.

        If the most likely shares leave a class without rows, and no shift can be excluded, they are
        those of training.
        """
        likely = self.most_likely()
        at_boundary = bool(self.n_rows * likely.min() < LEAST_ROWS)
        if at_boundary and self.p_value(likely) >= SHIFT:
            return Estimated(self.prior, likely, True, True)
        return Estimated(self._most_probable(likely), likely, at_boundary)

    def statistic(self, likely: Floats) -> float:
        """Twice the log-likelihood ratio against no shift, over its inflation."""
        beyond = self.log_likelihood(likely) - self.log_likelihood(self.prior)
        return max(0.0, 2 * beyond) / self.inflation

    def p_value(self, likely: Floats) -> float:
        """Probability of a statistic that is at least as large, without a shift."""
        return float(chdtrc(likely.size - 1, self.statistic(likely)))

    def _most_probable(self, likely: Floats) -> Floats:
        """The most probable shares if shifts of log-odds are normal around none.

        What the likelihood is about is the sum of the shift and of an error of calibration. Its
        most probable value is found, and the part of it that is the shift. Where that is outside
        of the confidence region of the rows, it is moved to its edge.
        """
        basis, shares = directions(self.prior.size), self.prior
        usual = USUAL_SHIFT**2 / 2 * np.eye(basis.shape[1])
        for _ in range(PASSES):
            precision = np.asarray(np.linalg.inv(usual + self._error(shares, basis)), dtype=float)
            both = self._penalised(basis, precision)
            shares = self._shifted(basis @ (usual @ precision @ both))
        return self._within_region(shares, likely)

    def _within_region(self, shares: Floats, likely: Floats) -> Floats:
        """Shares, or the first ones on the way to the most likely that the rows do not reject."""
        basis = directions(shares.size)
        most = float(chdtri(shares.size - 1, SHIFT)) / 2
        top = self.log_likelihood(likely)

        def rejected(part: float) -> bool:
            at = shares + part * (likely - shares)
            known, added = self.information(at, basis)
            way = basis.T @ (likely - shares)
            exact = float(way @ known @ way)
            certain = float(way @ known @ np.linalg.pinv(known + added) @ known @ way)
            discount = certain / max(exact, TINY)
            return bool((top - self.log_likelihood(at)) * discount > most)

        low, high = 0.0, 1.0
        if not rejected(low):
            return shares
        for _ in range(REGION_BISECTIONS):
            middle = (low + high) / 2
            low, high = (middle, high) if rejected(middle) else (low, middle)
        return shares + high * (likely - shares)

    def _shifted(self, logs: Floats) -> Floats:
        """Shares of training, shifted by logarithms."""
        return np.asarray(softmax(np.log(self.prior) + logs))

    def _error(self, shares: Floats, basis: Floats) -> Floats:
        """Covariance of the logarithms of most likely shares by errors of calibration."""
        known, added = self.information(shares, in_logarithms(shares, basis))
        inverse = np.linalg.inv(known + RIDGE * self.n_rows * np.eye(len(known)))
        return np.asarray(inverse @ added @ inverse)

    def _penalised(self, basis: Floats, precision: Floats) -> Floats:
        """Logarithms of shifts of greatest likelihood times normal density, by Newton steps."""
        at = np.zeros(basis.shape[1])

        def value(logs: Floats) -> float:
            shares = self._shifted(basis @ logs)
            return self.log_likelihood(shares) - float(logs @ precision @ logs) / 2

        for _ in range(NEWTON_STEPS):
            shares = self._shifted(basis @ at)
            ways = in_logarithms(shares, basis)
            score = (self.ratios / np.maximum(self.ratios @ shares, TINY)[:, None]) @ ways
            gradient = self.weight @ score - precision @ at
            curvature = (score * self.weight[:, None]).T @ score + precision
            step, size = np.linalg.solve(curvature, gradient), 1.0
            while value(at + size * step) < value(at) and size > SMALLEST_STEP:
                size /= 2
            at = at + size * step
            if np.abs(size * step).max() < SETTLED_LOGS:
                break
        return at


def centred(values: Floats, p: Floats) -> Floats:
    """Values of classes minus their mean in each row, by its probabilities."""
    return np.asarray(values - (p * values).sum(axis=1, keepdims=True))


def in_logarithms(shares: Floats, basis: Floats) -> Floats:
    """Changes of the shares if their logarithms change along a basis."""
    return np.asarray(shares[:, None] * (basis - shares @ basis))


def directions(n_classes: int) -> Floats:
    """Orthonormal directions in which the sum of the shares stays."""
    return np.asarray(np.linalg.qr(np.eye(n_classes)[:, 1:] - 1 / n_classes)[0])


def warn_at_boundary(kept: bool) -> None:
    """Warn that the most likely shares leave a class without rows.

    ``kept`` is whether the shares of training are taken for that reason.
    """
    warn(AT_BOUNDARY if kept else ALMOST_AT_BOUNDARY)


def estimated_shares(probability: Floats, prior: Floats, rows: float | None = None) -> Floats:
    """Shares of the classes for predictions; a warning if they are at the boundary.

    ``rows`` are those of calibration; None if they are not known.
    """
    rows = calibration_rows() if rows is None else rows
    found = Mixture(probability, prior, np.ones(len(probability)), rows).estimated()
    if found.at_boundary:
        warn_at_boundary(found.kept)
    return found.shares
