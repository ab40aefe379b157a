"""Distributions of margins."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from costboost._core.arrays import Flags
from costboost.app.plots.numbers.bands import mean_of
from costboost.app.plots.numbers.labelled_rows import LabelledRows
from costboost.app.plots.numbers.runs import Run, part
from costboost.decisions.wrapping import take
from costboost.metrics import margins, staged_margins
from costboost.metrics.checks import Floats

MARGIN_GRID = np.linspace(-1, 1, 401)
"""Margins at which runs are averaged."""


class Distribution(NamedTuple):
    """Cumulative distribution of margins: share of the rows with at most each margin."""

    margin: Floats
    share: Floats
    lower: Floats | None = None
    upper: Floats | None = None
    n_runs: int = 1
    round: int | None = None
    """Number of rounds of the ensemble; None for all."""
    positive: bool | None = None
    """Class of the rows; None for both."""


def check_rounds(rounds: Any) -> list[int] | None:
    """Rounds counted from 1 in ascending order, or None for the last one."""
    if rounds is None:
        return None
    numbers = np.unique(np.atleast_1d(rounds))
    if numbers.size == 0 or numbers.dtype.kind not in "iu" or numbers[0] < 1:
        raise ValueError(f"rounds must be whole numbers from 1 on, got {rounds!r}")
    return [int(number) for number in numbers]


def margins_at(estimator: Any, X: Any, y: Any, rounds: list[int] | None) -> dict[Any, Floats]:
    """Margins after each of the rounds; with the key None, after all rounds."""
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
    """The exact distribution: each margin that occurs, and the share of rows up to it."""
    order = np.argsort(margin, kind="stable")
    values, total = margin[order], np.cumsum(weight[order])
    last = np.append(values[1:] != values[:-1], True)
    return Distribution(values[last], total[last] / total[-1], **about)


def share_up_to(margin: Floats, weight: Floats, points: Floats) -> Floats:
    """Shares of the rows whose margins are at most each of the points."""
    steps = distribution(margin, weight)
    return np.append(0.0, steps.share)[np.searchsorted(steps.margin, points, side="right")]


def _groups(positive: Flags, per_class: bool) -> dict[bool | None, Flags]:
    """Rows of either class, or with the key None all rows."""
    if per_class:
        return {True: positive, False: ~positive}
    return {None: np.ones(positive.size, dtype=np.bool_)}


def margin_distributions(
    by_round: dict[Any, Floats], rows: LabelledRows, per_class: bool
) -> list[Distribution]:
    """Distributions of the margins of one model."""
    return [
        distribution(margin[side], rows.weight[side], round=m, positive=which)
        for m, margin in by_round.items()
        for which, side in _groups(rows.positive, per_class).items()
    ]


def mean_margin_distributions(
    runs: list[Run], X: Any, y: Any, rows: LabelledRows, rounds: list[int] | None, per_class: bool
) -> list[Distribution]:
    """Mean distributions over runs, each on its held-out rows."""
    shares: dict[tuple[Any, Any], list[Floats]] = {}
    for run in runs:
        here = rows.take(run.test)
        found = margins_at(run.estimator, take(X, run.test), part(y, run.test), rounds)
        for m, margin in found.items():
            for which, side in _groups(here.positive, per_class).items():
                curve = share_up_to(margin[side], here.weight[side], MARGIN_GRID)
                shares.setdefault((m, which), []).append(curve)
    bands = {key: mean_of(curves, 0, 1) for key, curves in shares.items()}
    return [Distribution(MARGIN_GRID, *band, m, which) for (m, which), band in bands.items()]
