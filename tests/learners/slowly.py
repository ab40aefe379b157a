"""Learners of rows with costs of their own, found by trying every split."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from learners.rows import Floats, Small
from numpy.typing import NDArray
from scipy.optimize import brentq

from costboost._core.engine._kernels import MISSING
from costboost._core.rules.record import Criterion

TIE = 1e-12
ROUNDING = 1e-13
FLOOR = 1e-10
LEAF = Criterion("cost exponential", 1e-4, 2.0, 0.5)


def rising(function: Callable[[float], float]) -> float:
    """The root of an increasing function."""
    low, high = -1.0, 1.0
    while function(low) > 0:
        low *= 2
    while function(high) < 0:
        high *= 2
    return float(brentq(function, low, high, xtol=1e-300, rtol=1e-14, maxiter=500))


def log_sum(logs: Floats) -> float:
    most = logs.max(initial=-np.inf)
    return float(most + np.log(np.exp(logs - most).sum())) if np.isfinite(most) else -np.inf


def vote_loss(weight: Floats, cost: Floats, margin: Floats, positive: NDArray[np.bool_]) -> float:
    """sum w exp(-c alpha y h) at the best alpha >= 0, w summing to 1."""
    w = weight / cost
    w = w / w.sum()
    wrong = (margin < 0).astype(float)
    for rows in (positive, ~positive):
        if w[rows] @ wrong[rows] < FLOOR * w[rows].sum():
            wrong[rows] = FLOOR
    with np.errstate(divide="ignore"):
        up, down = np.log(w * cost * wrong), np.log(w * cost * (1 - wrong))

    def gap(step: float) -> float:
        return log_sum(up + cost * step) - log_sum(down - cost * step)

    if not gap(0.0) < 0:
        return 1.0
    step = rising(gap)
    with np.errstate(divide="ignore"):
        terms = [np.log(w * wrong) + cost * step, np.log(w * (1 - wrong)) - cost * step]
    return float(np.exp(terms).sum())


def leaf_value(weight: Floats, label: Floats, cost: Floats, criterion: Criterion) -> float:
    """The root of sum c y w exp(-c y g) with a row of either class more."""
    e, fn, fp = criterion[1:4]
    with np.errstate(divide="ignore"):
        logs = np.log(weight) + np.log(cost)
    up, down = label > 0, label < 0

    def gap(g: float) -> float:
        against = log_sum(np.append(logs[down] + cost[down] * g, np.log(e * fp) + fp * g))
        for_it = log_sum(np.append(logs[up] - cost[up] * g, np.log(e * fn) - fn * g))
        return against - for_it

    return rising(gap)


def leaf_loss(weight: Floats, label: Floats, cost: Floats, criterion: Criterion) -> float:
    g = leaf_value(weight, label, cost, criterion)
    return float((weight * np.exp(-cost * label * g)).sum())


class Candidate(NamedTuple):
    feature: int
    position: int
    missing_left: bool
    on_left: NDArray[np.bool_]  # of all rows


def candidates(
    small: Small, weight: Floats, least: int, members: NDArray[np.intp] | None = None
) -> Iterator[Candidate]:
    """All ways to part the members, in order."""
    rows, label = small.rows, small.label
    members = np.arange(label.size) if members is None else members
    for f in range(rows.n_features):
        bins = small.bins(f)
        order = list(range(rows.n_bins[f]))
        if rows.categorical[f]:
            share = {}
            for b in order:
                here = members[bins[members] == b]
                if weight[here].sum() > 0:
                    share[b] = weight[here][label[here] > 0].sum() / weight[here].sum()
            order = sorted(share, key=lambda b: share[b])
        for k in range(len(order) - 1):
            for missing_left in (False, True):
                on_left = np.isin(bins, order[: k + 1]) | ((bins == MISSING) & missing_left)
                n_left = on_left[members].sum()
                if missing_left and not (bins[members] == MISSING).any():
                    continue
                if least <= min(n_left, members.size - n_left):
                    yield Candidate(f, k, missing_left, on_left)


def random_small(seed: int, **options: Any) -> Small:
    rng = np.random.default_rng(seed)
    n = int(rng.choice([2, 4, 9, 25, 60]))
    missing = float(rng.choice([0.0, 0.2]))
    small = Small(rng, n, int(rng.integers(1, 4)), missing=missing, **options)
    if rng.random() < 0.3:  # as they are after many rounds
        small.weight = 10.0 ** rng.uniform(-6, 0, n)
    if rng.random() < 0.2:
        small.X[:, 0] = small.positive  # a perfect split
        small.rebinned()
    return small.weigh()


def joint_losses(small: Small, least: int) -> dict[tuple[int, int, int, bool], float]:
    """Losses by feature, position, polarity and side of the missing rows."""
    label = small.label
    weight = small.row_weight / small.row_cost
    return {
        (c.feature, c.position, p, c.missing_left): vote_loss(
            small.row_weight,
            small.row_cost,
            label * np.where(c.on_left, -1, 1) * (1 - 2 * p),
            label > 0,
        )
        for c in candidates(small, weight, least)
        for p in (0, 1)
    }


def constant_losses(small: Small) -> list[float]:
    label = small.label
    return [
        vote_loss(small.row_weight, small.row_cost, label * sign, label > 0) for sign in (1.0, -1.0)
    ]


def margins(small: Small, split: Any) -> Floats:
    on_left = split.left.astype(bool)[small.bins(max(split.feature, 0))]
    if split.feature < 0:
        on_left = np.zeros_like(on_left)
    return small.label * np.where(on_left, -1.0, 1.0) * split.polarity


def leaf_losses(
    small: Small,
    least: int,
    members: NDArray[np.intp] | None = None,
    criterion: Criterion = LEAF,
) -> dict[tuple[int, int, int, bool], float]:
    label = small.label
    chosen = np.arange(label.size) if members is None else members
    result = {}
    for c in candidates(small, small.row_weight, least, members):
        parts = [chosen[c.on_left[chosen]], chosen[~c.on_left[chosen]]]
        result[c.feature, c.position, 0, c.missing_left] = sum(
            leaf_loss(small.row_weight[part], label[part], small.row_cost[part], criterion)
            for part in parts
        )
    return result
