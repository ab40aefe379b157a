"""Log-odds of probabilities, finite also for 0 or 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost._core.arithmetic import Floats, log, log1p

SUREST = 2.0**-54
"""What is left for the other class at a probability of 1, for finite log-odds."""


LEAST = float(np.nextafter(0.0, 1.0))
"""The smallest positive number."""


def log_odds(probability: Any) -> Floats:
    """Logarithms of the odds of probabilities, finite also for 0 and 1."""
    p = np.asarray(probability, dtype=np.float64)
    with np.errstate(divide="ignore"):
        rest = np.maximum(log1p(-p), log(SUREST))
    found: Floats = log(np.maximum(p, LEAST)) - rest
    return found


def threshold_log_odds(threshold: Any) -> Floats:
    """The log-odds above which rows are predicted positive; infinite if all or none are."""
    given = np.asarray(threshold, dtype=np.float64)
    inner = log_odds(np.clip(given, 0.0, 1.0))
    return np.where(given < 0, -np.inf, np.where(given > 1, np.inf, inner))
