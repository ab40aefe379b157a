"""Component learners: scikit-learn classifiers that see weighted samples, and what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from costboost.learners.wrapped import seed
from costboost.multiclass.problem import Codes
from costboost.multiclass.sampling import Sample
from costboost.tables import SparseTable, Table, categorical_columns, make_coders
from costboost.vectors import Floats

MOST_CODES = 255
NO_LIMIT = 2**31 - 1
"""On depth or rows: no tree comes near it, and scikit-learn can hold it."""


# ---- rows as a learner wants them ----------------------------------------------------------------


class AsGiven:
    """The user's own classifier sees X as it is."""

    def __call__(self, table: Table) -> Any:
        return table.X


class AsNumbers:
    """scikit-learn's tree sees numbers; a category becomes a column of 0 and 1."""

    def __init__(self, table: Table, categorical_features: Any) -> None:
        flags = categorical_columns(table, categorical_features)
        self.coders = make_coders(table, flags, MOST_CODES)

    def __call__(self, table: Table) -> Any:
        if isinstance(table, SparseTable) and not any(self.coders):
            return table.X
        blocks = []
        for first, block in table.numbers(self.coders):
            coder = self.coders[first]
            if coder is not None:
                block = block == np.arange(coder.n_codes)
            blocks.append(block.astype(np.float32))
        return np.hstack(blocks)


# ---- learners ------------------------------------------------------------------------------------


class Says:
    """A fitted classifier of class codes; without one, the same code for every row."""

    def __init__(self, estimator: Any, code: int, n_classes: int) -> None:
        self.estimator = estimator
        self.code = code
        self.n_classes = n_classes

    def codes(self, X: Any) -> Codes:
        if self.estimator is None:
            return np.full(X.shape[0], self.code, dtype=np.intp)
        return np.asarray(self.estimator.predict(X)).astype(np.intp)

    def votes(self, X: Any) -> Floats:
        """1 for the class it says, 0 for the others."""
        said = np.zeros((X.shape[0], self.n_classes))
        said[np.arange(X.shape[0]), self.codes(X)] = 1.0
        return said

    def probabilities(self, X: Any) -> Floats:
        """Its own, for all classes; its votes if it has none."""
        if self.estimator is None or not hasattr(self.estimator, "predict_proba"):
            return self.votes(X)
        every = np.zeros((X.shape[0], self.n_classes))
        every[:, self.estimator.classes_.astype(np.intp)] = self.estimator.predict_proba(X)
        return every


def c45_like(max_depth: int | None, min_samples_leaf: int) -> DecisionTreeClassifier:
    """The component learner of the paper, as near as scikit-learn comes: a tree by entropy."""
    return DecisionTreeClassifier(
        criterion="entropy",
        max_depth=None if max_depth is None else min(max_depth, NO_LIMIT),
        min_samples_leaf=min(min_samples_leaf, NO_LIMIT),
    )


class Component:
    """Fits clones of a classifier to weighted samples of the rows."""

    def __init__(self, estimator: Any, X: Any, n_classes: int, weighted: bool) -> None:
        if weighted:
            check_takes_weights(estimator)
        self.estimator = estimator
        self.X = X
        self.n_classes = n_classes
        self.weighted = weighted

    def fit(self, sample: Sample, random: RandomState) -> Says:
        label = int(sample.label[0])
        if np.all(sample.label == label):
            return Says(None, label, self.n_classes)
        estimator = clone(self.estimator)
        seed(estimator, random)
        weight = {"sample_weight": sample.weight} if self.weighted else {}
        estimator.fit(rows_of(self.X, sample.row), sample.label, **weight)
        return Says(estimator, label, self.n_classes)


def check_takes_weights(estimator: Any) -> None:
    """Raise if the classifier has no use for weights."""
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"{type(estimator).__name__} does not take sample_weight in fit; leave "
            "sampling='rejection', which needs no weights, or take another estimator"
        )


def rows_of(X: Any, rows: Codes) -> Any:
    """Some rows of whatever X is."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "take") and not hasattr(X, "dtype"):  # a pyarrow table
        return X.take(rows)
    return (X.tocsr() if hasattr(X, "tocsr") else X)[rows]
