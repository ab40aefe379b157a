"""Actions: tables of costs and capacities as options, predictions of actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator

from costboost._core.arrays import Label
from costboost._core.baselines import ABOUT_BY_COSTS, BY_COSTS
from costboost._core.wording import amount, percent
from costboost.app.cli import output
from costboost.app.cli.layouts import Layout, save_model, without_actions
from costboost.app.cli.options import OptionRecord, check_cost_columns, read_options
from costboost.app.cli.predictions import Predictions
from costboost.app.cli.problems import LabelledRows, cost_values, named_columns
from costboost.app.reading.columns import KINDS, as_text
from costboost.app.reading.errors import InputError, unknown
from costboost.app.reading.matrices import read_action_costs
from costboost.decisions.actions import (
    ActionClassifier,
    check_actions,
    costs_of,
    decisions_of,
    restore,
)
from costboost.decisions.capacity import Plan, check_groups
from costboost.decisions.reports import DecisionReport


@dataclass(frozen=True)
class ActionOptions(OptionRecord):
    """Options about actions."""

    actions: str | None = None
    reviewer: str | None = None
    capacity: Sequence[str] = ()
    per: str | None = None
    prices: bool = False
    fit_prices: str | None = None

    @property
    def given(self) -> list[str]:
        """Options that only make sense for a model of actions."""
        names = ("reviewer", "capacity", "per", "prices", "fit_prices")
        return [f"--{name.replace('_', '-')}" for name in names if getattr(self, name)]

    def classifier(self, model: Any, layout: Layout) -> ActionClassifier | None:
        """The model with the actions of the file; the model itself if it has actions."""
        if self.actions is None:
            if not isinstance(model, ActionClassifier):
                if self.given:
                    raise InputError(
                        f"{self.given[0]} is for actions: give their costs with --actions FILE"
                    )
                return None
            if self.reviewer is not None:
                raise InputError("--reviewer belongs to a table of costs: give --actions FILE, too")
            return model
        fitted = without_actions(model)
        if not hasattr(fitted, "predict_proba"):
            raise InputError(f"{type(fitted).__name__} has no probabilities, which actions need")
        acting = self.unfitted(FrozenEstimator(fitted), fitted.classes_.tolist(), layout)
        try:
            restore(acting, acting.estimator)
        except ValueError as error:
            raise InputError(f"{self.actions}: {error}") from error
        return acting

    def check(self, rows: LabelledRows, layout: Layout) -> None:
        """Raise an InputError if the file does not fit the rows, before a model is trained."""
        if self.actions is None:
            if self.given:
                raise InputError(
                    f"{self.given[0]} is for actions: give their costs with --actions FILE"
                )
            return
        classes = np.unique(rows.y)
        acting = self.unfitted(DummyClassifier(), classes.tolist(), layout)
        try:
            check_actions(acting, classes, rows.X, cost_columns(rows, layout))
        except ValueError as error:
            raise InputError(f"{self.actions}: {error}") from error

    def report(self, model: Any, rows: LabelledRows, layout: Layout) -> DecisionReport | None:
        """What the actions cost on held-out rows; None without actions."""
        acting = self.classifier(model, layout)
        if acting is None:
            return None
        costs = costs_of(acting).filled(cost_columns(rows, layout))
        return acting.decision_report(rows.X, rows.y, costs)

    def unfitted(self, estimator: Any, classes: list[Label], layout: Layout) -> ActionClassifier:
        """A classifier with the costs of the file around an estimator."""
        assert self.actions is not None
        found = read_action_costs(self.actions, classes, read_options())
        reviewer = found.reviewer if self.reviewer is None else self._rates()
        label = None if layout.multiclass else layout.label
        return ActionClassifier(estimator, costs=found.costs, reviewer=reviewer, pos_label=label)

    def _rates(self) -> dict[str, float]:
        """Recall and specificity of a reviewer."""
        try:
            recall, specificity = (float(part) for part in str(self.reviewer).split(","))
        except ValueError:
            raise InputError(
                "--reviewer must be recall and specificity, such as 0.9,0.95, got "
                f"{self.reviewer!r}"
            ) from None
        return {"recall": recall, "specificity": specificity}

    def limits(self) -> dict[str, int] | None:
        """The capacity of each limited action."""
        found: dict[str, int] = {}
        for text in self.capacity:
            action, _, number = text.rpartition("=")
            if not action or not number.strip().isdecimal():
                raise InputError(
                    "--capacity must be an action and a whole number, such as review=50, got "
                    f"{text!r}"
                )
            if action in found:
                raise InputError(f"--capacity is given twice for {action!r}")
            found[action] = int(number)
        if self.fit_prices is not None and (self.per is None or not found):
            raise InputError(
                "--fit-prices needs past rows in groups that share a capacity: give --capacity and "
                "--per, too"
            )
        if self.per is not None and not found:
            raise InputError("--per divides rows that share a capacity: give --capacity, too")
        if self.prices and found:
            raise InputError("--prices are for rows one by one, --capacity for all rows: give one")
        return found or None


def cost_columns(rows: LabelledRows, layout: Layout) -> dict[str, Any]:
    """The columns of costs such as --fn-cost, which are no features."""
    return named_columns(layout, rows.costs)


def make_predictor(
    options: ActionOptions, model: Any, layout: Layout, changed: Layout, on_cluster: bool
) -> ActionPredictor | None:
    """The predictor of actions; None if neither the model nor the options have actions."""
    acting = options.classifier(model, layout)
    if acting is None:
        return None
    refuse_other_costs(acting, layout, changed)
    if on_cluster and options.capacity:
        raise InputError("--capacity needs all rows in memory: leave out --scheduler and --workers")
    return ActionPredictor(acting, layout, options)


def refuse_other_costs(model: Any, layout: Layout, changed: Layout) -> None:
    """Raise an InputError if other costs of the classes are given for a model of actions."""
    if isinstance(model, ActionClassifier) and changed != layout:
        raise InputError(
            "actions have costs of their own: give --actions FILE instead of --fn-cost, --fp-cost "
            "and --cost-matrix"
        )


class ActionPredictor:
    """Predicts the action, the probability of each class and the expected cost of the action."""

    def __init__(self, clf: ActionClassifier, layout: Layout, options: ActionOptions) -> None:
        self.clf, self.per, self.capacity = clf, options.per, options.limits()
        self.prices = "fitted" if options.prices else None
        if options.prices and not hasattr(clf, "prices_"):
            raise InputError(
                "the model has no prices of capacity: costboost predict MODEL PAST --capacity "
                "review=50 --per day --fit-prices PRICED writes one that has"
            )
        self.layout, self.priced = layout, options.fit_prices
        self.labels: list[Label] = clf.actions_.tolist()
        self.plan: Plan | None = None
        features = {one.name for one in layout.columns}
        self.cost_columns = [name for name in costs_of(clf).columns if name not in features]
        classes = clf.classes_.tolist()
        self.columns = list(range(len(classes)))
        shares = [f"probability_{label}" for label in classes]
        if not layout.multiclass:
            self.columns, shares = [classes.index(layout.label)], ["probability"]
        self.head: tuple[str, ...] = ("action", *shares, "expected_cost")

    @property
    def together(self) -> bool:
        """Whether all rows are needed at once."""
        return self.capacity is not None

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

    def __call__(self, table: Any, X: Any, name: str, rows: range) -> Predictions:
        groups = None
        if self.per is not None:
            labels = np.array(as_text(table.column(self.per)).to_pylist(), dtype=object)
            groups = check_groups(labels, len(labels))._replace(name=self.per)
        own = {one: cost_values(table.column(one), one, name) for one in self.cost_columns}
        filled = costs_of(self.clf).filled(own)
        if self.capacity is not None:
            self.plan = self.clf.plan(X, self.capacity, groups, filled)
        if self.priced is not None:
            self.clf.fit_prices(X, self.capacity, groups, filled)
        probability, costs, codes = decisions_of(self.clf, X, filled, self.prices)
        if self.plan is not None:
            codes = np.argmax(self.plan.actions[:, None] == self.clf.actions_, axis=1)
        expected = costs.expected(probability)[np.arange(len(codes)), codes]
        return Predictions(codes, [*probability[:, self.columns].T, expected])

    def finish(self) -> None:
        """Print what the capacities are worth, and write the model with prices."""
        if self.plan is None:
            return
        for line in str(self.plan).splitlines():
            output.info(line)
        if self.priced is not None:
            save_model(self.clf, self.layout, self.priced)
            for line in str(self.clf.prices_).splitlines():
                output.info(line)
            output.info(f"model with prices: {self.priced}")


# ---- held-out rows -------------------------------------------------------------------------------


def show_report(report: DecisionReport) -> None:
    """Print what the actions cost on held-out rows."""
    output.heading("actions on these rows")
    rows = [
        [
            action,
            amount(report.rows[k]),
            percent(report.share[k]),
            *(
                amount(getattr(report, name)[k])
                for name in ("expected_cost", "realised_cost", "if_all")
            ),
        ]
        for k, action in enumerate(report.actions)
    ]
    output.table(
        ["action", "rows", "share", "expected cost", "realised cost", "cost if all"],
        rows,
        numbers=5,
    )
    if report.by_costs is not None:
        output.write(f"{BY_COSTS.capitalize()} costs {amount(report.by_costs)}. {ABOUT_BY_COSTS}")
    output.write(report.verdict)
