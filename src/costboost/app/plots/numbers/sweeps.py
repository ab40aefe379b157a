"""Measures of decisions for each value of a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import has_fit_parameter

from costboost._core.arrays import Flags
from costboost._core.names import COST_NAMES, MISTAKES
from costboost.app.plots.numbers.bands import Band, mean_of
from costboost.app.plots.numbers.labelled_rows import LabelledRows, read_rows
from costboost.app.plots.numbers.measures import highest, lowest, measure_decisions
from costboost.decisions.wrapping import (
    check_estimator,
    make_splits,
    out_of_fold,
    parameter_paths,
    predicted_positive,
)
from costboost.metrics.checks import Floats, check_numbers, check_probabilities

# ---- measures for each value of a parameter ------------------------------------------------------


@dataclass(frozen=True)
class Sweep:
    """Rows, and a parameter with the values it takes."""

    y: Any
    label: Any
    weight: Any
    parameter: str
    values: Floats
    stated: Mapping[str, Any]
    """True costs by name, without the cost that is the parameter itself."""

    def rows(self, value: float) -> LabelledRows:
        """The rows with the true costs for this value of the parameter."""
        name = self.parameter.split("__")[-1]
        varying = {name: value} if name in COST_NAMES else {}
        return read_rows(self.y, self.label, self.weight, varying | dict(self.stated))


def check_range(name: str, values: Any) -> Floats:
    """Values of a parameter in ascending order."""
    found = check_numbers("param_range", values)
    if found.ndim != 1 or found.size == 0 or not np.all(np.isfinite(found)):
        raise ValueError(f"param_range must be a list of finite numbers, got {values!r}")
    if name.split("__")[-1] in MISTAKES and not np.all(found > 0):
        raise ValueError(f"param_range must be above 0 for {name}, got {found.min():g}")
    return np.unique(found)


def true_costs(estimator: Any, parameter: str, stated: Mapping[str, Any]) -> dict[str, Any]:
    """The costs that are stated, or those of the estimator, without the one that varies."""
    costs = dict(stated)
    for name in COST_NAMES:
        paths = parameter_paths(estimator, name)
        if name not in costs and paths and parameter.split("__")[-1] != name:
            cost = estimator.get_params()[paths[0]]
            if name in MISTAKES or cost:
                costs[name] = cost
    return costs


# ---- values of a parameter: decisions by probability ---------------------------------------------


def measure_probabilities(sweep: Sweep, y_prob: Any, measures: Sequence[str]) -> dict[str, Band]:
    """Measures of the decisions of least expected cost for each value."""
    check_probabilities(sweep.y, y_prob, sweep.label, None)
    p = np.asarray(y_prob, dtype=np.float64)
    found = []
    for value in sweep.values:
        rows = sweep.rows(value)
        fn, fp = rows.costs.net
        found.append(measure_decisions(rows, [p * fn > (1 - p) * fp], measures))
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
    return {
        name: mean_of(values, lowest(name, rows), highest(name)) for name, values in runs.items()
    }


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
