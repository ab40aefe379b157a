"""The score-weighted family, and AdaUBoost.

Regularised rules give less weight to rows that are hard to learn; the costs of AdaCC follow the
mistakes of the ensemble. The votes of AdaUBoost are uneven.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from costboost._core.arithmetic import Vector, exact_sum, exp, looked_up, power, where
from costboost._core.cells import MOST_EXPONENT, Cells
from costboost._core.engine._kernels import TIE, bracketed_root
from costboost._core.rules.discrete import SHARE_FLOOR, balance, half_log_ratio
from costboost._core.rules.record import (
    COST,
    INVERSE_COST_LOGISTIC,
    LOGISTIC_DOUBLED,
    LOGISTIC_TILTED,
    DiscreteRule,
    RowData,
    ScoreRule,
    by_cost,
    least_is_one,
)


def share(values: Vector) -> Vector:
    """Values that sum to 1."""
    return values / exact_sum(values)


class Weighted(NamedTuple):
    """Score and weight of each row."""

    score: Vector
    weight: Vector


def vote_confidence(rows: RowData, state: Weighted, margin: Vector) -> float:
    """1/2 log(W= / W!=)."""
    right, wrong = (exact_sum(state.weight * mask) for mask in (margin > 0, margin < 0))
    return half_log_ratio(right, wrong)


# ---- WeightBoost ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Damped:
    """F + alpha exp(-|beta F|) h: a learner counts less where the score is already large."""

    beta: float

    def __call__(self, score: Vector, step: float, vote: Vector) -> Vector:
        """The score after a round."""
        moved: Vector = score + step * exp(-np.abs(self.beta * score)) * vote
        return moved


def weightboost(beta: float) -> ScoreRule:
    """Votes that are `Damped`."""
    combine = Damped(beta)

    def weights(rows: RowData, score: Vector) -> Vector:
        exponent = -rows.label * score - np.abs(beta * score)
        return share(rows.start * exp(exponent - exponent.max()))

    def begin(rows: RowData) -> Weighted:
        score = np.zeros_like(rows.label)
        return Weighted(score, weights(rows, score))

    def advance(rows: RowData, state: Weighted, step: float, vote: Vector) -> Weighted:
        """s exp(-y F - |beta F|)."""
        score = combine(state.score, step, vote)
        return Weighted(score, weights(rows, score))

    return ScoreRule(
        name="WeightBoost",
        begin=begin,
        step=vote_confidence,
        advance=advance,
        combine=combine,
        cost_blind=True,
    )


# ---- AdaBoost_Reg --------------------------------------------------------------------------------

LARGEST_STEP = 50.0
"""Greatest step of AdaBoost_Reg, whose loss need not have a minimum."""


class Mistrust(NamedTuple):
    """State of AdaBoost_Reg: margins, influence (sum of alpha w) and size (sum of alpha)."""

    margin: Vector
    influence: Vector
    size: float
    weight: Vector


@dataclass(frozen=True)
class SoftMargin:
    """The loss sum s exp(-(rho + C |a| mu^p) / 2) as a function of one more step.

    rho = y F, |a| = sum of alpha, mu = sum of alpha w / |a|. ``class_aware`` divides mu by its mean
    over the row's class and multiplies by that over all rows, so that mu is the same on average
    in both classes.
    """

    C: float
    p: float
    class_aware: bool
    rows: RowData
    state: Mistrust
    edge: Vector

    def mistrust(self, step: float) -> tuple[Vector, Vector]:
        """mu, and the derivative of |a| mu in the step."""
        influence = self.state.influence + step * self.state.weight
        size = self.state.size + step
        if size == 0:  # before the first step mu is the weight, whatever the step
            influence, size = self.state.weight, 1.0
        if not self.class_aware:
            return influence / size, self.state.weight
        rise = self.state.weight
        over, under = self._mean(influence), self._class_mean(influence)
        level = over / under
        level_rise = (self._mean(rise) * under - over * self._class_mean(rise)) / under**2
        return influence * level / size, rise * level + influence * level_rise

    def _mean(self, values: Vector) -> float:
        return exact_sum(self.rows.start * values) / exact_sum(self.rows.start)

    def _class_mean(self, values: Vector) -> Vector:
        positive, start = self.rows.label > 0, self.rows.start
        means = [
            exact_sum(looked_up(start * values, chosen)) / exact_sum(looked_up(start, chosen))
            for chosen in (positive, ~positive)
        ]
        return where(positive, means[0], means[1])

    def terms(self, step: float) -> Vector:
        """Each row's part of the loss."""
        mu, _ = self.mistrust(step)
        size = self.state.size + step
        soft = self.state.margin + step * self.edge + self.C * size * power(mu, self.p)
        terms: Vector = self.rows.start * exp(-soft / 2)
        return terms

    def slope(self, step: float) -> float:
        """Derivative of the loss: |a| mu^p = (|a| mu)^p |a|^(1-p)."""
        mu, rise = self.mistrust(step)
        penalty = self.p * power(mu, self.p - 1) * rise + (1 - self.p) * power(mu, self.p)
        return exact_sum(-0.5 * self.terms(step) * (self.edge + self.C * penalty))

    def best_step(self) -> float:
        if self.slope(0.0) >= 0:
            return 0.0
        if self.slope(LARGEST_STEP) <= 0:
            return LARGEST_STEP
        return bracketed_root(self.slope, 0.0, LARGEST_STEP, 1e-15, 1e-15)


def adaboost_reg(C: float, p: float, class_aware: bool) -> ScoreRule:
    """AdaBoost whose loss is softer for rows that have had large weights in many rounds."""

    def begin(rows: RowData) -> Mistrust:
        nothing = np.zeros_like(rows.label)
        return Mistrust(nothing, nothing, 0.0, share(rows.start))

    def step(rows: RowData, state: Mistrust, margin: Vector) -> float:
        """root in (0, 50] of the derivative of sum s exp(-(rho + C |a| mu^p) / 2) in alpha."""
        return SoftMargin(C, p, class_aware, rows, state, margin).best_step()

    def advance(rows: RowData, state: Mistrust, step: float, vote: Vector) -> Mistrust:
        """s exp(-(rho + C |a| mu^p) / 2)."""
        edge = rows.label * vote
        terms = SoftMargin(C, p, class_aware, rows, state, edge).terms(step)
        return Mistrust(
            state.margin + step * edge,
            state.influence + step * state.weight,
            state.size + step,
            share(terms),
        )

    return ScoreRule(
        name="AdaBoost_Reg",
        begin=begin,
        step=step,
        advance=advance,
        link=LOGISTIC_DOUBLED,
        cost_blind=True,
    )


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


def inverted(cells: Cells, weight: Vector) -> Cells:
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


def exponential_in_inverse_cost(cells: Cells, step: float) -> Vector:
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
