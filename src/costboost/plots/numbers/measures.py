"""Measures of decisions: after each round, for each value of a parameter or cost, with bands."""

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

from costboost.decisions.folds import make_splits, out_of_fold, predicted_positive, take
from costboost.decisions.goals import HeldOut, Outcomes
from costboost.decisions.wrapping import check_estimator, parameter_paths
from costboost.metrics.checks import Floats, check_numbers, check_probabilities
from costboost.plots.numbers.predictions import (
    Flags,
    LabelledRows,
    Run,
    read_rows,
    staged_decisions,
)

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


PER_ROW = ("sample_weight", "fn_cost", "fp_cost")


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
    for name in ("fn_cost", "fp_cost"):
        if np.ndim(test[name]) and name not in own:
            raise ValueError(
                f"{name} has a cost for each row of X; pass those of X_train too, as "
                f"train_params={{{name!r}: ...}}"
            )
    costs = {name: test[name] for name in ("fn_cost", "fp_cost")} | own
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


# ---- for each value of a parameter ---------------------------------------------------------------

COSTS = ("fn_cost", "fp_cost")


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
        own = (value if name == self.parameter.split("__")[-1] else 1.0 for name in COSTS)
        fn, fp = (mine if cost is None else cost for cost, mine in zip(given, own, strict=True))
        return fn, fp


def check_range(name: str, values: Any) -> Floats:
    """Values of a parameter in ascending order."""
    found = check_numbers("param_range", values)
    if found.ndim != 1 or found.size == 0 or not np.all(np.isfinite(found)):
        raise ValueError(f"param_range must be a list of finite numbers, got {values!r}")
    if name.split("__")[-1] in COSTS and not np.all(found > 0):
        raise ValueError(f"param_range must be above 0 for {name}, got {found.min():g}")
    return np.unique(found)


def true_costs(estimator: Any, parameter: str, *given: Any) -> tuple[Any, Any]:
    """The given costs, or those of the estimator; None for the one that varies."""
    found = []
    for name, cost in zip(COSTS, given, strict=True):
        own = parameter_paths(estimator, name)
        if cost is None and own and parameter.split("__")[-1] != name:
            cost = estimator.get_params()[own[0]]
        found.append(cost)
    fn, fp = found
    return fn, fp


# ---- predictions ---------------------------------------------------------------------------------


def measure_probabilities(sweep: Sweep, y_prob: Any, measures: Sequence[str]) -> dict[str, Band]:
    """Measures of the decisions of least expected cost for each value."""
    check_probabilities(sweep.y, y_prob, sweep.label, None)
    p = np.asarray(y_prob, dtype=np.float64)
    found = []
    for value in sweep.values:
        fn, fp = (np.asarray(cost, dtype=np.float64) for cost in sweep.costs(value))
        found.append(measure_decisions(sweep.rows(value), [p * fn > (1 - p) * fp], measures))
    return {name: Band(np.concatenate([one[name] for one in found])) for name in measures}


# ---- cross-validation ----------------------------------------------------------------------------


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
    if sweep.parameter not in COSTS:
        raise ValueError(
            f"refit=False changes costs after training, but param_name is {sweep.parameter!r}; it "
            f"must be one of {', '.join(COSTS)}"
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


# ---- results of searches -------------------------------------------------------------------------


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
