"""Measures of decisions after each round of boosting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from costboost._core.names import MISTAKES
from costboost.app.plots.numbers.bands import Band, mean_of, padded
from costboost.app.plots.numbers.labelled_rows import LabelledRows, read_rows
from costboost.app.plots.numbers.measures import highest, measure_decisions
from costboost.app.plots.numbers.predictions import staged_decisions
from costboost.app.plots.numbers.runs import Run
from costboost.decisions.wrapping import take
from costboost.metrics.checks import Floats

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
