"""Evaluation of decisions on rows of several classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost._core.arrays import Codes
from costboost._core.baselines import always
from costboost._core.wording import amount, percent, stated
from costboost.app.cli import terminal
from costboost.app.cli.evaluation import Evaluation, Way, examined_rows
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import some
from costboost.app.reading.labelled import LabelledRows
from costboost.app.reading.partitioned_features import collected
from costboost.app.report.numbers import (
    MODEL,
    SeveralClassPredictions,
    joined,
    predict_several_classes,
)
from costboost.app.report.words import of_several

MAX_CLASSES_SHOWN = 12
"""Classes up to which the whole confusion matrix is printed."""
MAX_CONFUSIONS = 10
MATRIX_HEAD = "true \\ predicted"


def evaluate_several(model: Any, rows: LabelledRows, layout: DataLayout) -> Evaluation:
    """Evaluate the decisions of a model of several classes on rows that it has not seen."""
    shared = model, np.array(layout.matrix)
    answers = joined(collected(rows.X, _predict_part, shared, rows.y))
    X, examined = examined_rows(rows.X, answers.truth)
    best = answers.best_constant
    return Evaluation(
        _opening(layout, answers),
        int(answers.truth.size),
        {"classes": list(layout.classes), "cost_matrix": answers.matrix.tolist()},
        [_way(answers, name, code) for name, code in answers.ways.items()],
        ("wrong", "cost"),
        answers.savings,
        always(answers.classes[best]),
        answers.saved(np.full(answers.truth.size, best)),
        of_several(model, X, answers, examined),
        lambda: _show_mistakes(answers),
    )


def _predict_part(X: Any, shared: tuple[Any, Any], y: Any) -> SeveralClassPredictions:
    model, matrix = shared
    return predict_several_classes(model, X, y, matrix)


def _way(answers: SeveralClassPredictions, name: str, code: Codes) -> Way:
    wrong, cost, total = answers.wrong(code), answers.cost(code), float(answers.weight.sum())
    facts = {
        "confusion": answers.confusion(code).tolist(),
        "wrong": wrong,
        "accuracy": 1 - wrong / total,
        "cost": cost,
        "mean_cost": cost / total,
    }
    return Way(name, (wrong, cost), facts, None if name == MODEL else answers.saved(code))


def _opening(layout: DataLayout, answers: SeveralClassPredictions) -> str:
    off_diagonal = answers.matrix[~np.eye(len(answers.matrix), dtype=bool)]
    costs = stated(off_diagonal[0])
    if np.ptp(off_diagonal):
        costs = f"from {stated(off_diagonal.min())} to {stated(off_diagonal.max())}"
    classes = list(layout.classes)
    return f"{len(classes)} classes in {layout.target!r}: {some(classes)}. A mistake costs {costs}."


def _show_mistakes(answers: SeveralClassPredictions) -> None:
    """Print the confusion matrix if it fits the width of the terminal, else the costliest cells."""
    names, code = list(map(str, answers.classes)), answers.predicted.code
    count = answers.confusion(code)
    cost = count * answers.matrix
    width = max(map(len, [MATRIX_HEAD, *names])) + sum(len(name) + 3 for name in names) + 10
    if len(names) <= MAX_CLASSES_SHOWN and width <= terminal.width():
        of_class = cost.sum(axis=1)
        terminal.table(
            [MATRIX_HEAD, *names, "costs"],
            [[name, *map(amount, count[i]), amount(of_class[i])] for i, name in enumerate(names)],
            numbers=len(names) + 1,
        )
    else:
        terminal.write("The costliest mistakes:")
        order = np.argsort(-cost, axis=None, kind="stable")[:MAX_CONFUSIONS]
        cells = [divmod(int(at), len(names)) for at in order]
        terminal.table(
            ["is", "predicted", "rows", "costs"],
            [
                [names[i], names[j], *map(amount, (count[i, j], cost[i, j]))]
                for i, j in cells
                if cost[i, j]
            ],
            numbers=2,
        )
    accuracy = 1 - answers.wrong(code) / float(answers.weight.sum())
    terminal.write(f"{percent(accuracy)} of the rows are predicted correctly.")
