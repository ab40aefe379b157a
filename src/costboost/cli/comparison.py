"""Several algorithms on one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from costboost.cli import console
from costboost.cli.algorithms import algorithm, make, name_of
from costboost.cli.problem import Problem
from costboost.cli.rounds import following
from costboost.comparing import Comparison, Estimate
from costboost.reading.errors import InputError

SHOWN = {
    "Brier": "brier",
    "precision": "precision_positive",
    "recall": "recall_positive",
    "seconds": "seconds",
}
SHOWN_OF_SEVERAL = {"Brier": "brier", "accuracy": "accuracy", "seconds": "seconds"}


def compared(
    problem: Problem, names: Sequence[str], folds: int, settings: Mapping[str, Any]
) -> Comparison:
    """Each algorithm on the same folds, one after the other so that times are true."""
    import costboost

    classes = list(dict.fromkeys(algorithm(name) for name in names))
    rows, layout = problem.rows, problem.layout
    rarest = int(np.unique(rows.y, return_counts=True)[1].min())
    if rarest < folds:
        raise InputError(
            f"the rarest class has {rarest} rows, too few for {folds} folds: take fewer (--folds)"
        )
    label = None if layout.several else layout.label
    made = {name_of(cls): make(cls.__name__, layout, **settings) for cls in classes}
    with following(list(made.values()), rows.y, f"comparing {len(made)} algorithms", folds):
        return costboost.compare(
            made,
            rows.X,
            rows.y,
            cv=folds,
            pos_label=label,
            random_state=settings["seed"],
            **layout.costs_of(rows.fn_cost, rows.fp_cost),
        )


def show(found: Comparison) -> None:
    """A table, the cheapest first."""
    order = sorted(found.estimators, key=lambda name: _mean(found.estimate(name)))
    of_two = found.estimate(order[0], "recall_positive") is not None
    shown = SHOWN if of_two else SHOWN_OF_SEVERAL
    rows = [
        [name, _interval(found.estimate(name))]
        + [_plain(found.estimate(name, measure)) for measure in shown.values()]
        for name in order
    ]
    console.table(["algorithm", "mean cost [95%]", *shown], rows, numbers=1 + len(shown))
    if len(order) > 1:
        console.say()
        console.say(_verdict(found, order[0], order[1]))


def _verdict(found: Comparison, best: str, second: str) -> str:
    apart = found.difference(second, best)
    if apart.low is not None and apart.low > 0:
        return f"{best} is the cheapest; {second} costs {apart.mean:.3g} more on each row."
    return f"{best} is the cheapest here, but {second} may be as cheap: chance could do as much."


def _mean(estimate: Estimate | None) -> float:
    return float("inf") if estimate is None else estimate.mean


def _interval(estimate: Estimate | None) -> str:
    if estimate is None or estimate.low is None or estimate.high is None:
        return _plain(estimate)
    return f"{estimate.mean:.4g} [{estimate.low:.3g}, {estimate.high:.3g}]"


def _plain(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{estimate.mean:.3f}"
