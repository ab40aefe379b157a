"""The reference of monitoring: a summary of held-out rows that is kept with the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from costboost.app.monitoring.batches import Decided, batch_of, check_model, decided
from costboost.app.monitoring.columns import columns_of
from costboost.app.monitoring.costs import CostSums
from costboost.app.monitoring.errors import Measured
from costboost.app.monitoring.recalibration import recalibrate
from costboost.app.monitoring.sketches import NUMBER, ColumnSketch, ProbabilitySketch
from costboost.decisions.prevalence import positive_index, shares_without_model
from costboost.decisions.wrapping import layers

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
    costs: Any = None,
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
    costs : Costs, optional
        All costs in one record, instead of the four. For an `ActionClassifier`, costs of the
        actions on these rows, as in its ``predict``.

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
    batch = batch_of(model, X, y, costs, fn_cost, fp_cost, tp_cost, tn_cost)
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
