"""What a model says of some rows: label, probabilities, expected cost."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost.classifiers.base import BoostingClassifier
from costboost.cli.deciding import column_of, decided, takes_costs
from costboost.cli.layout import Layout
from costboost.cli.problem import costs_of
from costboost.costs import expected
from costboost.metrics.checks import Floats
from costboost.reading.columns import Label
from costboost.reading.errors import InputError
from costboost.report.numbers import several_classes as several


class Answer(NamedTuple):
    """Of each row the place of its label among the labels, and numbers."""

    code: NDArray[np.intp]
    numbers: list[Floats]


class Answering(Protocol):
    """A model and the costs that it decides by."""

    labels: list[Label]
    head: tuple[str, ...]
    """Names of what is said of a row, the label first."""

    def __call__(self, table: Any, X: Any, name: str, rows: range) -> Answer:
        """``rows`` are the numbers of the rows in the file ``name``."""
        ...


class OfTwo:
    """One class against another: the probability of the positive one."""

    head: tuple[str, ...] = ("label", "probability", "expected_cost")

    def __init__(self, model: Any, layout: Layout, changed: bool) -> None:
        if changed and not takes_costs(model):
            raise _fixed(model)
        self.model, self.layout = model, layout
        self.own_costs = changed or bool(layout.cost_columns)
        other = model.classes_[1 - column_of(model, layout)]
        self.labels = [other.item() if hasattr(other, "item") else other, layout.label]

    def __call__(self, table: Any, X: Any, name: str, rows: range) -> Answer:
        layout = self.layout
        fn, fp = (costs_of(table, cost, name, rows) for cost in (layout.fn_cost, layout.fp_cost))
        costs = {"fn_cost": fn, "fp_cost": fp} if self.own_costs else {}
        called, probability = decided(self.model, layout, X, costs)
        cost = np.where(called, (1 - probability) * fp, probability * fn)
        return Answer(called.astype(np.intp), [probability, cost])


class OfSeveral:
    """Any number of classes: the probability of each.

    A method that does not estimate probabilities gives the share of its votes that each class has,
    and no expected cost.
    """

    def __init__(self, model: Any, layout: Layout, changed: bool) -> None:
        if changed and not several.takes_costs(model):
            raise _fixed(model)
        self.model, self.matrix = model, np.array(layout.matrix)
        self.given = self.matrix if changed else None
        self.labels = list(layout.classes)
        self.probable = isinstance(model, BoostingClassifier) or several.takes_costs(model)
        word = "probability" if self.probable else "votes"
        shares = (f"{word}_{label}" for label in self.labels)
        self.head = ("label", *shares, *(["expected_cost"] if self.probable else []))

    def __call__(self, table: Any, X: Any, name: str, rows: range) -> Answer:
        said = several.say(self.model, X, self.given)
        numbers = list(said.shares.T)
        if self.probable:
            cost = expected(said.shares, self.matrix)
            numbers.append(cost[np.arange(len(cost)), said.code])
        return Answer(said.code, numbers)


def answering(model: Any, layout: Layout, changed: bool) -> Answering:
    """What suits the model; ``changed`` costs are others than those of training."""
    return (OfSeveral if layout.several else OfTwo)(model, layout, changed)


def _fixed(model: Any) -> InputError:
    return InputError(
        f"{type(model).__name__} cannot be given other costs after training; see costboost "
        "algorithms for those that can"
    )
