"""What a fitted classifier says of held-out rows, and what counts on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.checks import check_costs
from costboost.classifiers.limits import cost_limits, decides_by_cost
from costboost.decisions import CostSearchCV, OperatingPointClassifier
from costboost.metrics.checks import Floats, check_labels, check_weight, some

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Answers:
    """Rows that count, one entry of each array for a row."""

    positive: Flags
    weight: Floats
    fn_cost: Any
    fp_cost: Any
    """What mistakes cost: numbers, or one for every row."""
    score: Floats
    """Higher for the positive class; where `limit` is None, in the order of the decisions."""
    probability: Floats
    limit: Floats | None
    """A row is called positive where it is above C- / (C- + C+); None if costs change nothing."""
    called: Flags
    """Which rows the classifier calls positive."""
    label: Any
    other: Any
    rows: NDArray[np.intp]
    """Their places in the X that was given."""

    @property
    def per_row(self) -> bool:
        """Whether rows have costs of their own."""
        return bool(np.ndim(self.fn_cost) or np.ndim(self.fp_cost))

    @property
    def cost(self) -> Floats:
        """What a mistake on each row costs."""
        return np.asarray(np.where(self.positive, self.fn_cost, self.fp_cost), dtype=np.float64)

    @property
    def blind(self) -> Flags:
        """What the same scores would decide if both mistakes cost the same."""
        return self.deciding > 0.5

    @property
    def deciding(self) -> Floats:
        """What costs are compared with: the limits, or else the probabilities."""
        return self.probability if self.limit is None else self.limit

    def at_stake(self, of_positive: bool) -> float:
        """What it would cost to be wrong on every row of a class."""
        rows = self.positive == of_positive
        return float(self.weight[rows] @ self.cost[rows])

    def factors(self) -> Floats:
        """How much dearer, beside misses, false alarms must become until a row is let go.

        Its odds times fn / fp. The order in which rows are called positive, whatever the costs.
        """
        p = self.deciding
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(p / (1 - p) * (self.fn_cost / np.asarray(self.fp_cost)))


def boosting_of(model: Any) -> BoostingClassifier:
    """The fitted boosting classifier, maybe inside one that chooses its costs or threshold."""
    inner = model
    while isinstance(inner, (CostSearchCV, OperatingPointClassifier)):
        inner = inner._fitted()
    if not isinstance(inner, BoostingClassifier):
        what = type(model).__name__
        around = "" if inner is model else f" around {type(inner).__name__}"
        raise ValueError(
            "the report is on a boosting classifier of costboost, or on a CostSearchCV or "
            f"OperatingPointClassifier around one, got {what}{around}"
        )
    check_is_fitted(inner)
    if len(inner.classes_) > 2:
        raise ValueError(f"the report is for two classes, but the model has {len(inner.classes_)}")
    return inner


def known_labels(y: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """Labels of held-out rows, all of them classes of the model."""
    labels = check_labels("y", y)
    unknown = ~np.isin(labels, classes)
    if unknown.any():
        raise ValueError(
            f"y contains {labels[unknown].tolist()[0]!r}, but the classes of the model are "
            f"{some(classes)}"
        )
    return labels


def ask(model: Any, X: Any, y: Any, fn_cost: Any, fp_cost: Any, sample_weight: Any) -> Answers:
    """Scores, probabilities and decisions on held-out rows; rows of weight 0 are left out."""
    whole, model = model, boosting_of(model)
    labels, classes = known_labels(y, model.classes_), model.classes_
    n = labels.size
    weight = check_weight(sample_weight, n)
    trained = model._trained_costs
    costs = check_costs(
        trained.fn if fn_cost is None else fn_cost, trained.fp if fp_cost is None else fp_cost, n
    )
    label, other = classes[model._positive_index], classes[1 - model._positive_index]
    score = model._towards_second(model.raw_score(X))
    if score.size != n:
        raise ValueError(f"X has {score.size} rows, but y has {n}")
    by_cost = whole is model and decides_by_cost(model)
    rows = np.flatnonzero(weight)
    positive = labels == label
    if not 0 < positive[rows].sum() < rows.size:
        raise ValueError(
            "every row that counts is of one class; a report needs held-out rows of both"
        )
    probability = model._probability(score, model._votes, model.n_iter_)  # one look at X will do
    limit = cost_limits(model, score[rows]) if by_cost else None
    if limit is None:
        called = (whole.predict(X) == label)[rows]
    else:
        called = limit > (costs.threshold[rows] if np.ndim(costs.threshold) else costs.threshold)
    if not by_cost and model._calibrator is not None:
        score = probability  # a calibrator may have turned the order round
    return Answers(
        positive[rows],
        weight[rows],
        costs.fn[rows] if np.ndim(costs.fn) else costs.fn,
        costs.fp[rows] if np.ndim(costs.fp) else costs.fp,
        score[rows],
        probability[rows],
        limit,
        called,
        label,
        other,
        rows,
    )


def staged_decisions(model: Any, X: Any, costs: Any, label: Any) -> Iterator[Flags]:
    """Which rows are called positive after each round; costs are None if they change nothing."""
    boosting = boosting_of(model)
    if hasattr(model, "threshold_"):
        for both in boosting.staged_predict_proba(X):
            yield both[:, boosting._positive_index] > model.threshold_
        return
    for said in boosting.staged_predict(X, *(costs or ())):
        yield said == label
