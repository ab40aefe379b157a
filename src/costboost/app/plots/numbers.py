"""The numbers of the plots, computed without matplotlib.

Measures of decisions: after each round, for each value of a parameter or cost, with bands. Curves
of costs over skews, of gains over ranked rows, of distributions of margins, of losses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.base import clone
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import has_fit_parameter

from costboost._core.arrays import Flags
from costboost._core.names import MISTAKES
from costboost.app.plots.predictions import LabelledRows, Run, part, read_rows, staged_decisions
from costboost.decisions.goals import HeldOut, Outcomes
from costboost.decisions.wrapping import (
    check_estimator,
    make_splits,
    out_of_fold,
    parameter_paths,
    predicted_positive,
    take,
)
from costboost.metrics import bootstrap_interval, margins, staged_margins
from costboost.metrics.checks import Floats, check_numbers, check_probabilities
from costboost.metrics.probabilities import area_below

# ---- means over runs -----------------------------------------------------------------------------


class Band(NamedTuple):
    """A line, with the limits of a confidence band if it is the mean of several runs."""

    middle: Floats
    """Mean over the runs."""
    lower: Floats | None = None
    upper: Floats | None = None
    """Limits of the band; None if there was one run only."""
    n_runs: int = 1


def confidence_band(
    runs: Any, *, confidence: float = 0.95, least: float = -np.inf, most: float = np.inf
) -> Band:
    r"""Mean over runs with a confidence interval for each point.

    .. math:: \bar v \pm t_{n-1,\,(1 + \gamma)/2}\; s / \sqrt n

    with Student's t. Runs are assumed to be independent. Folds of one cross-validation have
    different test rows but share training rows, so that the band is too narrow rather than too
    wide.

    Parameters
    ----------
    runs : array of shape (n_runs, n_points)
        At least two runs.
    confidence : float, default 0.95
    least, most : float, optional
        Range of possible values, to which the band is clipped.

    Returns
    -------
    Band
        With ``middle``, ``lower``, ``upper``, ``n_runs``.

    Examples
    --------
    >>> from costboost.plots import confidence_band
    >>> band = confidence_band([[0.1, 0.4], [0.3, 0.4]], least=0)
    >>> print(band.middle, band.lower, band.upper.round(2))
    [0.2 0.4] [0.  0.4] [1.47 0.4 ]
    """
    table = check_numbers("runs", runs)
    if table.ndim != 2 or len(table) < 2 or not np.all(np.isfinite(table)):
        raise ValueError(
            "runs must be a table of finite numbers with a row for each of at least two runs, got "
            f"an array of shape {table.shape}"
        )
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    n, middle = len(table), table.mean(axis=0)
    quantile = float(stats.t.ppf((1 + confidence) / 2, n - 1))
    half = quantile * table.std(axis=0, ddof=1) / sqrt(n)
    return Band(middle, np.maximum(middle - half, least), np.minimum(middle + half, most), n)


def mean_of(runs: Any, least: float, most: float) -> Band:
    """Mean and band of several runs; a single run has no band."""
    return confidence_band(runs, least=least, most=most) if len(runs) > 1 else Band(runs[0])


def values_at(x: Floats, y: Floats, points: Floats) -> Floats:
    """Values of a piecewise linear curve; at a jump, the value on the right."""
    right = np.clip(np.searchsorted(x, points, side="right"), 1, len(x) - 1)
    left = right - 1
    width = x[right] - x[left]
    share = np.divide(points - x[left], width, out=np.ones(points.size), where=width > 0)
    return np.asarray(y[left] + share * (y[right] - y[left]))


def padded(runs: list[Floats]) -> Floats:
    """Runs extended to the length of the longest one by repeating their last value."""
    most = max(len(run) for run in runs)
    return np.array([np.append(run, np.full(most - len(run), run[-1])) for run in runs])


# ---- measures of decisions -----------------------------------------------------------------------


def _share(part: Floats, whole: Floats | float) -> Floats:
    """part / whole, or 0 where the whole is 0, as in scikit-learn's precision."""
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), part.shape)
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


def _mistakes(o: Outcomes) -> Floats:
    return np.maximum(o.positives - o.hits, 0.0) + o.alarms


