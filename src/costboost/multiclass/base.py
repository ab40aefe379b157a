"""Base classes of the methods for several classes, and their fitted models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state

from costboost._core import tables
from costboost._core.arithmetic import Floats
from costboost._core.arrays import Codes
from costboost._core.backends.dask import training_table
from costboost._core.backends.dask.collections import in_memory
from costboost._core.calibration.dirichlet import Dirichlet
from costboost._core.checks import (
    group_codes,
    only_class,
    some,
    warn_of_one_class,
)
from costboost._core.costs import check_matrices, known_costs, least_expected
from costboost._core.engine._kernels import TIE
from costboost._core.fingerprints import Fingerprint, fingerprint
from costboost._core.model.fitted import FittedModel, Stage, differ, last_of
from costboost._core.model.prevalence import reweighted_shares
from costboost._core.parameters.decomposition import DecompositionParameters, SamplingParameters
from costboost._core.parameters.parameter import check_parameters, is_share
from costboost._core.tables import Coder, Features, LocalMatrix, Matrix, Table
from costboost._core.threads.counts import threads
from costboost._core.threads.team import Running
from costboost._core.training.folds import split_rows
from costboost._core.training.progress import Folds, LoggedRounds, logged_fit
from costboost.classifiers.lazy import by_blocks
from costboost.classifiers.predictions import FittedAttribute, Staged
from costboost.multiclass.components import (
    DRAWN,
    MOST_CODES,
    Accepted,
    AsGiven,
    AsNumbers,
    Component,
    FittedComponent,
    Problem,
    c45_like,
    read_problem,
)

# ---- fitted models -------------------------------------------------------------------------------


class Shares:
    """Shares H(y|x) of the classes for each row, after each round and after the last."""

    coders: Sequence[Coder | None] | None = None
    """How each column is read; None if a scikit-learn classifier reads it."""

    def staged(self, table: Table) -> Iterator[Floats]:
        """Shares of each row after each round."""
        raise NotImplementedError

    def last(self, table: Table) -> Floats:
        """Shares of each row after the last round."""
        return np.ascontiguousarray(table.mapped(_last_of_part, self).T)

    def _last(self, table: Table) -> Floats:
        return last_of(self.staged(table))


def _last_of_part(table: Table, shares: Shares) -> Floats:
    """Shares of some rows, which are the columns, after the last round."""
    return shares._last(table).T


@dataclass(frozen=True, eq=False)
class MeanShares(Shares):
    """Shares that are the mean of the probabilities of fitted classifiers."""

    reads: Any
    """Converts a table to the rows that the classifiers take."""
    members: list[FittedComponent]

    def staged(self, table: Table) -> Iterator[Floats]:
        """Mean probabilities of the first t members, for every t."""
        return averages(self.members, table.matrix(self.reads))


@dataclass(frozen=True, eq=False)
class LastEnsemble(Shares):
    """Shares of several ensembles, one for each round, of which the last one predicts."""

    reads: Any
    ensembles: list[list[FittedComponent]]

    def staged(self, table: Table) -> Iterator[Floats]:
        """Mean probabilities of each ensemble."""
        X = table.matrix(self.reads)
        return (average(ensemble, X) for ensemble in self.ensembles)

    def _last(self, table: Table) -> Floats:
        return average(self.ensembles[-1], table.matrix(self.reads))


@dataclass(frozen=True, eq=False)
class RelationalShares(Shares):
    """Shares of the relational hypotheses h(x, y) of GBSE, mixed round by round."""

    relations: Any
    hypotheses: list[Any]
    alpha: float | None
    n_classes: int

    @property
    def coders(self) -> Sequence[Coder | None] | None:  # type: ignore[override]
        binning = getattr(self.relations, "binning", None)
        return None if binning is None else binning.coders

    def staged(self, table: Table) -> Iterator[Floats]:
        """Shares H of each row after each round."""
        rows = self.relations.rows(table)
        H = np.full((table.n_rows, self.n_classes), 1 / self.n_classes)
        for t, h in enumerate(self.hypotheses, 1):
            H = mixed(H, self.relations.accepted(h, rows), self.alpha, t)
            yield H


@dataclass(frozen=True, eq=False, kw_only=True)
class Learnt:
    """The result of training on some rows, before calibration."""

    shares: Shares
    n_iter: int
    rows_used: int
    stop_reason: str
    train_cost: Floats
    estimates: bool = False
    """Whether shares estimate probabilities; otherwise they are votes for the cheapest class."""
    details: dict[str, Any] = field(default_factory=dict)
    """Fitted attributes that only this method has, by name."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MulticlassModel(FittedModel):
    """A fitted model of several classes, with everything that predictions need."""

    features: Features
    classes: NDArray[Any]
    learnt: Learnt
    matrix: Floats
    calibrator: Any
    learner: str
    """"wrapped" for a scikit-learn classifier, else "tree"."""
    prior: Floats | None = None
    """Share of each class in the training rows; None in models of older files, and where shares do
    not estimate probabilities."""
    prevalence: Floats | None = None
    """Shares of the classes that probabilities refer to; None for those of the training rows."""
    fingerprint: Fingerprint | None = None

    @property
    def coders(self) -> Sequence[Coder | None] | None:  # type: ignore[override]
        """How each column is read; None if a scikit-learn classifier reads it."""
        return self.learnt.shares.coders

    @property
    def n_features_in(self) -> int:
        """Number of features seen in `fit`."""
        return self.features.n_features_in

    @property
    def feature_names_in(self) -> Any:
        """Names of the features seen in `fit`, or None."""
        return self.features.feature_names_in

    @property
    def n_iter(self) -> int:
        """Number of rounds or fits."""
        return self.learnt.n_iter

    @property
    def rows_used(self) -> int:
        """Number of rows that all fits together have used."""
        return self.learnt.rows_used

    @property
    def stop_reason(self) -> str:
        """Why training stopped."""
        return self.learnt.stop_reason

    @property
    def train_cost(self) -> Floats:
        """Mean cost of the training rows after each round."""
        return self.learnt.train_cost

    @property
    def labels(self) -> Any:
        """New labels of the training rows; None unless the method is MetaCost."""
        return self.learnt.details.get("labels")

    @property
    def importance(self) -> Any:
        """Importances of the training rows; None unless the method is iterative weighting."""
        return self.learnt.details.get("importance")

    @property
    def decides_by_cost(self) -> bool:
        """Whether decisions use probabilities; otherwise they use votes for the cheapest class."""
        return self.calibrator is not None or self.learnt.estimates

    @property
    def class_prior(self) -> Floats | None:
        """Share of each class that probabilities refer to; None if they are shares of votes."""
        if not self.decides_by_cost:
            return None
        return self.prior if self.prevalence is None else self.prevalence

    def at_prevalence(self, shares: Floats) -> Self:
        """The model with probabilities and decisions for the given shares of the classes."""
        return replace(self, prevalence=shares)

    # ---- stages ----------------------------------------------------------------------------------

    def last(self, table: Table, n_jobs: int | None) -> Stage:
        """The shares after the last round."""
        return self._stage(self.learnt.shares.last(table))

    def stages(self, table: Table, n_jobs: int | None) -> Iterator[Stage]:
        """The shares after each round."""
        return map(self._stage, self.learnt.shares.staged(table))

    def _stage(self, shares: Floats) -> Stage:
        return Stage(shares, shares, 0.0, self.n_iter)

    def probabilities(self, stage: Stage) -> Floats:
        """Calibrated shares, or the shares themselves without a calibrator."""
        shares = stage.score
        probabilities = shares if self.calibrator is None else self.calibrator.probability(shares)
        if self.prevalence is None or self.prior is None:
            return np.asarray(probabilities)
        return reweighted_shares(probabilities, self.prevalence / self.prior)

    def codes(self, stage: Stage, matrix: Floats) -> Codes:
        """The class of least expected cost, or of the greatest share of votes."""
        if self.decides_by_cost:
            return least_expected(self.probabilities(stage), matrix)
        return greatest(stage.raw)

    # ---- costs -----------------------------------------------------------------------------------

    @property
    def positive_index(self) -> int | None:
        """The second of two classes; None of several."""
        return 1 if len(self.classes) == 2 else None

    @property
    def costs_differ(self) -> bool:
        """Whether mistakes differ in cost."""
        return differ(self.matrix)

    def costs_for(self, name: str, given: Mapping[str, Any], n_rows: int) -> Floats:
        """Cost matrix of the decision: the given one, or that of training."""
        if given["cost_matrix"] is None:
            return self.matrix
        if not self.decides_by_cost:
            raise ValueError(
                f"{name} cannot be given other costs after training: its shares are "
                "votes for the cheapest decision under the costs it was trained for. Fit it with "
                "calibration='dirichlet', which turns them into probabilities, or take "
                "MetaCostClassifier(relabel=False) or CostBoostClassifier"
            )
        return check_matrices(given["cost_matrix"], self.classes, n_rows)

    def check_prevalence_taken(self, name: str) -> None:
        """Raise a ValueError if probabilities cannot be brought to another prevalence."""
        if not self.decides_by_cost:
            raise ValueError(
                f"{name} takes no prevalence: its shares are votes for the cheapest "
                "decision. Fit it with calibration='dirichlet', which turns them into "
                "probabilities, or take CostBoostClassifier"
            )
        if self.prior is None or not self.prior.all():
            raise ValueError(
                "the shares of the classes in the training rows are not known, or 0 for a class, "
                "so that probabilities cannot be brought to another prevalence; fit the classifier "
                "again, on rows of every class"
            )


