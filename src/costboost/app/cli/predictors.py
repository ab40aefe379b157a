"""Predictors: a model together with the costs that its predictions are decided by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Flags, Label
from costboost._core.checks import Floats
from costboost._core.costs import expected
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError
from costboost.app.reading.labelled import RowsRead
from costboost.app.report.numbers import predict_classes, takes_costs
from costboost.classifiers.base import BoostingClassifier
from costboost.decisions.wrapping import decide_positive
from costboost.metrics.costs import decides_by_cost


def decide(
    model: Any, layout: DataLayout, X: Any, costs: Mapping[str, Any]
) -> tuple[Flags, Floats]:
    """The rows predicted positive, by these costs if the model takes them, and probabilities."""
    return decide_positive(model, X, costs, layout.label)


def positive_column(model: Any, layout: DataLayout) -> int:
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
    together: bool
    """Whether all rows are needed at once."""

    @property
    def types(self) -> Mapping[str, Any]:
        """Columns that are needed beside the features, with the types that text is parsed as."""
        ...

    def check(self, names: Sequence[str], where: str) -> None:
        """Raise an InputError if a file lacks a column that is needed beside the features."""
        ...

    def __call__(self, rows: RowsRead) -> Predictions:
        """Predict rows."""
        ...

    def finish(self) -> None:
        """Print and write what is known once all rows are predicted."""
        ...


class ClassPredictor:
    """What predictors of classes have in common: rows one by one, from features and costs."""

    together = False

    @property
    def types(self) -> Mapping[str, Any]:
        """None: the layout has all columns."""
        return {}

    def check(self, names: Sequence[str], where: str) -> None:
        """Nothing: the columns of the layout have been checked."""

    def finish(self) -> None:
        """Nothing: all that is predicted has been written."""


class TwoClassPredictor(ClassPredictor):
    """Predicts the label, the probability of the positive class and the expected cost."""

    head: tuple[str, ...] = ("label", "probability", "expected_cost")

    def __init__(self, model: Any, layout: DataLayout, changed_costs: bool) -> None:
        if changed_costs and not decides_by_cost(model):
            raise fixed_costs(model)
        self.model, self.layout = model, layout
        self.pass_costs = changed_costs or bool(layout.cost_columns)
        other = model.classes_[1 - positive_column(model, layout)]
        self.labels = [other.item() if hasattr(other, "item") else other, layout.label]

    def __call__(self, rows: RowsRead) -> Predictions:
        layout, costs = self.layout, rows.costs
        positive, p = decide(self.model, layout, rows.X, costs if self.pass_costs else {})
        alarm, miss = (1 - p) * costs["fp_cost"], p * costs["fn_cost"]
        if layout.gains:
            alarm, miss = alarm + p * costs["tp_cost"], miss + (1 - p) * costs["tn_cost"]
        return Predictions(positive.astype(np.intp), [p, np.where(positive, alarm, miss)])


class MulticlassPredictor(ClassPredictor):
    """Predicts the label, the probability of each class and the expected cost.

    A method that does not estimate probabilities gives the share of the votes for each class, and
    no expected cost.
    """

    def __init__(self, model: Any, layout: DataLayout, changed_costs: bool) -> None:
        by_cost = takes_costs(model)
        if changed_costs and not by_cost:
            raise fixed_costs(model)
        self.model, self.matrix = model, np.array(layout.matrix)
        self.other_costs = self.matrix if changed_costs else None
        self.labels = list(layout.classes)
        self.has_probabilities = isinstance(model, BoostingClassifier) or by_cost
        word = "probability" if self.has_probabilities else "votes"
        shares = (f"{word}_{label}" for label in self.labels)
        self.head = ("label", *shares, *(["expected_cost"] if self.has_probabilities else []))

    def __call__(self, rows: RowsRead) -> Predictions:
        predicted = predict_classes(self.model, rows.X, self.other_costs)
        numbers = list(predicted.shares.T)
        if self.has_probabilities:
            cost = expected(predicted.shares, self.matrix)
            numbers.append(cost[np.arange(len(cost)), predicted.code])
        return Predictions(predicted.code, numbers)


def fixed_costs(model: Any) -> InputError:
    """The error for costs that are given to a model which cannot decide by others."""
    return InputError(
        f"{type(model).__name__} cannot be given other costs after training; see costboost "
        "algorithms for those that can"
    )
