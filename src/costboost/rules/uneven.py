"""Uneven votes: AdaCC, whose costs follow the mistakes of the ensemble, and AdaUBoost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from costboost.cells import MOST_EXPONENT, Cells
from costboost.elementary import exp
from costboost.engine._kernels import TIE
from costboost.rules.discrete import SHARE_FLOOR, balance
from costboost.rules.record import (
    COST,
    INVERSE_COST_LOGISTIC,
    LOGISTIC_TILTED,
    DiscreteRule,
    RowData,
    ScoreRule,
    by_cost,
    least_is_one,
)
from costboost.rules.regularised import Weighted, share, vote_confidence
from costboost.vectors import Floats, Vector, exact_sum

# ---- AdaCC ---------------------------------------------------------------------------------------


def rate(rows: RowData, members: Vector, wrong: Vector) -> float:
    """Share of the initial weight of the members that is wrong."""
    return exact_sum(rows.start * (members & wrong)) / exact_sum(rows.start * members)


def cumulative_costs(rows: RowData, score: Vector) -> tuple[float, float]:
    """c+ = 1 + FNR, c- = 1 if FNR >= FPR, else c+ = 1, c- = 1 + FPR.

    FNR and FPR are the rates of false negatives and false positives of the ensemble. Scores within
    `TIE` of 0 are those of steps that cancel: such rows are predicted negative.
    """
    positive, predicted = rows.label > 0, score > TIE
    fnr = rate(rows, positive, np.logical_not(predicted))
    fpr = rate(rows, np.logical_not(positive), predicted)
    return (1 + fnr, 1.0) if fnr >= fpr - TIE else (1.0, 1 + fpr)


def cost_in_exponent(cost: float, step: float) -> float:
    """w exp(2 c alpha) where h is wrong, w where it is right."""
    return float(exp(min(2 * cost * step, MOST_EXPONENT)))


def cost_as_factor(cost: float, step: float) -> float:
    """w c exp(2 alpha) where h is wrong, w where it is right."""
    return float(cost * exp(min(2 * step, MOST_EXPONENT)))


def begin_cumulative(rows: RowData) -> Weighted:
    return Weighted(np.zeros_like(rows.label), share(rows.start))


def adacc(name: str, factor: Callable[[float, float], float]) -> ScoreRule:
    """AdaBoost that multiplies the weights of wrong rows by a factor of the present cost."""

    def advance(rows: RowData, state: Weighted, step: float, vote: Vector) -> Weighted:
        score = state.score + step * vote
        factors = [factor(cost, step) for cost in cumulative_costs(rows, score)]
        by_class = np.where(rows.label > 0, factors[0], factors[1])
        weight = state.weight * np.where(rows.label * vote < 0, by_class, 1.0)
        return Weighted(score, share(weight))

    advance.__doc__ = factor.__doc__
    return ScoreRule(
        name=name,
        begin=begin_cumulative,
        step=vote_confidence,
        advance=advance,
        link=LOGISTIC_TILTED,
        cost_blind=True,
    )


ADACC1 = adacc("AdaCC1", cost_in_exponent)
ADACC2 = adacc("AdaCC2", cost_as_factor)


# ---- AdaUBoost -----------------------------------------------------------------------------------


def inverted(cells: Cells, weight: Floats) -> Cells:
    """Cells of the given weights whose costs are b = 1/c."""
    return type(cells)(weight, cells.outcome, 1 / cells.cost, cells.positive)


def balance_of(slope: Cells) -> float:
    """The root of the slope; 0 if the edge is at most `SHARE_FLOOR` of the weights."""
    edge = slope.right() - slope.wrong()
    return balance(slope) if edge > SHARE_FLOOR * (slope.right() + slope.wrong()) else 0.0


def uneven_balance(cells: Cells) -> float:
    """root of sum_!= w b e^(b alpha) = sum_= w b e^(-b alpha), b = 1/c."""
    return balance_of(inverted(cells, cells.weight / cells.cost))


def uneven_balance_of_slope(cells: Cells) -> float:
    """root of sum_!= D e^(b alpha) = sum_= D e^(-b alpha), b = 1/c."""
    return balance_of(inverted(cells, cells.weight))


def exponential_in_inverse_cost(cells: Cells, step: float) -> Floats:
    """exp(-alpha y h / c)."""
    return cells.exp(-step * cells.margin / cells.cost)


ADAUBOOST = DiscreteRule(
    name="AdaUBoost",
    start=COST,
    scale=least_is_one,
    step=uneven_balance,
    update=exponential_in_inverse_cost,
    link=INVERSE_COST_LOGISTIC,
    costs_in_rounds=True,
)
ADAUBOOST_SLOPE = replace(ADAUBOOST, focus=by_cost, step=uneven_balance_of_slope)
