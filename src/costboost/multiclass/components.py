"""Problems of several classes, and the component learners that are fitted to samples of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from costboost._core.arithmetic import Floats
from costboost._core.arrays import Codes
from costboost._core.backends.data import PairData
from costboost._core.backends.local import binner
from costboost._core.checks import some, warn
from costboost._core.costs import Costs, cheapest, check_matrix, check_row_costs, least_is_zero
from costboost._core.costs.record import PREDICTIONS
from costboost._core.learners.pair_tree import MOST_LABELS, PairTree, PairTreeLearner
from costboost._core.learners.wrapped import seed
from costboost._core.tables import (
    Matrix,
    SparseTable,
    Table,
    categorical_columns,
    make_coders,
    rows_of,
)
from costboost._core.threads.counts import threads
from costboost.classifiers.checks import check_labels, sorted_labels

# ---- the training problem: the cost of every prediction on each row ------------------------------


@dataclass(frozen=True)
class Problem:
    """Costs of every prediction on every row, and the labels of the rows.

    From the costs of a row its least cost is subtracted, and all are divided by the greatest
    difference.
    """

    cost: Floats
    """Scaled costs of shape (n_rows, n_classes), from 0 to 1."""
    label: Codes
    """The cheapest class of each row, which Abe et al. take for the true one."""
    truth: Codes
    """The class in y; equal to ``label`` if only costs were given."""
    matrix: Floats
    """C[i, j]: mean cost of predicting j on rows of the true class i, in the user's unit."""
    given: Floats
    """Costs of the rows as the user gave them."""
    unit: float
    """A scaled cost of 1 in the user's unit."""

    @property
    def n_rows(self) -> int:
        return len(self.label)

    @property
    def n_classes(self) -> int:
        return int(self.cost.shape[1])

    def mean_cost(self, code: Codes) -> float:
        """Mean cost of the predicted class codes, in the user's unit."""
        return float(self.given[np.arange(self.n_rows), code].mean())

    def take(self, rows: Codes) -> Problem:
        """The problem of the given rows."""
        own = {name: getattr(self, name)[rows] for name in ("cost", "label", "truth", "given")}
        return replace(self, **own)


def read_problem(y: Any, costs: Any, cost_matrix: Any, n_rows: int) -> tuple[NDArray[Any], Problem]:
    """Classes and training problem from labels, costs of each row, or a cost matrix."""
    if isinstance(costs, Costs) and costs.n_rows is None:
        costs, cost_matrix = None, costs
    if costs is None:
        return _from_labels(y, cost_matrix, n_rows)
    labels = None if y is None else _labels(y, n_rows)
    if isinstance(costs, Costs):
        costs = _of_predictions(costs, labels)
    given = check_row_costs(costs, labels)
    if len(given) != n_rows:
        raise ValueError(f"costs has {len(given)} rows, but X has {n_rows} rows")
    cost, unit = _as_shares(given)
    if labels is None:
        classes, truth = np.arange(given.shape[1]), cheapest(cost)
    else:
        classes, truth = _classes_of_columns(labels, given.shape[1])
    label = cheapest(cost, truth)
    _warn_of_ties(cost, labels is not None)
    _warn_of_other_labels(label, truth)
    return classes, Problem(cost, label, truth, _mean_matrix(given, truth), given, unit)


def _of_predictions(costs: Costs, labels: NDArray[Any] | None) -> Floats:
    """Cost of every prediction for each row."""
    if labels is None:
        if costs.form != PREDICTIONS:
            raise ValueError(f"y is missing: {costs!r} needs the true class of each row")
        return costs.realised(np.empty(0, dtype=np.intp))
    classes, truth = np.unique(labels, return_inverse=True)
    bound = costs.for_classes(classes.tolist())
    _, k = shape = bound.table.shape[-2:]
    if bound.form != PREDICTIONS and shape != (len(classes),) * 2:
        raise ValueError(f"{costs!r} is for {k} classes, but y has {some(classes)}")
    return bound.realised(truth)


def _from_labels(y: Any, cost_matrix: Any, n_rows: int) -> tuple[NDArray[Any], Problem]:
    if y is None:
        raise ValueError(
            "This classifier requires y to be passed, but the target y is None; y may only be left "
            "out where costs are given for every row"
        )
    classes, truth = np.unique(_labels(y, n_rows), return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only, {some(classes)}; a classifier needs rows of two classes"
        )
    matrix = check_matrix(cost_matrix, classes)
    given = matrix[truth]
    cost, unit = _as_shares(given)
    return classes, Problem(cost, cheapest(cost, truth), truth, matrix, given, unit)