MEASURES: dict[str, Callable[[Outcomes, float], Floats]] = {
    "precision": lambda o, _: _share(o.hits, o.predicted_positive),
    "recall": lambda o, _: _share(o.hits, o.positives),
    "f1": lambda o, _: _share(2 * o.hits, o.predicted_positive + o.positives),
    "fpr": lambda o, _: _share(o.alarms, o.negatives),
    "error": lambda o, _: _share(_mistakes(o), o.weight),
    "cost": lambda o, _: _share(o.cost, o.weight),
    "normalized_cost": lambda o, highest_cost: _share(o.cost, highest_cost),
}
"""Measures by name, as functions of outcomes and of the cost of predicting every row wrongly."""

TITLES = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "fpr": "false alarm rate",
    "error": "error rate",
    "cost": "mean cost",
    "normalized_cost": "normalised cost Q",
}
"""Names of the measures in a plot."""


def check_measures(measures: Sequence[str] | str) -> list[str]:
    """Names of measures without repetitions; an unknown one raises a ValueError."""
    names = [measures] if isinstance(measures, str) else list(measures)
    unknown = [name for name in names if name not in MEASURES]
    if unknown or not names:
        raise ValueError(
            f"measures must be some of {', '.join(MEASURES)}, got "
            f"{unknown[0] if unknown else names!r}"
        )
    return list(dict.fromkeys(names))


def measure_decisions(
    rows: LabelledRows, decisions: Iterable[Flags], measures: Sequence[str]
) -> dict[str, Floats]:
    """Measures of each set of decisions on the same rows; decisions may come one by one."""
    held = HeldOut(
        rows.positive, rows.weight, rows.cost, np.zeros(rows.positive.size, dtype=np.intp)
    )
    found = [_outcomes(held, positive) for positive in decisions]
    if not found:
        raise ValueError("there are no decisions to measure")
    highest_cost = float(rows.weighted_cost.sum())
    return {
        name: np.concatenate([MEASURES[name](one, highest_cost) for one in found])
        for name in measures
    }


def _outcomes(held: HeldOut, positive: Flags) -> Outcomes:
    if positive.shape != held.positive.shape:
        raise ValueError(
            f"y_true has {held.positive.size} rows, but there are decisions of shape "
            f"{positive.shape}"
        )
    return held.decided(positive[None])


# ---- measures after each round -------------------------------------------------------------------

PER_ROW = ("sample_weight", *MISTAKES)


def staged_measures(
    estimator: Any, X: Any, rows: LabelledRows, label: Any, measures: Sequence[str]
) -> dict[str, Band]:
    """Measures of one classifier after each round."""
    found = measure_decisions(rows, staged_decisions(estimator, X, label), measures)
    return {name: Band(values) for name, values in found.items()}


def training_rows(y_train: Any, label: Any, test: Mapping[str, Any], own: Any) -> LabelledRows:
    """The training rows; a cost that is a single number is that of the test rows by default."""
    own = dict(own or {})
    unknown = set(own) - set(PER_ROW)
    if unknown:
        raise ValueError(f"train_params may have {', '.join(PER_ROW)}, got {sorted(unknown)[0]!r}")
    for name in MISTAKES:
        if np.ndim(test[name]) and name not in own:
            raise ValueError(
                f"{name} has a cost for each row of X; pass those of X_train too, as "
                f"train_params={{{name!r}: ...}}"
            )
    costs = {name: test[name] for name in MISTAKES} | own
    return read_rows(y_train, label, **{name: costs.get(name) for name in PER_ROW})


def mean_staged_measures(
    runs: list[Run], X: Any, rows: LabelledRows, measures: Sequence[str], which: str
) -> dict[str, Band]:
    """Means over runs of the measures on their test rows ("test") or training rows ("train")."""
    found: dict[str, list[Floats]] = {name: [] for name in measures}
    for run in runs:
        seen = getattr(run, which)
        decisions = staged_decisions(run.estimator, take(X, seen), rows.label)
        for name, values in measure_decisions(rows.take(seen), decisions, measures).items():
            found[name].append(values)
    return {name: mean_of(padded(values), 0, highest(name)) for name, values in found.items()}


def highest(measure: str) -> float:
    """The greatest possible value of a measure."""
    return np.inf if measure == "cost" else 1.0


# ---- measures for each value of a parameter ------------------------------------------------------


