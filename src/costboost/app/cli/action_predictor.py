"""A model of actions that predicts the rows of a file, one by one or within a capacity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from costboost._core.arrays import Label
from costboost.app.cli import terminal
from costboost.app.cli.actions import limits
from costboost.app.cli.given import Given
from costboost.app.cli.model_files import save_model
from costboost.app.cli.predictors import Predictions
from costboost.app.reading.columns import KINDS, as_text, check_cost_columns
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError, unknown
from costboost.app.reading.labelled import RowsRead, cost_values
from costboost.decisions.actions import ActionClassifier, costs_of, decisions_of
from costboost.decisions.capacity import Plan, check_groups


class ActionPredictor:
    """Predicts the action, the probability of each class and the expected cost of the action."""

    def __init__(self, given: Given, clf: ActionClassifier, layout: DataLayout) -> None:
        if given.on_cluster and given.capacity:
            raise InputError(
                "--capacity needs all rows in memory: leave out --scheduler and --workers"
            )
        self.clf, self.layout, self.per = clf, layout, given.per
        self.capacity, self.priced = limits(given), given.fit_prices
        self.prices = "fitted" if given.prices else None
        if given.prices and not hasattr(clf, "prices_"):
            raise InputError(
                "the model has no prices of capacity: costboost predict MODEL PAST --capacity "
                "review=50 --per day --fit-prices PRICED writes one that has"
            )
        self.labels: list[Label] = clf.actions_.tolist()
        self.plan: Plan | None = None
        features = set(layout.feature_names)
        self.cost_columns = [name for name in costs_of(clf).columns if name not in features]
        classes = clf.classes_.tolist()
        self.columns = list(range(len(classes)))
        shares = [f"probability_{label}" for label in classes]
        if not layout.multiclass:
            self.columns, shares = [classes.index(layout.label)], ["probability"]
        self.head: tuple[str, ...] = ("action", *shares, "expected_cost")
        self.together = self.capacity is not None

    @property
    def types(self) -> dict[str, Any]:
        """Types of the columns that are needed beside the features."""
        types = {} if self.per is None else {self.per: KINDS["category"].text_type()}
        return types | dict.fromkeys(self.cost_columns, KINDS["number"].text_type())

    def check(self, names: Sequence[str], where: str) -> None:
        """Raise an InputError if a column of costs or that of the groups does not exist."""
        check_cost_columns(self.cost_columns, names, where)
        if self.per is not None and self.per not in names:
            raise unknown("column", self.per, names, f" in {where}")

    def __call__(self, rows: RowsRead) -> Predictions:
        table, groups = rows.table, None
        if self.per is not None:
            labels = np.array(as_text(table.column(self.per)).to_pylist(), dtype=object)
            groups = check_groups(labels, len(labels))._replace(name=self.per)
        columns = {
            name: cost_values(table.column(name), name, rows.where) for name in self.cost_columns
        }
        costs_of_rows = costs_of(self.clf).filled(columns)
        if self.capacity is not None:
            self.plan = self.clf.plan(rows.X, self.capacity, groups, costs_of_rows)
        if self.priced is not None:
            self.clf.fit_prices(rows.X, self.capacity, groups, costs_of_rows)
        probability, costs, codes = decisions_of(self.clf, rows.X, costs_of_rows, self.prices)
        if self.plan is not None:
            codes = np.argmax(self.plan.actions[:, None] == self.clf.actions_, axis=1)
        expected = costs.expected(probability)[np.arange(len(codes)), codes]
        return Predictions(codes, [*probability[:, self.columns].T, expected])

    def finish(self) -> None:
        """Print what the capacities are worth, and write the model with prices."""
        if self.plan is None:
            return
        for line in str(self.plan).splitlines():
            terminal.info(line)
        if self.priced is not None:
            save_model(self.clf, self.layout, self.priced)
            for line in str(self.clf.prices_).splitlines():
                terminal.info(line)
            terminal.info(f"model with prices: {self.priced}")
