"""What a model's decisions come to on held-out rows, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.limits import decides_by_cost
from costboost.cli import telling
from costboost.cli.columns import Layout
from costboost.cli.problem import Rows
from costboost.metrics.checks import Floats
from costboost.report.numbers.answers import Answers, Flags
from costboost.report.numbers.outcome import (
    Difference,
    Outcome,
    best_trivial,
    difference,
    everybody,
    nobody,
    outcome,
)


@dataclass(frozen=True)
class Evaluation:
    """Decisions of a model beside those that look at no row, and those that look at no cost."""

    answers: Answers
    ways: dict[str, Flags]
    """Ways to decide by name; the model's comes first."""

    @property
    def outcomes(self) -> dict[str, Outcome]:
        return {name: outcome(self.answers, called) for name, called in self.ways.items()}

    @property
    def trivial(self) -> float:
        """What the better trivial classifier costs."""
        return outcome(self.answers, best_trivial(self.answers)).cost

    @property
    def savings(self) -> Difference | None:
        """What the model saves, as a share of that; None if there is nothing to save."""
        least, saved = self.trivial, self.saved(best_trivial(self.answers))
        return Difference(*(min(1.0, x / least) for x in saved)) if least else None

    def saved(self, other: Flags) -> Difference:
        """What the model saves compared with another way to decide."""
        return difference(self.answers, self.answers.called, other)


def takes_costs(model: Any) -> bool:
    """Whether `predict` can be told the costs of rows."""
    return isinstance(model, BoostingClassifier) and decides_by_cost(model)


def decided(model: Any, layout: Layout, X: Any, costs: Mapping[str, Any]) -> tuple[Flags, Floats]:
    """Which rows are called positive, by these costs if the model can, and their probability."""
    costs = costs if takes_costs(model) else {}
    if isinstance(model, BoostingClassifier):
        return model._called(X, costs.get("fn_cost"), costs.get("fp_cost"))
    called = np.asarray(model.predict(X) == layout.label)
    return called, np.asarray(model.predict_proba(X))[:, column_of(model, layout)]


def column_of(model: Any, layout: Layout) -> int:
    """Which column of the probabilities is that of the positive class."""
    return int(np.flatnonzero(model.classes_ == layout.label)[0])


def evaluate(model: Any, rows: Rows, layout: Layout) -> Evaluation:
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
    return Evaluation(answers, ways)


# ---- for people ----------------------------------------------------------------------------------


def show(found: Evaluation) -> None:
    """Tables of mistakes and money, and what was saved."""
    n = found.answers.positive.size
    first = next(iter(found.outcomes.values()))
    label, other = found.answers.label, found.answers.other
    telling.heading(f"{n:,} held-out rows")
    telling.table(
        ["", f"called {label}", f"called {other}", "wrong costs"],
        [
            [f"is {label}", *map(telling.number, (first.hits, first.misses, first.miss_money))],
            [f"is {other}", *map(telling.number, (first.alarms, first.rejects, first.alarm_money))],
        ],
        numbers=3,
    )
    telling.say(_rates(first))
    telling.say()
    telling.table(
        ["decision", "misses", "false alarms", "cost", "the model saves"],
        [_line(found, name, one) for name, one in found.outcomes.items()],
        numbers=4,
    )
    telling.say()
    telling.say(_sentence(found))


def _line(found: Evaluation, name: str, one: Outcome) -> list[str]:
    cells = [name, *map(telling.number, (one.misses, one.alarms, one.cost))]
    if found.ways[name] is found.answers.called:
        return [*cells, ""]
    saved = found.saved(found.ways[name])
    return [*cells, f"{telling.number(saved.money)} ± {telling.number(saved.high - saved.money)}"]


def _rates(one: Outcome) -> str:
    precision = (
        "nothing called positive" if one.precision is None else telling.percent(one.precision)
    )
    return f"Recall {telling.percent(one.recall)}, precision {precision}."


def _sentence(found: Evaluation) -> str:
    savings = found.savings
    if savings is None:
        return "Deciding without a model costs nothing here: there is nothing to save."
    share, low, high = map(telling.percent, savings)
    sure = "" if savings.low > 0 else " The rows are too few to be sure that it saves anything."
    return (
        f"Savings: {share} of the cost of deciding without a model (95% interval {low} to {high})."
        + sure
    )


# ---- for programs --------------------------------------------------------------------------------


def as_dict(found: Evaluation) -> dict[str, Any]:
    """The same as plain data."""
    savings = found.savings
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
        "savings": None
        if savings is None
        else dict(zip(("share", "low", "high"), savings, strict=True)),
        "saved": {
            name: found.saved(called)._asdict()
            for name, called in found.ways.items()
            if called is not found.answers.called
        },
    }
