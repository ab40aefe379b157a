"""What was trained on what."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from costboost.report.cautions import INTERVAL, Cautions, goal_words
from costboost.report.numbers.answers import Answers, boosting_of
from costboost.report.numbers.goals import goal_model, reached
from costboost.report.parts import facts
from costboost.report.shown import Style
from costboost.report.text import number, plural, share, short


def training(model: Any, rows: Answers, trained_on: Mapping[str, Any] | str | None) -> str:
    """The classifier, its settings, and what the caller says of the data."""
    around, model = model, boosting_of(model)
    outer = {} if around is model else {type(around).__name__: settings(around)}
    mine: dict[str, Any] = (
        outer
        | _goal(around, rows)
        | {
            "classifier": type(model).__name__,
            "settings": settings(model),
            "weak learner": model._learner,
            "rounds": f"{model.n_iter_} ({model.stop_reason_})",
            "calibration": model.calibration or "none",
            "features": model.n_features_in_,
            "share of positives in training": share(model._prior),
            "costs in training": f"miss {short(model._trained_costs.fn)}, "
            f"false alarm {short(model._trained_costs.fp)}",
        }
    )
    if _example_costs(model):
        mine["costs in training"] += " (means over rows)"
    return f'<div class="card"><h3>Trained</h3>{facts({**given(trained_on), **mine})}</div>'


def _goal(model: Any, rows: Answers) -> dict[str, Any]:
    """The goal that a threshold was chosen for, and what is reached of it."""
    aim, aiming = reached(model, rows), goal_model(model)
    if aim is None or aiming is None:
        return {}
    low, high = aiming.interval_
    sure = "" if np.isnan(low) else f" ({INTERVAL} {short(low)} to {short(high)})"
    return {
        "goal": str(aiming._goal),
        "in cross-validation": f"{short(aiming.achieved_)}{sure}",
        "goal here": f"{'met' if aim.met else 'missed'}: {goal_words(aim)}",
    }


def given(trained_on: Mapping[str, Any] | str | None) -> dict[str, Any]:
    """What the caller says of the data."""
    said = {"data": trained_on} if isinstance(trained_on, str) else trained_on
    return {str(k): v for k, v in (said or {}).items()}


def _example_costs(model: Any) -> bool:
    own = (model.fn_cost, model.fp_cost)
    return tuple(model._trained_costs) != own


def settings(model: Any, leave_out: Collection[str] = ()) -> str:
    """Parameters that differ from the defaults."""
    usual = inspect.signature(type(model)).parameters
    own = {k: v for k, v in model.get_params(deep=False).items() if k not in leave_out}
    changed = [f"{k}={v!r}" for k, v in own.items() if repr(v) != repr(usual[k].default)]
    return ", ".join(changed) or "all defaults"


def measured_heading(cautions: Cautions) -> str:
    """What the card on the rows is called."""
    return "Held out" if cautions.held_out else "Measured on"


def measured(rows: Answers, style: Style, cautions: Cautions) -> str:
    """The rows that the numbers are about."""
    positives = float(rows.weight[rows.positive].sum())
    total = float(rows.weight.sum())
    weighted = not np.all(rows.weight == 1)
    pairs: dict[str, Any] = {
        "rows": plural(rows.positive.size, "row"),
        "positive class": f"{rows.label} (the other one: {rows.other})",
        "positives": f"{number(positives, style.rows)}, {share(positives / total)}",
        "cost of a miss": _cost(rows, rows.fn_cost, True, style),
        "cost of a false alarm": _cost(rows, rows.fp_cost, False, style),
        "greatest possible cost": style.money(rows.at_stake(True) + rows.at_stake(False)),
    }
    if weighted:
        pairs["sample weights"] = f"add up to {number(total, 2)}; all counts are sums of weights"
    return f'<div class="card"><h3>{measured_heading(cautions)}</h3>{facts(pairs)}</div>'


def _cost(rows: Answers, cost: Any, of_positive: bool, style: Style) -> str:
    if not np.ndim(cost):
        return style.money(float(cost), mean=True)
    of = np.asarray(cost)[rows.positive == of_positive]
    low, mean, high = (style.money(float(v), mean=True) for v in (of.min(), of.mean(), of.max()))
    return f"each row's own: {low} to {high}, {mean} on average"
