"""Numbers of the plots of the report: curves of cost and calibration, effects of features."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from costboost._core.arrays import Flags
from costboost._core.baselines import Z
from costboost._core.engine.ensemble import Ensemble
from costboost._core.explaining import (
    LOG_ODDS,
    SCORE,
    Categories,
    Shape,
    Steps,
    additive,
    partial_dependence,
)
from costboost._core.model import BinaryModel
from costboost._core.names import MISTAKES
from costboost.app.report.numbers import TwoClassPredictions, staged_decisions
from costboost.classifiers.predictions import read_rows
from costboost.decisions.wrapping import take
from costboost.metrics import brier_curve, cost_curve, decision_curve, margins
from costboost.metrics.checks import Floats, Scored, levels
from costboost.metrics.probabilities import BINNINGS
from costboost.metrics.ranking import DecisionCurve
from costboost.metrics.statistics import wilson_interval

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
    fn, fp = rows.raised
    return {
        "by": "skew",
        "fn_cost": fn,
        "fp_cost": fp,
        "sample_weight": rows.weight,
    }


THRESHOLDS = np.linspace(0.005, 0.995, 199)


def decision(rows: TwoClassPredictions) -> DecisionCurve:
    """Net benefit at every threshold, with the costs of rows if there are any."""
    costs = dict(zip(MISTAKES, rows.raised, strict=True)) if rows.per_row else {}
    return decision_curve(
        rows.positive.astype(int),
        rows.probability,
        thresholds=THRESHOLDS,
        sample_weight=rows.weight,
        **costs,
    )


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


# ---- effect of each feature: exact for a sum of functions, else partial dependence ---------------


MOST_SHAPES = 30
"""Greatest number of features that are drawn, the most important ones."""
POINTS = 50
"""Points of a line whose effect on the log-odds is drawn."""
PARTS = 30
"""Number of bars that show the distribution of the rows."""
ENDS = 0.01, 0.99
"""Quantiles at the ends of an axis."""
BACKGROUND = (100, 300)
"""Least and greatest number of rows for partial dependence; fewer with many trees."""
TREES = 60_000
"""Approximate number of trees times rows."""


class Effect(NamedTuple):
    """A function of one feature, centred so that its mean over the rows is 0."""

    feature: int
    x: Floats | list[str]
    """Corners of a line from the 1st to the 99th percentile, or categories by their frequency."""
    y: Floats
    rows: Floats
    """Weight of the rows in each part of the axis, or in each category."""
    missing: float | None
    """Effect of a missing value, or None if there are none."""
    range: float
    """Greatest minus least value over the rows on the axis."""


class EffectScale(NamedTuple):
    """From effects on the score to those on what decides, for a row that is average otherwise."""

    unit: str = SCORE
    model: BinaryModel | None = None
    base: float = 0.0
    """The mean score."""

    def __call__(self, effect: Any) -> Floats:
        """What effects on the score add to the log-odds of an average row, or to its score."""
        if self.model is None:
            return np.asarray(effect)
        there, base = self.base + np.atleast_1d(effect), np.array([self.base])
        return np.asarray(self.model.log_odds(there) - self.model.log_odds(base))

    @property
    def probability(self) -> float | None:
        """Probability of an average row; None for scores."""
        if self.model is None:
            return None
        return float(self.model.probability(np.array([self.base]))[0])


class Effects(NamedTuple):
    """The effects of the most important features."""

    exact: bool
    found: list[Effect]
    n_features: int
    """Number of features that the model uses."""
    n_rows: int = 0
    """Number of rows of the partial dependence."""
    why_none: str = ""
    scale: EffectScale = EffectScale()


def names(model: Any) -> list[str]:
    """Names of the features."""
    given = getattr(model, "feature_names_in_", None)
    return [f"feature {j}" for j in range(model.n_features_in_)] if given is None else list(given)


def importances(model: Any) -> Floats | None:
    """Importance of each feature, or None if the learners have no importances."""
    # where each class is set against the rest, there is one classifier for each
    one = getattr(model, "estimators_", [model])[0]
    if not hasattr(one.ensemble_, "importances"):
        return None
    return np.asarray(model.feature_importances_)


def effects(model: Any, X: Any, rows: TwoClassPredictions, random_state: Any) -> Effects:
    """Effects of the features, sorted by their range."""
    parts, scale = additive(model.model_), _scale(model, X, rows)
    if parts is not None:
        found = _by_range(model, X, rows, _chosen(model, parts.shapes), scale)
        return Effects(True, found, len(parts.shapes), scale=scale)
    if model.model_.combine is not None or not isinstance(model.ensemble_, Ensemble):
        return Effects(False, [], 0, 0, "the learners do not report which features they use")
    return _mean_effects(model, X, rows, random_state, scale)


def _scale(model: Any, X: Any, rows: TwoClassPredictions) -> EffectScale:
    """Log-odds where they decide, else the score."""
    fitted: BinaryModel = model.model_
    if not fitted.decides_by_cost:
        return EffectScale()
    score = fitted.scores(read_rows(model, X), model.n_jobs)[rows.rows]
    return EffectScale(LOG_ODDS, fitted, float(np.average(score, weights=rows.weight)))


def _chosen(model: Any, shapes: list[Shape]) -> list[Shape]:
    share = importances(model)
    if share is None:
        return shapes[:MOST_SHAPES]
    directions = model.model_.constraints.directions or [0] * share.size
    # those that must rise or fall are always drawn
    order = sorted(shapes, key=lambda one: (not directions[one.feature], -share[one.feature]))
    return order[:MOST_SHAPES]


def _column(model: Any, X: Any, j: int) -> Floats:
    """Values of a feature as numbers, categories as codes."""
    table = read_rows(model, X)
    return np.asarray(table.coded(j, model.model_.coders[j]), dtype=np.float64)


def _labels(model: Any, j: int) -> list[str]:
    """Names of the category codes."""
    coder = model.model_.coders[j]
    return [*map(str, coder.code_of), *(["any other"] if coder.shared else [])]


def _by_range(
    model: Any, X: Any, rows: TwoClassPredictions, shapes: list[Shape], scale: EffectScale
) -> list[Effect]:
    """Effects that can be drawn, the greatest range first."""
    found = [_effect(model, X, rows, shape, scale) for shape in shapes]
    return sorted((one for one in found if len(one.x)), key=lambda effect: -effect.range)


def _effect(
    model: Any, X: Any, rows: TwoClassPredictions, shape: Shape, scale: EffectScale
) -> Effect:
    """Effect of a feature over the range of the rows."""
    column = _column(model, X, shape.feature)[rows.rows]
    middle = float(np.average(shape(column), weights=rows.weight))

    def effect(x: Floats) -> Floats:
        return scale(shape(x) - middle)

    there = ~np.isnan(column)
    missing = None if there.all() else float(effect(column[~there][:1])[0])
    known, weight = column[there], rows.weight[there]
    if isinstance(shape, Categories):
        value = scale(shape.value - middle)
        return _of_categories(_labels(model, shape.feature), shape, known, weight, value, missing)
    low, high = reach(known, weight)
    x, y = (
        _corners(shape, low, high) if isinstance(shape, Steps) else _line(shape, low, high, scale)
    )
    count = _counts(known, weight, low, high)
    on_axis = effect(known[(known >= low) & (known <= high)])
    spread = float(np.ptp(on_axis)) if on_axis.size else 0.0
    return Effect(shape.feature, x, scale(y - middle), count.astype(float), missing, spread)


def _counts(values: Floats, weight: Floats, low: float, high: float) -> Floats:
    """Weight of the values in equal parts of a range, or of their own range if it is empty."""
    if low == high and values.size:
        low, high = float(values.min()), float(values.max())
    ends = (low, high) if low < high else (low - 0.5, high + 0.5)
    if np.all(np.diff(np.linspace(*ends, PARTS + 1)) > 0):
        return np.asarray(np.histogram(values, PARTS, ends, weights=weight)[0])
    there = (values >= low) & (values <= high)  # of large numbers there may be fewer than parts
    place = (values[there] - low) / ((high - low) or 1.0) * PARTS
    part = np.minimum(place.astype(np.intp), PARTS - 1)
    return np.bincount(part, weight[there], PARTS).astype(np.float64)


def _of_categories(
    text: list[str],
    shape: Categories,
    code: Floats,
    weight: Floats,
    value: Floats,
    missing: float | None,
) -> Effect:
    """Effect of the categories that occur, the most frequent first."""
    count = np.bincount(code.astype(np.intp), weight, len(text)).astype(np.float64)
    order = np.argsort(-count, kind="stable")[: np.count_nonzero(count)]
    y = value[order]
    spread = float(np.ptp(y)) if y.size else 0.0
    names_ = [text[k] for k in order]
    return Effect(shape.feature, names_, y, count[order], missing, spread)


def reach(values: Floats, weight: Floats) -> tuple[float, float]:
    """Quantiles at 1% and 99%, or least and greatest value if these are equal."""
    if not values.size:
        return 0.0, 1.0
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weight[order]) / weight.sum()
    low, high = (float(values[order][np.searchsorted(share, end)]) for end in ENDS)
    return (low, high) if low < high else (float(values.min()), float(values.max()))


def _line(shape: Shape, low: float, high: float, scale: EffectScale) -> tuple[Floats, Floats]:
    x = np.linspace(low, high, 2 if scale.model is None else POINTS)
    return x, shape(x)


def _corners(shape: Steps, low: float, high: float) -> tuple[Floats, Floats]:
    """Corners of the step function between two values."""
    inside = (shape.cut >= low) & (shape.cut < high) & (np.diff(shape.value) != 0)
    cut = shape.cut[inside]
    value = shape(np.concatenate([cut, [high]]))
    x = np.concatenate([[low], np.repeat(cut, 2), [high]])
    return x, np.repeat(value, 2)


# ---- effects in trees ----------------------------------------------------------------------------


def _mean_effects(
    model: Any, X: Any, rows: TwoClassPredictions, random_state: Any, scale: EffectScale
) -> Effects:
    share = importances(model)
    assert share is not None
    used = np.flatnonzero(share)
    chosen = used[np.argsort(-share[used], kind="stable")][:MOST_SHAPES]
    random = check_random_state(random_state)
    n = min(rows.rows.size, int(np.clip(TREES // len(model.ensemble_), *BACKGROUND)))
    some = random.choice(rows.rows.size, n, replace=False)
    background = model.model_.numbers(read_rows(model, take(X, rows.rows[np.sort(some)])))
    shapes = partial_dependence(model.ensemble_, chosen.tolist(), model.model_.coders, background)
    found = _by_range(model, X, rows, shapes, scale)
    return Effects(False, found, int(used.size), n, scale=scale)
