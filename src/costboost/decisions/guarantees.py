"""Operating points that meet a goal on the population with a stated confidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, ndtri
from sklearn.base import clone
from sklearn.utils import check_random_state

from costboost.decisions.folds import (
    FoldedData,
)
from costboost.decisions.goals import Goal, HeldOut, Points, PointSearch
from costboost.metrics.checks import Floats

ORDERING = 0.2
"""Share of the held-out rows that order the thresholds of a fixed sequence; the others test."""
LONGEST = 200
"""Most thresholds of a fixed sequence whose costs are tested."""
LARGEST_BET = 0.75
"""Largest bet, as a share of the bet that could lose the whole capital in one row."""

Indices = NDArray[np.intp]


# ---- p-values ------------------------------------------------------------------------------------


def rate_pvalues(against: Any, n: Any, share: float) -> Floats:
    """P-values of "at least this share of rows count against the goal", from so many of n rows.

    The probability of at most ``against`` successes of a binomial distribution; 1 where n is 0.
    """
    against, n = np.broadcast_arrays(np.asarray(against, float), np.asarray(n, float))
    if share >= 1:
        return np.where(against < n, 0.0, 1.0)
    return np.where(n > 0, bdtr(np.minimum(against, n), n.astype(np.int64), share), 1.0)


def precision_pvalues(hits: Any, n: Any, at_least: float) -> Floats:
    """P-values of "the precision is below ``at_least``", from the hits among n alarms.

    The probability of at least so many successes of a binomial distribution; 1 where n is 0.
    """
    hits, n = np.broadcast_arrays(np.asarray(hits, float), np.asarray(n, float))
    if at_least <= 0:
        return np.zeros(hits.shape)
    tail = bdtrc(np.maximum(hits - 1, 0), n.astype(np.int64), at_least)
    return np.where((n > 0) & (hits > 0), tail, 1.0)


def betting_pvalues(loss: Floats, at_most: float, level: float) -> Floats:
    r"""P-values of "the mean loss is above ``at_most``", from independent losses in [0, 1].

    A gambler bets on every row that its loss is below ``at_most``. If the mean is above it, the
    capital :math:`\prod_i (1 + \lambda_i (b - L_i))` exceeds :math:`1 / \alpha` at any time with
    probability :math:`\alpha` at most, whatever the distribution. The bets :math:`\lambda_i` depend
    on the rows before.

    Parameters
    ----------
    loss : array of shape (..., n_rows)
        Losses in random order.
    at_most : float
        The bound b.
    level : float
        The level at which the bets have the greatest power.

    References
    ----------
    Waudby-Smith, I. & Ramdas, A. (2024). Estimating means of bounded random variables by betting.
    Journal of the Royal Statistical Society B 86(1), 1-27.
    """
    if at_most >= 1:
        return np.zeros(loss.shape[:-1])
    n = loss.shape[-1]
    count = np.arange(1, n + 1) + 1.0  # and one row of mean 1/2 and variance 1/4 before the first
    mean = (0.5 + np.cumsum(loss, axis=-1)) / count
    variance = (0.25 + np.cumsum((loss - mean) ** 2, axis=-1)) / count
    before = np.concatenate([np.full((*loss.shape[:-1], 1), 0.25), variance[..., :-1]], axis=-1)
    bet = np.minimum(np.sqrt(2 * log(1 / level) / (n * before)), LARGEST_BET / (1 - at_most))
    capital = np.cumsum(np.log1p(bet * (at_most - loss)), axis=-1)
    greatest = np.maximum(capital.max(axis=-1, initial=0.0), 0.0)
    return np.asarray(np.exp(-greatest))


def first_passes(pvalues: Floats, level: float) -> int:
    """Number of hypotheses that fixed-sequence testing rejects: those before the first above."""
    above = np.flatnonzero(~(pvalues <= level))
    return int(above[0]) if above.size else int(pvalues.size)


# ---- numbers of rows -----------------------------------------------------------------------------


def rows_for_rate(share: float, level: float) -> int | None:
    """Fewest rows from which a rate of failures below ``share`` can be inferred, or None."""
    if share <= 0:
        return None
    return 1 if share >= 1 else max(1, ceil(log(level) / log(1 - share) - 1e-9))


def rows_for_cost(at_most: float, level: float) -> int | None:
    """Fewest rows without a loss from which a mean in [0, 1] can be bounded, or None."""
    if at_most <= 0:
        return None
    n = 1
    while betting_pvalues(np.zeros(n), at_most, level) > level:
        n += max(1, n // 50)
    return n


# ---- guarantees ----------------------------------------------------------------------------------


def search_guaranteed(clf: Any, data: FoldedData, goal: Goal) -> PointSearch:
    """Thresholds, and which of them meet the goal on the population with its confidence.

    The classifier of all points is the one that was trained without the held-out rows.
    """
    weight = data.held.weight
    if not np.all(weight == weight[0]):
        raise ValueError(
            "a guarantee is about rows drawn at random, each of which counts once: sample_weight "
            "must be the same for all rows whose weight is not 0"
        )
    model, score = data.fitted_on_split(clone(clf.estimator))
    held = replace(data.held, weight=np.ones(score.size), rows_per_weight=1.0)
    order = check_random_state(clf.random_state).permutation(score.size)
    counts = data.weight > 0
    right = None if data.right is None else data.right[counts]
    span = cost_span(data.cost[counts], right)
    points = _GUARANTEES[goal.name](goal, held, score, order, span)
    return PointSearch(points, lambda k: score > points.at[k], lambda k: model)


Span = tuple[float, float]
"""Least and greatest cost of a row."""


def cost_span(cost: Floats, right: Floats | None) -> Span:
    """Least and greatest cost that a prediction can have on any of the rows.

    From the net costs of errors, and the costs of right predictions if they cost anything.
    """
    rights = np.zeros(cost.size) if right is None else right
    possible = np.concatenate([rights, rights + cost])
    return float(possible.min()), float(possible.max())


def guarantee_rate(
    goal: Goal, held: HeldOut, score: Floats, order: Indices, span: Span | None = None
) -> Points:
    """All thresholds, of which those are allowed that pass the binomial test of recall or fpr.

    A rate of one class is monotone in the threshold: if the extreme threshold that passes meets the
    goal, so do all beyond it. Any of them may be taken, such as the cheapest.
    """
    thresholds, outcomes = held.thresholded(score)
    of_class = "positive" if goal.name == "recall" else "negative"
    n = int(outcomes.positives if goal.name == "recall" else outcomes.negatives)
    found = outcomes.hits if goal.name == "recall" else outcomes.alarms
    sides = []
    if goal.at_least is not None:
        sides.append((1 - goal.at_least, n - found))
    if goal.at_most is not None:
        sides.append((goal.at_most, found))
    level = goal.level / len(sides)
    allowed = np.ones(thresholds.size, dtype=bool)
    for share, against in sides:
        _check_enough(goal, n, rows_for_rate(share, level), f"held-out {of_class} rows")
        allowed &= rate_pvalues(against, n, share) <= level
    if not allowed.any():
        raise ValueError(
            f"{goal}, cannot be guaranteed by {n} held-out {of_class} rows, since the range is too "
            "narrow; widen it or hold out more rows"
        )
    return Points("threshold", thresholds, outcomes, allowed)


def guarantee_precision(
    goal: Goal, held: HeldOut, score: Floats, order: Indices, span: Span | None = None
) -> Points:
    """Thresholds in a fixed sequence, of which those before the first failure are allowed.

    The sequence leads from the threshold with the most evidence for the goal to the cheapest one.
    """
    assert goal.at_least is not None
    at_least, level = goal.at_least, goal.level
    first, rest = _parts(held, order)
    _check_enough(
        goal, rest.size, rows_for_rate(1 - at_least, level), "rows to test", first.size + rest.size
    )
    at, seen = held.take(first).thresholded(score[first])
    at, seen = at[:-1], seen.take(slice(0, -1))  # at the last one, no row is predicted positive
    evidence = (seen.hits - at_least * seen.predicted_positive) / np.sqrt(
        seen.predicted_positive + 1
    )
    start, cheapest = int(np.argmax(evidence)), int(np.argmin(seen.cost))
    step = 1 if start <= cheapest else -1
    walk = np.arange(start, cheapest + step, step)
    others = np.setdiff1d(np.arange(at.size), walk)
    sequence = np.concatenate([walk, others[np.argsort(seen.cost[others], kind="stable")]])
    tested = held.take(rest).above(score[rest], at[sequence])
    pvalues = precision_pvalues(tested.hits, tested.predicted_positive, at_least)
    return _sequence_points(goal, held, score, at, sequence, pvalues, rest.size)


def guarantee_cost(
    goal: Goal, held: HeldOut, score: Floats, order: Indices, span: Span | None = None
) -> Points:
    """Thresholds in the order of their cost, of which those before the first failure are allowed.

    The bound is that of betting on losses in the span, by default that of the held-out rows.
    """
    assert goal.at_most is not None
    least, greatest = cost_span(held.cost, held.right) if span is None else span
    level, width = goal.level, greatest - least
    first, rest = _parts(held, order)
    at_most = (goal.at_most - least) / width
    _check_enough(
        goal, rest.size, rows_for_cost(at_most, level), "rows to test", first.size + rest.size
    )
    at, seen = held.take(first).thresholded(score[first])
    sequence = np.argsort(seen.cost, kind="stable")[:LONGEST]
    wrong = (score[rest] > at[sequence, None]) != held.positive[rest]
    right = 0.0 if held.right is None else held.right[rest]
    loss = (right + wrong * held.cost[rest] - least) / width
    pvalues = betting_pvalues(np.clip(loss, 0.0, 1.0), at_most, level)
    return _sequence_points(goal, held, score, at, sequence, pvalues, rest.size)


_GUARANTEES: dict[str, Callable[[Goal, HeldOut, Floats, Indices, Span | None], Points]] = {
    "recall": guarantee_rate,
    "precision": guarantee_precision,
    "fpr": guarantee_rate,
    "cost": guarantee_cost,
}
"""Guarantees by the values of the parameter ``target``."""


def _parts(held: HeldOut, order: Indices) -> tuple[Indices, Indices]:
    """Held-out rows that order thresholds, and those that test them."""
    n = max(1, round(ORDERING * order.size))
    return order[:n], order[n:]


def _check_enough(goal: Goal, n: int, needed: int | None, what: str, n_held: int = 0) -> None:
    """Raise ValueError if the rows could not guarantee the goal even without an error."""
    if needed is None:
        raise ValueError(f"{goal}, cannot be guaranteed by any number of rows")
    if n >= needed:
        return
    if n_held:  # some of the held-out rows do not test
        n, needed, what = n_held, ceil(needed / (1 - ORDERING)), "held-out rows"
    raise ValueError(
        f"{goal}, needs at least {needed} {what}, but there are {n}; bring more rows, hold out a "
        "greater share of them by cv=, or take a lower goal or guarantee"
    )


def _sequence_points(
    goal: Goal,
    held: HeldOut,
    score: Floats,
    at: Floats,
    sequence: Indices,
    pvalues: Floats,
    n_tested: int,
) -> Points:
    """Points of the thresholds, of which the first ones of the sequence are allowed."""
    allowed = np.zeros(at.size, dtype=bool)
    allowed[sequence[: first_passes(pvalues, goal.level)]] = True
    points = Points("threshold", at, held.above(score, at), allowed)
    if not allowed.any():
        raise ValueError(_not_proven(goal, points, int(sequence[0]), n_tested, held.positive.size))
    return points


def _not_proven(goal: Goal, points: Points, k: int, n_tested: int, n_held: int) -> str:
    """Message for a goal that the first threshold of a sequence does not meet surely enough."""
    reached = float(goal.target.value(points.outcomes)[k])
    text = (
        f"{goal}, is not proven by the {n_tested} rows that test it: the best {goal.target.name} "
        f"is {reached:.4g} ({points.describe(k)})"
    )
    low, high = (float(end[k]) for end in goal.target.bounds(points.outcomes, 1.0))
    least, most = goal.range
    beyond = reached - least if goal.at_most is None else most - reached
    error = (high - low) / 2
    if beyond > 0:
        needed = n_held * (-float(ndtri(goal.level)) * error / beyond) ** 2 / (1 - ORDERING)
        return f"{text}; about {max(needed, n_held + 1):.0f} held-out rows might do"
    return f"{text}; take another goal"
