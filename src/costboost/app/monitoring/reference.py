"""Batches of rows with their costs, sketches of columns, and the reference of monitoring.

The reference is a summary of held-out rows that is kept with the model.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import chi2, kstwobign

from costboost._core.arrays import Codes, Flags
from costboost._core.backends.dask.blocks import is_collection
from costboost._core.backends.dask.collections import in_memory, parts_of
from costboost._core.baselines import (
    BY_COSTS,
    Z,
    always,
    by_costs,
    for_all,
    interval_of_sums,
    least_favourable,
)
from costboost._core.checks import Floats, refuse_unread
from costboost._core.names import COST_NAMES
from costboost.app.monitoring.errors import Measured, MiscalibrationError, logits, moments
from costboost.classifiers.checks import GivenCosts, OutcomeCells, check_cells
from costboost.decisions.actions import ActionClassifier, classifier_inside, decisions_of
from costboost.decisions.prevalence import (
    positive_index,
    refuse_uncalibrated,
    shares_without_model,
)
from costboost.decisions.wrapping import decide_positive, layers

# ---- intervals, and costs of decisions about two classes -----------------------------------------


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
    actions: tuple[str, ...]
    """Names of the decisions."""
    if_positive: tuple[Any, ...]
    if_negative: tuple[Any, ...]
    harmless: int
    """The decision for rows that are certainly negative; others are alarms."""

    @classmethod
    def of_predictions(cls, cells: OutcomeCells, labels: Sequence[Any]) -> DecisionCosts:
        """From net costs of mistakes and costs of right predictions.

        The labels are those of the negative and of the positive class, which is decision 1.
        """
        tp, tn = cells.right or (0.0, 0.0)
        names = tuple(always(label) for label in labels)
        sides = (cells.net.fn + tp, tp), (tn, cells.net.fp + tn)
        return cls(names, tuple(map(str, labels)), *sides, 0)

    @classmethod
    def of_actions(cls, actions: Sequence[str], table: Floats, positive: int) -> DecisionCosts:
        """From costs truth x action, of all rows or of each; ``positive`` is a row of them."""
        m = table.shape[-1]
        names = tuple(for_all(action) for action in actions)
        sides = [tuple(table[..., k, a] for a in range(m)) for k in (positive, 1 - positive)]
        harmless = int(np.argmin([np.mean(cost) for cost in sides[1]]))
        return cls(names, tuple(actions), sides[0], sides[1], harmless)

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

    def by_costs(self, share: float, n_rows: int) -> Codes | None:
        """Decisions by the costs of the rows at a share of positives; None if all have the same."""
        if not any(np.ndim(cost) for cost in (*self.if_positive, *self.if_negative)):
            return None
        sides = [
            np.column_stack([np.broadcast_to(cost, n_rows) for cost in side])
            for side in (self.if_negative, self.if_positive)
        ]
        return by_costs(np.array([1 - share, share]), np.stack(sides, axis=1), n_rows)

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
    labels, k = model.classes_.tolist(), positive_index(model)
    cells = check_cells(given.or_else(_own_costs(model)), n_rows)
    return DecisionCosts.of_predictions(cells, (labels[1 - k], labels[k]))


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
            return GivenCosts(*(getattr(layer, name, None) for name in COST_NAMES))
    return GivenCosts(1.0, 1.0)


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

    def add(self, codes: Codes, p: Floats, costs: DecisionCosts, truth: Flags | None) -> None:
        """Add rows: decisions, probabilities, costs, and classes if they are known."""
        own = costs.expected(codes, p)
        gap = np.subtract(*costs.of_decision(codes))
        self.n_rows += p.size
        self.predicted += int((codes != costs.harmless).sum())
        self.expected += float(own.sum())
        variance = p * (1 - p)
        toward = np.stack([variance, variance * logits(p)])
        self.variance += float((variance * gap**2).sum())
        self.gradient += toward @ gap
        self.information += moments(p)
        self.counts.update({name: int((codes == k).sum()) for k, name in enumerate(costs.actions)})
        others = self._without_model(costs, p.size)
        for name, code in others.items():
            other, saved = np.subtract(*costs.of_decision(code)), self.saved[name]
            saved.expected += float((costs.expected(code, p) - own).sum())
            saved.variance += float((variance * (other - gap) ** 2).sum())
            saved.gradient += toward @ np.broadcast_to(other - gap, p.size)
        if truth is not None:
            self._add_labels(codes, costs, truth, others)

    def _without_model(self, costs: DecisionCosts, n_rows: int) -> dict[str, Any]:
        """Decisions that need no model: one for all rows, and by the costs of the rows."""
        found: dict[str, Any] = {name: k for k, name in enumerate(costs.names)}
        by_own = costs.by_costs(self.share, n_rows)
        return found if by_own is None else found | {BY_COSTS: by_own}

    def _add_labels(
        self, codes: Codes, costs: DecisionCosts, truth: Flags, others: dict[str, Any]
    ) -> None:
        real = np.where(truth, *costs.of_decision(codes))
        self.n_labelled += truth.size
        self.positives += int(truth.sum())
        self.realised += float(real.sum())
        self.squares += float((real**2).sum())
        for name, code in others.items():
            saved = np.where(truth, *costs.of_decision(code)) - real
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


# ---- batches of rows, and decisions about them ---------------------------------------------------


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


# ---- columns of rows -----------------------------------------------------------------------------

N_KNOTS = 128
"""Values of a column of numbers at which its distribution function is kept."""
MOST_LABELS = 100
"""Categories of a column that are kept; the others are counted together."""
LEAST_EXPECTED = 5.0
"""Categories with fewer expected rows are joined for the chi-square test."""

NUMBER, CATEGORY = "number", "category"


def columns_of(X: Any, names: Sequence[str] | None = None) -> Iterator[tuple[str, Any]]:
    """Names and values of the columns of an array, data frame, Arrow table or sparse matrix.

    Values are floats, with NaN for missing ones, or an object array of texts and None.
    """
    if hasattr(X, "tocsc"):
        X = X.toarray()
    if hasattr(X, "columns") and hasattr(X, "column"):  # pyarrow
        for name, column in zip(X.column_names, X.columns, strict=True):
            yield str(name), _arrow_values(column)
        return
    if hasattr(X, "columns"):  # pandas and polars
        for name in X.columns:
            column = X[name]
            text = "cat" in str(getattr(column, "dtype", "")).lower()
            yield str(name), _categories(column) if text else _values(column)
        return
    values = np.asarray(X)
    for k in range(values.shape[1]):
        yield names[k] if names is not None else f"column {k}", _values(values[:, k])


def _categories(column: Any) -> Any:
    """Categories as texts, which those of numbers are also where others are missing."""
    codes = getattr(getattr(column, "cat", None), "codes", None)
    if codes is None:  # polars
        return _values(np.asarray(column, dtype=object), text=True)
    texts = np.array([*map(str, column.cat.categories), None], dtype=object)
    return texts[np.asarray(codes)]


def _arrow_values(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        return column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return _texts(column.to_pylist())


def _values(column: Any, text: bool = False) -> Any:
    values = np.asarray(column)
    if not text and values.dtype.kind in "iufb":
        return values.astype(np.float64)
    if not text and values.dtype.kind in "mM":
        return np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(np.float64))
    if not text and values.dtype == object:
        try:
            return values.astype(np.float64)
        except (TypeError, ValueError):
            pass
    return _texts(values.tolist())


def _texts(values: list[Any]) -> NDArray[np.object_]:
    missing = [None if value is None or value != value else str(value) for value in values]
    return np.array(missing, dtype=object)


# ---- sketches of columns -------------------------------------------------------------------------


@dataclass
class ColumnSketch:
    """Counts of the values of a column between knots, or of its categories.

    Counts of numbers are those of the values up to each knot and above the one before, then those
    above the last knot, then the missing ones. Counts of categories are those of each label, then
    of all other labels, then of the missing ones.
    """

    name: str
    kind: str
    bins: list[Any]
    """Knots or labels."""
    counts: Floats
    positives: Floats | None = None
    """Counts of positive rows; None if they are not known."""

    @classmethod
    def of(cls, name: str, values: Any, positive: Flags | None = None) -> ColumnSketch:
        """Sketch whose knots or labels are those of the values."""
        if values.dtype == object:
            found = Counter(one for one in values.tolist() if one is not None)
            labels = [label for label, _ in found.most_common(MOST_LABELS)]
            empty = cls(name, CATEGORY, labels, np.zeros(len(labels) + 2))
        else:
            finite = np.sort(values[np.isfinite(values)])
            ranks = np.linspace(0, max(finite.size - 1, 0), N_KNOTS).round().astype(np.intp)
            knots = np.unique(finite[ranks]) if finite.size else np.empty(0)
            empty = cls(name, NUMBER, knots.tolist(), np.zeros(knots.size + 2))
        empty.add(values)
        if positive is not None:
            of_class = empty.empty()
            of_class.add(values[positive])
            empty.positives = of_class.counts
        return empty

    def at_share(self, share: float) -> ColumnSketch | None:
        """Distribution at another share of positives, with as many rows as know it as well.

        None if the rows of the classes are not known.
        """
        if self.positives is None:
            return None
        sides = self.positives, self.counts - self.positives
        n = [side.sum() for side in sides]
        if not min(n):
            return None
        parts = [one * side / m for one, side, m in zip((share, 1 - share), sides, n, strict=True)]
        rows = 1 / (share**2 / n[0] + (1 - share) ** 2 / n[1])
        return ColumnSketch(self.name, self.kind, self.bins, rows * (parts[0] + parts[1]))

    @property
    def n_rows(self) -> float:
        """Number of rows, also those without a value."""
        return float(self.counts.sum())

    def empty(self) -> ColumnSketch:
        """Sketch with the same bins and no rows."""
        return ColumnSketch(self.name, self.kind, self.bins, np.zeros_like(self.counts))

    def add(self, values: Any) -> None:
        """Count further values."""
        n = len(self.bins)
        if self.kind == CATEGORY:
            code = {label: k for k, label in enumerate(self.bins)}
            texts = values if values.dtype == object else _texts(values.tolist())
            codes = [n + 1 if one is None else code.get(one, n) for one in texts.tolist()]
            self.counts += np.bincount(np.array(codes, dtype=np.intp), minlength=n + 2)
            return
        if values.dtype == object:
            raise ValueError(
                f"column {self.name!r} has text, but it had numbers in the reference rows"
            )
        place = np.searchsorted(np.asarray(self.bins), values)
        place = np.where(np.isnan(values), n + 1, place)
        self.counts += np.bincount(place, minlength=n + 2)

    def to_dict(self) -> dict[str, Any]:
        """The sketch as plain data."""
        counts = [int(n) for n in self.counts.tolist()]
        found = {"name": self.name, "kind": self.kind, "bins": self.bins, "counts": counts}
        if self.positives is None:
            return found
        return found | {"positives": [int(n) for n in self.positives.tolist()]}

    @classmethod
    def from_dict(cls, data: Any) -> ColumnSketch:
        """The sketch from plain data; a ValueError if it is damaged."""
        bins, kind = list(data["bins"]), str(data["kind"])
        counts = np.asarray(data["counts"], dtype=np.float64)
        if kind not in (NUMBER, CATEGORY) or counts.shape != (len(bins) + 2,):
            raise ValueError("a column whose counts do not fit its bins")
        if not np.all(np.isfinite(counts) & (counts >= 0)):
            raise ValueError("a column with counts below 0")
        if kind == NUMBER:
            knots = np.asarray(bins, dtype=np.float64)
            if not np.all(np.isfinite(knots)) or np.any(np.diff(knots) <= 0):
                raise ValueError("a column of numbers whose knots do not rise")
        elif not all(isinstance(one, str) for one in bins):
            raise ValueError("a column of categories that are not texts")
        positives = data.get("positives")
        if positives is not None:
            positives = np.asarray(positives, dtype=np.float64)
            if positives.shape != counts.shape or not np.all(
                (positives >= 0) & (positives <= counts)
            ):
                raise ValueError("a column with more positive rows than rows")
        return cls(str(data["name"]), kind, bins, counts, positives)


@dataclass(frozen=True)
class Drift:
    """Comparison of a column with that of the reference rows.

    Attributes
    ----------
    name : str
        The column.
    test : str
        "Kolmogorov-Smirnov" for numbers, "chi-square" for categories.
    distance : float
        Greatest difference of the distribution functions, or half the sum of the differences of
        the shares of the categories; from 0 to 1.
    p_value : float
        Of the test alone.
    adjusted : float
        The p-value after Benjamini and Hochberg's correction for the number of columns.
    """

    name: str
    test: str
    distance: float
    p_value: float
    adjusted: float = 1.0
    of_model: bool = False
    """Whether this is the probability of the model, and not a feature."""

    @property
    def found(self) -> bool:
        """Whether the columns differ beyond chance, at a false discovery rate of 5%."""
        return self.adjusted < 0.05


def compare_columns(old: ColumnSketch, new: ColumnSketch) -> Drift:
    """Two-sample test of a column: Kolmogorov-Smirnov at the knots, or chi-square.

    Missing values are the last part of a distribution, so that a change of their share is found
    too. At the knots alone the Kolmogorov-Smirnov test is conservative.
    """
    n, m = new.n_rows, old.n_rows
    if not n or not m:
        return Drift(old.name, "none", 0.0, 1.0)
    if old.kind == NUMBER:
        apart = np.abs(np.cumsum(new.counts)[:-1] / n - np.cumsum(old.counts)[:-1] / m)
        distance = float(apart.max())
        return Drift(
            old.name,
            "Kolmogorov-Smirnov",
            distance,
            float(kstwobign.sf(np.sqrt(n * m / (n + m)) * distance)),
        )
    distance = float(np.abs(new.counts / n - old.counts / m).sum() / 2)
    return Drift(old.name, "chi-square", distance, _chi_square(new.counts, old.counts))


def _chi_square(new: Floats, old: Floats) -> float:
    """p-value of the chi-square test that two samples have the same shares of categories."""
    n, m = new.sum(), old.sum()
    both = np.stack([new, old])
    rare = both.sum(axis=0) * min(n, m) / (n + m) < LEAST_EXPECTED
    kept = both[:, ~rare]
    rest = both[:, rare].sum(axis=1, keepdims=True)
    table = np.concatenate([kept, rest], axis=1) if rest.sum() else kept
    if table.shape[1] < 2:
        return 1.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / (n + m)
    statistic = float(((table - expected) ** 2 / expected).sum())
    return float(chi2.sf(statistic, table.shape[1] - 1))


def adjusted_drifts(drifts: Sequence[Drift]) -> list[Drift]:
    """Drifts with p-values corrected by Benjamini and Hochberg (1995), the smallest first."""
    order = sorted(drifts, key=lambda one: (one.p_value, -one.distance))
    least, found = 1.0, []
    for rank in range(len(order), 0, -1):
        one = order[rank - 1]
        least = min(least, one.p_value * len(order) / rank)
        found.append(replace(one, adjusted=least))
    return found[::-1]


# ---- sketch of probabilities ---------------------------------------------------------------------


GREATEST_LOGIT, N_BINS = 16.0, 4096


class ProbabilitySketch:
    """Numbers of rows and of positives by log-odds, in so many bins that sums are nearly exact."""

    def __init__(self) -> None:
        self.n_rows, self.sums, self.positives = (np.zeros(N_BINS) for _ in range(3))

    def add(self, probability: Floats, positive: NDArray[np.bool_] | None) -> None:
        """Count further rows; ``positive`` are their classes if they are known."""
        bounded = np.clip(logits(probability), -GREATEST_LOGIT, GREATEST_LOGIT)
        place = ((bounded + GREATEST_LOGIT) * (N_BINS - 1) / (2 * GREATEST_LOGIT)).round()
        code = place.astype(np.intp)
        self.n_rows += np.bincount(code, minlength=N_BINS)
        self.sums += np.bincount(code, probability, N_BINS)
        if positive is not None:
            self.positives += np.bincount(code, positive, N_BINS)

    def table(self) -> tuple[Floats, Floats, Floats]:
        """Mean probability, number of rows and number of positives of the bins that have rows."""
        there = self.n_rows > 0
        n = self.n_rows[there]
        return self.sums[there] / n, n, self.positives[there]


# ---- calibration of probabilities by labels ------------------------------------------------------

MOST_STEPS = 100
RIDGE = 1e-9
CONFIDENCE = 0.95
DIRECTIONS = 8
"""Points on the edge of a confidence region at which losses are computed."""


@dataclass(frozen=True)
class Recalibration:
    """Logistic regression of labels on log-odds: logit P(y = 1) = intercept + slope logit p.

    ``in_the_large`` is the intercept at a slope of 1, with its standard error.
    """

    in_the_large: float
    in_the_large_error: float
    coefficients: Floats
    """Intercept and slope."""
    covariance: Floats

    @property
    def slope(self) -> tuple[float, float]:
        """The slope and its standard error."""
        return float(self.coefficients[1]), float(np.sqrt(self.covariance[1, 1]))

    def p_value(self, wrong: MiscalibrationError) -> float:
        """Of Wald's test that intercept and slope are no further off than was known before."""
        off = self.coefficients - (0.0, 1.0) - wrong.mean
        return float(chi2.sf(off @ np.linalg.solve(self.covariance + wrong.covariance, off), 2))

    def region(self) -> list[Floats]:
        """The coefficients, and some on the edge of their 95% confidence region."""
        radius = np.sqrt(chi2.ppf(CONFIDENCE, 2))
        angles = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
        size, axes = np.linalg.eigh(self.covariance)
        root = axes * np.sqrt(np.maximum(size, 0.0))
        edge = radius * root @ [np.cos(angles), np.sin(angles)]
        return [self.coefficients, *(self.coefficients + edge.T)]


