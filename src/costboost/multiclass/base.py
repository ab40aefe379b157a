"""What the methods for several classes share: parameters, fit and predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn import config_context, get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from costboost import tables
from costboost.cells import Floats
from costboost.classifiers.calibrating import check_calibration
from costboost.classifiers.checks import (
    check_choice,
    check_estimator,
    check_integer,
    check_jobs,
    check_number,
)
from costboost.classifiers.collapse import only_class, warn_of_one_class
from costboost.classifiers.logs import logs
from costboost.classifiers.staging import last_of
from costboost.costs import check_matrices, least_expected
from costboost.engine._kernels import TIE
from costboost.fingerprints import Remembering
from costboost.multiclass.calibrating import CALIBRATORS, Dirichlet, fit_calibrated
from costboost.multiclass.components import (
    MOST_CODES,
    AsGiven,
    AsNumbers,
    Component,
    Says,
    c45_like,
)
from costboost.multiclass.problem import Codes, Problem, read_problem
from costboost.multiclass.sampling import DRAWN, SAMPLING
from costboost.progress import Progress
from costboost.tables import Coder, Table
from costboost.threads import threads


@dataclass(kw_only=True, eq=False, repr=False)
class MulticlassClassifier(Remembering, ClassifierMixin, BaseEstimator):
    """Base of the methods for several classes; not meant to be used by itself."""

    _learns_costs: ClassVar[bool] = True
    """Whether training looks at the costs of rows, and not at their labels alone."""

    estimator: Any = None
    n_estimators: int = 30
    cost_matrix: Any = None
    max_depth: int | None = None
    min_samples_leaf: int = 2
    categorical_features: Any = "from_dtype"
    calibration: str | None = None
    calibration_split: Any = None
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0

    # ---- fit -------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, costs: Any = None) -> Self:
        """Train.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,), optional
            Two or more classes, any labels. May be left out where ``costs`` are given; the cheapest
            class of a row is then the true one, and classes are numbered from 0.
        costs : array of shape (n_samples, n_classes), optional
            What predicting each class (columns, in the order of ``classes_``) costs on each row,
            instead of ``cost_matrix``.

        Returns
        -------
        self
        """
        before = dict(vars(self))
        try:
            self._check()
            table = self._table(X, reset=True)
            if not self._wraps():
                tables.warn_of_text(table, self.categorical_features, MOST_CODES)
            matrix = self.cost_matrix
            self.classes_, problem = read_problem(y, costs, matrix, table.n_rows)
            self._fit(table, problem)
            self._remember(table)
            if self.n_iter_ and np.any(problem.truth != problem.truth[0]):
                self._warn_of_one_class(table)
        except BaseException:  # an earlier model stays whole, whatever went wrong
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def _fit(self, table: Table, problem: Problem) -> None:
        self._calibrator: Dirichlet | None = None
        self._matrix = problem.matrix
        if self.calibration is None:
            self._learn(table, problem)
            return
        if not self._wraps():
            table = table.read_once()
        self._calibrator = fit_calibrated(self, table, problem)

    def _warn_of_one_class(self, table: Table) -> None:
        """Warn if all training rows are predicted to be of one class."""

        def decide(rows: Any) -> NDArray[Any]:
            part = table if rows.size == table.n_rows else table.take(rows)
            return self._labels(self._decides(None, part.n_rows)(self._shares(part)))

        label = only_class(table.n_rows, decide)
        if label is not None:
            other = "CostBoostClassifier, or calibration='dirichlet'"
            remedy = None if self.calibration is not None else other
            warn_of_one_class(type(self).__name__, label, remedy)

    def _check(self) -> None:
        check_integer(self, "n_estimators", 1)
        check_integer(self, "min_samples_leaf", 1)
        check_integer(self, "verbose", 0)
        if self.max_depth is not None:
            check_integer(self, "max_depth", 1)
        check_jobs(self)
        check_random_state(self.random_state)
        check_estimator(self)
        check_calibration(self, tuple(CALIBRATORS))

    def _learn(self, table: Table, problem: Problem) -> None:
        raise NotImplementedError

    def _wraps(self) -> bool:
        return self.estimator is not None

    def _table(self, X: Any, reset: bool) -> Table:
        return tables.read(self, X, reset=reset, raw=self._wraps())

    def _prepared(self, table: Table) -> Any:
        """How rows are shown to the component learner: set on the classifier, and done."""
        self._rows: Any = AsGiven()
        if not self._wraps():
            self._rows = AsNumbers(table, self.categorical_features)
        return self._rows(table)

    def _component(self, X: Any, n_classes: int, weighted: bool) -> Component:
        estimator = self.estimator
        if not self._wraps():
            estimator = c45_like(self.max_depth, self.min_samples_leaf)
        return Component(estimator, X, n_classes, weighted)

    def _randoms(self, n: int) -> list[RandomState]:
        """A source of randomness for each of n fits, whoever does them."""
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=n)
        return [RandomState(int(number)) for number in seeds]

    def _in_parallel(
        self, work: Callable[[Any], Any], items: Sequence[Any], n_cells: int
    ) -> Iterator[Any]:
        """The work done on every item, in order, by as many threads as pay."""
        n_threads = min(threads(self.n_jobs, n_cells * len(items)), len(items))
        if n_threads <= 1:
            yield from map(work, items)
            return
        config = get_config()  # each thread has one of its own otherwise

        def configured(item: Any) -> Any:
            with config_context(**config):
                return work(item)

        with ThreadPoolExecutor(n_threads) as pool:
            yield from pool.map(configured, items)

    def _members_of(
        self, work: Callable[[Any], tuple[Says, int]], items: Sequence[Any], n_cells: int
    ) -> list[Says]:
        """The fits, counted as they come; the rows they saw are added to ``rows_used_``."""
        counting = Counting(self.verbose, len(items))
        members = []
        for said, n_rows in self._in_parallel(work, items, n_cells):
            members.append(said)
            self.rows_used_ += n_rows
            counting(f"{n_rows} rows")
        counting.close(self.stop_reason_)
        return members

    # ---- predictions -----------------------------------------------------------------------------

    def _staged_shares(self, table: Table) -> Iterator[Floats]:
        """H(y|x) after each round."""
        raise NotImplementedError

    def _shares(self, table: Table) -> Floats:
        return last_of(self._staged_shares(table))

    def _estimates(self) -> bool:
        """Whether probabilities decide, and not votes for the cheapest decision."""
        return self._calibrator is not None

    def _probabilities(self, shares: Floats) -> Floats:
        """What is known of the classes: the calibrated shares, or the shares themselves."""
        return shares if self._calibrator is None else self._calibrator.probability(shares)

    def _decides(self, cost_matrix: Any, n_rows: int) -> Callable[[Floats], Codes]:
        """How shares become decisions."""
        if self._estimates():
            given = cost_matrix is not None
            matrix = check_matrices(cost_matrix, self.classes_, n_rows) if given else self._matrix
            return lambda shares: least_expected(self._probabilities(shares), matrix)
        if cost_matrix is not None:
            raise ValueError(
                f"{type(self).__name__} cannot be given other costs after training: its shares are "
                "votes for the cheapest decision under the costs it was trained for. Fit it with "
                "calibration='dirichlet', which turns them into probabilities, or take "
                "MetaCostClassifier(relabel=False) or CostBoostClassifier"
            )
        return greatest

    def _row_coders(self) -> Sequence[Coder | None] | None:
        return None

    def _read(self, X: Any) -> Table:
        check_is_fitted(self)
        return self._table(X, reset=False)

    def predict_proba(self, X: Any) -> Floats:
        """H(y|x): what the ensemble gives to each class, in the order of ``classes_``.

        With ``calibration`` it is an estimate of the probability of the class, and of
        `MetaCostClassifier` without. Of the others it is a share of votes for the cheapest
        decision.
        """
        return self._probabilities(self._shares(self._read(X)))

    def predict_log_proba(self, X: Any) -> Floats:
        """Natural logarithm of `predict_proba`; minus infinity where that is 0."""
        return logs(self.predict_proba(X))

    def predict(self, X: Any, cost_matrix: Any = None) -> NDArray[Any]:
        """The class of each row: the one of greatest H.

        A classifier that estimates probabilities (see `predict_proba`) takes the class of least
        expected cost instead.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        cost_matrix : array of shape (n_classes, n_classes) or (n_samples, n_classes, n_classes)
            Decide under these costs instead of those of training, without refitting; only for a
            classifier that estimates probabilities.
        """
        table = self._read(X)
        return self._labels(self._decides(cost_matrix, table.n_rows)(self._shares(table)))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """As `predict_proba` after each round; one calibrator, of the last round, serves all."""
        for shares in self._staged_shares(self._read(X)):
            yield self._probabilities(shares)

    def staged_predict(self, X: Any, cost_matrix: Any = None) -> Iterator[NDArray[Any]]:
        """The class of each row after each round."""
        table = self._read(X)
        decide = self._decides(cost_matrix, table.n_rows)
        for shares in self._staged_shares(table):
            yield self._labels(decide(shares))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after each round."""
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def _labels(self, code: Codes) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[code]
        return labels

    # ---- scikit-learn ----------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        if self._wraps():
            inner = get_tags(self.estimator).input_tags
            tags.input_tags.sparse = inner.sparse
            tags.input_tags.allow_nan = inner.allow_nan
        return tags


