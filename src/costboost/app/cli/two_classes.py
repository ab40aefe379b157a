"""Decisions on rows of two classes: mistakes, costs and savings as tables or as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from costboost._core.arrays import Flags
from costboost._core.baselines import ABOUT_BY_COSTS, BY_COSTS, Difference, always
from costboost._core.costs import Costs
from costboost._core.names import COST_NAMES, RIGHT
from costboost._core.wording import amount, percent, stated
from costboost.app.cli import terminal
from costboost.app.cli.evaluation import examined_rows
from costboost.app.cli.predictors import decide, positive_column
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.labelled import LabelledRows
from costboost.app.reading.partitioned_features import collected
from costboost.app.report.numbers import (
    ALL,
    COSTS,
    IGNORING,
    MODEL,
    NONE,
    GoalResult,
    Outcome,
    TwoClassPredictions,
    best_without_model,
    difference,
    goal_result,
    limits_of,
    outcome,
    positive_share,
    saved_by,
    savings,
    without_model,
)
from costboost.app.report.words import Cautions, goal_words, of_two


def evaluate_two(model: Any, rows: LabelledRows, layout: DataLayout) -> TwoClassEvaluation:
    """Evaluate the decisions of a model of two classes on rows that it has not seen."""
    other = model.classes_[1 - positive_column(model, layout)]
    positive, costs = rows.y == layout.label, Costs.outcomes(**dict[str, Any](rows.costs))
    cells = [rows.row_costs.get(name) for name in COST_NAMES]
    parts = collected(rows.X, _decide_part, (model, layout), *cells)
    called, probability, limits = zip(*parts, strict=True)
    p = np.concatenate(probability)
    weight = np.ones(len(rows))
    answers = TwoClassPredictions(
        positive,
        weight,
        costs,
        p,
        p,
        None if limits[0] is None else np.concatenate(limits),
        np.concatenate(called),
        layout.label,
        other,
        np.arange(len(rows)),
        float(np.where(positive, costs.tp_cost, costs.tn_cost).sum()),
        share=positive_share(model, layout.label, positive, weight),
    )
    X, examined = examined_rows(rows.X, positive.astype(np.intp))
    cautions = of_two(model, X, answers, examined)
    return TwoClassEvaluation(layout, answers, cautions, goal_result(model, answers))


def _decide_part(X: Any, shared: tuple[Any, DataLayout], *costs: Any) -> tuple[Any, Any, Any]:
    model, layout = shared
    of_rows = {name: cost for name, cost in zip(COST_NAMES, costs, strict=True) if cost is not None}
    return *decide(model, layout, X, of_rows), limits_of(model, X)


@dataclass(frozen=True)
class TwoClassEvaluation:
    """Decisions of a model, decisions without costs, and decisions without a model."""

    layout: DataLayout
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
            "warnings": [caution.text for caution in self.cautions.found],
            "saved": {
                name: self.saved(flags)._asdict()
                for name, flags in self.decisions.items()
                if flags is not self.answers.predicted
            },
        }


def _cost_text(cost: float | str) -> str:
    return f"the value in {cost!r}" if isinstance(cost, str) else stated(cost)


def _rates(one: Outcome) -> str:
    precision = "nothing predicted positive" if one.precision is None else percent(one.precision)
    return (
        f"Positives found (recall) {percent(one.recall)}, alarms that are correct "
        f"(precision) {precision}."
    )
