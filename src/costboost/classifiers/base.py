"""What all boosting classifiers share: parameters, fit, predictions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import accumulate
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from costboost import tables
from costboost.classifiers.checks import (
    check_costs,
    check_learner,
    check_parameters,
    check_target,
    check_weights,
)
from costboost.classifiers.deciding import Deciding
from costboost.classifiers.documentation import fill_in
from costboost.classifiers.stopping import EarlyStopping, split_off
from costboost.classifiers.training import (
    MOST_BINS,
    Beginning,
    BinnedTraining,
    Problem,
    RawTraining,
    train,
    training_cost,
)
from costboost.loop import Round
from costboost.progress import Progress
from costboost.rules import STARTS, Costs, Rule
from costboost.threads import threads

NEEDS_ALL_VALUES = {
    "linear": "the linear weak learner takes none; fill them in, or take estimator='stump'",
}
"""Learners that cannot do with missing values, and what to do then."""


@dataclass(kw_only=True, eq=False, repr=False)
class BoostingClassifier(ClassifierMixin, BaseEstimator):
    """Base of the boosting classifiers; not meant to be used by itself."""

    rule: ClassVar[Rule]
    fgd_consistent: ClassVar[bool]
    cost_consistent: ClassVar[bool]
    asymmetry_preserving: ClassVar[bool]
    reference: ClassVar[str]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__doc__ = fill_in(cls.__doc__ or "", cls.rule.learner)

    estimator: Any = None
    resample: bool = False
    n_estimators: int = 100
    fn_cost: float = 1.0
    fp_cost: float = 1.0
    pos_label: Any = None
    learning_rate: float = 1.0
    initial_weights: str = "auto"
    negative_step: str = "stop"
    max_depth: int | None = 3
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 1
    max_bins: int = MOST_BINS
    categorical_features: Any = "from_dtype"
    early_stopping: bool = False
    validation_fraction: float | None = 0.1
    n_iter_no_change: int = 10
    tol: float = 1e-7
    scoring: Any = None
    warm_start: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0

    # ---- fit -------------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, fn_cost: Any = None, fp_cost: Any = None
    ) -> Self:
        """Train the ensemble.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            NaN stands for a missing value.
        y : array of shape (n_samples,)
            Two classes, any labels.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts. Rows of weight 0 take no part.
        fn_cost, fp_cost : number or array of shape (n_samples,), optional
            Costs for this fit instead of those of the constructor; arrays give each row its own.

        Returns
        -------
        self
        """
        before = dict(vars(self))
        try:
            return self._fit(X, y, sample_weight, fn_cost, fp_cost)
        except BaseException:  # an earlier model stays whole, whatever went wrong
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _fit(self, X: Any, y: Any, sample_weight: Any, fn_cost: Any, fp_cost: Any) -> Self:
        check_parameters(self)
        check_learner(self, self._rule(), self._learner_name())
        earlier = self._earlier_model(X)
        problem = self._problem(X, y, sample_weight, fn_cost, fp_cost)
        if earlier is not None and len(earlier) == self.n_estimators:
            return self
        watched = None
        if self.early_stopping:
            problem, watched = split_off(problem, self.validation_fraction, self._seed())
        training = self._training(problem)
        self._prior, self._initial_weights = problem.prior, self.initial_weights
        self._n_rounds = self.n_estimators
        self._coders, self._learner = training.coders, self._learner_name()
        self._trained_costs = problem.mean_costs()
        deciding = self._deciding()
        stopping = None if watched is None else EarlyStopping(self, deciding, training, watched)
        progress = Progress(self.n_estimators) if self.verbose else None
        rounds, reason = train(
            training,
            Beginning(
                deciding.rule,
                deciding.start,
                deciding.own_start,
                self.n_estimators,
                self.learning_rate,
            ),
            self.negative_step == "keep",
            [] if earlier is None else training.memory(earlier, self.estimator_weights_),
            [watcher for watcher in (stopping, progress) if watcher is not None],
        )
        if progress is not None:
            progress.close(reason)
        self._keep(rounds, training, reason)
        self.train_cost_ = training_cost(deciding, training, rounds)
        self.__dict__.pop("validation_score_", None)
        if stopping is not None:
            self.validation_score_ = np.array(stopping.scores)
        if not rounds:
            warnings.warn(
                f"{type(self).__name__} added no learner ({reason}): for every row it predicts the "
                "class of least expected cost under the class shares",
                UserWarning,
                stacklevel=2,
            )
        return self

    def _rule(self) -> Rule:
        return self.rule

    def _deciding(self) -> Deciding:
        """How the scores of the fitted ensemble are read."""
        rule, own = self._rule(), self._initial_weights == "auto"
        return Deciding(
            rule,
            rule.start if own else STARTS[self._initial_weights],
            own,
            self._prior,
            self._n_rounds,
            self._trained_costs,
        )

    def _problem(self, X: Any, y: Any, sample_weight: Any, fn_cost: Any, fp_cost: Any) -> Problem:
        """Everything the user gave, checked."""
        table = tables.read(self, X, reset=True, raw=self._wraps())
        if self._learner_name() in NEEDS_ALL_VALUES:
            table.refuse_missing(NEEDS_ALL_VALUES[self._learner_name()])
        classes, positive = check_target(y, self.pos_label)
        if positive.size != table.n_rows:
            raise ValueError(f"y has {positive.size} labels, but X has {table.n_rows} rows")
        weight = check_weights(sample_weight, table.n_rows)
        costs = check_costs(
            self.fn_cost if fn_cost is None else fn_cost,
            self.fp_cost if fp_cost is None else fp_cost,
            table.n_rows,
        )
        self.classes_ = classes
        self._positive_index = (
            1 if self.pos_label is None else int(np.argmax(classes == self.pos_label))
        )
        if self._rule().cost_blind and np.any(np.asarray(costs.fn) != np.asarray(costs.fp)):
            warnings.warn(
                f"{type(self).__name__} ignores costs: fn_cost and fp_cost differ, but neither its "
                "training nor its predict uses them. Take AdaMECClassifier, which decides by cost, "
                "or an algorithm that trains by cost, such as CGAdaClassifier.",
                UserWarning,
                stacklevel=3,
            )
        problem = Problem(table, positive, weight, costs)
        if weight is not None and not weight.all():
            problem = problem.take(np.flatnonzero(weight))
            if not 0 < problem.positive.sum() < problem.n_rows:
                raise ValueError(
                    "y has one class only among the rows whose sample_weight is not 0; a "
                    "classifier needs rows of two classes"
                )
        return problem

    def _wraps(self) -> bool:
        return self.estimator is not None and not isinstance(self.estimator, str)

    def _training(self, problem: Problem) -> BinnedTraining | RawTraining:
        options = {field.name: getattr(self, field.name) for field in fields(self)}
        if self._wraps():
            return RawTraining(problem, options, check_random_state(self._seed()))
        return BinnedTraining(problem, self._learner_name(), options)

    def _seed(self) -> int:
        """One number drawn from random_state; a warm start uses the number of the first fit."""
        if not (self.warm_start and hasattr(self, "_drawn")):
            self._drawn = int(check_random_state(self.random_state).randint(2**31 - 1))
        return self._drawn

    def _learner_name(self) -> str:
        return "wrapped" if self._wraps() else self.estimator or self._rule().learner

    def _earlier_model(self, X: Any) -> Any:
        """The ensemble to go on from, if there is one."""
        if not (self.warm_start and hasattr(self, "ensemble_") and self.n_iter_):
            return None
        if self._learner_name() != self._learner:
            raise ValueError(
                f"warm_start goes on with the same weak learner, but estimator was {self._learner} "
                f"and is {self._learner_name()} now; refit with warm_start=False"
            )
        shape = X.shape if hasattr(X, "shape") else np.shape(X)
        if len(shape) == 2 and shape[1] != self.n_features_in_:
            raise ValueError(
                f"warm_start goes on with the same data, but X has {shape[1]} features instead "
                f"of {self.n_features_in_}; refit with warm_start=False"
            )
        if self.n_estimators < self.n_iter_:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be at least the {self.n_iter_} rounds "
                "already there when warm_start=True"
            )
        return self.ensemble_

    def _keep(self, rounds: list[Round], training: Any, reason: str) -> None:
        """Lay out the fitted model."""
        self.stop_reason_ = reason
        self.n_iter_ = len(rounds)
        self.estimator_weights_ = np.array([one.step for one in rounds])
        self.estimator_errors_ = np.array([one.error for one in rounds])
        self._votes = float(sum(abs(one.step) for one in rounds))
        if rounds:
            self.ensemble_ = training.learner.model((one.hypothesis, one.step) for one in rounds)
            return
        problem = training.problem
        stakes = np.ones(problem.n_rows) if self._rule().cost_blind else problem.cost
        weight = np.ones(problem.n_rows) if problem.weight is None else problem.weight
        stakes = (stakes / stakes.max()) * (weight / weight.max())
        positive = problem.positive.astype(bool)
        self.ensemble_ = training.constant(
            1.0 if stakes[positive].sum() > stakes[~positive].sum() else -1.0
        )

    # ---- scores ----------------------------------------------------------------------------------

    def _read(self, X: Any) -> tables.Table:
        check_is_fitted(self)
        table = tables.read(self, X, reset=False, raw=self._learner == "wrapped")
        if self._learner in NEEDS_ALL_VALUES:
            table.refuse_missing(NEEDS_ALL_VALUES[self._learner])
        return table

    def _scores(self, table: tables.Table) -> NDArray[np.float64]:
        """F, positive for the positive class."""
        score = np.zeros(table.n_rows)
        if self._combine() is not None:
            return list(self._staged_scores(table))[-1]
        if self._learner == "wrapped":
            self.ensemble_.add_scores(table.X, score)
        else:
            n_threads = threads(self.n_jobs, table.n_rows * table.n_features)
            self.ensemble_.add_scores(table.row_blocks(self._coders), score, n_threads)
        return score

    def _staged_scores(self, table: tables.Table) -> Iterator[NDArray[np.float64]]:
        score = np.zeros(table.n_rows)
        wrapped, combine = self._learner == "wrapped", self._combine()
        blocks = None if wrapped else table.repeated_blocks(self._coders)
        n_threads = threads(self.n_jobs, table.n_rows)
        for t in range(max(1, len(self.ensemble_))):
            said = np.zeros(table.n_rows)
            if blocks is None:
                self.ensemble_.add_scores(table.X, said, t, t + 1)
            else:
                self.ensemble_.add_scores(blocks(), said, n_threads, t, t + 1)
            score = score + said if combine is None else combine(score, 1.0, said)
            yield score

    def _combine(self) -> Any:
        """How a learner's vote joins the score, where it is not simply added."""
        return getattr(self._rule(), "combine", None)

    def _costs(self, fn_cost: Any, fp_cost: Any, n_rows: int) -> Costs:
        """Costs to decide by: those given, else those of training."""
        if fn_cost is None and fp_cost is None:
            return self._trained_costs
        if not self._rule().decides_by_cost:
            raise ValueError(
                f"{type(self).__name__} cannot be given other costs after training: its decision "
                "is the sign of a score trained for fixed costs. Take AdaMECClassifier."
            )
        return check_costs(
            self._trained_costs.fn if fn_cost is None else fn_cost,
            self._trained_costs.fp if fp_cost is None else fp_cost,
            n_rows,
        )

    def _labels(self, positive: NDArray[np.bool_]) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[
            np.where(positive, self._positive_index, 1 - self._positive_index)
        ]
        return labels

    def _columns(self, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        pair = [1 - probability, probability]
        return np.column_stack(pair if self._positive_index == 1 else pair[::-1])

    def _towards_second(self, score: NDArray[np.float64]) -> NDArray[np.float64]:
        return score if self._positive_index == 1 else -score

    # ---- public predictions ----------------------------------------------------------------------

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The score F of each row.

        As everywhere in scikit-learn, it is positive for ``classes_[1]``; that is the positive
        class unless ``pos_label`` names the other one.
        """
        return self._towards_second(self._scores(self._read(X)))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class, in the order of ``classes_``, costs taken out."""
        score = self._scores(self._read(X))
        return self._columns(self._probability(score, self._votes, self.n_iter_))

    def predict(self, X: Any, fn_cost: Any = None, fp_cost: Any = None) -> NDArray[Any]:
        """The class of each row.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        fn_cost, fp_cost : number or array of shape (n_samples,), optional
            Decide under these costs instead of those of training, without refitting; only for a
            classifier that decides by cost.
        """
        table = self._read(X)
        costs = self._costs(fn_cost, fp_cost, table.n_rows)
        score = self._scores(table)
        return self._labels(self._deciding().positive(score, costs, self._votes, self.n_iter_))

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """The score F of each row after each round."""
        for score in self._staged_scores(self._read(X)):
            yield self._towards_second(score)

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Probability of each class after each round."""
        for score, votes, n_added in self._stages(self._read(X)):
            yield self._columns(self._probability(score, votes, n_added))

    def staged_predict(
        self, X: Any, fn_cost: Any = None, fp_cost: Any = None
    ) -> Iterator[NDArray[Any]]:
        """The class of each row after each round."""
        table = self._read(X)
        costs = self._costs(fn_cost, fp_cost, table.n_rows)
        for score, votes, n_added in self._stages(table):
            yield self._labels(self._deciding().positive(score, costs, votes, n_added))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after each round."""
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def _stages(self, table: tables.Table) -> Iterator[tuple[NDArray[np.float64], float, int]]:
        """Score, size of the votes and rounds added; one stage if there are no rounds."""
        votes = list(accumulate(np.abs(self.estimator_weights_).tolist())) or [0.0]
        first = 1 if self.n_iter_ else 0
        for k, score in enumerate(self._staged_scores(table)):
            yield score, votes[k], first + k

    def _probability(
        self, score: NDArray[np.float64], votes: float, n_added: int
    ) -> NDArray[np.float64]:
        return self._deciding().probability(score, self._trained_costs, votes, n_added)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the ensemble: gains within a tree, weighted by its step."""
        check_is_fitted(self)
        importances: NDArray[np.float64] = self.ensemble_.importances(
            self.estimator_weights_, self.n_features_in_
        )
        return importances

    # ---- scikit-learn ----------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        if self._learner_name() in NEEDS_ALL_VALUES:
            tags.input_tags.allow_nan = False
        if self._wraps():
            inner = get_tags(self.estimator).input_tags
            tags.input_tags.sparse = inner.sparse
            tags.input_tags.allow_nan = inner.allow_nan
        return tags
