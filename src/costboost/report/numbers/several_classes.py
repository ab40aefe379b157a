"""Predictions of a classifier of several classes on held-out rows, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.predictions import read_rows
from costboost.costs import check_matrix
from costboost.metrics.checks import Floats, check_known_labels, check_weight
from costboost.model import SeveralModel
from costboost.model.several import greatest
from costboost.multiclass.base import MulticlassClassifier
from costboost.report.numbers.two_classes import IGNORING, Difference, interval

Codes = NDArray[np.intp]

MODEL = "this model"


class PredictedClasses(NamedTuple):
    """Predictions on some rows, as indices of ``classes_``, and the shares behind them."""

    code: Codes
    shares: Floats
    """Probability of each class, or its share of the votes."""
    probable: bool
    """Whether the shares are probabilities."""


def of_several(model: Any) -> bool:
    """Whether a fitted classifier has a cost matrix instead of two costs."""
    return isinstance(model, MulticlassClassifier) or len(model.classes_) > 2


def matrix_of(model: Any) -> Floats:
    """Cost matrix by which a fitted classifier predicts if it is given no other."""
    if isinstance(model, BoostingClassifier):
        assert isinstance(model.model_, SeveralModel)
        return model.model_.matrix
    return check_matrix(model.cost_matrix, model.classes_)


def predict(model: Any, X: Any, cost_matrix: Any = None) -> PredictedClasses:
    """Results of `predict` and `predict_proba`, from one pass over the rows."""
    if isinstance(model, BoostingClassifier):
        several = model.model_
        assert isinstance(several, SeveralModel)
        table, name = read_rows(model, X), type(model).__name__
        matrix = several.matrix_for(name, cost_matrix, table.n_rows)
        shares = several.probabilities(table, model.n_jobs)
        return PredictedClasses(
            several.predicted(table, matrix, model.n_jobs, shares), shares, True
        )
    code = np.searchsorted(model.classes_, model.predict(X, cost_matrix=cost_matrix))
    return PredictedClasses(code, model.predict_proba(X), takes_costs(model))


def takes_costs(model: Any) -> bool:
    """Whether a fitted classifier of several classes can be given other costs."""
    if isinstance(model, BoostingClassifier):
        return isinstance(model.model_, SeveralModel) and model.model_.changeable
    return bool(model.decides_by_cost)


@dataclass(frozen=True)
class SeveralClassPredictions:
    """Predictions on held-out rows of positive weight; classes are indices of ``classes``."""

    classes: NDArray[Any]
    truth: Codes
    weight: Floats
    matrix: Floats
    """Cost of predicting a class (columns) where another (rows) is true."""
    predicted: PredictedClasses
    rows: NDArray[np.intp]
    """Indices of the rows in the X that was given."""

    @property
    def ways(self) -> dict[str, Codes]:
        """Predictions by name: of the model, the most probable class, and constant predictions."""
        found = {MODEL: self.predicted.code}
        if self.predicted.probable:
            found[IGNORING] = greatest(self.predicted.shares)
        frequent = int(np.argmax(np.bincount(self.truth, self.weight, len(self.classes))))
        for code in dict.fromkeys((self.best_constant, frequent)):
            found[f"always {self.classes[code]}"] = np.full(self.truth.size, code)
        return found

    @property
    def greatest_cost(self) -> float:
        """Cost of the most expensive prediction for every row."""
        return float(self.weight @ self.matrix.max(axis=1)[self.truth])

    @property
    def best_constant(self) -> int:
        """Class that costs least if it is predicted for every row."""
        count = np.bincount(self.truth, self.weight, len(self.classes))
        return int(np.argmin(count @ self.matrix))

    def costs(self, code: Codes) -> Floats:
        """Weighted cost of the prediction of each row."""
        return self.weight * self.matrix[self.truth, code]

    def cost(self, code: Codes) -> float:
        """Total cost of predictions."""
        return float(self.costs(code).sum())

    def wrong(self, code: Codes) -> float:
        """Weight of the rows that are predicted wrongly."""
        return float(self.weight[code != self.truth].sum())

    def confusion(self, code: Codes) -> Floats:
        """Weights of the rows by true class (rows) and predicted class (columns)."""
        k = len(self.classes)
        cells = np.bincount(self.truth * k + code, self.weight, k * k)
        return cells.reshape(k, k).astype(np.float64)

    def saved(self, other: Codes) -> Difference:
        """Amount that the model saves compared with other predictions."""
        return interval(self.costs(other) - self.costs(self.predicted.code))

    @property
    def savings(self) -> Difference | None:
        """Savings as a share of the cost of the best constant; None if that costs nothing."""
        constant = np.full(self.truth.size, self.best_constant)
        least = self.cost(constant)
        if not least:
            return None
        return Difference(*(min(1.0, one / least) for one in self.saved(constant)))


def joined(parts: Sequence[SeveralClassPredictions]) -> SeveralClassPredictions:
    """Predictions of several parts of the rows, one behind the other."""
    truth = np.concatenate([one.truth for one in parts])
    predicted = PredictedClasses(
        np.concatenate([one.predicted.code for one in parts]),
        np.concatenate([one.predicted.shares for one in parts]),
        parts[0].predicted.probable,
    )
    weight = np.concatenate([one.weight for one in parts])
    rows = np.arange(truth.size)
    return replace(parts[0], truth=truth, weight=weight, predicted=predicted, rows=rows)


def predict_several_classes(
    model: Any, X: Any, y: Any, cost_matrix: Any = None, sample_weight: Any = None
) -> SeveralClassPredictions:
    """Predict held-out rows, by these costs if the model can; rows of weight 0 are left out.

    A model that was trained for fixed costs predicts by those, and is measured by these.
    """
    check_is_fitted(model)
    labels, classes = check_known_labels(y, model.classes_), model.classes_
    weight = check_weight(sample_weight, labels.size)
    own = cost_matrix is None or not takes_costs(model)
    predicted = predict(model, X, None if own else cost_matrix)
    if predicted.code.size != labels.size:
        raise ValueError(f"X has {predicted.code.size} rows, but y has {labels.size}")
    matrix = matrix_of(model) if cost_matrix is None else check_matrix(cost_matrix, classes)
    rows = np.flatnonzero(weight)
    return SeveralClassPredictions(
        classes,
        np.searchsorted(classes, labels[rows]),
        weight[rows],
        matrix,
        PredictedClasses(predicted.code[rows], predicted.shares[rows], predicted.probable),
        rows,
    )
