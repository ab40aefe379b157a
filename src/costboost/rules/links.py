"""Links between score and probability, and the log-odds that rounds add to the score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

from costboost.rules.costs import Costs
from costboost.vectors import Floats


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
