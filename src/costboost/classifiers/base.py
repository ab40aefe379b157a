"""What all boosting classifiers share: parameters and fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, get_tags

from costboost import tables
from costboost.cells import Floats
from costboost.checks import warn
from costboost.classifiers.calibrating import (
    Parts,
    check_calibration,
    fit_calibrated,
    is_share,
    parts_of,
)
from costboost.classifiers.checks import (
    check_costs,
    check_learner,
    check_parameters,
    check_span,
    check_target,
    check_weights,
    positive_class,
)
from costboost.classifiers.collapse import only_class, warn_of_one_class
from costboost.classifiers.documentation import fill_in
from costboost.classifiers.one_vs_rest import (
    OF_SEVERAL,
    OF_TWO,
    STOPS,
    costs_of_two,
    fit_one_vs_rest,
    refuse_costs_of_two,
)
from costboost.classifiers.predictions import Predictions
from costboost.classifiers.problem import Beginning, Problem, are_relative
from costboost.classifiers.scores import NEEDS_ALL_VALUES, STAGES
from costboost.classifiers.staging import training_cost
from costboost.classifiers.stopping import EarlyStopping, split_off
from costboost.classifiers.training import MOST_BINS, BinnedTraining, train
from costboost.classifiers.wrapped_training import RawTraining
from costboost.fingerprints import Remembering
from costboost.loop import Round
from costboost.progress import Progress
from costboost.rules import Costs, Rule
from costboost.tables import Coder, Table


@dataclass(kw_only=True, eq=False, repr=False)
class BoostingClassifier(Predictions, Remembering, ClassifierMixin, BaseEstimator):
    """Base of the boosting classifiers; not meant to be used by itself."""

    rule: ClassVar[Rule]
    fgd_consistent: ClassVar[bool]
    cost_consistent: ClassVar[bool]
    asymmetry_preserving: ClassVar[bool]
    reference: ClassVar[str]
    _rows_a_bin: ClassVar[int] = 1
    """A feature has at most one bin for so many rows."""
    _stops_on_log_loss: ClassVar[bool] = False
    """Whether early stopping watches the log loss of held-out rows instead of their mean cost."""
    _without_estimator: ClassVar[str] = ""
    """What ``estimator=None`` stands for, in words, where that is not one learner of the rule."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__doc__ = fill_in(cls)

    estimator: Any = None
    resample: bool = False
    n_estimators: int = 100
    fn_cost: float = 1.0
    fp_cost: float = 1.0
    cost_matrix: Any = None
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
    calibration: str | None = None
    calibration_split: Any = None
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
            Two classes, any labels. With more, each class is set against the rest.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts: a weight of 2 is the row written twice. Rows of weight 0
            take no part. Weights that are not all whole numbers are relative: where rows are
            counted, as in ``min_samples_leaf``, each row counts as one.
        fn_cost, fp_cost : number or array of shape (n_samples,), optional
            Costs for this fit instead of those of the constructor; arrays give each row its own.
            For two classes only; with more, give ``cost_matrix`` to the constructor.

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
        check_calibration(self)
        self._chosen = self._choices()[0]
        check_learner(self, self._rule(), self._learner_name())
        if not self.warm_start:
            self.__dict__.pop("_drawn", None)
        earlier = self._earlier_model(_width(X) if self.warm_start else None)
        table = self._training_table(X)
        classes, label = check_target(y)
        if label.size != table.n_rows:
            raise ValueError(f"y has {label.size} labels, but X has {table.n_rows} rows")
        if len(classes) > 2:
            refuse_costs_of_two(self, fn_cost, fp_cost, len(classes))
            self._fit_several(table, classes, label, sample_weight)
        else:
            problem = self._problem(table, classes, label, sample_weight, fn_cost, fp_cost)
            for name in OF_SEVERAL:
                self.__dict__.pop(name, None)
            self._fit_two(problem, earlier)
            if self.n_iter_:
                counting = problem.counting()
                self._warn_of_one_class(counting.table, counting.costs)
        weight = check_weights(sample_weight, table.n_rows)
        self._remember(table, None if weight is None else weight > 0)
        return self

    def _row_coders(self) -> Sequence[Coder | None] | None:
        one = self if self._one_vs_rest is None else self._one_vs_rest.members[0]
        return None if one._learner == "wrapped" else one._coders

    def _fit_several(self, table: Table, classes: Any, label: Any, sample_weight: Any) -> Self:
        """A classifier for each class against the rest."""
        code = np.searchsorted(classes, label)
        several = fit_one_vs_rest(self, table, classes, code, sample_weight)
        learner = self._learner_name()
        for name in OF_TWO:
            self.__dict__.pop(name, None)
        self._one_vs_rest, self.estimators_ = several, several.members
        self.classes_, self.stop_reason_, self._learner = classes, STOPS, learner
        self.n_iter_ = max(one.n_iter_ for one in several.members)
        if self.n_iter_:
            self._warn_of_one_class(table, None)
        return self

    def _warn_of_one_class(self, table: Table, costs: Costs | None) -> None:
        """Warn if all training rows are predicted to be of one class."""

        def decide(rows: Any) -> Any:
            part = table if rows.size == table.n_rows else table.take(rows)
            if self._one_vs_rest is not None:
                return self._predict_several(part, self._one_vs_rest.matrix)
            assert costs is not None
            of_rows = Costs(*(c[rows] if np.ndim(c) else c for c in costs))
            return self._predict_two(part, of_rows)

        label = only_class(table.n_rows, decide)
        if label is not None:
            warn_of_one_class(type(self).__name__, label, self._remedy())

    def _remedy(self) -> str | None:
        """What may help a classifier that is not calibrated."""
        if self.calibration is not None:
            return None
        usual = type(self).calibration
        if usual is not None:
            return f"its default, calibration={usual!r}"
        return "CostBoostClassifier, or calibration='platt'"

    def _fit_two(self, problem: Problem, earlier: Any) -> Self:
        """Train on a problem of two classes."""
        self._learn(problem, earlier)
        self._held_out = self._share_held_out()
        if not self.n_iter_:
            warn(
                f"{type(self).__name__} added no learner ({self.stop_reason_}): for every row it "
                "predicts the class of least expected cost under the class shares",
            )
        return self

    def _fit_constant(self, problem: Problem, reason: str) -> None:
        """Add no round: the share of the positives is the probability for every row."""
        training = self._training(problem.counting())
        self._describe(training.problem, training.coders)
        self._keep([], training, reason)
        self._held_out, self.train_cost_ = self._share_held_out(), np.empty(0)
        self.__dict__.pop("validation_score_", None)

    def _learn(self, problem: Problem, earlier: Any) -> None:
        """Train and, if wanted, calibrate."""
        parts = [] if self.calibration is None else parts_of(self, problem)
        self._learn_one(problem, parts, earlier)

    def _learn_one(self, problem: Problem, parts: Parts, earlier: Any) -> None:
        """One ensemble, calibrated on the parts held out, if there are any."""
        if parts:
            training, rounds = fit_calibrated(self, problem, parts, earlier)
        else:
            training, rounds = self._train(problem.counting(), earlier)
        self.train_cost_ = training_cost(self._deciding(), training, rounds)

    def _train(self, problem: Problem, earlier: Any) -> tuple[Any, list[Round]]:
        """Boost on the rows of the problem, going on from an earlier ensemble if there is one."""
        watched = None
        if self.early_stopping:
            problem, watched = split_off(problem, self.validation_fraction, self._seed())
        training = self._training(problem)
        self._describe(problem, training.coders)
        deciding = self._deciding()
        stopping = None if watched is None else EarlyStopping(self, deciding, training, watched)
        progress = Progress(self._n_rounds) if self.verbose else None
        rounds, reason = train(
            training,
            Beginning(
                deciding.rule,
                deciding.start,
                deciding.own_start,
                self._n_rounds,
                self._setting("learning_rate"),
            ),
            self.negative_step == "keep",
            [] if earlier is None else training.memory(earlier, self.estimator_weights_),
            [watcher for watcher in (stopping, progress) if watcher is not None],
        )
        if progress is not None:
            progress.close(reason)
        self._keep(rounds, training, reason)
        self.__dict__.pop("validation_score_", None)
        if stopping is not None:
            self.validation_score_ = np.array(stopping.scores)
        return training, rounds

    def _describe(self, problem: Problem, coders: Sequence[Coder | None]) -> None:
        """What predictions ask of the training besides the ensemble."""
        self._calibrator = None
        self._prior, self._initial_weights = problem.prior, self.initial_weights
        self._n_rounds = self._setting("n_estimators")
        self._coders, self._learner = coders, self._learner_name()
        self._trained_costs = problem.mean_costs()

    def _rule(self) -> Rule:
        return self.rule

    def _training_table(self, X: Any) -> Table:
        table = tables.read(self, X, reset=True, raw=self._wraps())
        if not self._wraps():
            tables.warn_of_text(table, self.categorical_features, self.max_bins)
        if self._learner_name() in NEEDS_ALL_VALUES:
            table.refuse_missing(NEEDS_ALL_VALUES[self._learner_name()])
        return table

    def _problem(
        self, table: Table, classes: Any, label: Any, sample_weight: Any, fn_cost: Any, fp_cost: Any
    ) -> Problem:
        """Everything the user gave, checked."""
        index = positive_class(classes, self.pos_label)
        positive = np.asarray(label == classes[index]).view(np.uint8)
        weight = check_weights(sample_weight, table.n_rows)
        costs = self._training_costs(classes, index, fn_cost, fp_cost, table.n_rows)
        check_span(costs, self._rule())
        self.classes_, self._positive_index = classes, index
        unequal = np.any(np.asarray(costs.fn) != np.asarray(costs.fp))
        if unequal and self._rule().cost_blind and self.calibration is None:
            warn(
                f"{type(self).__name__} ignores costs: fn_cost and fp_cost differ, but neither its "
                "training nor its predict uses them. Take CostBoostClassifier, which decides by "
                "cost, calibration='platt', after which any classifier does, or an algorithm that "
                "trains by cost, such as CGAdaClassifier.",
            )
        counting = positive if weight is None else positive[weight > 0]
        if not 0 < counting.sum() < counting.size:
            raise ValueError(
                "y has one class only among the rows whose sample_weight is not 0; a classifier "
                "needs rows of two classes"
            )
        usual = _usual_weight(sample_weight)
        relative = are_relative(weight, usual)
        return Problem(table, positive, weight, costs, usual, relative)

    def _training_costs(
        self, classes: Any, index: int, fn_cost: Any, fp_cost: Any, n_rows: int
    ) -> Costs:
        """Those of `fit`, of the matrix, or of the constructor."""
        given = fn_cost is not None or fp_cost is not None
        if self.cost_matrix is not None and not given:
            if self.fn_cost != 1 or self.fp_cost != 1:
                raise ValueError(
                    "costs are given twice: pass fn_cost and fp_cost, or cost_matrix, not both"
                )
            return costs_of_two(self.cost_matrix, classes, index, n_rows)
        return check_costs(
            self.fn_cost if fn_cost is None else fn_cost,
            self.fp_cost if fp_cost is None else fp_cost,
            n_rows,
        )

    def _wraps(self) -> bool:
        return self.estimator is not None and not isinstance(self.estimator, str)

    def _training(self, problem: Problem) -> BinnedTraining | RawTraining:
        if self._wraps():
            return RawTraining(problem, self._options(), check_random_state(self._seed()))
        return BinnedTraining(problem, self._learner_name(), self._options())

    def _options(self) -> dict[str, Any]:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return given | {"rows_a_bin": self._rows_a_bin} | self._chosen

    def _seed(self) -> int:
        """One number drawn from random_state; a warm start uses the number of the first fit."""
        if not hasattr(self, "_drawn"):
            self._drawn = int(check_random_state(self.random_state).randint(2**31 - 1))
        return self._drawn

    def _holds_out(self) -> bool:
        """Whether training needs rows of every class on which it is not trained."""
        watches = self.early_stopping and self.validation_fraction is not None
        return self.calibration is not None or bool(watches)

    def _share_held_out(self) -> float:
        """The share of the rows that the ensemble does not see."""
        once = self.calibration is not None and is_share(self.calibration_split)
        return float(self.calibration_split) if once else 0.0

    def _learner_name(self) -> str:
        return "wrapped" if self._wraps() else self._setting("estimator") or self._rule().learner

    def _setting(self, name: str) -> Any:
        """A parameter as the user has it, or as calibration chose it."""
        return getattr(self, "_chosen", {}).get(name, getattr(self, name))

    def _choices(self) -> list[dict[str, Any]]:
        """Settings among which calibration may choose; what they leave out is as the user says."""
        return [{}]

    def _earlier_model(self, n_features: int | None) -> Any:
        """The ensemble to go on from, if there is one."""
        if not (self.warm_start and hasattr(self, "ensemble_") and self.n_iter_):
            return None
        if self._learner_name() != self._learner:
            raise ValueError(
                f"warm_start goes on with the same weak learner, but estimator was {self._learner} "
                f"and is {self._learner_name()} now; refit with warm_start=False"
            )
        if n_features is not None and n_features != self.n_features_in_:
            raise ValueError(
                f"warm_start goes on with the same data, but X has {n_features} features instead "
                f"of {self.n_features_in_}; refit with warm_start=False"
            )
        if self._setting("n_estimators") < self.n_iter_:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be at least the {self.n_iter_} rounds "
                f"already there when warm_start=True; it asks for {self._setting('n_estimators')}"
            )
        if self._share_held_out() != self._held_out:
            raise ValueError(
                "warm_start goes on with the same rows, but calibration held out a share of "
                f"{self._held_out:g} of them and is to hold out {self._share_held_out():g} now; "
                "refit with warm_start=False"
            )
        return self.ensemble_

    def _keep(self, rounds: list[Round], training: Any, reason: str) -> None:
        """Lay out the fitted model."""
        steps, errors = ([one.step for one in rounds], [one.error for one in rounds])
        self._take_steps(np.array(steps), np.array(errors), reason)
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

    def _take_steps(
        self, steps: Floats, errors: Floats, reason: str, votes: float | None = None
    ) -> None:
        """Steps and errors of the rounds; ``votes``, the size of all steps, if it is known."""
        self.stop_reason_ = reason
        self.n_iter_ = steps.size
        self.estimator_weights_, self.estimator_errors_ = steps, errors
        if votes is None:
            votes = float(np.abs(steps).cumsum()[-1]) if steps.size else 0.0
        self._votes = votes
        for name in STAGES:
            self.__dict__.pop(name, None)

    # ---- scikit-learn ----------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        if self._learner_name() in NEEDS_ALL_VALUES:
            tags.input_tags.allow_nan = False
        if self._wraps():
            inner = get_tags(self.estimator).input_tags
            tags.input_tags.sparse = inner.sparse
            tags.input_tags.allow_nan = inner.allow_nan
        return tags


def _width(X: Any) -> int | None:
    """Number of columns, where X has any."""
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    return shape[1] if len(shape) == 2 else None


def _usual_weight(sample_weight: Any) -> float:
    """What a row counts where all count the same."""
    return 1.0 if sample_weight is None else float(np.asarray(sample_weight, dtype=float).flat[0])
