"""Measures of decisions from the results of a search over a parameter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from costboost.app.plots.numbers.bands import Band, mean_of
from costboost.app.plots.numbers.measures import highest
from costboost.metrics.checks import Floats, check_numbers

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
