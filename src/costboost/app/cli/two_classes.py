"""Evaluation of decisions on rows of two classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost._core.arrays import Flags
from costboost._core.baselines import BY_COSTS, always
from costboost._core.costs import Costs
from costboost._core.names import COST_NAMES, RIGHT
from costboost._core.wording import amount, percent, stated
from costboost.app.cli import terminal
from costboost.app.cli.evaluation import Evaluation, Way, examined_rows
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
from costboost.app.report.words import goal_words, of_two


def evaluate_two(model: Any, rows: LabelledRows, layout: DataLayout) -> Evaluation:
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
    cautions, goal = of_two(model, X, answers, examined), goal_result(model, answers)
    names = {NONE: always(other), ALL: always(layout.label), COSTS: BY_COSTS}
    rules = {MODEL: answers.predicted, IGNORING: answers.blind} | {
        names[key]: flags
        for key, flags in without_model(answers).items()
        if key != COSTS or np.any(flags != flags[0])  # costs differ by row
    }
    return Evaluation(
        _opening(layout, other),
        len(rows),
        {"positive": layout.label},
        [_way(answers, name, flags) for name, flags in rules.items()],
        ("misses", "false alarms", "cost"),
        savings(answers),
        names[best_without_model(answers)],
        saved_by(answers, answers.predicted),
        cautions,
        lambda: _show_mistakes(answers, goal),
        {"goal_met": goal and goal.met},
    )


def _decide_part(X: Any, shared: tuple[Any, DataLayout], *costs: Any) -> tuple[Any, Any, Any]:
    model, layout = shared
    of_rows = {name: cost for name, cost in zip(COST_NAMES, costs, strict=True) if cost is not None}
    return *decide(model, layout, X, of_rows), limits_of(model, X)


def _way(answers: TwoClassPredictions, name: str, flags: Flags) -> Way:
    counts = outcome(answers, flags)
    facts = {
        "true_positives": counts.hits,
        "misses": counts.misses,
        "false_alarms": counts.alarms,
        "true_negatives": counts.rejects,
        "cost": counts.cost,
        "mean_cost": counts.mean_cost,
        "recall": counts.recall,
        "precision": counts.precision,
    }
    saved = None if name == MODEL else difference(answers, answers.predicted, flags)
    return Way(name, (counts.misses, counts.alarms, counts.cost), facts, saved)


def _opening(layout: DataLayout, other: Any) -> str:
    against = "the rest" if layout.against_rest else other
    right = ""
    if layout.gains:
        tp, tn = (_cost_text(layout.cells[name]) for name in RIGHT)
        right = f", a true positive {tp}, a true negative {tn}"
    return (
        f"Positive: {layout.positive} in {layout.target!r}, against {against}. A miss costs "
        f"{_cost_text(layout.fn_cost)}, a false alarm {_cost_text(layout.fp_cost)}{right}."
    )


def _cost_text(cost: float | str) -> str:
    return f"the value in {cost!r}" if isinstance(cost, str) else stated(cost)


def _show_mistakes(answers: TwoClassPredictions, goal: GoalResult | None) -> None:
    counts, label, other = outcome(answers, answers.predicted), answers.label, answers.other
    cells = (
        (label, counts.hits, counts.misses, counts.miss_money),
        (other, counts.alarms, counts.rejects, counts.alarm_money),
    )
    terminal.table(
        ["", f"predicted {label}", f"predicted {other}", "cost of errors"],
        [[f"is {name}", *map(amount, numbers)] for name, *numbers in cells],
        numbers=3,
    )
    shown = counts.precision
    precision = "nothing predicted positive" if shown is None else percent(shown)
    terminal.write(
        f"Positives found (recall) {percent(counts.recall)}, alarms that are correct "
        f"(precision) {precision}."
    )
    if goal is not None:
        met = "met" if goal.met else "missed"
        terminal.write(f"The goal, {goal.goal}, is {met}: {goal_words(goal)}.")