def _as_shares(given: Floats) -> tuple[Floats, float]:
    """Costs minus the least of each row, divided by the greatest difference; and that difference.

    The result does not depend on the unit, nor on a constant added to all costs of a row.
    """
    beyond = least_is_zero(given)
    unit = float(beyond.max())
    return beyond / unit, unit


def _labels(y: Any, n_rows: int) -> NDArray[Any]:
    labels = check_labels(y)
    sorted_labels(labels)
    if labels.size != n_rows:
        raise ValueError(f"y has {labels.size} labels, but X has {n_rows} rows")
    return labels


def _classes_of_columns(y: NDArray[Any], k: int) -> tuple[NDArray[Any], Codes]:
    """Classes of k columns of costs, either the labels in y or 0 to k - 1; and codes of y."""
    classes, code = np.unique(y, return_inverse=True)
    if len(classes) == k:
        return classes, code
    if y.dtype.kind in "iu" and classes[0] >= 0 and classes[-1] < k:
        return np.arange(k), y.astype(np.intp)
    raise ValueError(
        f"costs has {k} columns, but y has {len(classes)} classes, {some(classes)}: there must be "
        "a column for each class, in sorted order. If some classes do not occur, give y as numbers "
        f"from 0 to {k - 1}"
    )


def _mean_matrix(given: Floats, truth: Codes) -> Floats:
    """Mean costs of the rows of each true class; of all rows for a class without rows."""
    k = given.shape[1]
    count = np.bincount(truth, minlength=k)
    total = np.stack([np.bincount(truth, given[:, j], k) for j in range(k)], axis=1)
    mean = total / np.maximum(count, 1)[:, None]
    return np.where(count[:, None] > 0, mean, given.mean(axis=0))


def _warn_of_ties(cost: Floats, labelled: bool) -> None:
    tied = int(((cost == 0).sum(axis=1) > 1).sum())
    if tied:
        taken = (
            "the label in y is taken where it is one of them, else the first; mistakes among them "
            "will be made freely"
            if labelled
            else "without y, the first of them is taken for the true one"
        )
        warn(f"{tied} of {len(cost)} rows have several cheapest classes; {taken}")


def _warn_of_other_labels(label: Codes, truth: Codes) -> None:
    other = int((label != truth).sum())
    if other:
        warn(
            f"on {other} of {len(label)} rows the label in y is not the cheapest prediction by "
            "costs; training goes by the costs. Columns of costs are predictions, in the order of "
            "classes_",
        )


# ---- samples -------------------------------------------------------------------------------------


class Sample(NamedTuple):
    """Rows with a label and a weight each; a row may occur with several labels."""

    row: Codes
    label: Codes
    weight: Floats

    @classmethod
    def of_pairs(cls, weight: Floats) -> Sample:
        """All pairs (row, label) whose weight is not 0, from an array of weights."""
        row, label = np.nonzero(weight)
        return cls(row, label, weight[row, label])

    def where(self, kept: NDArray[np.bool_]) -> Sample:
        return Sample(self.row[kept], self.label[kept], np.ones(int(kept.sum())))


def rejected(weight: Floats, share: float, random: RandomState) -> NDArray[np.bool_]:
    """Which weights rejection sampling keeps: each with probability share |w| / max |w|."""
    size = np.abs(weight)
    greatest = size.max()
    kept: NDArray[np.bool_] = random.random_sample(weight.shape) * greatest < share * size
    if not kept.any():  # a share below 1 may drop even the greatest weight
        kept.flat[int(size.argmax())] = True
    return kept


Sampling = Callable[[Floats, float, RandomState], Floats]
"""(signed weights, share, random) -> the weights passed to the component learner."""


def by_rejection(weight: Floats, share: float, random: RandomState) -> Floats:
    """Weights after rejection sampling: the signs of those that are kept, 0 for the others."""
    return np.where(rejected(weight, share, random), np.sign(weight), 0.0)


def by_weight(weight: Floats, share: float, random: RandomState) -> Floats:
    """The weights themselves, without sampling."""
    return weight


SAMPLING: dict[str, Sampling] = {"rejection": by_rejection, "weight": by_weight}
"""Sampling functions by the name that ``sampling`` takes."""
DRAWN = ("rejection",)
"""Names of the sampling functions that draw at random."""


MOST_CODES = 255
NO_LIMIT = 2**31 - 1
"""A depth or number of rows that no tree reaches, within the range of scikit-learn's integers."""


# ---- rows as component learners take them --------------------------------------------------------


class AsGiven:
    """Rows for a scikit-learn classifier given by the user: X unchanged."""

    def __call__(self, table: Table) -> Any:
        return table.X


class AsNumbers:
    """Rows for scikit-learn's decision tree: each category becomes a column of 0 and 1."""

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


