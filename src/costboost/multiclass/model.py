"""Fitted models of the methods for several classes, which give each class a share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.fingerprints import Fingerprint, Overlap
from costboost.model.binary import last_of
from costboost.multiclass.components import Accepted, FittedComponent
from costboost.tables import Coder, Features, Table
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
        return last_of(self.staged(table))


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

    def last(self, table: Table) -> Floats:
        """Mean probabilities of the last ensemble."""
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

    def probabilities(self, shares: Floats) -> Floats:
        """Calibrated shares, or the shares themselves without a calibrator."""
        if self.calibrator is None:
            return shares
        probabilities: Floats = self.calibrator.probability(shares)
        return probabilities


def averages(members: Sequence[FittedComponent], X: Any) -> Iterator[Floats]:
    """Mean probabilities of the first t members, for every t."""
    total: Floats | float = 0.0
    for t, one in enumerate(members, 1):
        total = total + one.probabilities(X)
        yield np.asarray(total / t)


def average(members: Sequence[FittedComponent], X: Any) -> Floats:
    """Mean probabilities of all members."""
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
