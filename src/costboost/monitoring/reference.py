"""Summaries of columns, probabilities and held-out rows: the reference of monitoring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import chi2, kstwobign

from costboost.checks import Floats
from costboost.classifiers.cost_cells import GivenCosts
from costboost.decisions.wrapping import layers
from costboost.monitoring.costs import Batch, CostSums, check_model, decided

N_KNOTS = 128
"""Values of a column of numbers at which its distribution function is kept."""
MOST_LABELS = 100
"""Categories of a column that are kept; the others are counted together."""
LEAST_EXPECTED = 5.0
"""Categories with fewer expected rows are joined for the chi-square test."""

NUMBER, CATEGORY = "number", "category"


# ---- columns of rows -----------------------------------------------------------------------------


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
            yield str(name), _values(np.asarray(column, dtype=object) if text else column, text)
        return
    values = np.asarray(X)
    for k in range(values.shape[1]):
        yield names[k] if names is not None else f"column {k}", _values(values[:, k])


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

    @classmethod
    def of(cls, name: str, values: Any) -> ColumnSketch:
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
        return empty

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
        return {"name": self.name, "kind": self.kind, "bins": self.bins, "counts": counts}

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
        return cls(str(data["name"]), kind, bins, counts)


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
        found.append(Drift(one.name, one.test, one.distance, one.p_value, least))
    return found[::-1]


# ---- sketch of probabilities ---------------------------------------------------------------------


GREATEST_LOGIT, N_BINS = 16.0, 4096


class ProbabilitySketch:
    """Numbers of rows and of positives by log-odds, in so many bins that sums are nearly exact."""

    def __init__(self) -> None:
        self.n_rows, self.sums, self.positives = (np.zeros(N_BINS) for _ in range(3))

    def add(self, probability: Floats, positive: NDArray[np.bool_] | None) -> None:
        """Count further rows; ``positive`` are their classes if they are known."""
        logits = np.clip(_logits(probability), -GREATEST_LOGIT, GREATEST_LOGIT)
        place = ((logits + GREATEST_LOGIT) * (N_BINS - 1) / (2 * GREATEST_LOGIT)).round()
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


def _logits(probability: Floats) -> Floats:
    return np.asarray(logit(np.clip(probability, 1e-12, 1 - 1e-12)))


# ---- calibration of probabilities by labels ------------------------------------------------------


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

    @property
    def p_value(self) -> float:
        """Of Wald's test that the probabilities are right: intercept 0 and slope 1."""
        off = self.coefficients - (0.0, 1.0)
        return float(chi2.sf(off @ np.linalg.solve(self.covariance, off), 2))

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
    return np.asarray(expit(coefficients[0] + coefficients[1] * _logits(p)))


MOST_STEPS = 100
RIDGE = 1e-9
CONFIDENCE = 0.95
DIRECTIONS = 8
"""Points on the edge of a confidence region at which losses are computed."""


def recalibrate(sketch: ProbabilitySketch) -> Recalibration | None:
    """Fit the regression; None if only one class is there."""
    p, n, positives = sketch.table()
    if not 0 < positives.sum() < n.sum():
        return None
    x = _logits(p)
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
        Mean savings of a row against the cheaper decision without a model.
    cost_error : float
        Standard error of the mean expected cost, given that the probabilities are right: what the
        rows are able to show of the calibration.
    alarms : float
        Share of the rows predicted positive.
    columns : list of ColumnSketch
        Distribution of each feature, and of the probability.
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
            names = [name for name in cls.__dataclass_fields__ if name != "columns"]
            numbers = {name: float(data[name]) for name in names}
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"the reference of the model cannot be read: {error}") from error
        if not all(map(isfinite, numbers.values())) or numbers["n_rows"] < 1:
            raise ValueError("the reference of the model cannot be read: unsound numbers")
        n_rows = int(numbers.pop("n_rows"))
        return cls(n_rows=n_rows, columns=columns, **numbers)


PROBABILITY = "probability"
"""Name of the column of probabilities in a reference."""


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
    sums = CostSums()
    sums.add(*found)
    expected, realised = sums.expected_cost(), sums.realised_cost
    assert realised is not None
    assert sums.realised_savings is not None
    columns = [ColumnSketch.of(*one) for one in columns_of(X, feature_names(model))]
    made = Reference(
        n_rows=sums.n_rows,
        prevalence=sums.positives / sums.n_rows,
        expected_cost=expected.value,
        realised_cost=realised.value,
        expected_savings=sums.expected_savings().value,
        realised_savings=sums.realised_savings.value,
        cost_error=float(np.sqrt(sums.variance) / sums.n_rows),
        alarms=sums.predicted / sums.n_rows,
        columns=[*columns, ColumnSketch.of(PROBABILITY, found.probability)],
    )
    setattr(model, ATTRIBUTE, made.to_dict())
    return made


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