def averages(members: Sequence[FittedComponent], X: Matrix) -> Iterator[Floats]:
    """Mean probabilities of the first t members, for every t."""
    total: Floats | float = 0.0
    for t, one in enumerate(members, 1):
        total = total + X.mapped(one.probabilities)
        yield np.asarray(total / t)


def average(members: Sequence[FittedComponent], X: Matrix) -> Floats:
    """Mean probabilities of all members."""
    return X.mapped(partial(_average, members))


def _average(members: Sequence[FittedComponent], X: Any) -> Floats:
    return last_of(averages(members, LocalMatrix(X)))


def stochastic(accepted: Accepted, H: Floats) -> Floats:
    """Uniform over the accepted labels of a row, or H if there are none (Abe et al., figure 4)."""
    n = accepted.sum(axis=1, keepdims=True)
    return np.where(n > 0, accepted / np.maximum(n, 1), H)


def mixed(H: Floats, accepted: Accepted, alpha: float | None, t: int) -> Floats:
    """Shares H after round t, whose hypothesis accepts the given labels."""
    a = step(alpha, t)
    return (1 - a) * H + a * stochastic(accepted, H)


def step(alpha: float | None, t: int) -> float:
    """Weight of the hypothesis of round t, counted from 1."""
    return 1 / t if alpha is None else float(alpha)


