"""``compare``: several algorithms on the same folds."""

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
    data: TrainingData,
    names: Sequence[str],
    n_folds: int,
    settings: Mapping[str, Any],
    baselines: bool,
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
            baselines=baselines,
            random_state=settings["seed"],
            groups=rows.groups,
            **layout.cost_parameters(rows.costs),
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
    ranked = [name for name in order if name in found.ranked]
    others = [name for name in order if name in found.baselines]
    console.write()
    if len(ranked) > 1:
        console.write(_verdict(found, ranked[0], ranked[1]))
    if others:
        console.write(_worth(found, ranked[0], others[0]))


def _verdict(found: Comparison, best: str, second: str) -> str:
    difference = found.difference(second, best)
    if difference.low is not None and difference.low > 0:
        return (
            f"{best} is the cheapest algorithm; {second} costs {difference.mean:.3g} more on each "
            "row."
        )
    return (
        f"{best} is the cheapest algorithm here, but {second} may be as cheap: chance could do as "
        "much."
    )


def _worth(found: Comparison, best: str, baseline: str) -> str:
    """What the best algorithm saves compared with the cheapest baseline."""
    difference = found.difference(baseline, best)
    low, high = difference.low, difference.high
    against = f"{baseline}, the cheapest baseline,"
    if low is not None and low > 0:
        return f"{against} costs {difference.mean:.3g} more on each row than {best}."
    if high is not None and high < 0:
        return f"{against} costs {-difference.mean:.3g} less on each row than {best}."
    return f"{against} may be as cheap as {best}: the 95% interval of the difference includes 0."


def _mean(estimate: Estimate | None) -> float:
    return float("inf") if estimate is None else estimate.mean


def _with_interval(estimate: Estimate | None) -> str:
    if estimate is None or estimate.low is None or estimate.high is None:
        return _without_interval(estimate)
    return f"{estimate.mean:.4g} [{estimate.low:.3g}, {estimate.high:.3g}]"


def _without_interval(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{estimate.mean:.3f}"
