"""What the decisions of a model cost on held-out rows, as tables or as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Flags
from costboost._core.baselines import ABOUT_BY_COSTS, BY_COSTS, Difference, always
from costboost._core.costs import Costs
from costboost._core.names import COST_NAMES, RIGHT
from costboost._core.wording import amount, percent, stated
from costboost.app.cli import terminal
from costboost.app.cli.layouts import Layout
from costboost.app.cli.predictors import decide, positive_column
from costboost.app.cli.problems import LabelledRows
from costboost.app.inspection.leaks import sample_rows
from costboost.app.reading.errors import some
from costboost.app.reading.partitions import PartitionedFeatures
from costboost.app.report.numbers import (
    ALL,
    COSTS,
    IGNORING,
    MODEL,
    NONE,
    GoalResult,
    Outcome,
    SeveralClassPredictions,
    TwoClassPredictions,
    best_without_model,
    difference,
    goal_result,
    joined,
    limits_of,
    outcome,
    positive_share,
    predict_several_classes,
    saved_by,
    savings,
    without_model,
)
from costboost.app.report.words import Cautions, goal_words, of_several, of_two

MAX_CLASSES_SHOWN = 12
"""Classes up to which the whole confusion matrix is printed."""
MAX_CONFUSIONS = 10
MATRIX_HEAD = "true \\ predicted"


class Evaluation(Protocol):
    """Decisions of a model on held-out rows, to be printed."""

    @property
    def cautions(self) -> Cautions:
        """Cautions about the numbers."""
        ...

    @property
    def opening(self) -> str:
        """A sentence about the classes and the costs."""
        ...

    def show(self) -> None:
        """Print tables of mistakes, costs and savings."""
        ...

    def facts(self) -> dict[str, Any]:
        """The numbers of the tables for JSON."""
        ...


def facts_on_rows(found: Evaluation) -> dict[str, Any]:
    """The facts for JSON that are not about predictions of classes."""
    kept = {name: found.facts()[name] for name in ("n_rows", "seen_in_training")}
    return {**kept, "warnings": [one.text for one in found.cautions.on_rows.found]}


def evaluate(model: Any, rows: LabelledRows, layout: Layout) -> Evaluation:
    """Evaluate the decisions of a model on rows that it has not seen."""
    if layout.multiclass:
        matrix = np.array(layout.matrix)
        if not isinstance(rows.X, PartitionedFeatures):
            found = predict_several_classes(model, rows.X, rows.y, matrix)
            return MulticlassEvaluation(layout, found, of_several(model, rows.X, found))
        found = joined(rows.X.collected(_predict_part, (model, matrix), rows.y))
        X, examined = _examined(rows.X, found.truth)
        return MulticlassEvaluation(layout, found, of_several(model, X, found, examined))
    return _evaluate_two(model, rows, layout)


def _examined(X: PartitionedFeatures, truth: NDArray[np.intp]) -> tuple[Any, NDArray[np.intp]]:
    """Some rows of a cluster in memory, and their numbers: cautions come from these."""
    rows = sample_rows(truth)
    return X.take(rows).in_memory(), rows


def _decide_part(X: Any, shared: tuple[Any, Layout], *costs: Any) -> tuple[Any, Any, Any]:
    model, layout = shared
    given = {name: cost for name, cost in zip(COST_NAMES, costs, strict=True) if cost is not None}
    return *decide(model, layout, X, given), limits_of(model, X)


def _predict_part(X: Any, shared: tuple[Any, Any], y: Any) -> SeveralClassPredictions:
    model, matrix = shared
    return predict_several_classes(model, X, y, matrix)


# ---- two classes ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class TwoClassEvaluation:
    """Decisions of a model, decisions without costs, and decisions without a model."""

    layout: Layout
    answers: TwoClassPredictions
    cautions: Cautions
    goal: GoalResult | None
    """What is goal_result of the model's goal, if it has one."""

    @property
    def without_model(self) -> dict[str, Flags]:
        """Decisions that need no model, by name; those by costs only if they differ by row."""
        return {
            self._names[key]: flags
            for key, flags in without_model(self.answers).items()
            if key != COSTS or np.any(flags != flags[0])
        }

    @property
    def _names(self) -> dict[str, str]:
        """Names of the decisions that need no model, by their keys."""
        return {NONE: always(self.answers.other), ALL: always(self.answers.label), COSTS: BY_COSTS}

    @property
    def decisions(self) -> dict[str, Flags]:
        """Rows predicted positive, by the name of the decision; the model's comes first."""
        called = {MODEL: self.answers.predicted, IGNORING: self.answers.blind}
        return called | self.without_model

    @property
    def best(self) -> str:
        """Name of the cheapest decisions without a model."""
        return self._names[best_without_model(self.answers)]

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """Counts and costs of each decision."""
        return {name: outcome(self.answers, flags) for name, flags in self.decisions.items()}

    def saved(self, other: Flags) -> Difference:
        """What the model saves compared with another decision."""
        return difference(self.answers, self.answers.predicted, other)

    @property
    def opening(self) -> str:
        layout = self.layout
        against = "the rest" if layout.against_rest else self.answers.other
        return (
            f"Positive: {layout.positive} in {layout.target!r}, against {against}. A miss costs "
            f"{_cost_text(layout.fn_cost)}, a false alarm {_cost_text(layout.fp_cost)}"
            f"{self._right}."
        )

    @property
    def _right(self) -> str:
        """What right predictions cost, for the opening; nothing if that is not stated."""
        if not self.layout.gains:
            return ""
        tp, tn = (_cost_text(self.layout.cells[name]) for name in RIGHT)
        return f", a true positive {tp}, a true negative {tn}"

    def show(self) -> None:
        first = next(iter(self.outcomes.values()))
        label, other = self.answers.label, self.answers.other
        terminal.heading(terminal.plural(self.answers.positive.size, self.cautions.rows))
        cells = (
            (label, first.hits, first.misses, first.miss_money),
            (other, first.alarms, first.rejects, first.alarm_money),
        )
        terminal.table(
            ["", f"predicted {label}", f"predicted {other}", "cost of errors"],
            [[f"is {name}", *map(amount, numbers)] for name, *numbers in cells],
            numbers=3,
        )
        terminal.write(_rates(first))
        if self.goal is not None:
            met = "met" if self.goal.met else "missed"
            terminal.write(f"The goal, {self.goal.goal}, is {met}: {goal_words(self.goal)}.")
        terminal.write()
        terminal.table(
            ["decision", "misses", "false alarms", "cost", "the model saves"],
            [self._cells(name, one) for name, one in self.outcomes.items()],
            numbers=4,
        )
        terminal.write()
        terminal.write(terminal.savings(savings(self.answers), self.best))
        if BY_COSTS in self.decisions:
            terminal.write(ABOUT_BY_COSTS)
        terminal.cautions(self.cautions)

    def _cells(self, name: str, one: Outcome) -> list[str]:
        cells = [name, *map(amount, (one.misses, one.alarms, one.cost))]
        if self.decisions[name] is self.answers.predicted:
            return [*cells, ""]
        return [*cells, terminal.interval(self.saved(self.decisions[name]))]

    def facts(self) -> dict[str, Any]:
        saved = savings(self.answers)
        return {
            "n_rows": int(self.answers.positive.size),
            "positive": self.answers.label,
            "decisions": {
                name: {
                    "true_positives": one.hits,
                    "misses": one.misses,
                    "false_alarms": one.alarms,
                    "true_negatives": one.rejects,
                    "cost": one.cost,
                    "mean_cost": one.mean_cost,
                    "recall": one.recall,
                    "precision": one.precision,
                }
                for name, one in self.outcomes.items()
            },
            "savings": saved and dict(zip(("share", "low", "high"), saved, strict=True)),
            "without_model": {
                "decision": self.best,
                "saved": saved_by(self.answers, self.answers.predicted)._asdict(),
            },
            "goal_met": self.goal and self.goal.met,
            "seen_in_training": not self.cautions.held_out,
            "warnings": [one.text for one in self.cautions.found],
            "saved": {
                name: self.saved(flags)._asdict()
                for name, flags in self.decisions.items()
                if flags is not self.answers.predicted
            },
        }


