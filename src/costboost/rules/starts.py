"""Initial weights, and the weights that learners see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Start:
    """Initial weights, and the log-odds by which they tilt the score.

    ``weight(cost, share)`` multiplies the sample weight of a row whose mistake costs ``cost`` and
    whose class has the weighted share ``share`` of all rows.
    """

    weight: Callable[[Any, Any], Any]
    tilt: Callable[[Any, float], Any]
    """(log of the ratio of the costs, share of the positives) -> log-odds."""


UNIFORM = Start(
    weight=lambda cost, share: np.ones_like(cost),
    tilt=lambda log_ratio, prior: 0.0,
)
COST = Start(
    weight=lambda cost, share: cost,
    tilt=lambda log_ratio, prior: log_ratio,
)
BALANCED = Start(
    weight=lambda cost, share: np.ones_like(cost) / (2 * share),
    tilt=lambda log_ratio, prior: log(1 - prior) - log(prior),
)
STARTS = {"uniform": UNIFORM, "cost": COST, "balanced": BALANCED}


def as_weighed(cost: Any) -> Any:
    """w: learners see the weights as they are."""
    return np.ones_like(cost)


def times_cost(cost: Any) -> Any:
    """c w: learners see the weights of the gradient."""
    return cost
