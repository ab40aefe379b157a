"""How far probabilities may be off: what training and held-out rows know of the calibration.

Probabilities p are off by an intercept a and a slope b on the log-odds, logit q = a + b logit p.
Without labels, (a, b) is normal around (0, 1) with the covariance of a logistic regression on as
many rows as would calibrate as well as training has done. Held-out rows with labels add theirs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logit

from costboost._core.checks import Floats
from costboost._core.model.shares import LEAST_SLOPE_ERROR

LEAST_LEVEL = 0.02
"""Standard error of the intercept after any number of rows, at the centre of the log-odds."""
RIDGE = 1e-9


class Measured(NamedTuple):
    """Intercept and slope measured on held-out rows, and their covariance."""

    coefficients: Floats
    covariance: Floats


class MiscalibrationError(NamedTuple):
    """What may be wrong with intercept and slope: a mean beyond (0, 1), and a covariance."""

    mean: Floats
    covariance: Floats

    def of(self, gradient: Floats) -> float:
        """Root mean square of the error of a number, from its gradient by intercept and slope."""
        second = self.covariance + np.outer(self.mean, self.mean)
        return float(np.sqrt(max(float(gradient @ second @ gradient), 0.0)))


def moments(p: Floats, weight: Floats | float = 1.0) -> Floats:
    """Information of intercept and slope: sum of w p (1 - p) (1, x)(1, x)', x the log-odds."""
    x = logits(p)
    variance = weight * p * (1 - p)
    cross = float((variance * x).sum())
    return np.array([[float(variance.sum()), cross], [cross, float((variance * x**2).sum())]])


def miscalibration(
    information: Floats, rows: float, held_out: Measured | None
) -> MiscalibrationError:
    """What is known of the calibration, from the mean information of a row.

    ``rows`` is the number of rows that would calibrate as well as training has done.
    """
    known = rows * information + RIDGE * np.eye(2)
    mean: Floats = np.zeros(2)
    if held_out is not None:
        more = np.linalg.inv(held_out.covariance + RIDGE * np.eye(2))
        known = known + more
        off = held_out.coefficients - (0.0, 1.0)
        mean = np.asarray(np.linalg.solve(known, more @ off), dtype=np.float64)
    center = information[0, 1] / max(information[0, 0], RIDGE)
    turn = np.array([-center, 1.0])
    least = LEAST_LEVEL**2 * np.outer([1.0, 0.0], [1.0, 0.0])
    least = least + LEAST_SLOPE_ERROR**2 * np.outer(turn, turn)
    return MiscalibrationError(mean, np.linalg.inv(known) + least)


def logits(p: Floats) -> Floats:
    """Log-odds of probabilities, which may be 0 or 1."""
    return np.asarray(logit(np.clip(p, 1e-12, 1 - 1e-12)))