class FittedComponent:
    """A fitted component learner that predicts class codes.

    Without an estimator it predicts the constant ``code``.
    """

    def __init__(self, estimator: Any, code: int, n_classes: int) -> None:
        self.estimator = estimator
        self.code = code
        self.n_classes = n_classes

    def codes(self, X: Any) -> Codes:
        if self.estimator is None:
            return np.full(X.shape[0], self.code, dtype=np.intp)
        return np.asarray(self.estimator.predict(X)).astype(np.intp)

    def votes(self, X: Any) -> Floats:
        """One-hot predictions: 1 for the predicted class, 0 for the others."""
        votes = np.zeros((X.shape[0], self.n_classes))
        votes[np.arange(X.shape[0]), self.codes(X)] = 1.0
        return votes

    def probabilities(self, X: Any) -> Floats:
        """Probabilities of all classes; votes if the estimator has no ``predict_proba``."""
        if self.estimator is None or not hasattr(self.estimator, "predict_proba"):
            return self.votes(X)
        every = np.zeros((X.shape[0], self.n_classes))
        every[:, self.estimator.classes_.astype(np.intp)] = self.estimator.predict_proba(X)
        return every


def c45_like(max_depth: int | None, min_samples_leaf: int) -> DecisionTreeClassifier:
    """A scikit-learn tree grown by entropy, in place of the C4.5 of the paper."""
    return DecisionTreeClassifier(
        criterion="entropy",
        max_depth=None if max_depth is None else min(max_depth, NO_LIMIT),
        min_samples_leaf=min(min_samples_leaf, NO_LIMIT),
    )


class Component:
    """Fits clones of a classifier to weighted samples of the rows."""

    def __init__(self, estimator: Any, X: Matrix, n_classes: int, weighted: bool) -> None:
        if weighted:
            check_takes_weights(estimator)
        self.estimator = estimator
        self.X = X
        self.n_classes = n_classes
        self.weighted = weighted

    def fit(self, sample: Sample, random: RandomState) -> FittedComponent:
        label = int(sample.label[0])
        if np.all(sample.label == label):
            return FittedComponent(None, label, self.n_classes)
        estimator = clone(self.estimator)
        seed(estimator, random)
        weight = {"sample_weight": sample.weight} if self.weighted else {}
        estimator = self.X.applied(sample.row, fitted, estimator, sample.label, weight)
        return FittedComponent(estimator, label, self.n_classes)


def fitted(X: Any, estimator: Any, label: Codes, options: dict[str, Any]) -> Any:
    """The estimator, fitted to rows and labels."""
    estimator.fit(X, label, **options)
    return estimator


def check_takes_weights(estimator: Any) -> None:
    """Raise a ValueError if ``fit`` of the classifier does not take sample weights."""
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"{type(estimator).__name__} does not take sample_weight in fit; leave "
            "sampling='rejection', which needs no weights, or take another estimator"
        )


# ---- relational hypotheses h(x, y): learnt from signed weights of pairs (row, label) -------------


MOST_BINS = 255

Accepted = NDArray[np.bool_]
"""Which labels (columns) are accepted for each row."""


class TreeRelations:
    """Relations learnt by the built-in tree.

    The label is one more feature, and pairs of row and label are never stored.
    """

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
                f"there are {n_labels} classes, but the built-in tree takes at most {MOST_LABELS}; "
                "give a scikit-learn classifier as estimator"
            )
        n_threads = threads(n_jobs, table.n_rows * table.n_features)
        self.binning = binner(table).find_bins(MOST_BINS, categorical_features, n_threads)
        self.n_labels = n_labels
        self.n_jobs = n_jobs
        self.learner = PairTreeLearner(self.binning, n_labels, max_depth, min_samples_leaf, prune)

    def rows(self, table: Table) -> PairData:
        """The rows, binned once for all rounds."""
        table.refuse_infinite()  # at prediction nothing else checks all values
        none = np.zeros(table.n_rows, dtype=np.uint8)
        return binner(table).binned(self.binning, none, self.n_jobs, self.n_labels)

    def find(self, rows: PairData, weight: Floats, random: RandomState) -> PairTree:
        return self.learner.find(rows, weight)

    def accepted(self, h: PairTree, rows: PairData) -> Accepted:
        return h.accepted(rows, self.n_labels)


class WrappedRelations:
    """Relations learnt by a scikit-learn classifier: the label is k more columns of 0 and 1.

    Only pairs whose weight is not 0 are built, and for predictions one label at a time.
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
        accepted = np.empty((n_rows, self.n_labels), dtype=np.bool_)
        for y in range(self.n_labels):
            pairs = with_labels(X, np.full(n_rows, y), self.n_labels)
            accepted[:, y] = h.predict(pairs) == 1
        return accepted


def with_labels(X: Any, label: Codes, n_labels: int) -> Any:
    """Rows with one-hot encoded labels as further columns."""
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