# ---- calibration on held-out rows ----------------------------------------------------------------


CALIBRATORS = {"dirichlet": Dirichlet}
"""Calibrators by the name that ``calibration`` takes."""


def fit_calibrated(
    learn: Callable[[Codes | None, int], Learnt],
    table: Table,
    problem: Problem,
    classes: NDArray[Any],
    *,
    split: Any,
    groups: Codes | None,
    method: str,
    learns_costs: bool,
    random_state: Any,
    verbose: int,
) -> tuple[Learnt, Dirichlet]:
    """Train, and fit a calibrator to the shares of held-out rows.

    ``learn(rows, verbose)`` trains on some rows, or on all if ``rows`` is None. With a share of the
    rows held out, the others are trained on. With folds, each is scored by what was learnt from the
    others, and the result is trained on all rows.
    """
    if np.all(problem.truth == problem.truth[0]):
        raise ValueError("all rows are of one class; calibration needs rows of two")
    random = check_random_state(random_state)
    parts = split_rows(
        split,
        problem.truth,
        np.ones(problem.n_rows),
        lambda: int(random.randint(2**31 - 1)),
        groups,
    )
    held = np.concatenate([rows for _, rows in parts])
    _check_every_class(classes, problem.truth, held)
    if learns_costs:
        _check_something_to_learn(problem, [kept for kept, _ in parts])
    if is_share(split):
        ((kept, _),) = parts
        learnt = learn(kept, verbose)
        shares = learnt.shares.last(table.take(held))
    else:
        folds = Folds(len(parts), verbose)
        of_parts = []
        for kept, rows in parts:
            of_parts.append(learn(kept, 0).shares.last(table.take(rows)))
            folds(f"{kept.size} rows")
        folds.close()
        shares = np.concatenate(of_parts)
        learnt = learn(None, verbose)
    return learnt, CALIBRATORS[method](shares, problem.truth[held])


def _check_every_class(classes: NDArray[Any], truth: Codes, held: Codes) -> None:
    """Raise a ValueError if no row of some class is held out."""
    missing = np.setdiff1d(truth, truth[held])
    if missing.size:
        raise ValueError(
            f"no row of the class {some(classes[missing])} is among the {held.size} that "
            "calibration_split holds out; calibration needs rows of every class: hold out other or "
            "more rows"
        )


def _check_something_to_learn(problem: Problem, parts: list[Codes]) -> None:
    """Raise a ValueError if the training rows of a part have no differences in cost."""
    idle = [kept.size for kept in parts if not problem.cost[kept].any()]
    if idle:
        informative = int(problem.cost.any(axis=1).sum())
        raise ValueError(
            f"calibration_split leaves {idle[0]} rows to train on, on all of which every "
            "prediction costs the same: there is nothing to learn. Costs differ on "
            f"{informative} of {problem.n_rows} rows; hold out other or fewer rows, or take "
            "calibration=None"
        )


