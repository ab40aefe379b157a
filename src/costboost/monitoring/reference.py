"""The reference of monitoring: a summary of held-out rows, kept with the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import numpy as np

from costboost.classifiers.cost_cells import GivenCosts
from costboost.decisions.wrapping import layers
from costboost.monitoring.costs import Batch, CostSums, check_model, decided
from costboost.monitoring.sketches import ColumnSketch, columns_of

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
    Reference(143 rows, 30 features, mean cost 0.02098)
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