def recalibrated(p: Floats, coefficients: Floats) -> Floats:
    """Probabilities with an intercept and a slope on their log-odds."""
    return np.asarray(expit(coefficients[0] + coefficients[1] * logits(p)))


def recalibrate(sketch: ProbabilitySketch) -> Recalibration | None:
    """Fit the regression; None if only one class is there."""
    p, n, positives = sketch.table()
    if not 0 < positives.sum() < n.sum():
        return None
    x = logits(p)
    shift, variance = _newton(np.ones((x.size, 1)), x, n, positives)
    whole = _newton(np.column_stack([np.ones_like(x), x]), np.zeros_like(x), n, positives)
    return Recalibration(float(shift[0]), float(np.sqrt(variance[0, 0])), *whole)


def _newton(A: Floats, offset: Floats, n: Floats, positives: Floats) -> tuple[Floats, Floats]:
    """Coefficients of a logistic regression of counts, and their covariances."""
    beta = np.zeros(A.shape[1])

    def loss(b: Floats) -> float:
        z = offset + A @ b
        return float(n @ np.logaddexp(0, z) - positives @ z + RIDGE * (b @ b))

    for _ in range(MOST_STEPS):
        q = expit(offset + A @ beta)
        gradient = A.T @ (positives - n * q) - 2 * RIDGE * beta
        hessian = (A.T * (n * q * (1 - q))) @ A + RIDGE * np.eye(A.shape[1])
        step, size = np.linalg.solve(hessian, gradient), 1.0
        while loss(beta + size * step) > loss(beta) and size > 1e-8:
            size /= 2
        beta = beta + size * step
        if np.abs(size * step).max() < 1e-10:
            break
    q = expit(offset + A @ beta)
    hessian = (A.T * (n * q * (1 - q))) @ A + RIDGE * np.eye(A.shape[1])
    return beta, np.linalg.inv(hessian)


