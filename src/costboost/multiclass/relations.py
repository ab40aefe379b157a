"""Relational hypotheses h(x, y): learnt from signed weights of pairs (row, label)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from costboost.engine.binning import Binning
from costboost.learners.tree import MOST_LABELS, PairTree, PairTreeLearner
from costboost.learners.wrapped import seed
from costboost.multiclass.components import check_takes_weights, rows_of
from costboost.multiclass.problem import Codes
from costboost.tables import Table
from costboost.threads import threads
from costboost.vectors import Floats

MOST_BINS = 255

Accepted = NDArray[np.bool_]
"""Which labels (columns) are accepted for each row."""


class TreeRelations:
    """On the engine: the label is one more feature, and pairs are never written out."""

    def __init__(
        self,
        table: Table,
        n_labels: int,
        max_depth: int | None,
        min_samples_leaf: int,
        prune: bool,
        categorical_features: Any,
        n_jobs: int | None,
    ) -> None:
        if n_labels > MOST_LABELS:
            raise ValueError(
                f"there are {n_labels} classes, but the own tree takes at most {MOST_LABELS}; give "
                "a scikit-learn classifier as estimator"
            )
        n_threads = threads(n_jobs, table.n_rows * table.n_features)
        self.binning = Binning(table, MOST_BINS, categorical_features, n_threads)
        self.n_labels = n_labels
        self.n_jobs = n_jobs
        self.learner = PairTreeLearner(self.binning, n_labels, max_depth, min_samples_leaf, prune)

    def rows(self, table: Table) -> Any:
        """The rows, binned once for all rounds."""
        n_threads = threads(self.n_jobs, table.n_rows * max(table.n_features, self.n_labels))
        _refuse_infinite(table)
        return self.binning.rows(table, np.zeros(table.n_rows, dtype=np.uint8), n_threads)

    def find(self, rows: Any, weight: Floats, random: RandomState) -> PairTree:
        return self.learner.find(rows, weight)

    def accepted(self, h: PairTree, rows: Any) -> Accepted:
        return h.accepted(rows, self.n_labels)


def _refuse_infinite(table: Table) -> None:
    """At prediction nobody else looks at all values."""
    X = table.X
    values = X.data if sparse.issparse(X) else X
    if isinstance(values, np.ndarray) and values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError(
            "Input X contains infinity; replace it by a finite value, or by NaN if it stands for a "
            "missing one"
        )


class WrappedRelations:
    """With any scikit-learn classifier: the label is k more columns of 0 and 1.

    Only pairs that weigh something are ever built, and for predictions one label at a time.
    """

    def __init__(self, estimator: Any, n_labels: int, weighted: bool) -> None:
        if weighted:
            check_takes_weights(estimator)
        self.estimator = estimator
        self.n_labels = n_labels
        self.weighted = weighted

    def rows(self, table: Table) -> Any:
        return table.X

    def find(self, X: Any, weight: Floats, random: RandomState) -> Any:
        row, label = np.nonzero(weight)
        own = weight[row, label]
        if np.all(own > 0) or np.all(own < 0):
            return bool(own[0] > 0)
        estimator = clone(self.estimator)
        seed(estimator, random)
        options = {"sample_weight": np.abs(own)} if self.weighted else {}
        pairs = with_labels(rows_of(X, row), label, self.n_labels)
        return estimator.fit(pairs, (own > 0).astype(np.intp), **options)

    def accepted(self, h: Any, X: Any) -> Accepted:
        n_rows = X.shape[0]
        if isinstance(h, bool):
            return np.full((n_rows, self.n_labels), h)
        said = np.empty((n_rows, self.n_labels), dtype=np.bool_)
        for y in range(self.n_labels):
            pairs = with_labels(X, np.full(n_rows, y), self.n_labels)
            said[:, y] = h.predict(pairs) == 1
        return said


def with_labels(X: Any, label: Codes, n_labels: int) -> Any:
    """Rows with their labels as further columns."""
    if sparse.issparse(X):
        ones = np.ones(len(label))
        columns = sparse.csr_matrix((ones, (np.arange(len(label)), label)), (len(label), n_labels))
        return sparse.hstack([X, columns], format="csr")
    one_hot = (label[:, None] == np.arange(n_labels)).astype(np.float64)
    if hasattr(X, "iloc"):
        names = [f"label {y}" for y in range(n_labels)]
        frame = X.reset_index(drop=True).join(type(X)(one_hot, columns=names))
        frame.columns = frame.columns.astype(str)
        return frame
    return np.hstack([np.asarray(X), one_hot])
