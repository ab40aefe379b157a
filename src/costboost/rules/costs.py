"""Costs of mistakes, how algorithms scale them, and initial weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

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


# ---- links between score and probability, and the log-odds that rounds add to the score ----------


class Scale(NamedTuple):
    """What the meaning of a score depends on: costs, tilt, and size of the votes.

    ``tilt`` is the log-odds that weights besides the exponentials put into the score, ``votes`` the
    sum of the sizes of all steps.
    """

    costs: Costs
    tilt: Any
    votes: Any


@dataclass(frozen=True)
class Link:
    """Functions from the score F to P(y = +1 | x) and back, each the inverse of the other."""

    probability: Callable[[Floats, Scale], Floats]
    score: Callable[[Any, Scale], Any]
    formula: str
    in_votes: bool = False
    """Whether the score grows in proportion to the votes, so that a decision limit does too."""


LOGISTIC = Link(
    probability=lambda score, scale: expit(2 * score - scale.tilt),
    score=lambda probability, scale: (logit(probability) + scale.tilt) / 2,
    formula="2F - tilt",
)
"""The population minimiser of the exponential loss, costs taken out."""

LOGISTIC_DOUBLED = Link(
    probability=lambda score, scale: expit(score - scale.tilt),
    score=lambda probability, scale: logit(probability) + scale.tilt,
    formula="F - tilt",
)
"""For a score that is twice as large."""

LOGISTIC_TILTED = Link(
    probability=lambda score, scale: expit(2 * score),
    score=lambda probability, scale: logit(probability) / 2,
    formula="2F",
)
"""For algorithms whose costs cannot be taken out of the score."""

COST_LOGISTIC = Link(
    probability=lambda score, scale: expit(
        (scale.costs.fn + scale.costs.fp) * score - scale.costs.log_ratio - scale.tilt
    ),
    score=lambda probability, scale: (
        (logit(probability) + scale.costs.log_ratio + scale.tilt)
        / (scale.costs.fn + scale.costs.fp)
    ),
    formula="(C+ + C-) F - log(C+ / C-) - tilt",
)
"""The population minimiser of exp(-c y F), costs taken out."""

VOTES = Link(
    probability=lambda score, scale: np.clip((score / scale.votes + 1) / 2, 0.0, 1.0),
    score=lambda probability, scale: (2 * probability - 1) * scale.votes,
    formula="share of the steps that vote +1",
    in_votes=True,
)
"""P = share of the steps that vote +1 (Ting 2000); a negative step is the opposite vote."""


def no_drift(log_ratio: Any, n_added: int, n_rounds: int) -> Any:
    """0: the rounds put no cost into the weights."""
    return 0.0


def drift_after_first(log_ratio: Any, n_added: int, n_rounds: int) -> Any:
    """(T - 1)/M log(C+ / C-): every round but the first multiplies the weights by c^(1/M)."""
    return max(n_added - 1, 0) / n_rounds * log_ratio


def drift_from_first(log_ratio: Any, n_added: int, n_rounds: int) -> Any:
    """T/M log(C+ / C-): every round moves the log-odds by a share of 1/M."""
    return n_added / n_rounds * log_ratio
