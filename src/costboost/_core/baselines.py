"""Decisions that need no model, which a model must beat to be worth its place.

Without features, a row can still be decided in two ways: as all others, or by its own costs. The
best rule of the second kind takes the decision of least expected cost at the same probabilities for
all rows, namely the shares :math:`\\pi_k` of the classes in training:

.. math:: d(i) = \\arg\\min_j \\sum_k \\pi_k\\, C_i(k, j)

With two classes, a row is positive where :math:`\\pi > C_{FP,i} / (C_{FP,i} + C_{FN,i})`. If all
rows have the same costs, the rule is one of the constant decisions. With costs of rows it often
costs much less than they do, so that a model must be compared with it.

`costboost._core.costs.Costs.by_shares` makes these decisions.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.rules.record import NetCosts

# ---- names ---------------------------------------------------------------------------------------

BY_COSTS = "deciding by costs alone"
"""Name of the decisions by the costs of the rows, wherever numbers are shown."""
ABOUT_BY_COSTS = (
    "Deciding by costs alone needs no model: each row has the shares of the classes in training as "
    "its probabilities, and gets the decision of least expected cost."
)


def always(label: Any) -> str:
    """Name of the prediction of one class for all rows."""
    return f"always predicting {label}"


def for_all(action: str, rows: str = "rows") -> str:
    """Name of one action for all rows."""
    return f'"{action}" for all {rows}'


# ---- decisions -----------------------------------------------------------------------------------


def shares_of(truth: NDArray[np.integer], weight: Floats, n_classes: int) -> Floats:
    """Weighted shares of the classes among labelled rows."""
    total = np.bincount(truth, weight, n_classes).astype(np.float64)
    return np.asarray(total / total.sum())


def vary(net: NetCosts) -> bool:
    """Whether rows of two classes have thresholds of their own, so that costs alone can decide."""
    return bool(np.ptp(np.atleast_1d(net.threshold)) > EQUAL)


EQUAL = 1e-12
"""Thresholds that differ by no more are those of costs with the same ratio, up to rounding."""

# ---- what is saved -------------------------------------------------------------------------------

Z = 1.959963984540054
"""Half width of a 95% interval in standard errors."""


class Difference(NamedTuple):
    """Amount that one decision rule saves compared with another, and its 95% interval."""

    money: float
    low: float
    high: float

    @property
    def is_none(self) -> bool:
        """Whether every decision costs the same as that of the best other rule."""
        return self.money == self.high == 0


def interval(saved: Floats) -> Difference:
    """Sum of the savings of the rows, and its 95% interval."""
    return interval_of_sums(float(saved.sum()), float((saved**2).sum()), saved.size)


def interval_of_sums(total: float, squares: float, n: float) -> Difference:
    """A sum over n rows, with its 95% interval from the sum of squares.

    It is the sum plus and minus 1.96 standard errors sqrt(n s^2), where s^2 is the variance with
    the divisor n - 1. Rows are treated as a random sample.
    """
    spread = max(0.0, squares - total**2 / n) * n / max(1, n - 1)
    half = Z * sqrt(spread)
    return Difference(total, total - half, total + half)


def least_favourable(found: Iterable[tuple[float, float, float]]) -> Difference:
    r"""What is saved compared with the best of several decision rules, with a 95% interval.

    Each item is what is saved compared with one rule, and the ends of its interval; the result is
    the least of each. The rule that is best on these rows need not be known beforehand:

    - If :math:`\theta_b` is the amount saved against rule b, that against the best rule is
      :math:`\theta = \min_b \theta_b`. The low end lies above it only if the low end of the
      interval of that very rule does, which has the probability of one interval, 2.5%.
    - The high end lies below it if one of the intervals of rules that are as good does. With two
      such rules, both errors together have the probability 5%, whatever their correlation: if
      :math:`A_b` and :math:`B_b` are the errors above and below of symmetric estimates, then
      :math:`P(A_1 \cup A_2) + P(B_1 \cap B_2) = P(A_1) + P(A_2)`.
    """
    return Difference(*(min(ends) for ends in zip(*found, strict=True)))