# ---- the reference, a summary of held-out rows that is kept with the model -----------------------

VERSION = 1
ATTRIBUTE = "reference_"
"""Attribute of a model that holds its reference, as plain data; model files hold it too."""


@dataclass(frozen=True, repr=False)
class Reference:
    """Summary of held-out rows that new rows are compared with; see `reference`.

    Attributes
    ----------
    n_rows : int
        Number of held-out rows.
    prevalence : float
        Share of the positive class among them.
    expected_cost, realised_cost : float
        Mean cost of a row, by the probabilities of the model and by the labels.
    expected_savings, realised_savings : float
        Mean savings of a row against the best decisions without a model, at these rows.
    cost_error : float
        Standard error of the mean expected cost, given that the probabilities are right. Earlier
        versions read it; ``calibration`` has taken its place.
    alarms : float
        Share of the rows predicted positive.
    columns : list of ColumnSketch
        Distribution of each feature; the last one is that of the probability.
    mean_probability : float or None
        Mean probability of the positive class; None in references of earlier versions.
    calibration : list of five floats, or None
        Intercept and slope of the log-odds that fit the labels, and their variances and covariance:
        ``[a, b, var a, cov, var b]``. None if the rows are of one class, and in references of
        earlier versions.
    """

    n_rows: int
    prevalence: float
    expected_cost: float
    realised_cost: float
    expected_savings: float
    realised_savings: float
    cost_error: float
    alarms: float
    columns: list[ColumnSketch]
    mean_probability: float | None = None
    calibration: list[float] | None = None

    @property
    def features(self) -> list[ColumnSketch]:
        """Distributions of the features, whatever their names."""
        return self.columns[:-1]

    @property
    def probability(self) -> ColumnSketch:
        """Distribution of the probability."""
        return self.columns[-1]

    @property
    def measured(self) -> Measured | None:
        """Intercept and slope of the log-odds, with their covariance."""
        if self.calibration is None:
            return None
        a, b, *cells = self.calibration
        return Measured(np.array([a, b]), np.array([cells[:2], cells[1:]]))

    def __repr__(self) -> str:
        return (
            f"Reference({self.n_rows:,} rows, {len(self.columns) - 1} features, mean cost "
            f"{self.realised_cost:.4g})"
        )

    def to_dict(self) -> dict[str, Any]:
        """The reference as plain data, as model files hold it."""
        numbers = {k: v for k, v in asdict(self).items() if k != "columns"}
        columns = [one.to_dict() for one in self.columns]
        return {"version": VERSION, **numbers, "columns": columns}

    @classmethod
    def from_dict(cls, data: Any) -> Reference:
        """The reference from plain data; a ValueError if it is damaged or of a later version."""
        try:
            if data["version"] != VERSION:
                raise ValueError(f"version {data['version']}, of another costboost")
            columns = [ColumnSketch.from_dict(one) for one in data["columns"]]
            _check_columns(columns)
            numbers = {name: float(data[name]) for name in NUMBERS}
            mean, calibration = data.get("mean_probability"), data.get("calibration")
            mean = None if mean is None else float(mean)
            calibration = None if calibration is None else _calibration(calibration)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"the reference of the model cannot be read: {error}") from error
        if not all(map(isfinite, numbers.values())) or numbers["n_rows"] < 1:
            raise ValueError("the reference of the model cannot be read: unsound numbers")
        n_rows = int(numbers.pop("n_rows"))
        made = cls(n_rows=n_rows, columns=columns, **numbers)  # type: ignore[arg-type]
        return replace(made, mean_probability=mean, calibration=calibration)


