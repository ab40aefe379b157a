"""What a comparison sets classifiers against: constant predictions and two usual models."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from costboost.classifiers.cost_cells import GivenCosts, check_cells
from costboost.costs import check_matrix, least_expected
from costboost.metrics.checks import Floats
from costboost.tables import Table, categorical_columns, make_coders, read, read_training

MOST_CATEGORIES = 100
"""Categories of a column; rarer ones are joined."""
N_FOLDS = 5
"""Folds of the calibration."""


def baselines(several: bool) -> dict[str, Any]:
    """The baselines by name; LightGBM only if it is installed."""
    found: dict[str, Any] = {}
    if several:
        found["one class for all rows"] = Constant()
    else:
        found["all rows negative"] = Constant(positive=False)
        found["all rows positive"] = Constant(positive=True)
    logistic = make_pipeline(Encoder(one_hot=True), LogisticRegression(max_iter=1000))
    found["logistic regression"] = ByCost(logistic)
    if find_spec("lightgbm") is not None:
        found["LightGBM, calibrated"] = ByCost(make_pipeline(Encoder(), CalibratedLightGBM()))
    return found


@dataclass(eq=False, repr=False)
class Constant(ClassifierMixin, BaseEstimator):
    """Predicts one class for all rows: the positive one, the other one, or the cheapest one."""

    _: KW_ONLY
    positive: bool | None = None
    fn_cost: float = 1.0
    fp_cost: float = 1.0
    cost_matrix: Any = None
    pos_label: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_, count = np.unique(y, return_counts=True)
        positive = _positive_index(self.classes_, self.pos_label)
        if self.positive is not None:
            self.label_ = self.classes_[positive if self.positive else 1 - positive]
            return self
        matrix = self.cost_matrix
        if matrix is None and len(count) == 2:
            matrix = np.zeros((2, 2))
            matrix[positive, 1 - positive] = self.fn_cost
            matrix[1 - positive, positive] = self.fp_cost
        costs = count @ check_matrix(matrix, self.classes_)
        self.label_ = self.classes_[int(costs.argmin())]
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        return np.full(X.shape[0] if hasattr(X, "shape") else len(X), self.label_)


@dataclass(eq=False, repr=False)
class ByCost(ClassifierMixin, BaseEstimator):
    """Predicts the class of least expected cost by the probabilities of a classifier."""

    estimator: Any
    _: KW_ONLY
    fn_cost: float = 1.0
    fp_cost: float = 1.0
    cost_matrix: Any = None
    pos_label: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        self.estimator.fit(X, y)
        self.classes_ = self.estimator.classes_
        return self

    def predict_proba(self, X: Any) -> Floats:
        return np.asarray(self.estimator.predict_proba(X))

    def predict(
        self,
        X: Any,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
    ) -> NDArray[Any]:
        probability = self.predict_proba(X)
        if self.cost_matrix is not None or len(self.classes_) > 2:
            matrix = check_matrix(self.cost_matrix, self.classes_)
            return np.asarray(self.classes_[least_expected(probability, matrix)])
        given = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
        usual = GivenCosts(self.fn_cost, self.fp_cost)
        costs = check_cells(given.or_else(usual), len(probability)).net
        index = _positive_index(self.classes_, self.pos_label)
        positive = probability[:, index] > costs.threshold
        return np.asarray(self.classes_[np.where(positive, index, 1 - index)])


def _positive_index(classes: NDArray[Any], pos_label: Any) -> int:
    return 0 if pos_label is not None and pos_label == classes[0] else 1


@dataclass(eq=False, repr=False)
class CalibratedLightGBM(ClassifierMixin, BaseEstimator):
    """LightGBM with trees of 8 leaves, its probabilities calibrated by isotonic regression."""

    def fit(self, X: Any, y: Any) -> Self:
        from lightgbm import LGBMClassifier

        self.classes_, count = np.unique(y, return_counts=True)
        self.model_ = LGBMClassifier(num_leaves=8, n_jobs=1, verbose=-1)
        n_folds = min(N_FOLDS, int(count.min()))
        if n_folds > 1:
            self.model_ = CalibratedClassifierCV(self.model_, method="isotonic", cv=n_folds)
        self.model_.fit(X, y)
        return self

    def predict_proba(self, X: Any) -> Floats:
        return np.asarray(self.model_.predict_proba(X))


@dataclass(eq=False, repr=False)
class Encoder(TransformerMixin, BaseEstimator):
    """Makes numbers of any rows that the library reads.

    Categories become codes. With ``one_hot`` they become a column each, numbers are standardised,
    and missing numbers become the mean, with a further column that marks them. Sparse matrices stay
    sparse: with ``one_hot`` columns are divided by their greatest value, and missing ones are 0.
    """

    _: KW_ONLY
    one_hot: bool = False

    def fit(self, X: Any, y: Any = None) -> Self:
        table, features = read_training(type(self).__name__, X)
        self.n_features_in_ = features.n_features_in
        if features.feature_names_in is not None:
            self.feature_names_in_ = features.feature_names_in
        if sparse.issparse(X):
            greatest = abs(_without_missing(X)).max(axis=0).toarray().ravel()
            self.scale_ = np.where(greatest > 0, greatest, 1.0)
            return self
        flags = categorical_columns(table, "from_dtype")
        self.coders_ = make_coders(table, flags, MOST_CATEGORIES)
        self.centre_, self.scale_ = np.zeros(len(flags)), np.ones(len(flags))
        self.has_missing_ = np.zeros(len(flags), dtype=bool)
        for j in np.flatnonzero(~np.array(flags)).tolist():
            values = self._column(table, j)
            known = values[~np.isnan(values)]
            self.has_missing_[j] = known.size < values.size
            if known.size:
                self.centre_[j], self.scale_[j] = known.mean(), known.std() or 1.0
        return self

    def transform(self, X: Any) -> Any:
        table = read(self, X)
        if sparse.issparse(X):
            return _without_missing(X).multiply(1 / self.scale_).tocsr() if self.one_hot else X
        columns = [self._column(table, j) for j in range(len(self.coders_))]
        if not self.one_hot:
            return np.column_stack(columns)
        blocks: list[Any] = []
        for j, (values, coder) in enumerate(zip(columns, self.coders_, strict=True)):
            if coder is not None:
                codes = np.where(np.isnan(values), -1, values)
                blocks.append(codes[:, np.newaxis] == np.arange(coder.n_codes))
                continue
            missing = np.isnan(values)
            scaled = (values - self.centre_[j]) / self.scale_[j]
            blocks.append(np.where(missing, 0.0, scaled)[:, np.newaxis])
            if self.has_missing_[j]:
                blocks.append(missing[:, np.newaxis])
        return sparse.hstack([sparse.csr_matrix(block, dtype=np.float64) for block in blocks])

    def _column(self, table: Table, j: int) -> Floats:
        return np.asarray(table.coded(j, self.coders_[j]), dtype=np.float64)


def _without_missing(X: Any) -> Any:
    """A sparse matrix with 0 in place of NaN."""
    filled = X.tocsr().astype(np.float64)
    filled.data = np.nan_to_num(filled.data, posinf=np.inf, neginf=-np.inf)
    return filled
