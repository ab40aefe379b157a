"""What decisions between two classes come to on held-out rows, for people and for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from costboost.cli import console
from costboost.cli.deciding import column_of, decided
from costboost.cli.layout import Layout
from costboost.cli.problem import Rows
from costboost.report.cautions import Cautions, goal_words, of_two
from costboost.report.numbers.two_classes import (
    Answers,
    Difference,
    Flags,
    Outcome,
    Reached,
    difference,
    everybody,
    nobody,
    outcome,
    reached,
    savings,
)


@dataclass(frozen=True)
class Evaluation:
    """Decisions of a model beside those that look at no row, and those that look at no cost."""

    layout: Layout
    answers: Answers
    ways: dict[str, Flags]
    """Ways to decide by name; the model's comes first."""
    cautions: Cautions
    goal: Reached | None
    """What the decisions reach of the model's goal, if it has one."""

    @property
    def outcomes(self) -> dict[str, Outcome]:
        return {name: outcome(self.answers, called) for name, called in self.ways.items()}

    def saved(self, other: Flags) -> Difference:
        """What the model saves compared with another way to decide."""
        return difference(self.answers, self.answers.called, other)

    @property
    def opening(self) -> str:
        """Which classes there are, and what mistakes cost."""
        layout = self.layout
        against = "the rest" if layout.against_rest else self.answers.other
        return (
            f"Positive: {layout.positive} in {layout.target!r}, against {against}. A miss costs "
            f"{_cost(layout.fn_cost)}, a false alarm {_cost(layout.fp_cost)}."
        )

    def show(self) -> None:
        """Tables of mistakes and money, and what was saved."""
        _show(self)

    def facts(self) -> dict[str, Any]:
        """The same as plain data."""
        return _facts(self)


def _cost(cost: float | str) -> str:
    return f"what {cost!r} says" if isinstance(cost, str) else f"{cost:g}"


def measure(model: Any, rows: Rows, layout: Layout) -> Evaluation:
    """Let the model decide on rows it has not seen."""
    at = column_of(model, layout)
    called, probability = decided(model, layout, rows.X, rows.costs)
    answers = Answers(
        rows.y == layout.label,
        np.ones(len(rows)),
        rows.fn_cost,
        rows.fp_cost,
        probability,
        probability,
        None,
        called,
        layout.label,
        model.classes_[1 - at],
        np.arange(len(rows)),
    )
    other = model.classes_[1 - at]
    ways = {
        "this model": called,
        "the likelier class": answers.blind,
        f"always {other}": nobody(answers),
        f"always {layout.label}": everybody(answers),
    }
    cautions = of_two(model, rows.X, answers)
    return Evaluation(layout, answers, ways, cautions, reached(model, answers))


# ---- for people ----------------------------------------------------------------------------------


def _show(found: Evaluation) -> None:
    n = found.answers.positive.size
    first = next(iter(found.outcomes.values()))
    label, other = found.answers.label, found.answers.other
    console.heading(console.plural(n, found.cautions.rows))
    console.table(
        ["", f"called {label}", f"called {other}", "wrong costs"],
        [
            [f"is {label}", *map(console.number, (first.hits, first.misses, first.miss_money))],
            [f"is {other}", *map(console.number, (first.alarms, first.rejects, first.alarm_money))],
        ],
        numbers=3,
    )
    console.say(_rates(first))
    if found.goal is not None:
        met = "met" if found.goal.met else "missed"
        console.say(f"The goal, {found.goal.goal}, is {met}: {goal_words(found.goal)}.")
    console.say()
    console.table(
        ["decision", "misses", "false alarms", "cost", "the model saves"],
        [_line(found, name, one) for name, one in found.outcomes.items()],
        numbers=4,
    )
    console.say()
    console.say(console.savings(savings(found.answers)))
    console.cautions(found.cautions)


def _line(found: Evaluation, name: str, one: Outcome) -> list[str]:
    cells = [name, *map(console.number, (one.misses, one.alarms, one.cost))]
    if found.ways[name] is found.answers.called:
        return [*cells, ""]
    saved = found.saved(found.ways[name])
    return [*cells, console.interval(saved)]


def _rates(one: Outcome) -> str:
    precision = (
        "nothing called positive" if one.precision is None else console.percent(one.precision)
    )
    return f"Recall {console.percent(one.recall)}, precision {precision}."


# ---- for programs --------------------------------------------------------------------------------


def _facts(found: Evaluation) -> dict[str, Any]:
    saved = savings(found.answers)
    return {
        "n_rows": int(found.answers.positive.size),
        "positive": found.answers.label,
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
            for name, one in found.outcomes.items()
        },
        "savings": saved and dict(zip(("share", "low", "high"), saved, strict=True)),
        "goal_met": found.goal and found.goal.met,
        "seen_in_training": not found.cautions.held_out,
        "warnings": [one.text for one in found.cautions.found],
        "saved": {
            name: found.saved(called)._asdict()
            for name, called in found.ways.items()
            if called is not found.answers.called
        },
    }
