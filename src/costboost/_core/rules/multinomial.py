"""The Newton family with a score for each class.

With F the scores of a row of class y, and C[y, k] the cost of predicting class k for it, the losses
are::

    multinomial   -log p_y,  p = softmax(F)
    GLL           log(1 + sum over k != y of C[y, k] e^(F_k - F_y))
    GEL           sum over k != y of C[y, k] e^(F_k - F_y)

The first one is GLL with costs of 1. Each round fits a regression for every class, all at the same
scores, with the working response and weight of Newton's method::

    w z = -s dL/dF_k,  w = s d2L/dF_k^2

and moves ``F_k += step (g_k - mean over j of g_j)``, the first step being (K - 1) / K.

The probabilities that minimise the expected loss at the scores F solve a linear system: with Q the
matrix of ``dL_y/dF_k`` for a row of class y (zero on the diagonal), the flow ``P_y Q[y, k]`` into
each class equals the flow out of it. P is the stationary distribution of a Markov chain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from costboost._core.arithmetic import Floats, exp, log
from costboost._core.rules.newton import PER_CATEGORY
from costboost._core.rules.record import SQUARES, Criterion, SeveralRule

LEAST_FLOW = 1e-300
"""Least sum of the rates at which a class is left, so that a cost of 0 divides by no 0."""


@dataclass(frozen=True, kw_only=True)
class MultinomialRule(SeveralRule):
    """Learners for every class that regress on the working response of a loss of all scores.

    The factors are those C[y, k] of the loss, with a diagonal of 0; all are 1 if there are none.

    Attributes
    ----------
    exponential : bool
        Whether the loss is the sum of exponentials, instead of the logarithm of 1 plus the sum.
    """

    learners: ClassVar[tuple[str, ...]] = ("stump", "tree", "lookup")

    exponential: bool = False
    criterion: Criterion = SQUARES

    def log_factors(self, matrix: Floats) -> Floats | None:
        """Logarithms of the factors, 0 on the diagonal; None if all factors are 1."""
        if self.factors is None:
            return None
        factors = self.factors(matrix)
        logs = np.full(factors.shape, -np.inf)
        positive = (factors > 0) & ~np.eye(len(factors), dtype=bool)
        logs[positive] = log(factors[positive])
        np.fill_diagonal(logs, 0.0)
        return logs


def softmax(score: Floats) -> Floats:
    """e^F_k divided by their sum over the columns."""
    terms: Floats = exp(score - score.max(axis=1, keepdims=True))
    return np.asarray(terms / _row_sums(terms)[:, None])


def _row_sums(values: Floats) -> Floats:
    """Sums of the columns, one after the other: the same bits for any number of rows."""
    total = values[:, 0].copy()
    for column in values.T[1:]:
        total += column
    return total


def of_softmax(score: Floats, factors: Floats | None) -> Floats:
    """P = softmax(F), the minimiser of the multinomial loss."""
    return softmax(score)


def of_log_loss(score: Floats, factors: Floats | None) -> Floats:
    """P with P Q = P, where row y of Q is softmax(F + log C[y]), C[y, y] being 1."""
    if factors is None:
        return softmax(score)
    n_classes = score.shape[1]
    flow = np.empty((n_classes, n_classes, len(score)))
    for y in range(n_classes):
        own = factors[y].copy()
        own[y] = 1.0
        terms = exp(score - score.max(axis=1, keepdims=True)) * own
        flow[y] = (terms / np.maximum(_row_sums(terms), LEAST_FLOW)[:, None]).T
    return stationary(flow)


def of_sum_loss(score: Floats, factors: Floats | None) -> Floats:
    """P with sum over y of P_y C[y, k] e^(F_k - F_y) = P_k sum over j of C[k, j] e^(F_j - F_k)."""
    n_classes = score.shape[1]
    if factors is None:
        factors = np.ones((n_classes, n_classes))
    # a common factor of all rates does not matter
    beyond = score - score.max(axis=1, keepdims=True)
    flow = np.empty((n_classes, n_classes, len(score)))
    for y in range(n_classes):
        flow[y] = (exp(np.clip(beyond - beyond[:, [y]], -300.0, 300.0)) * factors[y]).T
    return stationary(flow)


def stationary(flow: Floats) -> Floats:
    """Shares of the classes between which equal amounts flow, for each row.

    ``flow[y, k]`` holds the rates from class y to class k for all rows. The classes are removed one
    after the other (Grassmann, Taksar & Heyman 1985), by sums and products of positive numbers.
    """
    n_classes = len(flow)
    flow = flow.copy()
    for last in range(n_classes - 1, 0, -1):
        out = np.maximum(flow[last, :last].sum(axis=0), LEAST_FLOW)
        flow[:last, last] /= out
        for y in range(last):
            flow[y, :last] += flow[y, last] * flow[last, :last]
    shares = np.ones((flow.shape[2], n_classes))
    for k in range(1, n_classes):
        shares[:, k] = (shares[:, :k] * flow[:k, k].T).sum(axis=1)
        shares[:, : k + 1] /= shares[:, : k + 1].max(axis=1, keepdims=True)
    return np.asarray(shares / _row_sums(shares)[:, None])


# ---- factors -------------------------------------------------------------------------------------


def as_given(matrix: Floats) -> Floats:
    """C: costs beyond that of the right prediction, not below 0."""
    return np.maximum(matrix - np.diag(matrix)[:, None], 0.0)


def greatest_is_one(matrix: Floats) -> Floats:
    """C / max C: a common factor of the costs does not change the model."""
    beyond = as_given(matrix)
    return np.asarray(beyond / (beyond.max() or 1.0))


# ---- the table -----------------------------------------------------------------------------------

LOGITBOOST_SEVERAL = MultinomialRule(
    name="MultinomialLogitBoost", probability=of_softmax, cost_blind=True
)
COSTBOOST_SEVERAL = replace(
    LOGITBOOST_SEVERAL,
    name="CostBoost",
    decides_by_cost=True,
    cost_blind=False,
    criterion=Criterion("squares", per_category=PER_CATEGORY),
)
GLLBOOST_SEVERAL = MultinomialRule(
    name="GLLBoost", probability=of_log_loss, factors=as_given, costs_in_rounds=True
)
GELBOOST_SEVERAL = replace(
    GLLBOOST_SEVERAL,
    name="GELBoost",
    probability=of_sum_loss,
    factors=greatest_is_one,
    exponential=True,
)
