"""The first of several values that are equal but for rounding."""

from __future__ import annotations

import numpy as np

from costboost._core.arrays import Floats
from costboost._core.engine._kernels import TIE


def first_least(values: Floats) -> int:
    """The index of the first value within `TIE` of the least."""
    return int(np.flatnonzero(values <= values.min() + TIE)[0])