NUMBERS = (
    "n_rows", "prevalence", "expected_cost", "realised_cost", "expected_savings",
    "realised_savings", "cost_error", "alarms",
)  # fmt: skip
PROBABILITY = "probability"
"""Name of the last column of a reference, which is no feature; a feature may have it too."""


def _check_columns(columns: list[ColumnSketch]) -> None:
    """Raise a ValueError if columns are not those of features and of the probability, in order."""
    if not columns or columns[-1].name != PROBABILITY or columns[-1].kind != NUMBER:
        raise ValueError(f"the last column is not the {PROBABILITY}")
    refuse_same_names([one.name for one in columns[:-1]])


def refuse_same_names(names: Sequence[str]) -> None:
    """Raise a ValueError if two columns have the same name."""
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise ValueError(f"two columns have the name {twice[0]!r}; rename one of them")


def _calibration(values: Any) -> list[float]:
    """Intercept, slope and their variances; a ValueError if they are damaged."""
    found = [float(value) for value in values]
    if len(found) != 5 or not all(map(isfinite, found)):
        raise ValueError("a calibration that is not five numbers")
    _, _, first, cross, second = found
    if min(first, second) <= 0 or cross**2 >= first * second:
        raise ValueError("a calibration whose variances are not those of two numbers")
    return found


