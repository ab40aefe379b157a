"""Expected and realised costs of decisions, summed over batches of rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.checks import Floats
from costboost.classifiers.cost_cells import CELLS, GivenCosts, OutcomeCells, check_cells
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


class RowCosts(NamedTuple):
    """Cost of each decision on rows of each class: numbers, or arrays with one for each row."""

    fn: Any
    fp: Any
    tp: Any
    tn: Any

    @classmethod
    def of(cls, cells: OutcomeCells) -> RowCosts:
        """From net costs of mistakes and costs of right predictions."""
        tp, tn = cells.right or (0.0, 0.0)
        return cls(cells.net.fn + tp, cells.net.fp + tn, tp, tn)

    def of_decision(self, positive: Any) -> tuple[Any, Any]:
        """Cost of the decisions on a positive and on a negative row."""
        return np.where(positive, self.tp, self.fn), np.where(positive, self.fp, self.tn)

    def expected(self, positive: Any, p: Floats) -> Floats:
        """Expected cost of the decisions if p is the probability of the positive class."""
        if_positive, if_negative = self.of_decision(positive)
        return np.asarray(p * if_positive + (1 - p) * if_negative)

    def least(self, p: Floats) -> Floats:
        """Expected cost of the cheaper decision."""
        return np.minimum(self.expected(True, p), self.expected(False, p))


def stated_costs(model: Any, given: GivenCosts, n_rows: int) -> RowCosts:
    """The given costs, or those that the model was trained with."""
    return RowCosts.of(check_cells(given.or_else(_own_costs(model)), n_rows))


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


BASES = {"predict all negative": False, "predict all positive": True}
"""Decisions without a model."""


@dataclass
class CostSums:
    """Sums over rows of expected costs, of their variances given the probabilities, and of labels.

    The variance of a row is that of its class, which is random with the probability of the model.
    """

    n_rows: int = 0
    predicted: int = 0
    """Rows predicted positive."""
    expected: float = 0.0
    variance: float = 0.0
    saved: dict[str, float] = field(default_factory=lambda: dict.fromkeys(BASES, 0.0))
    saved_variance: dict[str, float] = field(default_factory=lambda: dict.fromkeys(BASES, 0.0))
    n_labelled: int = 0
    positives: int = 0
    realised: float = 0.0
    squares: float = 0.0
    realised_saved: dict[str, float] = field(default_factory=lambda: dict.fromkeys(BASES, 0.0))
    saved_squares: dict[str, float] = field(default_factory=lambda: dict.fromkeys(BASES, 0.0))

    def add(self, positive: Flags, p: Floats, costs: RowCosts, truth: Flags | None) -> None:
        """Add rows: decisions, probabilities, costs, and classes if they are known."""
        own = costs.expected(positive, p)
        gap = np.subtract(*costs.of_decision(positive))
        self.n_rows += p.size
        self.predicted += int(positive.sum())
        self.expected += float(own.sum())
        self.variance += float((p * (1 - p) * gap**2).sum())
        for name, constant in BASES.items():
            other = np.subtract(*costs.of_decision(np.full(p.size, constant)))
            self.saved[name] += float((costs.expected(constant, p) - own).sum())
            self.saved_variance[name] += float((p * (1 - p) * (other - gap) ** 2).sum())
        if truth is not None:
            self._add_labels(positive, costs, truth)

    def _add_labels(self, positive: Flags, costs: RowCosts, truth: Flags) -> None:
        real = np.where(truth, *costs.of_decision(positive))
        self.n_labelled += truth.size
        self.positives += int(truth.sum())
        self.realised += float(real.sum())
        self.squares += float((real**2).sum())
        for name, constant in BASES.items():
            saved = np.where(truth, *costs.of_decision(np.full(truth.size, constant))) - real
            self.realised_saved[name] += float(saved.sum())
            self.saved_squares[name] += float((saved**2).sum())

    def expected_cost(self, calibration_error: float = 0.0) -> Interval:
        """Expected cost of a row, with an interval for the cost that is realised on these rows.

        ``calibration_error`` is the standard error of the mean expected cost of the reference rows.
        """
        error = np.hypot(np.sqrt(self.variance) / self.n_rows, calibration_error)
        return Interval.around(self.expected / self.n_rows, float(error))

    @property
    def base(self) -> str:
        """The cheaper decision without a model, by expected costs."""
        return min(self.saved, key=lambda name: self.saved[name])

    def expected_savings(self, calibration_error: float = 0.0) -> Interval:
        """Expected savings of a row against the cheaper decision without a model."""
        error = np.hypot(np.sqrt(self.saved_variance[self.base]) / self.n_rows, calibration_error)
        return Interval.around(self.saved[self.base] / self.n_rows, float(error))

    @property
    def realised_cost(self) -> Interval | None:
        """Realised cost of a row; None without labels."""
        return _mean(self.realised, self.squares, self.n_labelled)

    @property
    def realised_savings(self) -> Interval | None:
        """Realised savings of a row against the cheaper decision without a model."""
        name = self.base
        return _mean(self.realised_saved[name], self.saved_squares[name], self.n_labelled)


def _mean(total: float, squares: float, n: int) -> Interval | None:
    """Mean of rows with the interval of a random sample."""
    if not n:
        return None
    mean = total / n
    return Interval.around(mean, float(np.sqrt(max(squares / n - mean**2, 0.0) / n)))
