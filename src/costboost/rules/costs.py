"""Costs of mistakes, how algorithms scale them, and initial weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple

import numpy as np

from costboost.vectors import Floats


class Costs(NamedTuple):
    """Cost of a false negative and of a false positive: numbers, or one of each for every row."""

    fn: Any
    fp: Any

    def of_class(self, positive: Any) -> Any:
        """The cost of a mistake on rows of the given class."""
        return np.where(positive, self.fn, self.fp)

    @property
    def threshold(self) -> Any:
        """Probability above which predicting the positive class has the lower expected cost."""
        fn, fp = np.asarray(self.fn, float) / 2, np.asarray(self.fp, float) / 2  # no overflow
        return fp / (fp + fn)

    @property
    def log_ratio(self) -> Any:
        """log(fn / fp), by mantissas and exponents: a common power of two changes nothing."""
        (a, i), (b, j) = np.frexp(self.fn), np.frexp(self.fp)
        return np.log(a / b) + (i - j) * log(2)


Scaling = Callable[[Floats, int], Floats]
"""(costs, rounds requested) -> costs as the rule uses them."""


def as_given(cost: Floats, n_rounds: int) -> Floats:
    """c: costs as they are."""
    return cost


def least_is_one(cost: Floats, n_rounds: int) -> Floats:
    """c / min c: costs scaled so that the least is 1."""
    scaled: Floats = cost / cost.min()
    return scaled


def greatest_is(limit: float) -> Scaling:
    """Costs scaled so that the greatest is the limit."""

    def scale(cost: Floats, n_rounds: int) -> Floats:
        """limit c / max c: costs scaled so that the greatest is the limit."""
        scaled: Floats = cost * (limit / cost.max())
        return scaled

    return scale


def a_share_each_round(cost: Floats, n_rounds: int) -> Floats:
    """c^(1/M): after M rounds the whole cost."""
    root: Floats = cost ** (1 / n_rounds)
    return root


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
    """w: learners are trained with the weights of the loss."""
    return np.ones_like(cost)


def times_cost(cost: Any) -> Any:
    """c w: learners are trained with the weights of the gradient."""
    return cost
