"""Calibration of probabilities by labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from scipy.stats import chi2

from costboost._core.checks import Floats
from costboost.app.monitoring.errors import MiscalibrationError, logits
from costboost.app.monitoring.sketches import ProbabilitySketch

MOST_STEPS = 100
RIDGE = 1e-9
CONFIDENCE = 0.95
DIRECTIONS = 8
"""Points on the edge of a confidence region at which losses are computed."""


@dataclass(frozen=True)
class Recalibration:
    """Logistic regression of labels on log-odds: logit P(y = 1) = intercept + slope logit p.

    ``in_the_large`` is the intercept at a slope of 1, with its standard error.
    """

    in_the_large: float
    in_the_large_error: float
    coefficients: Floats
    """Intercept and slope."""
    covariance: Floats

    @property
    def slope(self) -> tuple[float, float]:
        """The slope and its standard error."""
        return float(self.coefficients[1]), float(np.sqrt(self.covariance[1, 1]))

    def p_value(self, wrong: MiscalibrationError) -> float:
        """Of Wald's test that intercept and slope are no further off than was known before."""
        off = self.coefficients - (0.0, 1.0) - wrong.mean
        return float(chi2.sf(off @ np.linalg.solve(self.covariance + wrong.covariance, off), 2))

    def region(self) -> list[Floats]:
        """The coefficients, and some on the edge of their 95% confidence region."""
        radius = np.sqrt(chi2.ppf(CONFIDENCE, 2))
        angles = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
        size, axes = np.linalg.eigh(self.covariance)
        root = axes * np.sqrt(np.maximum(size, 0.0))
        edge = radius * root @ [np.cos(angles), np.sin(angles)]
        return [self.coefficients, *(self.coefficients + edge.T)]


def recalibrated(p: Floats, coefficients: Floats) -> Floats:
    """Probabilities with an intercept and a slope on their log-odds."""
    return np.asarray(expit(coefficients[0] + coefficients[1] * logits(p)))


def recalibrate(sketch: ProbabilitySketch) -> Recalibration | None:
    """Fit the regression; None if only one class is there."""
    p, n, positives = sketch.table()
    if not 0 < positives.sum() < n.sum():
        return None
    x = logits(p)
    shift, variance = _newton(np.ones((x.size, 1)), x, n, positives)
    whole = _newton(np.column_stack([np.ones_like(x), x]), np.zeros_like(x), n, positives)
    return Recalibration(float(shift[0]), float(np.sqrt(variance[0, 0])), *whole)


def _newton(A: Floats, offset: Floats, n: Floats, positives: Floats) -> tuple[Floats, Floats]:
    """Coefficients of a logistic regression of counts, and their covariances."""
    beta = np.zeros(A.shape[1])

    def loss(b: Floats) -> float:
        z = offset + A @ b
        return float(n @ np.logaddexp(0, z) - positives @ z + RIDGE * (b @ b))

    for _ in range(MOST_STEPS):
        q = expit(offset + A @ beta)
        gradient = A.T @ (positives - n * q) - 2 * RIDGE * beta
        hessian = (A.T * (n * q * (1 - q))) @ A + RIDGE * np.eye(A.shape[1])
        step, size = np.linalg.solve(hessian, gradient), 1.0
        while loss(beta + size * step) > loss(beta) and size > 1e-8:
            size /= 2
        beta = beta + size * step
        if np.abs(size * step).max() < 1e-10:
            break
    q = expit(offset + A @ beta)
    hessian = (A.T * (n * q * (1 - q))) @ A + RIDGE * np.eye(A.shape[1])
    return beta, np.linalg.inv(hessian)
