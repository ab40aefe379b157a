"""Expected and realised costs of decisions, summed over batches of rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.checks import Floats
from costboost.classifiers.cost_cells import CELLS, GivenCosts, OutcomeCells, check_cells
from costboost.decisions.assignment import Codes
from costboost.decisions.wrapping import layers

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
