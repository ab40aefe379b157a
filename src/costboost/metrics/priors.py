"""Shares of two classes, and probabilities moved from one to another."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from costboost.metrics.checks import Floats, Scored, check_numbers


class Shares(NamedTuple):
    """Shares of the two classes. Either may be too small to change the other, hence both."""

    positive: float
    negative: float


BALANCED = Shares(0.5, 0.5)


def shares_of(rows: Scored) -> Shares:
    """Class shares among the rows, by weight."""
    weight = np.ones(rows.score.size) if rows.weight is None else rows.weight
    sides = [float(weight[side].sum()) for side in (rows.positive, ~rows.positive)]
    return Shares(*(side / sum(sides) for side in sides))


def evaluated_shares(by: str, rows: Scored) -> Shares:
    """The class shares by which a curve counts mistakes: balanced by skew, of the rows by cost."""
    if by == "skew":
        return BALANCED
    if by == "cost":
        return shares_of(rows)
    raise ValueError(f"by must be 'skew' or 'cost', got {by!r}")


def check_prior(prior: Any) -> Shares:
    """A share of positives that the user states."""
    value = check_numbers("prior", prior)
    if value.ndim or not 0 < value < 1:
        raise ValueError(
            f"prior must be a number between 0 and 1, the share of positives, got {prior!r}"
        )
    return Shares(float(value), 1 - float(value))


def moved(probability: Floats, of: Shares, to: Shares) -> Floats:
    """Probabilities that belong to some class shares, as they would be at others."""
    factor = (to.positive / of.positive) * (of.negative / to.negative)
    return probability if factor == 1 else with_odds(factor * probability, 1 - probability)


def with_odds(towards: Floats, against: Floats) -> Floats:
    """Probabilities with the odds ``towards`` : ``against``; 0 where there is nothing towards."""
    total = towards + against
    return np.divide(towards, total, out=np.zeros(total.shape), where=towards > 0)