def reference(
    model: Any,
    X: Any,
    y: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    tp_cost: Any = None,
    tn_cost: Any = None,
    action_costs: Any = None,
) -> Reference:
    """Summarise held-out rows, and keep the summary with the model.

    `costboost.save` stores it in the model file, and pickles have it too. ``costboost fit`` does
    this for the rows that it holds out.

    Parameters
    ----------
    model : classifier
        Fitted, of two classes, with calibrated probabilities, or an `ActionClassifier` around one.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        Rows that the model was not trained on.
    y : array of shape (n_samples,)
        Their labels.
    fn_cost, fp_cost, tp_cost, tn_cost : number or array of shape (n_samples,), optional
        Costs of the outcomes. Default: those of training.
    action_costs : pandas frame or dict of dicts, optional
        For an `ActionClassifier`, costs of these rows, as ``costs`` of its ``predict``.

    Returns
    -------
    Reference
        Also the attribute ``reference_`` of the model, as plain data.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from costboost import CostBoostClassifier
    >>> from costboost.monitoring import reference
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> clf = CostBoostClassifier(n_estimators=20, random_state=0).fit(X_train, y_train)
    >>> reference(clf, X_test, y_test)
    Reference(143 rows, 30 features, mean cost 0.006993)
    """
    check_model(model)
    if y is None:
        raise ValueError("y is missing: a reference needs held-out rows with labels")
    batch = Batch(X, y, GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost), action_costs)
    found = decided(model, batch)
    if found.codes.size == 0:
        raise ValueError("X has no rows; a reference needs held-out rows")
    assert found.truth is not None
    k = positive_index(model)
    truth = np.where(found.truth, k, 1 - k)
    shares = shares_without_model(model, truth, np.ones(truth.size)).values
    sums = CostSums(float(shares[k]))
    sums.add(*found)
    expected, realised = sums.expected_cost(), sums.realised_cost
    assert realised is not None
    assert sums.realised_savings is not None
    named = list(columns_of(X, feature_names(model)))
    refuse_same_names([name for name, _ in named])
    columns = [ColumnSketch.of(*one, found.truth) for one in named]
    made = Reference(
        n_rows=sums.n_rows,
        prevalence=sums.positives / sums.n_rows,
        expected_cost=expected.value,
        realised_cost=realised.value,
        expected_savings=sums.expected_savings().value,
        realised_savings=sums.realised_savings.value,
        cost_error=float(np.sqrt(sums.variance) / sums.n_rows),
        alarms=sums.predicted / sums.n_rows,
        columns=[*columns, ColumnSketch.of(PROBABILITY, found.probability, found.truth)],
        mean_probability=float(found.probability.mean()),
        calibration=_measured(found),
    )
    setattr(model, ATTRIBUTE, made.to_dict())
    return made


def _measured(found: Decided) -> list[float] | None:
    """Intercept and slope that fit the labels, as a reference has them."""
    sketch = ProbabilitySketch()
    sketch.add(found.probability, found.truth)
    again = recalibrate(sketch)
    if again is None:
        return None
    (first, cross), (_, second) = again.covariance.tolist()
    values = [*again.coefficients.tolist(), first, cross, second]
    return values if all(map(isfinite, values)) and cross**2 < first * second else None


def kept_reference(model: Any) -> Reference | None:
    """The reference that is kept with a model; None if there is none."""
    for layer in layers(model):
        data = vars(layer).get(ATTRIBUTE)
        if data is not None:
            return Reference.from_dict(data)
    return None


def feature_names(model: Any) -> Sequence[str] | None:
    """Names of the features that a model was trained with, if they had any."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]
