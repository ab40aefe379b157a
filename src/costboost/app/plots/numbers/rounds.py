"""Measures of decisions after each round of boosting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from costboost._core.names import COST_NAMES
from costboost.app.plots.numbers.bands import Band, mean_of, padded
from costboost.app.plots.numbers.labelled_rows import LabelledRows, read_rows
from costboost.app.plots.numbers.measures import highest, lowest, measure_decisions
from costboost.app.plots.numbers.predictions import staged_decisions
from costboost.app.plots.numbers.runs import Run
from costboost.decisions.wrapping import take
from costboost.metrics.checks import Floats

PER_ROW = ("sample_weight", *COST_NAMES)


def staged_measures(
    estimator: Any, X: Any, rows: LabelledRows, label: Any, measures: Sequence[str]
) -> dict[str, Band]:
    """Measures of one classifier after each round."""
    found = measure_decisions(rows, staged_decisions(estimator, X, label), measures)
    return {name: Band(values) for name, values in found.items()}


def training_rows(y_train: Any, label: Any, test: Mapping[str, Any], own: Any) -> LabelledRows:
    """The training rows; a cost that is a single number is that of the test rows by default.

    ``test`` are the costs of the test rows that are stated, by name.
    """
    own = dict(own or {})
    unknown = set(own) - set(PER_ROW)
    if unknown:
        raise ValueError(f"train_params may have {', '.join(PER_ROW)}, got {sorted(unknown)[0]!r}")
    for name, cost in test.items():
        if np.ndim(cost) and name not in own:
            raise ValueError(
                f"{name} has a cost for each row of X; pass those of X_train too, as "
                f"train_params={{{name!r}: ...}}"
            )
    weight = own.pop("sample_weight", None)
    costs = dict(test) | {name: cost for name, cost in own.items() if cost is not None}
    return read_rows(y_train, label, weight, costs)


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
    return {
        name: mean_of(padded(values), lowest(name, rows), highest(name))
        for name, values in found.items()
    }
