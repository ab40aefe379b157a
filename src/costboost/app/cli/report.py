"""``report``: the options of an HTML report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from costboost.app.cli.actions import cost_columns
from costboost.app.cli.layouts import Layout
from costboost.app.cli.options import OptionRecord
from costboost.app.cli.problems import LabelledRows
from costboost.app.report import page
from costboost.decisions.actions import ActionClassifier, costs_of


@dataclass(frozen=True)
class ReportOptions(OptionRecord):
    """Options about the words and costs of a report."""

    title: str | None = None
    unit: str = ""
    rows_are: str = "rows"
    negative_action: str | None = None
    positive_action: str | None = None
    seed: int = 0
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Ranges of uncertain costs by name."""

    def make(self, model: Any, rows: LabelledRows, layout: Layout, **more: Any) -> page.Page:
        """The report on a model; a model of actions has a section on them."""
        costs: dict[str, Any] = layout.cost_parameters(rows.costs)
        if isinstance(model, ActionClassifier):
            if not layout.states_costs:
                costs = {}  # those of the actions
            costs["costs"] = costs_of(model).filled(cost_columns(rows, layout))
        return page.make(
            model,
            rows.X,
            rows.y,
            **costs | dict(self.ranges),
            title=self.title,
            unit=self.unit,
            rows_are=self.rows_are,
            negative_action=self.negative_action,
            positive_action=self.positive_action,
            random_state=self.seed,
            **more,
        )
