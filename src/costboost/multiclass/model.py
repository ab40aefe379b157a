"""Fitted models of the methods for several classes: shares of the classes and their calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from costboost.calibration.several import Dirichlet
from costboost.checks import some
from costboost.cluster.placement import RemoteMatrix
from costboost.fingerprints import Fingerprint, Overlap
from costboost.model.binary import last_of
from costboost.model.prevalence import reweighted_shares
from costboost.multiclass.components import Accepted, Codes, FittedComponent, Problem
from costboost.progress import Folds
from costboost.tables import Coder, Features, Table
from costboost.training.problem import is_share
from costboost.training.splitting import split_rows
from costboost.vectors import Floats


class Shares:
    """Shares H(y|x) of the classes for each row, after each round and after the last."""

    coders: Sequence[Coder | None] | None = None
    """How each column is read; None if a scikit-learn classifier reads it."""

    def staged(self, table: Table) -> Iterator[Floats]:
        """Shares of each row after each round."""
        raise NotImplementedError

    def last(self, table: Table) -> Floats:
        """Shares of each row after the last round."""
        if table.remote:
            return np.ascontiguousarray(table.mapped(_last_of_part, self).T)
        return self._last(table)

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
        return averages(self.members, self.reads(table))


@dataclass(frozen=True, eq=False)
class LastEnsemble(Shares):
    """Shares of several ensembles, one for each round, of which the last one predicts."""

    reads: Any
    ensembles: list[list[FittedComponent]]

    def staged(self, table: Table) -> Iterator[Floats]:
        """Mean probabilities of each ensemble."""
        X = self.reads(table)
        return (average(ensemble, X) for ensemble in self.ensembles)

    def _last(self, table: Table) -> Floats:
        return average(self.ensembles[-1], self.reads(table))


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
class MulticlassModel:
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
    def coders(self) -> Sequence[Coder | None] | None:
        """How each column is read; None if a scikit-learn classifier reads it."""
        return self.learnt.shares.coders

    def overlap(self, table: Table) -> Overlap | None:
        """How many rows were training rows; None if the model has no fingerprint."""
        if self.fingerprint is None or self.coders is None:
            return None
        return self.fingerprint.overlap(table, self.coders)

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
    def estimates(self) -> bool:
        """Whether decisions use probabilities; otherwise they use votes for the cheapest class."""
        return self.calibrator is not None or self.learnt.estimates

    @property
    def class_prior(self) -> Floats | None:
        """Share of each class that probabilities refer to; None if they are shares of votes."""
        if not self.estimates:
            return None
        return self.prior if self.prevalence is None else self.prevalence

    def at_prevalence(self, shares: Floats) -> Self:
        """The model with probabilities and decisions for the given shares of the classes."""
        return replace(self, prevalence=shares)

    def probabilities(self, shares: Floats) -> Floats:
        """Calibrated shares, or the shares themselves without a calibrator."""
        probabilities = shares if self.calibrator is None else self.calibrator.probability(shares)
        if self.prevalence is None or self.prior is None:
            return np.asarray(probabilities)
        return reweighted_shares(probabilities, self.prevalence / self.prior)


def averages(members: Sequence[FittedComponent], X: Any) -> Iterator[Floats]:
    """Mean probabilities of the first t members, for every t."""
    total: Floats | float = 0.0
    for t, one in enumerate(members, 1):
        total = total + one.probabilities(X)
        yield np.asarray(total / t)


def average(members: Sequence[FittedComponent], X: Any) -> Floats:
    """Mean probabilities of all members."""
    if isinstance(X, RemoteMatrix):
        return X.mapped(partial(average, members))
    return last_of(averages(members, X))


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
        folds = Folds(verbose, len(parts))
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