@dataclass(frozen=True)
class Sweep:
    """Rows, and a parameter with the values it takes."""

    y: Any
    label: Any
    weight: Any
    parameter: str
    values: Floats
    fn_cost: Any
    fp_cost: Any
    """True costs; None for the cost that is the parameter itself."""

    def rows(self, value: float) -> LabelledRows:
        """The rows with the true costs for this value of the parameter."""
        return read_rows(self.y, self.label, self.weight, *self.costs(value))

    def costs(self, value: float) -> tuple[Any, Any]:
        """Cost of a false negative and of a false positive for this value."""
        given = (self.fn_cost, self.fp_cost)
        own = (value if name == self.parameter.split("__")[-1] else 1.0 for name in MISTAKES)
        fn, fp = (mine if cost is None else cost for cost, mine in zip(given, own, strict=True))
        return fn, fp


def check_range(name: str, values: Any) -> Floats:
    """Values of a parameter in ascending order."""
    found = check_numbers("param_range", values)
    if found.ndim != 1 or found.size == 0 or not np.all(np.isfinite(found)):
        raise ValueError(f"param_range must be a list of finite numbers, got {values!r}")
    if name.split("__")[-1] in MISTAKES and not np.all(found > 0):
        raise ValueError(f"param_range must be above 0 for {name}, got {found.min():g}")
    return np.unique(found)


def true_costs(estimator: Any, parameter: str, *given: Any) -> tuple[Any, Any]:
    """The given costs, or those of the estimator; None for the one that varies."""
    found = []
    for name, cost in zip(MISTAKES, given, strict=True):
        own = parameter_paths(estimator, name)
        if cost is None and own and parameter.split("__")[-1] != name:
            cost = estimator.get_params()[own[0]]
        found.append(cost)
    fn, fp = found
    return fn, fp


# ---- values of a parameter: decisions by probability ---------------------------------------------


def measure_probabilities(sweep: Sweep, y_prob: Any, measures: Sequence[str]) -> dict[str, Band]:
    """Measures of the decisions of least expected cost for each value."""
    check_probabilities(sweep.y, y_prob, sweep.label, None)
    p = np.asarray(y_prob, dtype=np.float64)
    found = []
    for value in sweep.values:
        fn, fp = (np.asarray(cost, dtype=np.float64) for cost in sweep.costs(value))
        found.append(measure_decisions(sweep.rows(value), [p * fn > (1 - p) * fp], measures))
    return {name: Band(np.concatenate([one[name] for one in found])) for name in measures}


# ---- values of a parameter: cross-validation -----------------------------------------------------


def cross_validate_sweep(
    sweep: Sweep,
    estimator: Any,
    X: Any,
    measures: Sequence[str],
    cv: Any,
    refit: bool,
    random_state: Any,
    n_jobs: int | None,
) -> dict[str, Band]:
    """Mean measures over folds, each on its held-out rows."""
    check_estimator(estimator)
    check_consistent_length(X, sweep.y)
    rows = sweep.rows(sweep.values[0])
    splits = make_splits(cv, X, rows.positive, rows.weight > 0, random_state)
    models, predict = _trained(sweep, estimator) if refit else _deciding(sweep, estimator)
    params = _weights(estimator, sweep.weight)
    found = out_of_fold(models, X, np.asarray(sweep.y), splits, params, predict, n_jobs)
    positive: Flags = found if refit else found[0].T
    ends = np.cumsum([held.size for _, held in splits])[:-1]
    parts = [np.split(one, ends) for one in positive]
    runs: dict[str, list[Floats]] = {name: [] for name in measures}
    for k, (_, held) in enumerate(splits):
        of_fold = [
            measure_decisions(sweep.rows(value).take(held), [part[k]], measures)
            for value, part in zip(sweep.values, parts, strict=True)
        ]
        for name in measures:
            runs[name].append(np.concatenate([one[name] for one in of_fold]))
    return {name: mean_of(values, 0, highest(name)) for name, values in runs.items()}


def _trained(sweep: Sweep, estimator: Any) -> tuple[list[Any], Any]:
    """A model for each value, and the function that returns its decisions."""
    places = parameter_paths(estimator, sweep.parameter)
    if sweep.parameter in estimator.get_params():
        places = [sweep.parameter]
    if not places:
        raise ValueError(f"{type(estimator).__name__} has no parameter {sweep.parameter}")
    models = [
        clone(estimator).set_params(**dict.fromkeys(places, value))
        for value in sweep.values.tolist()
    ]
    return models, partial(predicted_positive, label=sweep.label)


