"""``compare``: what the decisions of several algorithms cost on the same folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from costboost._core.wording import amount, decimals_for, number
from costboost.app.cli import terminal
from costboost.app.cli.data_notes import read_and_note
from costboost.app.cli.estimators import make_classifier
from costboost.app.cli.given import Given
from costboost.app.cli.training_data import TrainingData
from costboost.app.cli.training_progress import training_progress
from costboost.app.reading.errors import InputError
from costboost.comparing.comparing import (
    AT_HALF,
    BY_COST,
    LIKELIEST,
    WITHOUT_MODEL,
    Comparison,
    Estimate,
    compare,
)

MEASURES = {
    "Brier": "brier",
    "precision": "precision_positive",
    "recall": "recall_positive",
    "seconds": "seconds",
}
MULTICLASS_MEASURES = {"Brier": "brier", "accuracy": "accuracy", "seconds": "seconds"}


def run(given: Given) -> None:
    data = read_and_note(given)
    comparison = compare_algorithms(given, data)
    if given.json:
        terminal.write_json(comparison.to_dict())
    else:
        show_comparison(comparison)


def compare_algorithms(given: Given, data: TrainingData) -> Comparison:
    """Each algorithm on the same folds, one after the other so that times are comparable."""
    rows, layout = data.rows, data.layout
    rarest = int(np.unique(rows.y, return_counts=True)[1].min())
    if rarest < given.folds:
        raise InputError(
            f"the rarest class has {rarest} rows, too few for {given.folds} folds: take fewer "
            "(--folds)"
        )
    models = {name: make_classifier(given, name, layout) for name in given.algorithms}
    text = f"comparing {len(models)} algorithms"
    with training_progress(list(models.values()), rows.y, text, given.folds):
        return compare(
            models,
            rows.X,
            rows.y,
            cv=given.folds,
            pos_label=None if layout.multiclass else layout.label,
            baselines=given.baselines,
            random_state=given.seed,
            groups=rows.groups,
            **layout.cost_parameters(rows.costs),
        )


def show_comparison(comparison: Comparison) -> None:
    """Print a table, with the least mean cost first."""
    order = sorted(comparison.estimators, key=lambda name: _mean(comparison.estimate(name)))
    two_classes = comparison.estimate(order[0], "recall_positive") is not None
    measures = MEASURES if two_classes else MULTICLASS_MEASURES
    (decides,) = comparison.decides.values()
    rows = [
        [name, decides[name], _with_interval(comparison.estimate(name))]
        + [_without_interval(comparison.estimate(name, measure)) for measure in measures.values()]
        for name in order
    ]
    head = ["algorithm", "decides", "mean cost [95%]", *measures]
    terminal.table(head, rows, numbers=1 + len(measures), wraps=1)
    if len(order) > 1:
        terminal.write()
        terminal.write(_cheapest(comparison, order))
        for text in (*_others(comparison, order), *_decisions(decides.values())):
            terminal.write(text)


def _cheapest(comparison: Comparison, order: Sequence[str]) -> str:
    """Which of all rows costs least, and which may cost as little."""
    best, *others = order
    beside = [name for name in others if not _is_beyond_chance(comparison.difference(name, best))]
    if beside:
        return (
            f"{best} costs least here, but the difference from these may be chance: "
            f"{'; '.join(beside)}."
        )
    more = amount(comparison.difference(others[0], best).mean)
    return f"{best} costs least of all. The next is {others[0]}: {more} more per row."


def _others(comparison: Comparison, order: Sequence[str]) -> Iterator[str]:
    """How much the algorithms and the rules without a model cost beyond the first row."""
    best = order[0]
    kinds = {
        "The cheapest of the algorithms compared": comparison.ranked,
        "The cheapest rule without a model": [name for name in WITHOUT_MODEL if name in order],
    }
    for title, names in kinds.items():
        first = next((name for name in order if name in names), best)
        if first != best:
            difference = comparison.difference(first, best)
            if difference.mean == 0:
                yield f"{title}: {first}, as much as {best}."
                continue
            more = amount(difference.mean)
            doubt = "" if _is_beyond_chance(difference) else ", which may be chance"
            yield f"{title}: {first}, {more} more per row than {best}{doubt}."


def _decisions(decides: Iterable[str]) -> Iterator[str]:
    """That some of the algorithms decide without regard to costs, and others by them."""
    ways = set(decides)
    blind = ways & {AT_HALF, LIKELIEST}
    if blind and BY_COST in ways:
        yield (
            f'Rows that decide "{min(blind)}" take the likelier class, whatever mistakes cost: '
            "what they cost more than others may be due to that, and not to their probabilities."
        )


def _is_beyond_chance(difference: Estimate) -> bool:
    return difference.low is not None and difference.low > 0


def _mean(estimate: Estimate | None) -> float:
    return float("inf") if estimate is None else estimate.mean


def _with_interval(estimate: Estimate | None) -> str:
    if estimate is None or estimate.low is None or estimate.high is None:
        return _without_interval(estimate)
    decimals = decimals_for(estimate.mean, estimate.low, estimate.high)
    mean, low, high = (number(end, decimals) for end in estimate if end is not None)
    return f"{mean} [{low}, {high}]"


def _without_interval(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{estimate.mean:.3f}"
