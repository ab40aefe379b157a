"""What decisions come to: mistakes, money, and what they save compared with other decisions."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from costboost.metrics.checks import Floats
from costboost.report.numbers.answers import Answers, Flags

Z = 1.959963984540054
"""Standard errors on either side of a 95% interval."""


class Difference(NamedTuple):
    """Money that one way to decide saves compared with another, and a 95% interval of it."""

    money: float
    low: float
    high: float


class Outcome(NamedTuple):
    """Weights of the rows by truth and decision, and the money that the mistakes cost."""

    hits: float
    misses: float
    alarms: float
    rejects: float
    miss_money: float
    alarm_money: float

    @property
    def cost(self) -> float:
        """What all mistakes cost."""
        return self.miss_money + self.alarm_money

    @property
    def mean_cost(self) -> float:
        """The same for a row."""
        return self.cost / (self.hits + self.misses + self.alarms + self.rejects)

    @property
    def recall(self) -> float:
        """Share of the positive rows that are found."""
        return self.hits / (self.hits + self.misses)

    @property
    def precision(self) -> float | None:
        """Share of the rows called positive that are; None if there are none."""
        called = self.hits + self.alarms
        return self.hits / called if called else None

    @property
    def fpr(self) -> float:
        """Share of the negative rows that are called positive."""
        return self.alarms / (self.alarms + self.rejects)


def outcome(rows: Answers, called: Flags) -> Outcome:
    """Mistakes and money of decisions."""

    def total(where: Flags, values: Floats) -> float:
        return float(values[where].sum())

    missed, alarmed = rows.positive & ~called, ~rows.positive & called
    money = rows.weight * rows.cost
    return Outcome(
        total(rows.positive & called, rows.weight),
        total(missed, rows.weight),
        total(alarmed, rows.weight),
        total(~rows.positive & ~called, rows.weight),
        total(missed, money),
        total(alarmed, money),
    )


def difference(rows: Answers, called: Flags, other: Flags) -> Difference:
    r"""What ``called`` saves compared with ``other``.

    With the saving d_i of each of n rows, their sum S, plus and minus 1.96 standard errors of it:
    sqrt(n s^2), where s^2 is the variance of the d_i. The rows are taken as drawn at random.
    """
    lost = rows.weight * rows.cost
    return interval(lost * (other != rows.positive) - lost * (called != rows.positive))


def interval(saved: Floats) -> Difference:
    """The sum of what each row saves, and its 95% interval."""
    n, total = saved.size, float(saved.sum())
    spread = max(0.0, float((saved**2).sum()) - total**2 / n) * n / max(1, n - 1)
    half = Z * sqrt(spread)
    return Difference(total, total - half, total + half)


def savings(rows: Answers) -> Difference | None:
    """What the classifier's own decisions save, as a share of the cost of the best trivial ones.

    None if there is nothing to save.
    """
    least = outcome(rows, best_trivial(rows)).cost
    saved = difference(rows, rows.called, best_trivial(rows))
    return Difference(*(min(1.0, one / least) for one in saved)) if least else None


def nobody(rows: Answers) -> Flags:
    """Every row is called negative."""
    return np.zeros(rows.positive.size, dtype=bool)


def everybody(rows: Answers) -> Flags:
    """Every row is called positive."""
    return np.ones(rows.positive.size, dtype=bool)


def best_trivial(rows: Answers) -> Flags:
    """The cheaper one of the two decisions that look at no row; of equal ones, all negative."""
    return (everybody if rows.at_stake(False) < rows.at_stake(True) else nobody)(rows)