def _evaluate_two(model: Any, rows: LabelledRows, layout: Layout) -> TwoClassEvaluation:
    other = model.classes_[1 - positive_column(model, layout)]
    X, examined = rows.X, None
    if isinstance(X, PartitionedFeatures):
        cells = [rows.row_costs.get(name) for name in COST_NAMES]
        parts = X.collected(_decide_part, (model, layout), *cells)
        each = tuple(zip(*parts, strict=True))
        called, probability = map(np.concatenate, each[:2])
        limit = None if each[2][0] is None else np.concatenate(each[2])
        X, examined = _examined(X, (rows.y == layout.label).astype(np.intp))
    else:
        called, probability = decide(model, layout, X, rows.row_costs)
        limit = limits_of(model, X)
    positive, costs = rows.y == layout.label, Costs.outcomes(**dict[str, Any](rows.costs))
    weight = np.ones(len(rows))
    answers = TwoClassPredictions(
        positive,
        weight,
        costs,
        probability,
        probability,
        limit,
        called,
        layout.label,
        other,
        np.arange(len(rows)),
        float(np.where(positive, costs.tp_cost, costs.tn_cost).sum()),
        share=positive_share(model, layout.label, positive, weight),
    )
    cautions = of_two(model, X, answers, examined)
    return TwoClassEvaluation(layout, answers, cautions, goal_result(model, answers))


def _cost_text(cost: float | str) -> str:
    return f"the value in {cost!r}" if isinstance(cost, str) else stated(cost)


def _rates(one: Outcome) -> str:
    precision = "nothing predicted positive" if one.precision is None else percent(one.precision)
    return (
        f"Positives found (recall) {percent(one.recall)}, alarms that are correct "
        f"(precision) {precision}."
    )


# ---- more than two classes -----------------------------------------------------------------------


@dataclass(frozen=True)
class MulticlassEvaluation:
    """Decisions of a model, decisions without costs, and decisions without a model."""

    layout: Layout
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
            "warnings": [one.text for one in self.cautions.found],
            "saved": {
                name: rows.saved(code)._asdict()
                for name, code in rows.ways.items()
                if name != MODEL
            },
        }
