"""Costs of decisions about two classes, summed over batches of rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from costboost._core.arrays import Codes, Flags
from costboost._core.baselines import (
    BY_COSTS,
    always,
    for_all,
    interval_of_sums,
    least_favourable,
)
from costboost._core.checks import Floats
from costboost._core.costs import Costs
from costboost._core.costs.record import ACTIONS
from costboost._core.names import COST_NAMES
from costboost.app.monitoring.errors import MiscalibrationError, logits, moments
from costboost.app.monitoring.intervals import Interval
from costboost.decisions.prevalence import positive_index
from costboost.decisions.wrapping import layers


def stated_costs(model: Any, given: Mapping[str, Any], n_rows: int) -> Costs:
    """The given costs, or those that the model was trained with."""
    labels, k = model.classes_.tolist(), positive_index(model)
    costs = _own_costs(model).with_given(given, n_rows, model.classes_, k)
    names = labels[1 - k], labels[k]
    return replace(costs, classes=names, actions=tuple(map(str, names)))


def _own_costs(model: Any) -> Costs:
    for layer in layers(model):
        fitted: Any = getattr(layer, "model_", None)
        if getattr(fitted, "costs", None) is not None:
            return Costs.from_net(fitted.costs, getattr(fitted, "right_costs", None))
        if hasattr(layer, "fn_cost"):
            record = getattr(layer, "costs", None)
            if isinstance(record, Costs):
                return record
            stated = {name: getattr(layer, name, None) for name in COST_NAMES}
            return Costs.checked(1, **stated)
    return Costs.checked(1, fn_cost=1.0, fp_cost=1.0)


def constant_names(costs: Costs) -> list[str]:
    """Names of the decisions if all rows have them."""
    if costs.form == ACTIONS:
        return [for_all(action) for action in costs.actions]
    return [always(label) for label in costs.classes]


def harmless(costs: Costs) -> int:
    """The decision for rows that are certainly negative; others are alarms."""
    negative = costs.table[..., 0, :]
    return int(np.argmin([np.mean(negative[..., a]) for a in range(len(costs.actions))]))


def if_positive_or_negative(costs: Costs, code: Any) -> tuple[Any, Any]:
    """Cost of decisions, one for each row or one for all, on a positive and a negative row."""
    table = costs.table
    if table.ndim == 2 or not np.ndim(code):
        return table[..., 1, code], table[..., 0, code]
    rows = np.arange(len(code))
    return table[rows, 1, code], table[rows, 0, code]


def expected_cost(costs: Costs, code: Any, p: Floats) -> Floats:
    """Expected cost of the decisions if p is the probability of the positive class."""
    if_positive, if_negative = if_positive_or_negative(costs, code)
    return np.asarray(p * if_positive + (1 - p) * if_negative)


def least_cost(costs: Costs, p: Floats) -> Floats:
    """Expected cost of the cheapest decision."""
    every = [expected_cost(costs, k, p) for k in range(len(costs.actions))]
    return np.asarray(np.minimum.reduce(every))


@dataclass
class Saved:
    """Sums over rows of what decisions save against others that need no model."""

    expected: float = 0.0
    variance: float = 0.0
    gradient: Floats = field(default_factory=lambda: np.zeros(2))
    """Derivative of what is saved by intercept and slope of the log-odds."""
    realised: float = 0.0
    squares: float = 0.0


@dataclass
class CostSums:
    """Sums over rows of expected costs, of their variances given the probabilities, and of labels.

    The variance of a row is that of its class, which is random with the probability of the model.
    """

    share: float = 0.5
    """Share of the positive class in training, by which rows are decided without a model."""
    n_rows: int = 0
    predicted: int = 0
    """Rows with an alarm: another decision than that for rows that are certainly negative."""
    expected: float = 0.0
    variance: float = 0.0
    saved: dict[str, Saved] = field(default_factory=lambda: defaultdict(Saved))
    """Savings by the name of the decisions that need no model."""
    gradient: Floats = field(default_factory=lambda: np.zeros(2))
    """Derivative of the expected cost by intercept and slope of the log-odds."""
    information: Floats = field(default_factory=lambda: np.zeros((2, 2)))
    """Information that labels of the rows would have on intercept and slope."""
    counts: Counter[str] = field(default_factory=Counter)
    """Rows of each decision."""
    n_labelled: int = 0
    positives: int = 0
    realised: float = 0.0
    squares: float = 0.0

    def add(self, codes: Codes, p: Floats, costs: Costs, truth: Flags | None) -> None:
        """Add rows: decisions, probabilities, costs, and classes if they are known."""
        own = expected_cost(costs, codes, p)
        gap = np.subtract(*if_positive_or_negative(costs, codes))
        self.n_rows += p.size
        self.predicted += int((codes != harmless(costs)).sum())
        self.expected += float(own.sum())
        variance = p * (1 - p)
        toward = np.stack([variance, variance * logits(p)])
        self.variance += float((variance * gap**2).sum())
        self.gradient += toward @ gap
        self.information += moments(p)
        self.counts.update({name: int((codes == k).sum()) for k, name in enumerate(costs.actions)})
        others = self._without_model(costs, p.size)
        for name, code in others.items():
            other, saved = np.subtract(*if_positive_or_negative(costs, code)), self.saved[name]
            saved.expected += float((expected_cost(costs, code, p) - own).sum())
            saved.variance += float((variance * (other - gap) ** 2).sum())
            saved.gradient += toward @ np.broadcast_to(other - gap, p.size)
        if truth is not None:
            self._add_labels(codes, costs, truth, others)

    def _without_model(self, costs: Costs, n_rows: int) -> dict[str, Any]:
        """Decisions that need no model: one for all rows, and by the costs of the rows."""
        found: dict[str, Any] = {name: k for k, name in enumerate(constant_names(costs))}
        if costs.n_rows is None:
            return found
        shares = np.array([1 - self.share, self.share])
        return found | {BY_COSTS: costs.by_shares(shares, n_rows)}

    def _add_labels(self, codes: Codes, costs: Costs, truth: Flags, others: dict[str, Any]) -> None:
        real = np.where(truth, *if_positive_or_negative(costs, codes))
        self.n_labelled += truth.size
        self.positives += int(truth.sum())
        self.realised += float(real.sum())
        self.squares += float((real**2).sum())
        for name, code in others.items():
            saved = np.where(truth, *if_positive_or_negative(costs, code)) - real
            self.saved[name].realised += float(saved.sum())
            self.saved[name].squares += float((saved**2).sum())

    @property
    def shares(self) -> dict[str, float]:
        """Share of the rows that have each action."""
        return {name: n / self.n_rows for name, n in self.counts.items()}

    def expected_cost(self, wrong: MiscalibrationError | None = None) -> Interval:
        """Expected cost of a row, with an interval for the cost that is realised on these rows.

        ``wrong`` is what may be wrong with the probabilities; None takes them as exact.
        """
        return self._expected(self.expected, self.variance, self.gradient, wrong)

    def _expected(
        self, total: float, variance: float, gradient: Floats, wrong: MiscalibrationError | None
    ) -> Interval:
        """Mean of rows, with the errors of the draw of their classes and of calibration."""
        error = 0.0 if wrong is None else wrong.of(gradient / self.n_rows)
        error = float(np.hypot(np.sqrt(variance) / self.n_rows, error))
        return Interval.around(total / self.n_rows, error)

    @property
    def base(self) -> str:
        """The cheapest decisions without a model: by labels, or by expected costs without any."""

        def saved(name: str) -> float:
            one = self.saved[name]
            return one.realised if self.n_labelled else one.expected

        return min(self.saved, key=saved)

    def expected_savings(self, wrong: MiscalibrationError | None = None) -> Interval:
        """Expected savings of a row against the best decisions without a model."""
        found = (
            self._expected(one.expected, one.variance, one.gradient, wrong)
            for one in self.saved.values()
        )
        return Interval(*least_favourable(found))

    @property
    def realised_cost(self) -> Interval | None:
        """Realised cost of a row; None without labels."""
        return _mean(self.realised, self.squares, self.n_labelled)

    @property
    def realised_savings(self) -> Interval | None:
        """Realised savings of a row against the best decisions without a model."""
        found = [_mean(one.realised, one.squares, self.n_labelled) for one in self.saved.values()]
        known = [one for one in found if one is not None]
        return Interval(*least_favourable(known)) if known else None


def _mean(total: float, squares: float, n: int) -> Interval | None:
    """Mean of rows with the interval of a random sample; None without rows."""
    if not n:
        return None
    return Interval(*(end / n for end in interval_of_sums(total, squares, n)))
