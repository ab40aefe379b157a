"""Measures of a boosting classifier round by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from costboost.decisions.folds import take
from costboost.metrics.checks import Floats
from costboost.plots.numbers.answers import Run, staged_decisions
from costboost.plots.numbers.outcomes import measured
from costboost.plots.numbers.rows import Rows, read_rows
from costboost.plots.numbers.runs import Band, mean_of, padded

PER_ROW = ("sample_weight", "fn_cost", "fp_cost")


def stages(
    estimator: Any, X: Any, rows: Rows, label: Any, measures: Sequence[str]
) -> dict[str, Band]:
    """Measures of one classifier after each round."""
    found = measured(rows, staged_decisions(estimator, X, label), measures)
    return {name: Band(values) for name, values in found.items()}


def training_rows(y_train: Any, label: Any, test: Mapping[str, Any], own: Any) -> Rows:
    """The rows of training; a cost that is one number is the same for them as for the others."""
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


def stages_of_runs(
    runs: list[Run], X: Any, rows: Rows, measures: Sequence[str], which: str
) -> dict[str, Band]:
    """Means over runs, of the rows that they were tested on ("test") or trained on ("train")."""
    found: dict[str, list[Floats]] = {name: [] for name in measures}
    for run in runs:
        seen = getattr(run, which)
        said = staged_decisions(run.estimator, take(X, seen), rows.label)
        for name, values in measured(rows.take(seen), said, measures).items():
            found[name].append(values)
    return {name: mean_of(padded(values), 0, highest(name)) for name, values in found.items()}


def highest(measure: str) -> float:
    """The most that a measure can be."""
    return np.inf if measure == "cost" else 1.0
