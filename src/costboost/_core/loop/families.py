"""The state for the family of a rule."""

from __future__ import annotations

from typing import Any

from costboost._core.loop.class_state import ClassState
from costboost._core.loop.newton_state import NewtonState
from costboost._core.loop.row_state import RowState
from costboost._core.loop.score_state import ScoreState
from costboost._core.loop.state import State
from costboost._core.loop.training import Training
from costboost._core.rules.record import NewtonRule, Rule, ScoreRule


def kind_of(rule: Rule, row_costs: bool) -> type[ClassState | RowState | ScoreState | NewtonState]:
    """The kind of state for the family of the rule; rows may have costs of their own."""
    if isinstance(rule, NewtonRule):
        return NewtonState
    if isinstance(rule, ScoreRule):
        return ScoreState
    return RowState if rule.costs_in_rounds and row_costs else ClassState


def state_of(rule: Any, training: Training) -> State:
    """Create the state for the family of the rule."""
    return kind_of(rule, training.cost is not None)(rule, training)
