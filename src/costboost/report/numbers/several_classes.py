"""Predictions of a classifier of several classes on held-out rows, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.one_vs_rest import greatest
from costboost.costs import check_matrix
from costboost.metrics.checks import Floats, check_weight
from costboost.multiclass.base import MulticlassClassifier
from costboost.report.numbers.two_classes import Difference, interval, known_labels

Codes = NDArray[np.intp]

MODEL, LIKELIEST = "this model", "the likeliest class"


class Said(NamedTuple):
    """Decisions on some rows, as places in ``classes_``, and what they come from."""

    code: Codes
    shares: Floats
    """Of each class: its probability, ..."""
    probable: bool
    """... or where this is False a share of votes for the cheapest decision."""


def of_several(model: Any) -> bool:
    """Whether a fitted classifier has a cost matrix instead of two costs."""
    return isinstance(model, MulticlassClassifier) or len(model.classes_) > 2


def matrix_of(model: Any) -> Floats:
    """The costs that a fitted classifier decides by where it is told no others."""
    if isinstance(model, BoostingClassifier):
        assert model._one_vs_rest is not None
        return model._one_vs_rest.matrix
    return check_matrix(model.cost_matrix, model.classes_)


def say(model: Any, X: Any, cost_matrix: Any = None) -> Said:
    """What `predict` and `predict_proba` say, from one pass over the rows."""
    if isinstance(model, BoostingClassifier):
        several = model._one_vs_rest
        assert several is not None
        table, name = model._read(X), type(model).__name__
        matrix = several.matrix_for(name, cost_matrix, model.classes_, table.n_rows)
        shares = several.probabilities(table)
        return Said(several.predicted(table, matrix, shares), shares, True)
    code = np.searchsorted(model.classes_, model.predict(X, cost_matrix=cost_matrix))
    return Said(code, model.predict_proba(X), takes_costs(model))


def takes_costs(model: Any) -> bool:
    """Whether a fitted classifier of several classes can be given other costs."""
    if isinstance(model, BoostingClassifier):
        return model._one_vs_rest is not None and model._one_vs_rest.changeable
    try:
        model._decides(matrix_of(model), 1)
    except ValueError:  # its shares are votes
        return False
    return True


@dataclass(frozen=True)
class Several:
    """Rows that count, one entry of each array for a row; classes by their places."""

    classes: NDArray[Any]
    truth: Codes
    weight: Floats
    matrix: Floats
    """What predicting a class (columns) costs where another (rows) is true."""
    said: Said
    rows: NDArray[np.intp]
    """Their places in the X that was given."""

    @property
    def ways(self) -> dict[str, Codes]:
        """Decisions by name: the model's, those that look at no cost, those that look at no row."""
        found = {MODEL: self.said.code}
        if self.said.probable:
            found[LIKELIEST] = greatest(self.said.shares)
        frequent = int(np.argmax(np.bincount(self.truth, self.weight, len(self.classes))))
        for code in dict.fromkeys((self.best_constant, frequent)):
            found[f"always {self.classes[code]}"] = np.full(self.truth.size, code)
        return found

    @property
    def best_constant(self) -> int:
        """The class that costs least when it is predicted for every row."""
        count = np.bincount(self.truth, self.weight, len(self.classes))
        return int(np.argmin(count @ self.matrix))

    def costs(self, code: Codes) -> Floats:
        """What a decision costs on each row."""
        return self.weight * self.matrix[self.truth, code]

    def cost(self, code: Codes) -> float:
        """The same for all rows together."""
        return float(self.costs(code).sum())

    def wrong(self, code: Codes) -> float:
        """How many rows are called by a name that is not theirs."""
        return float(self.weight[code != self.truth].sum())

    def confusion(self, code: Codes) -> Floats:
        """Weights of the rows by truth (rows) and decision (columns)."""
        k = len(self.classes)
        cells = np.bincount(self.truth * k + code, self.weight, k * k)
        return cells.reshape(k, k).astype(np.float64)

    def saved(self, other: Codes) -> Difference:
        """What the model saves compared with other decisions."""
        return interval(self.costs(other) - self.costs(self.said.code))

    @property
    def savings(self) -> Difference | None:
        """What it saves of the cost of the best constant; None if there is nothing to save."""
        constant = np.full(self.truth.size, self.best_constant)
        least = self.cost(constant)
        if not least:
            return None
        return Difference(*(min(1.0, one / least) for one in self.saved(constant)))


def ask_several(
    model: Any, X: Any, y: Any, cost_matrix: Any = None, sample_weight: Any = None
) -> Several:
    """Decisions on held-out rows, by these costs if the model can; rows of weight 0 are left out.

    A model that was trained for fixed costs decides as it does, and is measured by these.
    """
    check_is_fitted(model)
    labels, classes = known_labels(y, model.classes_), model.classes_
    weight = check_weight(sample_weight, labels.size)
    own = cost_matrix is None or not takes_costs(model)
    said = say(model, X, None if own else cost_matrix)
    if said.code.size != labels.size:
        raise ValueError(f"X has {said.code.size} rows, but y has {labels.size}")
    matrix = matrix_of(model) if cost_matrix is None else check_matrix(cost_matrix, classes)
    rows = np.flatnonzero(weight)
    return Several(
        classes,
        np.searchsorted(classes, labels[rows]),
        weight[rows],
        matrix,
        Said(said.code[rows], said.shares[rows], said.probable),
        rows,
    )