def _deciding(sweep: Sweep, estimator: Any) -> tuple[list[Any], Any]:
    """One model, and the function that returns its decisions for each of the costs."""
    if sweep.parameter not in MISTAKES:
        raise ValueError(
            f"refit=False changes costs after training, but param_name is {sweep.parameter!r}; it "
            f"must be one of {', '.join(MISTAKES)}"
        )
    return [estimator], DecisionsByCost(sweep.parameter, tuple(sweep.values.tolist()), sweep.label)


@dataclass(frozen=True)
class DecisionsByCost:
    """Decisions for several costs, a column for each; a record, so that it can be pickled."""

    parameter: str
    values: tuple[float, ...]
    label: Any

    def __call__(self, model: Any, X: Any) -> Flags:
        y_pred = [model.predict(X, **{self.parameter: value}) for value in self.values]
        return np.column_stack([np.asarray(one) == self.label for one in y_pred])


def _weights(estimator: Any, sample_weight: Any) -> dict[str, Any]:
    if sample_weight is None:
        return {}
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"{type(estimator).__name__}.fit takes no sample_weight; leave it out, or take a "
            "classifier that does"
        )
    return {"sample_weight": np.asarray(sample_weight)}


# ---- values of a parameter: results of searches --------------------------------------------------

NEGATED = ("cost", "normalized_cost")
"""Scorers are better when greater, so scorers of costs return minus the cost."""


def search_results(
    cv_results: Any, parameter: str, measures: Mapping[str, str] | Sequence[str] | None
) -> tuple[Floats, dict[str, Band]]:
    """Values of the parameter in ascending order, and means over folds of each measure."""
    x = _values(cv_results, parameter)
    order = np.argsort(x)
    if len(np.unique(x)) < x.size:
        raise ValueError(
            f"{parameter} has the same value several times in cv_results: other parameters vary "
            "too. Search this one alone"
        )
    found = {}
    for name, scorer in _scorers(cv_results, measures).items():
        sign = -1.0 if name in NEGATED else 1.0
        runs = [sign * run[order] for run in _folds(cv_results, scorer)]
        found[name] = mean_of(runs, -np.inf, highest(name))
    return x[order], found


def _values(cv_results: Any, parameter: str) -> Floats:
    key = f"param_{parameter}"
    if not isinstance(cv_results, Mapping) or not {key, parameter} & set(cv_results):
        raise ValueError(
            f"cv_results must be the cv_results_ of a search over {parameter}, such as "
            "GridSearchCV's or CostSearchCV's"
        )
    given = cv_results.get(parameter, cv_results.get(key))
    x = check_numbers(key, np.ma.filled(np.ma.asarray(given).astype(object), np.nan))
    if not np.all(np.isfinite(x)):
        raise ValueError(f"{key} must be finite numbers, got {np.asarray(given).tolist()}")
    return x


def _scorers(cv_results: Any, measures: Any) -> dict[str, str]:
    """The scorers of the search by the name of the measure."""
    there = [re.fullmatch(r"split0_test_(.+)", str(key)) for key in cv_results]
    names = [match[1] for match in there if match]
    if measures is None and "mean_test_cost" in cv_results and names == ["score"]:
        return {"cost": "score"}  # those of CostSearchCV
    if measures is None:
        return {name: name for name in names}
    if isinstance(measures, str):
        measures = [measures]
    chosen = dict(measures) if isinstance(measures, Mapping) else {name: name for name in measures}
    unknown = [scorer for scorer in chosen.values() if scorer not in names]
    if unknown or not chosen:
        raise ValueError(
            f"measures must be scorers of the search, some of {', '.join(names)}, got "
            f"{unknown[0] if unknown else measures!r}"
        )
    return chosen


def _folds(cv_results: Any, scorer: str) -> list[Floats]:
    keys = [key for key in cv_results if re.fullmatch(rf"split\d+_test_{re.escape(scorer)}", key)]
    runs = [np.asarray(cv_results[key], dtype=np.float64) for key in keys]
    if not all(np.all(np.isfinite(run)) for run in runs):
        raise ValueError(f"{scorer} is not finite in some folds: some fits have failed")
    return runs


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
