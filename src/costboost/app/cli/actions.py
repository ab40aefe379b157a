"""Classifiers of actions, whose costs and limits options state."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator

from costboost._core.arrays import Label
from costboost.app.cli.given import Given
from costboost.app.reading.action_costs import read_action_costs
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError
from costboost.app.reading.labelled import LabelledRows
from costboost.decisions.actions import (
    ActionClassifier,
    check_actions,
    classifier_inside,
    costs_of,
    restore,
)
from costboost.decisions.reports import DecisionReport

NEED_ACTIONS = ("reviewer", "capacity", "per", "prices", "fit_prices")
"""Options that only make sense for a model of actions."""


def with_actions(given: Given, model: Any, layout: DataLayout) -> ActionClassifier | None:
    """The model with the actions of --actions; without that, the model if it has actions."""
    if given.get("actions") is None:
        if not isinstance(model, ActionClassifier):
            _refuse_actions(given)
            return None
        if given.get("reviewer") is not None:
            raise InputError("--reviewer belongs to a table of costs: give --actions FILE, too")
        return model
    fitted = classifier_inside(model)
    if not hasattr(fitted, "predict_proba"):
        raise InputError(f"{type(fitted).__name__} has no probabilities, which actions need")
    acting = _unfitted(given, FrozenEstimator(fitted), fitted.classes_.tolist(), layout)
    try:
        restore(acting, acting.estimator)
    except ValueError as error:
        raise InputError(f"{given.actions}: {error}") from error
    return acting


def check_training_actions(given: Given, rows: LabelledRows, layout: DataLayout) -> None:
    """Raise an InputError if --actions does not fit the rows, before a model is trained."""
    if given.get("actions") is None:
        _refuse_actions(given)
        return
    classes = np.unique(rows.y)
    acting = _unfitted(given, DummyClassifier(), classes.tolist(), layout)
    try:
        check_actions(acting, classes, rows.X, layout.named_columns(rows.costs))
    except ValueError as error:
        raise InputError(f"{given.actions}: {error}") from error


def action_costs(model: ActionClassifier, rows: LabelledRows, layout: DataLayout) -> Any:
    """What the actions cost on labelled rows."""
    return costs_of(model).filled(layout.named_columns(rows.costs))


def decision_report(
    given: Given, model: Any, rows: LabelledRows, layout: DataLayout
) -> DecisionReport | None:
    """What the actions cost on held-out rows; None without actions."""
    acting = with_actions(given, model, layout)
    if acting is None:
        return None
    return acting.decision_report(rows.X, rows.y, action_costs(acting, rows, layout))


def limits(given: Given) -> dict[str, int] | None:
    """The capacity of each limited action."""
    capacity: dict[str, int] = {}
    for text in given.capacity:
        action, _, number = text.rpartition("=")
        if not action or not number.strip().isdecimal():
            raise InputError(
                f"--capacity must be an action and a whole number, such as review=50, got {text!r}"
            )
        if action in capacity:
            raise InputError(f"--capacity is given twice for {action!r}")
        capacity[action] = int(number)
    if given.fit_prices is not None and (given.per is None or not capacity):
        raise InputError(
            "--fit-prices needs past rows in groups that share a capacity: give --capacity and "
            "--per, too"
        )
    if given.per is not None and not capacity:
        raise InputError("--per divides rows that share a capacity: give --capacity, too")
    if given.prices and capacity:
        raise InputError("--prices are for rows one by one, --capacity for all rows: give one")
    return capacity or None


def _refuse_actions(given: Given) -> None:
    """Raise an InputError if an option is about actions, and there are none."""
    for name in NEED_ACTIONS:
        if given.get(name):
            raise InputError(
                f"--{name.replace('_', '-')} is for actions: give their costs with --actions FILE"
            )


def _unfitted(
    given: Given, estimator: Any, classes: list[Label], layout: DataLayout
) -> ActionClassifier:
    """A classifier with the costs of the file around an estimator."""
    costs, reviewer = read_action_costs(given.actions, classes, given.reading)
    if given.reviewer is not None:
        reviewer = _rates(given.reviewer)
    label = None if layout.multiclass else layout.label
    return ActionClassifier(estimator, costs=costs, reviewer=reviewer, pos_label=label)


def _rates(text: str) -> dict[str, float]:
    """Recall and specificity of a reviewer."""
    try:
        recall, specificity = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f"--reviewer must be recall and specificity, such as 0.9,0.95, got {text!r}"
        ) from None
    return {"recall": recall, "specificity": specificity}