@dataclass(kw_only=True, eq=False, repr=False)
class SamplingClassifier(MulticlassClassifier):
    """Base of the methods whose component learner sees weights, or samples drawn by them."""

    sampling: str = "rejection"
    max_samples: float = 1.0

    def _check(self) -> None:
        super()._check()
        check_choice(self, "sampling", tuple(SAMPLING))
        check_share(self, "max_samples")

    def _draws(self) -> bool:
        return self.sampling in DRAWN


def greatest(shares: Floats) -> Codes:
    """The class of greatest share; the first one of those that are equal."""
    codes: Codes = (shares >= shares.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
    return codes


def check_share(clf: Any, name: str) -> None:
    """A parameter that is a number above 0 and at most 1."""
    check_number(clf, name, 0, strict=True)
    if getattr(clf, name) > 1:
        raise ValueError(f"{name} must be at most 1, got {getattr(clf, name)!r}")


class Counting:
    """Shows how many rounds are done, if the user wants to see it."""

    def __init__(self, verbose: int, n_rounds: int) -> None:
        self.progress = Progress(n_rounds) if verbose else None

    def __call__(self, note: str) -> None:
        if self.progress is not None:
            self.progress.advance(note)

    def close(self, reason: str) -> None:
        if self.progress is not None:
            self.progress.close(reason)
