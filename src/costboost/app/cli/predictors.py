"""Predictors: a model together with the costs that its predictions are decided by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Flags, Label
from costboost._core.checks import Floats
from costboost._core.costs import expected
from costboost.app.cli.layouts import Layout
from costboost.app.cli.problems import read_costs
from costboost.app.reading.errors import InputError
from costboost.app.report.numbers import predict_classes, takes_costs
from costboost.classifiers.base import BoostingClassifier
from costboost.decisions.wrapping import decide_positive
from costboost.metrics.costs import decides_by_cost


def decide(model: Any, layout: Layout, X: Any, costs: Mapping[str, Any]) -> tuple[Flags, Floats]:
    """The rows predicted positive, by these costs if the model takes them, and probabilities."""
    return decide_positive(model, X, costs, layout.label)


def positive_column(model: Any, layout: Layout) -> int:
    """The column of the positive class in `predict_proba`."""
    return int(np.flatnonzero(model.classes_ == layout.label)[0])


class Predictions(NamedTuple):
    """Predictions of some rows."""

    code: NDArray[np.intp]
    """Positions of the labels among those of the predictor."""
    numbers: list[Floats]
    """Probabilities and expected costs, in the order of the predictor's head."""


class Predictor(Protocol):
    """A model and the costs that it decides by."""

    labels: list[Label]
    head: tuple[str, ...]
    """Names of the columns that are predicted; the label is the first."""

    def __call__(self, table: Any, X: Any, name: str, rows: range) -> Predictions:
        """Predict rows; ``rows`` are their numbers in the file ``name``."""
        ...


class TwoClassPredictor:
    """Predicts the label, the probability of the positive class and the expected cost."""

    head: tuple[str, ...] = ("label", "probability", "expected_cost")

    def __init__(self, model: Any, layout: Layout, changed_costs: bool) -> None:
        if changed_costs and not decides_by_cost(model):
            raise fixed_costs(model)
        self.model, self.layout = model, layout
        self.pass_costs = changed_costs or bool(layout.cost_columns)
        other = model.classes_[1 - positive_column(model, layout)]
        self.labels = [other.item() if hasattr(other, "item") else other, layout.label]

    def __call__(self, table: Any, X: Any, name: str, rows: range) -> Predictions:
        layout = self.layout
        costs = read_costs(table, layout, name, rows)
        positive, p = decide(self.model, layout, X, costs if self.pass_costs else {})
        alarm, miss = (1 - p) * costs["fp_cost"], p * costs["fn_cost"]
        if layout.gains:
            alarm, miss = alarm + p * costs["tp_cost"], miss + (1 - p) * costs["tn_cost"]
        cost = np.where(positive, alarm, miss)
        return Predictions(positive.astype(np.intp), [p, cost])


class MulticlassPredictor:
    """Predicts the label, the probability of each class and the expected cost.

    A method that does not estimate probabilities gives the share of the votes for each class, and
    no expected cost.
    """

    def __init__(self, model: Any, layout: Layout, changed_costs: bool) -> None:
        by_cost = takes_costs(model)
        if changed_costs and not by_cost:
            raise fixed_costs(model)
        self.model, self.matrix = model, np.array(layout.matrix)
        self.given = self.matrix if changed_costs else None
        self.labels = list(layout.classes)
        self.has_probabilities = isinstance(model, BoostingClassifier) or by_cost
        word = "probability" if self.has_probabilities else "votes"
        shares = (f"{word}_{label}" for label in self.labels)
        self.head = ("label", *shares, *(["expected_cost"] if self.has_probabilities else []))

    def __call__(self, table: Any, X: Any, name: str, rows: range) -> Predictions:
        found = predict_classes(self.model, X, self.given)
        numbers = list(found.shares.T)
        if self.has_probabilities:
            cost = expected(found.shares, self.matrix)
            numbers.append(cost[np.arange(len(cost)), found.code])
        return Predictions(found.code, numbers)


def fixed_costs(model: Any) -> InputError:
    """The error for costs that are given to a model which cannot decide by others."""
    return InputError(
        f"{type(model).__name__} cannot be given other costs after training; see costboost "
        "algorithms for those that can"
    )
