"""Logarithms of probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost.vectors import Floats


def logs(probability: Any) -> Floats:
    """The natural logarithm of each; minus infinity of 0, without a warning."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probability))
