"""Curves of costs over skews, of gains over ranked rows, of distributions of margins, of losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from costboost.decisions.folds import take
from costboost.metrics import bootstrap_interval, margins, staged_margins
from costboost.metrics.checks import Floats, check_numbers
from costboost.metrics.probabilities import area_below
from costboost.plots.numbers.measures import confidence_band, mean_of, values_at
from costboost.plots.numbers.predictions import Flags, LabelledRows, Run, part

# ---- cost over skew or cost proportion -----------------------------------------------------------


SKEW_GRID = np.linspace(0, 1, 501)
"""Skews or cost proportions at which runs are averaged."""

Compute = Callable[..., tuple[Floats, Floats]]
"""Computes skews or cost proportions, and costs, from labels and scores."""


class Form(NamedTuple):
    """Whether a curve is over skews or cost proportions, and the prior of its probabilities."""

    by: str = "skew"
    prior: float | None = None

    def mark(self, rows: LabelledRows) -> float:
        """The skew or cost proportion of the rows."""
        return rows.skew if self.by == "skew" else rows.cost_proportion

    @property
    def most(self) -> float:
        """The greatest possible cost: by cost proportion, a mistake costs up to 2."""
        return 1.0 if self.by == "skew" else 2.0


class SkewCurve(NamedTuple):
    """A curve of costs, with the limits of a band if it is the mean of several runs."""

    z: Floats
    q: Floats
    lower: Floats | None = None
    upper: Floats | None = None
    n_runs: int = 1
    area: float | None = None


def skew_curve(compute: Compute, rows: LabelledRows, score: Any, form: Form) -> SkewCurve:
    """The exact curve of one classifier."""
    z, q = compute(
        rows.positive,
        score,
        **form._asdict(),
        fn_cost=rows.fn_cost,
        fp_cost=rows.fp_cost,
        sample_weight=rows.weight,
        pos_label=True,
    )
    return SkewCurve(z, q, area=area_below(z, q))


def mean_skew_curve(
    compute: Compute,
    predict: Callable[..., Floats],
    runs: list[Run],
    X: Any,
    rows: LabelledRows,
    form: Form,
) -> SkewCurve:
    """The mean curve over runs, each on its held-out rows."""
    scores = [predict(run.estimator, take(X, run.test), rows.label) for run in runs]
    curves = [
        skew_curve(compute, rows.take(run.test), score, form)
        for run, score in zip(runs, scores, strict=True)
    ]
    band = mean_of([values_at(one.z, one.q, SKEW_GRID) for one in curves], 0, form.most)
    return SkewCurve(SKEW_GRID, *band, area=float(np.mean([one.area for one in curves])))


def skew_curve_of_costs(z: Any, q: Any, form: Form) -> SkewCurve:
    """The mean curve of costs that were measured in several runs."""
    return SkewCurve(z, *confidence_band(q, least=0, most=form.most))


def check_form(by: str, positive_share: Any) -> None:
    """Raise a ValueError if ``by`` or the share of positives is invalid."""
    if by not in ("skew", "cost"):
        raise ValueError(f"by must be 'skew' or 'cost', got {by!r}")
    if positive_share is not None and not 0 < positive_share < 1:
        raise ValueError(f"positive_share must be between 0 and 1, got {positive_share!r}")


def check_curve(z: Any, q: Any, lower: Any, upper: Any) -> list[Any]:
    """The four arguments as arrays of one length; the limits may be None."""
    arrays = [
        None if one is None else np.asarray(one, dtype=np.float64) for one in (z, q, lower, upper)
    ]
    shapes = {one.shape for one in arrays if one is not None}
    if arrays[0] is None or arrays[0].ndim != 1 or len(shapes) > 1:
        raise ValueError(
            f"z, q, lower and upper must be of one length, got the shapes {sorted(shapes)}"
        )
    check_limits(lower, upper)
    if not np.all((arrays[0] >= 0) & (arrays[0] <= 1)):
        raise ValueError("z must be skews or cost proportions, from 0 to 1")
    return arrays


# ---- distributions of margins --------------------------------------------------------------------


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


# ---- losses --------------------------------------------------------------------------------------


LOSS_GRID = np.linspace(-1.5, 1.5, 601)
"""Margins at which losses are drawn."""


def loss_grid(swap: float | None) -> Floats:
    """Margins around 0, extended beyond the margin at which the asymmetry swaps."""
    if swap is None or not np.isfinite(swap) or abs(swap) <= LOSS_GRID[-1]:
        return LOSS_GRID
    return np.linspace(min(LOSS_GRID[0], 1.3 * swap), max(LOSS_GRID[-1], 1.3 * swap), 601)


def loss_values(loss: Any, margin: Floats, name: str) -> Floats:
    """Values of a loss at the margins; ``loss`` is a function or the values themselves."""
    values = check_numbers(name, loss(margin) if callable(loss) else loss)
    if values.shape != margin.shape or not np.all(np.isfinite(values)):
        raise ValueError(
            f"{name} must have a finite value for each of the {margin.size} margins, got an array "
            f"of shape {values.shape}"
        )
    return values


def check_margin(margin: Any) -> Floats:
    """Margins in ascending order."""
    values = check_numbers("margin", LOSS_GRID if margin is None else margin)
    if values.ndim != 1 or values.size < 2 or not np.all(np.diff(values) > 0):
        raise ValueError(
            "margin must be at least two numbers in rising order, got an array of shape "
            f"{values.shape}"
        )
    return values


def swaps(
    margin: Floats, positive: Floats, negative: Floats, positive_is_dearer: bool | None
) -> list[tuple[float, float]]:
    """Intervals of the margin in which the less costly class has the greater loss.

    If ``positive_is_dearer`` is None, the costlier class is the one with the greater loss at the
    lowest margin.
    """
    excess = positive - negative
    if positive_is_dearer is None:
        positive_is_dearer = bool(excess[0] >= 0)
    excess = excess if positive_is_dearer else -excess
    swapped = excess < -1e-12 * np.maximum(np.abs(positive), np.abs(negative))
    ends = np.flatnonzero(np.diff(np.concatenate([[False], swapped, [False]]).astype(int)))
    found = []
    for first, behind in zip(ends[::2], ends[1::2], strict=True):
        left = _crossing(margin, excess, first - 1) if first > 0 else margin[0]
        right = _crossing(margin, excess, behind - 1) if behind < margin.size else margin[-1]
        found.append((float(left), float(right)))
    return found


def _crossing(margin: Floats, excess: Floats, k: int) -> float:
    """The margin between points k and k + 1 at which linear interpolation is 0."""
    before, after = excess[k], excess[k + 1]
    share = before / (before - after)
    return float(margin[k] + share * (margin[k + 1] - margin[k]))


# ---- decision, profit and lift curves ------------------------------------------------------------

SHARES = np.linspace(0, 1, 201)
"""Shares of rows at which intervals of profit and lift curves are computed."""
SMALLEST_SHARE = 0.01
"""Least share of rows that a lift is drawn for: below it, single rows make it jump."""


class Resampling(NamedTuple):
    """How intervals are computed: not at all if the confidence is None."""

    confidence: float | None = None
    n_resamples: int = 200
    random_state: Any = None

    def limits(
        self, values: Callable[..., Floats], y_true: Any, y_score: Any, rows: dict[str, Any]
    ) -> tuple[Floats | None, Floats | None]:
        """Limits of an interval for each of the values; None without a confidence."""
        if self.confidence is None:
            return None, None
        given = {name: value for name, value in rows.items() if value is not None}
        found = bootstrap_interval(values, y_true, y_score, **self._asdict(), **given)
        return found.low, found.high


def check_line(names: str, *arrays: Any) -> list[Any]:
    """Arrays of one length; those that are None stay so."""
    found = [None if one is None else check_numbers(names, one) for one in arrays]
    shapes = {one.shape for one in found if one is not None}
    if len(shapes) != 1 or len(next(iter(shapes))) != 1:
        raise ValueError(f"{names} must be of one length, got the shapes {sorted(shapes)}")
    return found


def check_limits(lower: Any, upper: Any) -> None:
    """Raise a ValueError if one limit of a band is missing."""
    if (lower is None) != (upper is None):
        raise ValueError("a band has two limits: pass both lower and upper, or neither")


def check_share_limits(lower: Any, upper: Any) -> tuple[Any, Any]:
    """Limits of a band at `SHARES`, or None for both."""
    check_limits(lower, upper)
    if lower is None:
        return None, None
    _, low, high = check_line("lower, upper and the 201 shares", SHARES, lower, upper)
    return low, high
