"""The algorithms, each a row of the papers' table: a frozen record of small pure functions.

A rule sees costs and cells, never rows, features or rounds of another rule. To add an algorithm,
write the functions that are new and ``replace`` them in the rule it resembles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

from costboost.cells import Cells, Floats

SHARE_FLOOR = 1e-10
"""Weight shares are floored here before a logarithm is taken, so that every step is finite."""


class Costs(NamedTuple):
    """Cost of a false negative and of a false positive: numbers, or one of each for every row."""

    fn: Any
    fp: Any

    def of_class(self, positive: Any) -> Any:
        """The cost of a mistake on rows of the given class."""
        return np.where(positive, self.fn, self.fp)

    @property
    def threshold(self) -> Any:
        """Probability above which predicting the positive class is the cheaper bet."""
        fn, fp = np.asarray(self.fn, float) / 2, np.asarray(self.fp, float) / 2  # no overflow
        return fp / (fp + fn)

    @property
    def log_ratio(self) -> Any:
        """log(fn / fp), by mantissas and exponents: a common power of two changes nothing."""
        (a, i), (b, j) = np.frexp(self.fn), np.frexp(self.fp)
        return np.log(a / b) + (i - j) * log(2)


# ---- initial weights -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Start:
    """Initial weights, and the log-odds by which they tilt the score.

    ``weight(cost, share)`` multiplies the sample weight of a row whose mistake costs ``cost`` and
    whose class has the weighted share ``share`` of all rows.
    """

    weight: Callable[[Any, Any], Any]
    tilt: Callable[[Costs, float], Any]


def _no_tilt(costs: Costs, prior: float) -> Any:
    return 0.0


UNIFORM = Start(lambda cost, share: np.ones_like(cost), _no_tilt)
COST = Start(lambda cost, share: cost, lambda costs, prior: costs.log_ratio)
BALANCED = Start(
    lambda cost, share: np.ones_like(cost) / (2 * share),
    lambda costs, prior: log(1 - prior) - log(prior),
)
STARTS = {"uniform": UNIFORM, "cost": COST, "balanced": BALANCED}


# ---- steps ---------------------------------------------------------------------------------------


def half_log_ratio(right: float, wrong: float) -> float:
    """1/2 log(right / wrong), both floored."""
    return 0.5 * log(max(right, SHARE_FLOOR) / max(wrong, SHARE_FLOOR))


def confidence(cells: Cells) -> float:
    """alpha = 1/2 log(W= / W!=): the minimiser of the exponential loss along h."""
    return half_log_ratio(cells.right(), cells.wrong())


# ---- updates -------------------------------------------------------------------------------------


def exponential(cells: Cells, step: float) -> Floats:
    """w <- w exp(-alpha y h)."""
    return np.exp(-step * cells.margin)


# ---- from score to probability -------------------------------------------------------------------


class Scale(NamedTuple):
    """What a score must be seen against: the costs it was trained for and the size of the votes.

    ``tilt`` is the log-odds that the initial weights put into the score, ``votes`` the sum of the
    sizes of all steps.
    """

    costs: Costs
    tilt: Any
    votes: Any


@dataclass(frozen=True)
class Link:
    """Between the score F and P(y = +1 | x): each the inverse of the other."""

    probability: Callable[[Floats, Scale], Floats]
    score: Callable[[Any, Scale], Any]
    in_votes: bool = False
    """Whether the score grows in proportion to the votes, so that a decision limit does too."""


LOGISTIC = Link(
    probability=lambda score, scale: expit(2 * score - scale.tilt),
    score=lambda probability, scale: (logit(probability) + scale.tilt) / 2,
)
"""logit P = 2F - tilt: the population minimiser of the exponential loss, costs taken out."""

VOTES = Link(
    probability=lambda score, scale: np.clip((score / scale.votes + 1) / 2, 0.0, 1.0),
    score=lambda probability, scale: (2 * probability - 1) * scale.votes,
    in_votes=True,
)
"""P = share of the steps that vote +1 (Ting 2000); a negative step is the opposite vote."""


# ---- the record ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    """One algorithm.

    Attributes
    ----------
    start : Start
        Initial weights (times the sample weights).
    step : Cells -> float
        The step alpha, found under the weights of the round.
    update : (Cells, float) -> array
        The factor by which each cell's weights change.
    link : Link
        From the score to the estimate of P(y = +1 | x), costs taken out, and back.
    decides_by_cost : bool
        Decide by probability against the cost threshold instead of by the sign of F. Such a rule
        can be given other costs after training.
    cost_blind : bool
        Training and decision ignore the costs.
    """

    name: str
    start: Start
    step: Callable[[Cells], float]
    update: Callable[[Cells, float], Floats]
    link: Link
    decides_by_cost: bool = False
    cost_blind: bool = False


ADABOOST = Rule(
    name="AdaBoost",
    start=UNIFORM,
    step=confidence,
    update=exponential,
    link=LOGISTIC,
    cost_blind=True,
)
CGADA = replace(ADABOOST, name="CGAda", start=COST, cost_blind=False)
ADAMEC = replace(ADABOOST, name="AdaMEC", link=VOTES, decides_by_cost=True, cost_blind=False)
ADAMEC_BY_PROBABILITY = {"votes": ADAMEC, "logistic": replace(ADAMEC, link=LOGISTIC)}
