"""The discrete family: learners vote, and each algorithm is its row of the table."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from costboost._core.arithmetic import Vector, exp, log, log1p, results, where
from costboost._core.cells import Cells
from costboost._core.engine._kernels import bracketed_root, increasing_root
from costboost._core.rules.record import (
    COST,
    COST_LOGISTIC,
    LOGISTIC,
    LOGISTIC_TILTED,
    VOTES,
    Criterion,
    DiscreteRule,
    a_share_each_round,
    drift_after_first,
    greatest_is,
    least_is_one,
    times_cost,
)

SHARE_FLOOR = 1e-10
"""Weight shares are floored here before a logarithm is taken, so that every step is finite."""
ROUNDING = 1e-15
"""Relative precision of roots."""


# ---- steps ---------------------------------------------------------------------------------------


def half_log_ratio(a: float, b: float) -> float:
    """1/2 log(a / b), both floored as shares of their sum."""
    least = SHARE_FLOOR * (a + b)
    ratio: float = log(max(a, least) / max(b, least))
    return 0.5 * ratio


def confidence(cells: Cells) -> float:
    """1/2 log(W= / W!=): the minimiser of the exponential loss along h."""
    return half_log_ratio(cells.right(), cells.wrong())


def cost_confidence(cells: Cells) -> float:
    """1/2 log(sum of w c over the right / over the wrong)."""
    return half_log_ratio(cells.right(cells.cost), cells.wrong(cells.cost))


def edge_ratio(cells: Cells, whole: Any, part: Vector) -> float:
    """1/2 log((S + r) / (S - r)), S = sum of w times whole, r = sum of w times part times y h.

    Added cell by cell: where S and r are nearly the same, their difference would be noise. With
    costs above 1 some cells count below 0, and the sums are no longer shares of weights that a
    perfect learner brings to 0: where one of them is not above 0, no real step exists.
    """
    edge = part * np.sign(cells.margin)
    above, below = cells.dot(whole + edge), cells.dot(whole - edge)
    shares = all(results(np.all, np.abs(edge) <= whole * (1 + SHARE_FLOOR)))
    if not shares and min(above, below) <= SHARE_FLOOR * (above + below):
        return nan
    return half_log_ratio(above, below)


def cost_edge(cells: Cells) -> float:
    """1/2 log((1 + r) / (1 - r)), r = sum of w c y h."""
    return edge_ratio(cells, 1.0, cells.cost)


def squared_cost_edge(cells: Cells) -> float:
    """1/2 log((S + r) / (S - r)), S = sum of w c, r = sum of w c^2 y h."""
    return edge_ratio(cells, cells.cost, cells.cost**2)


def adjusted_edge(cells: Cells) -> float:
    """1/2 log((1 + r) / (1 - r)), r = sum of w beta y h."""
    return edge_ratio(cells, 1.0, adjustment(cells))


# ---- steps of CSAda and AdaDB, whose votes are chosen together with them -------------------------
#
# Vote and step minimise the loss exp(-c y F) together. The cells hold the weights of the gradient,
# D = c w, so that the loss falls along a vote at the rate by which its right cells outweigh the
# wrong ones. The best step alpha balances them:
#
#     sum of D e^(c alpha) over the wrong = sum of D e^(-c alpha) over the right


def mistaken_parts(cells: Cells) -> Vector:
    """Which part of each cell is wrong: 0 or 1, or `SHARE_FLOOR` in a class without mistakes.

    Without it a perfect learner would have no finite step.
    """
    wrong = cells.outcome.wrong
    without_cost = 1 / (cells.cost / cells.cost.max())
    mistakes = without_cost * wrong
    for members in (cells.positive, ~cells.positive):
        total = cells.dot(where(members, without_cost, 0.0))
        if cells.dot(where(members, mistakes, 0.0)) < SHARE_FLOOR * total:
            wrong = where(members, SHARE_FLOOR, wrong)
    return wrong


def log_parts(wrong: Vector) -> tuple[Vector, Vector]:
    """Logarithms of the parts of cells that are wrong and right, as `mistaken_parts` returns them.

    They are 0, 1 or `SHARE_FLOOR`.
    """
    some = log(SHARE_FLOOR), log1p(-SHARE_FLOOR)
    none, all_of_it = wrong == 0, wrong == 1
    log_wrong = where(all_of_it, 0.0, where(none, -np.inf, some[0]))
    log_right = where(none, 0.0, where(all_of_it, -np.inf, some[1]))
    return log_wrong, log_right


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
    log_wrong, log_right = log_parts(wrong)
    of_wrong, of_right = cells.log_sum(log_wrong, rate, rate), cells.log_sum(log_right, rate, rate)

    def gap(step: float) -> tuple[float, float]:
        mistakes, rise = of_wrong(step)
        hits, fall = of_right(-step)
        return mistakes - hits, rise + fall

    return float(increasing_root(gap) / largest)


def polynomial_root(cells: Cells) -> float:
    """-log x, x the root of sum_= D x^(m + c) = sum_!= D x^(m - c), m the greatest cost."""
    largest = cells.cost.max()
    rate = cells.cost / largest
    wrong = mistaken_parts(cells)
    if not cells.dot(1 - wrong) > cells.dot(wrong):
        return 0.0
    log_wrong, log_right = log_parts(wrong)
    of_right = cells.log_sum(log_right, 1 + rate, rate)
    of_wrong = cells.log_sum(log_wrong, 1 - rate, rate)

    def polynomial(log_x: float) -> float:  # divided by the greater of its two sides
        right, _ = of_right(log_x)
        mistakes, _ = of_wrong(log_x)
        greater = max(right, mistakes)
        return float(exp(right - greater) - exp(mistakes - greater))

    low = -1.0
    while polynomial(low) > 0:
        low *= 2
    return float(-bracketed_root(polynomial, low, 0.0, 1e-300, ROUNDING) / largest)


# ---- updates -------------------------------------------------------------------------------------


def exponential(cells: Cells, step: float) -> Vector:
    """exp(-alpha y h)."""
    return cells.exp(cells.margin, -step)


def cost_times_exponential(cells: Cells, step: float) -> Vector:
    """c exp(-alpha y h)."""
    return cells.cost * cells.exp(cells.margin, -step)


def exponential_in_cost(cells: Cells, step: float) -> Vector:
    """exp(-c alpha y h)."""
    return cells.exp(-step * cells.cost * cells.margin)


def cost_times_exponential_in_cost(cells: Cells, step: float) -> Vector:
    """c exp(-c alpha y h)."""
    return cells.cost * cells.exp(-step * cells.cost * cells.margin)


def cost_of_mistakes(cells: Cells) -> Vector:
    """gamma: the cost where h is wrong, 1 where it is right."""
    return where(cells.margin < 0, cells.cost, 1.0)


def mistakes_only(cells: Cells, step: float) -> Vector:
    """gamma."""
    return cost_of_mistakes(cells)


def mistakes_unit_exponential(cells: Cells, step: float) -> Vector:
    """gamma exp(-y h)."""
    return cost_of_mistakes(cells) * cells.exp(-cells.margin)


def mistakes_exponential(cells: Cells, step: float) -> Vector:
    """gamma exp(-alpha y h)."""
    return cost_of_mistakes(cells) * cells.exp(cells.margin, -step)


def adjustment(cells: Cells) -> Vector:
    """beta: (1 + c) / 2 where h is wrong, (1 - c) / 2 where it is right (Fan et al. 1999)."""
    return (1 - np.sign(cells.margin) * cells.cost) / 2


def adjusted_exponential(cells: Cells, step: float) -> Vector:
    """exp(-beta alpha y h)."""
    return cells.exp(-step * adjustment(cells) * cells.margin)


# ---- the table -----------------------------------------------------------------------------------

ADABOOST = DiscreteRule(
    name="AdaBoost",
    step=confidence,
    update=exponential,
    cost_blind=True,
)
CGADA = replace(ADABOOST, name="CGAda", start=COST, cost_blind=False)
ADAMEC = replace(ADABOOST, name="AdaMEC", link=VOTES, decides_by_cost=True, cost_blind=False)
ADAMEC_LOGISTIC = replace(ADAMEC, link=LOGISTIC)

ASYMADA = replace(
    CGADA,
    name="AsymAda",
    scale=a_share_each_round,
    update=cost_times_exponential,
    drift=drift_after_first,
    costs_in_rounds=True,
)

ADAC2 = replace(
    CGADA,
    name="AdaC2",
    step=cost_confidence,
    update=cost_times_exponential,
    link=LOGISTIC_TILTED,
    costs_in_rounds=True,
)
ADAC1 = replace(
    ADAC2, name="AdaC1", scale=greatest_is(1.0), step=cost_edge, update=exponential_in_cost
)
ADAC1_NYGA = replace(ADAC1, scale=least_is_one, step=cost_confidence)
ADAC3 = replace(ADAC1, name="AdaC3", step=squared_cost_edge, update=cost_times_exponential_in_cost)

CSB2 = replace(ADAC2, name="CSB2", scale=least_is_one, step=confidence, update=mistakes_exponential)
CSB1 = replace(CSB2, name="CSB1", update=mistakes_unit_exponential)
CSB0 = replace(CSB2, name="CSB0", update=mistakes_only)

ADACOST = replace(
    ADAC2,
    name="AdaCost",
    scale=greatest_is(0.5),
    step=adjusted_edge,
    update=adjusted_exponential,
)
ADACOST_TING = replace(ADACOST, name="AdaCost(beta2)", step=confidence)

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