# ---- base classes of the methods -----------------------------------------------------------------


class MulticlassAttributes(Staged):
    """The fitted attributes of the methods for several classes."""

    model_: MulticlassModel
    rows_used_: Any = FittedAttribute()
    labels_: Any = FittedAttribute()
    importance_: Any = FittedAttribute()
    class_prior_: Any = FittedAttribute()


@dataclass(kw_only=True, eq=False, repr=False)
class MulticlassClassifier(
    DecompositionParameters, MulticlassAttributes, ClassifierMixin, BaseEstimator
):
    """Base of the methods for several classes; not meant to be used by itself."""

    advice: ClassVar[str]
    reference: ClassVar[str]
    _learns_costs: ClassVar[bool] = True
    """Whether training uses the costs of rows besides their labels."""

    # ---- fit -------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, costs: Any = None, groups: Any = None) -> Self:
        """Train the ensemble.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            A Dask array or data frame is trained on where it is: on the workers of the cluster, if
            there is a client. The model is the same.
        y : array of shape (n_samples,), optional
            Two or more classes, any labels. May be left out where ``costs`` are given; the cheapest
            class of a row is then the true one, and classes are numbered from 0.
        costs : Costs or array of shape (n_samples, n_classes), optional
            Costs instead of ``cost_matrix``. In an array, the cost of predicting each class
            (columns, in the order of ``classes_``) on each row.
        groups : array of shape (n_samples,), optional
            Labels of groups of rows that belong together: rows that calibration holds out are whole
            groups.

        Returns
        -------
        self
        """
        check_parameters(self)
        name, learner = type(self).__name__, "wrapped" if self._wraps() else "tree"
        y, costs, groups = in_memory(y, costs, groups)
        advice = "leave estimator=None"
        with (
            training_table(name, X, self._wraps(), learner, advice) as (table, features),
            logged_fit(name, table),
        ):
            self.model_ = self._trained(table, features, y, costs, groups)
        self.__dict__.pop("reference_", None)  # of the model before
        return self

    def _trained(
        self, table: Table, features: Features, y: Any, costs: Any, groups: Any
    ) -> MulticlassModel:
        """The model of the rows of a table."""
        if not self._wraps():
            tables.warn_of_text(table, self.categorical_features, MOST_CODES)
        classes, problem = read_problem(y, costs, self.cost_matrix, table.n_rows)
        codes = group_codes(groups, table.n_rows)
        learnt, calibrator = self._learnt(table, problem, classes, codes)
        model = MulticlassModel(
            features=features,
            classes=classes,
            learnt=learnt,
            matrix=problem.matrix,
            calibrator=calibrator,
            learner="wrapped" if self._wraps() else "tree",
        )
        if model.decides_by_cost:
            shares = np.bincount(problem.truth, minlength=len(classes)) / problem.n_rows
            model = replace(model, prior=shares)
        if model.coders is not None:
            model = replace(model, fingerprint=fingerprint(table, model.coders))
        if model.n_iter and np.any(problem.truth != problem.truth[0]):
            self._warn_of_one_class(model, table)
        return model

    def _learnt(
        self, table: Table, problem: Problem, classes: NDArray[Any], groups: Codes | None
    ) -> tuple[Learnt, Dirichlet | None]:
        """Train, and calibrate if ``calibration`` is given."""
        if self.calibration is None:
            return self._learn(table, problem, classes, self.verbose), None
        if not self._wraps():
            table = table.read_once()

        def learn(rows: Codes | None, verbose: int) -> Learnt:
            own = table if rows is None else table.take(rows)
            part = problem if rows is None else problem.take(rows)
            return self._learn(own, part, classes, verbose)

        return fit_calibrated(
            learn,
            table,
            problem,
            classes,
            split=self.calibration_split,
            groups=groups,
            method=self.calibration,
            learns_costs=self._learns_costs,
            random_state=self.random_state,
            verbose=self.verbose,
        )

    def _warn_of_one_class(self, model: MulticlassModel, table: Table) -> None:
        """Warn if all training rows are predicted to be of one class."""

        def decide(rows: Any) -> NDArray[Any]:
            part = table if rows.size == table.n_rows else table.take(rows)
            return model.predicted(part, model.matrix, self.n_jobs)

        label = only_class(table.n_rows, decide)
        if label is not None:
            other = "CostBoostClassifier, or calibration='dirichlet'"
            remedy = None if self.calibration is not None else other
            warn_of_one_class(type(self).__name__, label, remedy)

    def _learn(self, table: Table, problem: Problem, classes: NDArray[Any], verbose: int) -> Learnt:
        """Train on the given rows."""
        raise NotImplementedError

    def _wraps(self) -> bool:
        return self.estimator is not None

    def _reader(self, table: Table) -> Any:
        """Converts tables to the rows that the component learner takes."""
        return AsGiven() if self._wraps() else AsNumbers(table, self.categorical_features)

    def _component(self, X: Matrix, n_classes: int, weighted: bool) -> Component:
        estimator = self.estimator
        if not self._wraps():
            estimator = c45_like(self.max_depth, self.min_samples_leaf)
        return Component(estimator, X, n_classes, weighted)

    def _randoms(self, n: int) -> list[RandomState]:
        """A random state for each of n fits, so that results do not depend on the threads."""
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=n)
        return [RandomState(int(number)) for number in seeds]

    def _in_parallel(
        self, work: Callable[[Any], Any], items: Sequence[Any], table: Table
    ) -> Iterator[Any]:
        """Apply ``work`` to every item, in order, with as many threads as are worthwhile."""
        team = table.team(threads(self.n_jobs, table.n_rows * table.n_features * len(items)))
        with Running([partial(work, item) for item in items], team) as running:
            yield from map(running.result, range(len(items)))

    def _fits(
        self,
        work: Callable[[Any], tuple[FittedComponent, int]],
        items: Sequence[Any],
        table: Table,
        verbose: int,
        reason: str,
    ) -> tuple[list[FittedComponent], int]:
        """Fitted members, and the number of rows that all fits used; updates the progress bar."""
        progress = LoggedRounds(len(items), verbose)
        members, rows_used = [], 0
        for member, n_rows in self._in_parallel(work, items, table):
            members.append(member)
            rows_used += n_rows
            progress(f"{n_rows} rows")
        progress.close(reason)
        return members, rows_used

    # ---- predictions -----------------------------------------------------------------------------

    @by_blocks
    def predict_proba(self, X: Any, prevalence: Any = None) -> Floats:
        """Share H(y|x) of each class, in the order of ``classes_``.

        With ``calibration``, and for `MetaCostClassifier` with ``relabel=False``, it is an estimate
        of the probability of the class. Otherwise it is a share of votes for the cheapest
        decision.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        prevalence : number, mapping, array or "estimate", optional
            Shares of the classes among these rows, as in `CostBoostClassifier.predict_proba`; only
            for a classifier that estimates probabilities.
        """
        return self._probabilities(X, prevalence)

    @by_blocks
    def predict(
        self, X: Any, cost_matrix: Any = None, prevalence: Any = None, costs: Any = None
    ) -> NDArray[Any]:
        """The class of each row: that of the greatest share H(y|x).

        A classifier that estimates probabilities (see `predict_proba`) takes the class of least
        expected cost instead.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        cost_matrix : array of shape (n_classes, n_classes) or (n_samples, n_classes, n_classes)
            Decide under these costs instead of those of training, without refitting; only for a
            classifier that estimates probabilities.
        prevalence : number, mapping, array or "estimate", optional
            Decide by the probabilities under these shares of the classes, as `predict_proba`
            returns them.
        costs : Costs, optional
            The costs in one record, instead of ``cost_matrix``.
        """
        return self._predicted(X, stated_matrix(costs, cost_matrix), prevalence)

    def staged_predict(
        self, X: Any, cost_matrix: Any = None, costs: Any = None
    ) -> Iterator[NDArray[Any]]:
        """The class of each row after each round."""
        yield from self._staged_predicted(X, stated_matrix(costs, cost_matrix))


@dataclass(kw_only=True, eq=False, repr=False)
class SamplingClassifier(SamplingParameters, MulticlassClassifier):
    """Base of the methods whose component learner takes weights, or samples drawn by them."""

    def _draws(self) -> bool:
        return self.sampling in DRAWN


def greatest(shares: Floats) -> Codes:
    """The class of greatest share; the first one in a tie."""
    codes: Codes = (shares >= shares.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
    return codes


def stated_matrix(costs: Any, cost_matrix: Any) -> dict[str, Any]:
    """The cost matrix of a decision, which a record of costs may stand for."""
    known_costs(costs, cost_matrix=cost_matrix)
    return {"cost_matrix": cost_matrix if costs is None else costs}
