"""Log losses of probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from costboost.vectors import Floats

EDGE = 1e-10


def log_losses(probability: Floats, positive: NDArray[np.uint8]) -> Floats:
    """Log loss of each row, probabilities being clipped to [1e-10, 1 - 1e-10]."""
    inner = np.clip(probability, EDGE, 1 - EDGE)
    return -np.log(np.where(positive, inner, 1 - inner))
