"""Cumulative distributions of margins, of all rows or of one class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from costboost.decisions.folds import take
from costboost.metrics import margins, staged_margins
from costboost.metrics.checks import Floats
from costboost.plots.numbers.answers import Run, part
from costboost.plots.numbers.rows import Flags, Rows
from costboost.plots.numbers.runs import mean_of

GRID = np.linspace(-1, 1, 401)
"""Margins at which runs are averaged."""


class Distribution(NamedTuple):
    """Share of the rows whose margin is at most so much."""

    margin: Floats
    share: Floats
    lower: Floats | None = None
    upper: Floats | None = None
    n_runs: int = 1
    round: int | None = None
    """Rounds that the ensemble had; None for all."""
    positive: bool | None = None
    """Which of the two classes the rows are of; None for both."""


def check_rounds(rounds: Any) -> list[int] | None:
    """Rounds counted from 1, rising; None for the last one."""
    if rounds is None:
        return None
    numbers = np.unique(np.atleast_1d(rounds))
    if numbers.size == 0 or numbers.dtype.kind not in "iu" or numbers[0] < 1:
        raise ValueError(f"rounds must be whole numbers from 1 on, got {rounds!r}")
    return [int(number) for number in numbers]


def margins_at(estimator: Any, X: Any, y: Any, rounds: list[int] | None) -> dict[Any, Floats]:
    """Margins by round; of all rounds under None."""
    if rounds is None:
        return {None: margins(estimator, X, y)}
    found = {}
    last = 0
    for last, margin in enumerate(staged_margins(estimator, X, y), start=1):
        if last in rounds:
            found[last] = margin
    if rounds[-1] > last:
        raise ValueError(
            f"rounds goes up to {rounds[-1]}, but {type(estimator).__name__} has {last} only"
        )
    return found


def distribution(margin: Floats, weight: Floats, **about: Any) -> Distribution:
    """The exact steps: every margin that occurs, and the share up to it."""
    order = np.argsort(margin, kind="stable")
    values, total = margin[order], np.cumsum(weight[order])
    last = np.append(values[1:] != values[:-1], True)
    return Distribution(values[last], total[last] / total[-1], **about)


def share_up_to(margin: Floats, weight: Floats, points: Floats) -> Floats:
    """Share of the rows whose margin is at most each of the points."""
    steps = distribution(margin, weight)
    return np.append(0.0, steps.share)[np.searchsorted(steps.margin, points, side="right")]


def sides(positive: Flags, per_class: bool) -> dict[bool | None, Flags]:
    """Rows of either class, or all of them under None."""
    if per_class:
        return {True: positive, False: ~positive}
    return {None: np.ones(positive.size, dtype=np.bool_)}


def of_one(by_round: dict[Any, Floats], rows: Rows, per_class: bool) -> list[Distribution]:
    """Distributions of one model's margins."""
    return [
        distribution(margin[side], rows.weight[side], round=m, positive=which)
        for m, margin in by_round.items()
        for which, side in sides(rows.positive, per_class).items()
    ]


def of_runs(
    runs: list[Run], X: Any, y: Any, rows: Rows, rounds: list[int] | None, per_class: bool
) -> list[Distribution]:
    """Means over the rows held out in each run."""
    shares: dict[tuple[Any, Any], list[Floats]] = {}
    for run in runs:
        here = rows.take(run.test)
        found = margins_at(run.estimator, take(X, run.test), part(y, run.test), rounds)
        for m, margin in found.items():
            for which, side in sides(here.positive, per_class).items():
                curve = share_up_to(margin[side], here.weight[side], GRID)
                shares.setdefault((m, which), []).append(curve)
    bands = {key: mean_of(curves, 0, 1) for key, curves in shares.items()}
    return [Distribution(GRID, *band, m, which) for (m, which), band in bands.items()]
