"""Decisions on rows of several classes: mistakes, costs and savings as tables or as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from costboost._core.baselines import always
from costboost._core.wording import amount, percent, stated
from costboost.app.cli import terminal
from costboost.app.cli.evaluation import examined_rows
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
from costboost.app.report.words import Cautions, of_several

MAX_CLASSES_SHOWN = 12
"""Classes up to which the whole confusion matrix is printed."""
MAX_CONFUSIONS = 10
MATRIX_HEAD = "true \\ predicted"


def evaluate_several(model: Any, rows: LabelledRows, layout: DataLayout) -> MulticlassEvaluation:
    """Evaluate the decisions of a model of several classes on rows that it has not seen."""
    shared = model, np.array(layout.matrix)
    answers = joined(collected(rows.X, _predict_part, shared, rows.y))
    X, examined = examined_rows(rows.X, answers.truth)
    return MulticlassEvaluation(layout, answers, of_several(model, X, answers, examined))


def _predict_part(X: Any, shared: tuple[Any, Any], y: Any) -> SeveralClassPredictions:
    model, matrix = shared
    return predict_several_classes(model, X, y, matrix)


@dataclass(frozen=True)
class MulticlassEvaluation:
    """Decisions of a model, decisions without costs, and decisions without a model."""

    layout: DataLayout
    rows: SeveralClassPredictions
    cautions: Cautions

    @property
    def opening(self) -> str:
        matrix = self.rows.matrix
        off_diagonal = matrix[~np.eye(len(matrix), dtype=bool)]
        costs = stated(off_diagonal[0])
        if np.ptp(off_diagonal):
            costs = f"from {stated(off_diagonal.min())} to {stated(off_diagonal.max())}"
        classes = list(self.layout.classes)
        return (
            f"{len(classes)} classes in {self.layout.target!r}: {some(classes)}. A mistake costs "
            f"{costs}."
        )

    def show(self) -> None:
        terminal.heading(terminal.plural(self.rows.truth.size, self.cautions.rows))
        if self._matrix_fits():
            self._show_matrix()
        else:
            self._show_costliest()
        accuracy = 1 - self.rows.wrong(self.rows.predicted.code) / float(self.rows.weight.sum())
        terminal.write(f"{percent(accuracy)} of the rows are predicted correctly.")
        terminal.write()
        terminal.table(
            ["decision", "wrong", "cost", "the model saves"],
            [self._cells(name) for name in self.rows.ways],
            numbers=3,
        )
        terminal.write()
        constant = always(self.rows.classes[self.rows.best_constant])
        terminal.write(terminal.savings(self.rows.savings, constant))
        terminal.cautions(self.cautions)

    def _matrix_fits(self) -> bool:
        """Whether the confusion matrix fits the width of the terminal."""
        names = [str(name) for name in self.rows.classes]
        first = max(map(len, [MATRIX_HEAD, *names]))
        width = first + sum(len(name) + 3 for name in names) + 10
        return len(names) <= MAX_CLASSES_SHOWN and width <= terminal.width()

    def _show_matrix(self) -> None:
        rows = self.rows
        count, names = rows.confusion(rows.predicted.code), list(map(str, rows.classes))
        cost = (count * rows.matrix).sum(axis=1)
        terminal.table(
            [MATRIX_HEAD, *names, "costs"],
            [[name, *map(amount, count[i]), amount(cost[i])] for i, name in enumerate(names)],
            numbers=len(names) + 1,
        )

    def _show_costliest(self) -> None:
        rows = self.rows
        terminal.write("The costliest mistakes:")
        count = rows.confusion(rows.predicted.code)
        cost = count * rows.matrix
        order = np.argsort(-cost, axis=None, kind="stable")[:MAX_CONFUSIONS]
        cells = [divmod(int(at), len(rows.classes)) for at in order]
        terminal.table(
            ["is", "predicted", "rows", "costs"],
            [
                [rows.classes[i], rows.classes[j], *map(amount, (count[i, j], cost[i, j]))]
                for i, j in cells
                if cost[i, j]
            ],
            numbers=2,
        )

    def _cells(self, name: str) -> list[str]:
        code = self.rows.ways[name]
        cells = [name, *map(amount, (self.rows.wrong(code), self.rows.cost(code)))]
        return [*cells, "" if name == MODEL else terminal.interval(self.rows.saved(code))]

    def facts(self) -> dict[str, Any]:
        rows, savings = self.rows, self.rows.savings
        total = float(rows.weight.sum())
        return {
            "n_rows": int(rows.truth.size),
            "classes": list(self.layout.classes),
            "cost_matrix": rows.matrix.tolist(),
            "decisions": {
                name: {
                    "confusion": rows.confusion(code).tolist(),
                    "wrong": rows.wrong(code),
                    "accuracy": 1 - rows.wrong(code) / total,
                    "cost": rows.cost(code),
                    "mean_cost": rows.cost(code) / total,
                }
                for name, code in rows.ways.items()
            },
            "savings": savings and dict(zip(("share", "low", "high"), savings, strict=True)),
            "without_model": {
                "decision": always(rows.classes[rows.best_constant]),
                "saved": rows.saved(np.full(rows.truth.size, rows.best_constant))._asdict(),
            },
            "seen_in_training": not self.cautions.held_out,
            "warnings": [caution.text for caution in self.cautions.found],
            "saved": {
                name: rows.saved(code)._asdict()
                for name, code in rows.ways.items()
                if name != MODEL
            },
        }
