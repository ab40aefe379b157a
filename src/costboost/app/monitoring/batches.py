"""Batches of rows that are decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Codes, Flags
from costboost._core.backends.dask.blocks import is_collection
from costboost._core.backends.dask.collections import in_memory, parts_of
from costboost._core.checks import Floats, refuse_unread
from costboost._core.costs import Costs, known_costs
from costboost.app.monitoring.costs import stated_costs
from costboost.decisions.actions import ActionClassifier, classifier_inside, decisions_of
from costboost.decisions.prevalence import positive_index, refuse_uncalibrated
from costboost.decisions.wrapping import decide_positive


class Batch(NamedTuple):
    """Some rows: features, labels if they are known, and costs of their own."""

    X: Any
    y: Any = None
    costs: Mapping[str, Any] = MappingProxyType({})
    """Costs of the outcomes by name, without those that are not given."""
    actions: Any = None
    """Costs of the actions on these rows, instead of those of the model."""


def batch_of(model: Any, X: Any, y: Any, costs: Any, *outcomes: Any) -> Batch:
    """Rows with the costs that a function was given: of the four outcomes, or of actions."""
    if isinstance(model, ActionClassifier):
        return Batch(X, y, known_costs(None, *outcomes), costs)
    return Batch(X, y, known_costs(costs, *outcomes))


class Decided(NamedTuple):
    """Decisions of a model on a batch."""

    codes: Codes
    """Positions of the decisions: predictions, 1 is positive, or actions."""
    probability: Floats
    """Probability of the positive class."""
    costs: Costs
    """Costs of the decisions on these rows; of the classes, the negative one is the first."""
    truth: Flags | None
    """Whether each row is of the positive class, if labels are known."""


def check_model(model: Any) -> None:
    """Raise a ValueError if a model cannot be monitored."""
    if not hasattr(model, "classes_"):
        raise ValueError(f"{type(model).__name__} must be a fitted classifier")
    if len(model.classes_) != 2:
        raise ValueError(
            f"monitoring is for two classes, but the model has {len(model.classes_)}; set one "
            "class against the rest, with a model for it"
        )
    if not hasattr(model, "predict_proba"):
        raise ValueError(f"{type(model).__name__} has no probabilities, but monitoring needs them")
    refuse_uncalibrated(classifier_inside(model))


def decided(model: Any, batch: Batch) -> Decided:
    """Decisions, probabilities and costs of the rows of a batch."""
    refuse_unread("X", batch.X)
    if isinstance(model, ActionClassifier):
        return _acted(model, batch)
    label = model.classes_[positive_index(model)]
    positive, probability = decide_positive(model, batch.X, batch.costs, label)
    n_rows = positive.size
    costs = stated_costs(model, batch.costs, n_rows)
    truth = _truth(batch.y, model.classes_, label, n_rows)
    return Decided(positive.astype(np.intp), probability, costs, truth)


def _acted(clf: ActionClassifier, batch: Batch) -> Decided:
    """Actions, each row decided alone."""
    if batch.costs:
        raise ValueError(
            "actions have costs of their own: give costs instead of fn_cost and fp_cost"
        )
    k = positive_index(clf)
    probability, own, codes = decisions_of(clf, batch.X, batch.actions)
    costs = own.for_classes([clf.classes_[1 - k], clf.classes_[k]])
    truth = _truth(batch.y, clf.classes_, clf.classes_[k], len(codes))
    return Decided(codes, probability[:, k], costs, truth)


def _truth(y: Any, classes: NDArray[Any], label: Any, n_rows: int) -> Flags | None:
    if y is None:
        return None
    labels = np.asarray(y).ravel()
    if labels.size != n_rows:
        raise ValueError(f"y has {labels.size} labels, but X has {n_rows} rows")
    unknown = [one for one in np.unique(labels).tolist() if one not in classes.tolist()]
    if unknown:
        raise ValueError(
            f"y has the label {unknown[0]!r}, but the classes of the model are "
            f"{', '.join(map(repr, classes.tolist()))}"
        )
    return np.asarray(labels == label)


def in_batches(batch: Batch) -> Any:
    """Function that iterates over rows: those in memory at once, a Dask collection by blocks."""
    y, *costs = in_memory(batch.y, *batch.costs.values())

    def part(X: Any, rows: slice) -> Batch:
        parts = (cost[rows] if np.ndim(cost) else cost for cost in costs)
        own = dict(zip(batch.costs, parts, strict=True))
        return Batch(X, None if y is None else np.asarray(y)[rows], own, batch.actions)

    def batches() -> Iterator[Batch]:
        if not is_collection(batch.X):
            yield batch
            return
        stop = 0
        for X in parts_of(batch.X):
            rows = slice(stop, stop + X.shape[0])
            stop = rows.stop
            yield part(X, rows)
        if y is not None and len(y) != stop:
            raise ValueError(f"y has {len(y)} labels, but X has {stop} rows")

    return batches
