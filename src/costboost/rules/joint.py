"""CSAda and AdaDB: vote and step minimise the loss exp(-c y F) together.

The cells hold the weights of the gradient, D = c w, so that the loss falls along a vote at the rate
by which its right cells outweigh the wrong ones. The best step alpha balances them::

    sum of D e^(c alpha) over the wrong = sum of D e^(-c alpha) over the right
"""

from __future__ import annotations

from dataclasses import replace
from math import exp

import numpy as np
from scipy.optimize import brentq

from costboost.cells import Cells, Floats
from costboost.engine._kernels import increasing_root
from costboost.rules.discrete import ADABOOST, SHARE_FLOOR, exponential_in_cost
from costboost.rules.links import COST_LOGISTIC
from costboost.rules.record import Criterion
from costboost.rules.starts import times_cost

ROUNDING = 1e-15


def mistaken_parts(cells: Cells) -> Floats:
    """Which part of each cell is wrong: 0 or 1, or a little in a class without mistakes.

    Without that little a perfect learner would have no finite step.
    """
    wrong = cells.outcome.wrong
    without_cost = 1 / (cells.cost / cells.cost.max())
    for members in (cells.positive, ~cells.positive):
        total = cells.dot(np.where(members, without_cost, 0.0))
        if cells.dot(np.where(members, without_cost * wrong, 0.0)) < SHARE_FLOOR * total:
            wrong = np.where(members, SHARE_FLOOR, wrong)
    return wrong


def balance(cells: Cells) -> float:
    """root of sum_!= D e^(c alpha) = sum_= D e^(-c alpha); 0 if even a tiny step does not pay.

    The difference of the logarithms grows with alpha at a rate between twice the least and twice
    the greatest cost.
    """
    largest = cells.cost.max()
    rate = cells.cost / largest  # the step is found in units of 1 / largest
    wrong = mistaken_parts(cells)
    if not cells.dot(1 - wrong) > cells.dot(wrong):
        return 0.0
    with np.errstate(divide="ignore"):
        log_wrong, log_right = np.log(wrong), np.log1p(-wrong)

    def gap(step: float) -> tuple[float, float]:
        mistakes, rise = cells.log_sum(log_wrong + rate * step, rate)
        hits, fall = cells.log_sum(log_right - rate * step, rate)
        return mistakes - hits, rise + fall

    return float(increasing_root(gap) / largest)


def polynomial_root(cells: Cells) -> float:
    """-log x, x the root of sum_= D x^(m + c) = sum_!= D x^(m - c), m the greatest cost."""
    dearest = cells.cost.max()
    rate = cells.cost / dearest
    wrong = mistaken_parts(cells)
    if not cells.dot(1 - wrong) > cells.dot(wrong):
        return 0.0
    with np.errstate(divide="ignore"):
        log_wrong, log_right = np.log(wrong), np.log1p(-wrong)

    def polynomial(log_x: float) -> float:  # divided by the greater of its two sides
        right, _ = cells.log_sum(log_right + (1 + rate) * log_x, rate)
        mistakes, _ = cells.log_sum(log_wrong + (1 - rate) * log_x, rate)
        greater = max(right, mistakes)
        return exp(right - greater) - exp(mistakes - greater)

    low = -1.0
    while polynomial(low) > 0:
        low *= 2
    return float(-brentq(polynomial, low, 0.0, xtol=1e-300, rtol=ROUNDING) / dearest)


CSADA = replace(
    ADABOOST,
    name="CSAda",
    focus=times_cost,
    criterion=Criterion("joint"),
    step=balance,
    update=exponential_in_cost,
    link=COST_LOGISTIC,
    cost_blind=False,
    costs_in_rounds=True,
)
ADADB = replace(CSADA, name="AdaDB", step=polynomial_root)
