"""``compare``: several algorithms on the folds of one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from costboost.cli import console
from costboost.cli.catalogue import classifier_class, name_of
from costboost.cli.problems import TrainingData
from costboost.cli.training import make_classifier, training_progress
from costboost.comparing import Comparison, Estimate
from costboost.reading.errors import InputError

MEASURES = {
    "Brier": "brier",
    "precision": "precision_positive",
    "recall": "recall_positive",
    "seconds": "seconds",
}
MULTICLASS_MEASURES = {"Brier": "brier", "accuracy": "accuracy", "seconds": "seconds"}


def compare_algorithms(
    data: TrainingData, names: Sequence[str], n_folds: int, settings: Mapping[str, Any]
) -> Comparison:
    """Each algorithm on the same folds, one after the other so that times are comparable."""
    import costboost

    classes = list(dict.fromkeys(classifier_class(name) for name in names))
    rows, layout = data.rows, data.layout
    rarest = int(np.unique(rows.y, return_counts=True)[1].min())
    if rarest < n_folds:
        raise InputError(
            f"the rarest class has {rarest} rows, too few for {n_folds} folds: take fewer (--folds)"
        )
    label = None if layout.multiclass else layout.label
    made = {name_of(cls): make_classifier(cls.__name__, layout, **settings) for cls in classes}
    text = f"comparing {len(made)} algorithms"
    with training_progress(list(made.values()), rows.y, text, n_folds):
        return costboost.compare(
            made,
            rows.X,
            rows.y,
            cv=n_folds,
            pos_label=label,
            random_state=settings["seed"],
            **layout.cost_parameters(rows.fn_cost, rows.fp_cost),
        )


def show_comparison(found: Comparison) -> None:
    """Print a table, with the least mean cost first."""
    order = sorted(found.estimators, key=lambda name: _mean(found.estimate(name)))
    two_classes = found.estimate(order[0], "recall_positive") is not None
    measures = MEASURES if two_classes else MULTICLASS_MEASURES
    rows = [
        [name, _with_interval(found.estimate(name))]
        + [_without_interval(found.estimate(name, measure)) for measure in measures.values()]
        for name in order
    ]
    console.table(["algorithm", "mean cost [95%]", *measures], rows, numbers=1 + len(measures))
    if len(order) > 1:
        console.write()
        console.write(_verdict(found, order[0], order[1]))


def _verdict(found: Comparison, best: str, second: str) -> str:
    difference = found.difference(second, best)
    if difference.low is not None and difference.low > 0:
        return f"{best} is the cheapest; {second} costs {difference.mean:.3g} more on each row."
    return f"{best} is the cheapest here, but {second} may be as cheap: chance could do as much."


def _mean(estimate: Estimate | None) -> float:
    return float("inf") if estimate is None else estimate.mean


def _with_interval(estimate: Estimate | None) -> str:
    if estimate is None or estimate.low is None or estimate.high is None:
        return _without_interval(estimate)
    return f"{estimate.mean:.4g} [{estimate.low:.3g}, {estimate.high:.3g}]"


def _without_interval(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{estimate.mean:.3f}"
