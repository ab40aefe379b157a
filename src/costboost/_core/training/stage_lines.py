"""Lines that bring the scores of each stage to the scale of the last one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, exp, log

LINES = 16
"""Number of stages for which a line is fitted."""


class Lines(NamedTuple):
    """Slope and shift of each stage: slope F + shift has the scale of the last stage."""

    slope: Floats
    shift: Floats | None

    @property
    def fields(self) -> dict[str, Floats]:
        """The fields of a model that hold them."""
        found = {"stage_slopes": self.slope}
        return found if self.shift is None else found | {"stage_shifts": self.shift}


def known_stages(n_stages: int) -> NDArray[np.intp]:
    """The stages for which lines are fitted, dense at the beginning."""
    every: Floats = exp(np.linspace(0.0, log(n_stages), LINES))
    return np.unique(every.round().astype(np.intp))
