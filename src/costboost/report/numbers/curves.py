"""Curves of the report: cost over skew, ROC, calibration, margins, cost after each round."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from costboost.decisions.folds import take
from costboost.metrics import brier_curve, cost_curve, margins
from costboost.metrics.checks import Floats, Scored, levels
from costboost.metrics.reliability import BINNINGS, wilson_interval
from costboost.report.numbers.two_classes import Flags, TwoClassPredictions, Z, staged_decisions

COLUMNS = 300
"""Number of columns of a picture; a curve keeps at most four points in each."""
PROGRESS_ROWS = 20_000
"""Greatest number of rows for the cost after each round."""

Line = tuple[Floats, Floats]


def thinned(x: Floats, y: Floats) -> Line:
    """Keep the first, last, least and greatest point in each column of the picture.

    The other points lie between them and would not be visible on a screen.
    """
    if x.size <= 4 * COLUMNS:
        return x, y
    span = float(x[-1] - x[0]) or 1.0
    column = np.minimum(((x - x[0]) / span * COLUMNS).astype(np.intp), COLUMNS - 1)
    starts = np.append(0, np.flatnonzero(np.diff(column)) + 1)
    ends = np.append(starts[1:], x.size)
    kept: set[int] = set()
    for begin, end in zip(starts.tolist(), ends.tolist(), strict=True):
        part = y[begin:end]
        kept |= {begin, end - 1, begin + int(part.argmin()), begin + int(part.argmax())}
    rows = np.array(sorted(kept))
    return x[rows], y[rows]


def brier(rows: TwoClassPredictions) -> Line:
    """Brier curve of the limits of the rows."""
    return thinned(*brier_curve(rows.positive, rows.deciding, **_curve_options(rows)))


def envelope(rows: TwoClassPredictions) -> Line:
    """Cost curve: Q over skews at the best threshold for each skew."""
    return thinned(*cost_curve(rows.positive, rows.deciding, **_curve_options(rows)))


def _curve_options(rows: TwoClassPredictions) -> dict[str, Any]:
    return {
        "by": "skew",
        "fn_cost": rows.fn_cost,
        "fp_cost": rows.fp_cost,
        "sample_weight": rows.weight,
    }


def roc(rows: TwoClassPredictions) -> Line:
    """ROC curve: false positive rate and recall as the threshold decreases."""
    by_limit = levels(Scored(rows.positive, rows.factors(), rows.weight))
    fpr, recall = (
        np.append(0.0, np.cumsum(side[::-1])) / side.sum()
        for side in (by_limit.negative, by_limit.positive)
    )
    return thinned(fpr, recall)


class Reliability(NamedTuple):
    """Groups of rows with similar probabilities."""

    probability: Floats
    frequency: Floats
    low: Floats
    high: Floats
    """Wilson's 95% interval of the frequency."""
    weight: Floats


def reliability(
    there: Flags, probability: Floats, weights: Floats, n_bins: int = 10
) -> Reliability:
    """Mean probability of a class and its frequency in bins of about equal weight."""
    p, positive, negative = levels(Scored(there, probability, weights))
    weight = positive + negative
    bins = BINNINGS["quantile"](p, weight, n_bins)
    total = np.bincount(bins, weight).astype(np.float64)
    filled = total > 0
    total = total[filled]
    mean = np.bincount(bins, p * weight)[filled] / total
    rate = np.bincount(bins, positive)[filled] / total
    n = total * weights.sum() / (weights**2).sum()  # effective number of rows
    low, high = wilson_interval(rate, n, Z)
    return Reliability(mean, rate, low, high, total)


def margin_shares(model: Any, X: Any, y: Any, rows: TwoClassPredictions) -> dict[bool, Line]:
    """Cumulative distribution of the margins of each class."""
    margin = margins(model, X, y)[rows.rows]
    return {sign: _cumulative(margin, rows, sign) for sign in (True, False)}


def _cumulative(margin: Floats, rows: TwoClassPredictions, sign: bool) -> Line:
    there = rows.positive == sign
    order = np.argsort(margin[there], kind="stable")
    x, share = margin[there][order], np.cumsum(rows.weight[there][order])
    x = np.repeat(np.concatenate([[-1.0], x, [1.0]]), 2)[1:-1]
    y = np.repeat(np.concatenate([[0.0], share / share[-1]]), 2)
    return thinned(x, y)


class Progress(NamedTuple):
    """Mean cost of a row after each round of boosting."""

    cost: Floats
    n_rows: int
    sampled: bool


def progress(model: Any, X: Any, rows: TwoClassPredictions, random_state: Any) -> Progress:
    """Mean cost after each round, on a sample of the rows if there are many."""
    n = rows.rows.size
    chosen = np.arange(n)
    if n > PROGRESS_ROWS:
        random = check_random_state(random_state)
        chosen = np.sort(random.choice(n, PROGRESS_ROWS, replace=False))
    part = take(X, rows.rows[chosen])
    money = (rows.weight * rows.cost)[chosen]
    costs = [cost[chosen] if np.ndim(cost) else cost for cost in (rows.fn_cost, rows.fp_cost)]
    weight, truth = float(rows.weight[chosen].sum()), rows.positive[chosen]
    stages = staged_decisions(model, part, None if rows.limit is None else costs, rows.label)
    cost = np.array([float(money[predicted != truth].sum()) / weight for predicted in stages])
    return Progress(cost, chosen.size, n > PROGRESS_ROWS)
