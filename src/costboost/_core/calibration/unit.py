"""Scores that are probabilities."""

from __future__ import annotations

import numpy as np

from costboost._core.arithmetic import RowVector, log, log1p
from costboost._core.checks import Floats

EDGE = 1e-10
"""Scores are clipped to this distance from 0 and 1, so that their logarithms are finite."""


def log_odds(score: Floats) -> Floats:
    """The log-odds of scores in [0, 1], clipped so that they are finite."""
    s = np.clip(check_unit(score), EDGE, 1 - EDGE)
    found: Floats = log(s) - log1p(-s)
    return found


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
