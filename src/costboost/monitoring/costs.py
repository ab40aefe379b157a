"""Batches of rows to be monitored: decisions, probabilities, expected and realised costs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.checks import Floats, refuse_unread
from costboost.classifiers.cost_cells import CELLS, GivenCosts, OutcomeCells, check_cells
from costboost.cluster.collections import in_memory, is_collection, parts_of
from costboost.decisions.actions import ActionClassifier, classifier_inside, decisions_of
from costboost.decisions.assignment import Codes
from costboost.decisions.prevalence import positive_index, refuse_uncalibrated
from costboost.decisions.wrapping import decide_positive, layers

Flags = NDArray[np.bool_]
Z = 1.959963984540054
"""Normal quantile of a 95% interval."""


class Interval(NamedTuple):
    """A number with a 95% interval."""

    value: float
    low: float
    high: float

    @classmethod
    def around(cls, value: float, error: float) -> Interval:
        """Normal interval from a standard error."""
        return cls(value, value - Z * error, value + Z * error)


class DecisionCosts(NamedTuple):
    """Cost of each decision on rows of each class: numbers, or arrays with one for each row."""

    names: tuple[str, ...]
    """Names of the decisions if all rows have them."""
    if_positive: tuple[Any, ...]
    if_negative: tuple[Any, ...]
    harmless: int
    """The decision for rows that are certainly negative; others are alarms."""

    @classmethod
    def of_predictions(cls, cells: OutcomeCells) -> DecisionCosts:
        """From net costs of mistakes and costs of right predictions; positive is decision 1."""
        tp, tn = cells.right or (0.0, 0.0)
        names = ("predict all negative", "predict all positive")
        return cls(names, (cells.net.fn + tp, tp), (tn, cells.net.fp + tn), 0)

    @classmethod
    def of_actions(cls, actions: Sequence[str], table: Floats, positive: int) -> DecisionCosts:
        """From costs truth x action, of all rows or of each; ``positive`` is a row of them."""
        m = table.shape[-1]
        names = tuple(f"{action} for all" for action in actions)
        sides = [tuple(table[..., k, a] for a in range(m)) for k in (positive, 1 - positive)]
        harmless = int(np.argmin([np.mean(cost) for cost in sides[1]]))
        return cls(names, sides[0], sides[1], harmless)

    def of_decision(self, code: Any) -> tuple[Any, Any]:
        """Cost of decisions, one for each row or one for all, on a positive and a negative row."""
        if not np.ndim(code):
            return self.if_positive[code], self.if_negative[code]
        decided = [code == k for k in range(len(self.names))]
        found = [np.zeros(code.size), np.zeros(code.size)]
        for k, rows in enumerate(decided):
            for costs, side in zip(found, (self.if_positive[k], self.if_negative[k]), strict=True):
                costs[rows] = side[rows] if np.ndim(side) else side
        return found[0], found[1]

    def expected(self, code: Any, p: Floats) -> Floats:
        """Expected cost of the decisions if p is the probability of the positive class."""
        if_positive, if_negative = self.of_decision(code)
        return np.asarray(p * if_positive + (1 - p) * if_negative)

    def least(self, p: Floats) -> Floats:
        """Expected cost of the cheapest decision."""
        every = [self.expected(k, p) for k in range(len(self.names))]
        return np.asarray(np.minimum.reduce(every))


def stated_costs(model: Any, given: GivenCosts, n_rows: int) -> DecisionCosts:
    """The given costs, or those that the model was trained with."""
    return DecisionCosts.of_predictions(check_cells(given.or_else(_own_costs(model)), n_rows))


def _own_costs(model: Any) -> GivenCosts:
    for layer in layers(model):
        fitted: Any = getattr(layer, "model_", None)
        if getattr(fitted, "costs", None) is not None:
            net, right = fitted.costs, getattr(fitted, "right_costs", None)
            if right is None:
                return GivenCosts(net.fn, net.fp)
            tp, tn = right
            return GivenCosts(net.fn + tp, net.fp + tn, tp, tn)
        if hasattr(layer, "fn_cost"):
            return GivenCosts(*(getattr(layer, name, None) for name in CELLS))
    return GivenCosts(1.0, 1.0)


@dataclass
class Saved:
    """Sums over rows of what decisions save against one decision for all rows."""

    expected: float = 0.0
    variance: float = 0.0
    realised: float = 0.0
    squares: float = 0.0


@dataclass
class CostSums:
    """Sums over rows of expected costs, of their variances given the probabilities, and of labels.

    The variance of a row is that of its class, which is random with the probability of the model.
    """

    n_rows: int = 0
    predicted: int = 0
    """Rows with an alarm: another decision than that for rows that are certainly negative."""
    expected: float = 0.0
    variance: float = 0.0
    saved: dict[str, Saved] = field(default_factory=lambda: defaultdict(Saved))
    """Savings by the name of the decision for all rows."""
    counts: Counter[str] = field(default_factory=Counter)
    """Rows of each decision."""
    n_labelled: int = 0
    positives: int = 0
    realised: float = 0.0
    squares: float = 0.0

    def add(self, codes: Codes, p: Floats, costs: DecisionCosts, truth: Flags | None) -> None:
        """Add rows: decisions, probabilities, costs, and classes if they are known."""
        own = costs.expected(codes, p)
        gap = np.subtract(*costs.of_decision(codes))
        self.n_rows += p.size
        self.predicted += int((codes != costs.harmless).sum())
        self.expected += float(own.sum())
        self.variance += float((p * (1 - p) * gap**2).sum())
        for k, name in enumerate(costs.names):
            other = np.subtract(*costs.of_decision(k))
            self.counts[name] += int((codes == k).sum())
            self.saved[name].expected += float((costs.expected(k, p) - own).sum())
            self.saved[name].variance += float((p * (1 - p) * (other - gap) ** 2).sum())
        if truth is not None:
            self._add_labels(codes, costs, truth)

    def _add_labels(self, codes: Codes, costs: DecisionCosts, truth: Flags) -> None:
        real = np.where(truth, *costs.of_decision(codes))
        self.n_labelled += truth.size
        self.positives += int(truth.sum())
        self.realised += float(real.sum())
        self.squares += float((real**2).sum())
        for k, name in enumerate(costs.names):
            saved = np.where(truth, *costs.of_decision(k)) - real
            self.saved[name].realised += float(saved.sum())
            self.saved[name].squares += float((saved**2).sum())

    @property
    def shares(self) -> dict[str, float]:
        """Share of the rows that have each action."""
        return {k.removesuffix(" for all"): n / self.n_rows for k, n in self.counts.items()}

    def expected_cost(self, calibration_error: float = 0.0) -> Interval:
        """Expected cost of a row, with an interval for the cost that is realised on these rows.

        ``calibration_error`` is the standard error of the mean expected cost of the reference rows.
        """
        error = np.hypot(np.sqrt(self.variance) / self.n_rows, calibration_error)
        return Interval.around(self.expected / self.n_rows, float(error))

    @property
    def base(self) -> str:
        """The cheapest decision without a model, by expected costs."""
        return min(self.saved, key=lambda name: self.saved[name].expected)

    def expected_savings(self, calibration_error: float = 0.0) -> Interval:
        """Expected savings of a row against the cheapest decision without a model."""
        saved = self.saved[self.base]
        error = np.hypot(np.sqrt(saved.variance) / self.n_rows, calibration_error)
        return Interval.around(saved.expected / self.n_rows, float(error))

    @property
    def realised_cost(self) -> Interval | None:
        """Realised cost of a row; None without labels."""
        return _mean(self.realised, self.squares, self.n_labelled)

    @property
    def realised_savings(self) -> Interval | None:
        """Realised savings of a row against the cheapest decision without a model."""
        saved = self.saved[self.base]
        return _mean(saved.realised, saved.squares, self.n_labelled)


def _mean(total: float, squares: float, n: int) -> Interval | None:
    """Mean of rows with the interval of a random sample."""
    if not n:
        return None
    mean = total / n
    return Interval.around(mean, float(np.sqrt(max(squares / n - mean**2, 0.0) / n)))


# ---- batches of rows -----------------------------------------------------------------------------


class Batch(NamedTuple):
    """Some rows: features, labels if they are known, and costs of their own."""

    X: Any
    y: Any = None
    costs: GivenCosts = GivenCosts()
    actions: Any = None
    """Costs of the actions on these rows, instead of those of the model."""


class Decided(NamedTuple):
    """Decisions of a model on a batch."""

    codes: Codes
    """Positions of the decisions: predictions, 1 is positive, or actions."""
    probability: Floats
    """Probability of the positive class."""
    costs: DecisionCosts
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
    if batch.actions is not None:
        raise ValueError("action_costs is for an ActionClassifier; give fn_cost and fp_cost")
    label = model.classes_[positive_index(model)]
    positive, probability = decide_positive(model, batch.X, batch.costs, label)
    n_rows = positive.size
    costs = stated_costs(model, batch.costs, n_rows)
    truth = _truth(batch.y, model.classes_, label, n_rows)
    return Decided(positive.astype(np.intp), probability, costs, truth)


def _acted(clf: ActionClassifier, batch: Batch) -> Decided:
    """Actions, each row decided alone."""
    if batch.costs.any:
        raise ValueError(
            "actions have costs of their own: give action_costs instead of fn_cost and fp_cost"
        )
    k = positive_index(clf)
    probability, own, codes = decisions_of(clf, batch.X, batch.actions)
    costs = DecisionCosts.of_actions(clf.actions_.tolist(), own.table, k)
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
    y, *costs = in_memory(batch.y, *batch.costs)

    def part(X: Any, rows: slice) -> Batch:
        own = GivenCosts(*(cost[rows] if np.ndim(cost) else cost for cost in costs))
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
