"""Fitted models of the methods for several classes: shares of classes for each row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.fingerprints import Fingerprint, Overlap
from costboost.model.binary import last_of
from costboost.multiclass.components import Accepted, Says
from costboost.tables import Coder, Features, Table
from costboost.vectors import Floats


class Shares:
    """Shares H(y|x) of the classes, after each round and at the end."""

    coders: Sequence[Coder | None] | None = None
    """How each column is read; None if a scikit-learn classifier reads it."""

    def staged(self, table: Table) -> Iterator[Floats]:
        """Shares of each row after each round."""
        raise NotImplementedError

    def last(self, table: Table) -> Floats:
        """Shares of each row at the end."""
        return last_of(self.staged(table))


@dataclass(frozen=True, eq=False)
class MeanShares(Shares):
    """The mean over fitted classifiers."""

    reads: Any
    """Converts a table to the rows that the classifiers take."""
    members: list[Says]

    def staged(self, table: Table) -> Iterator[Floats]:
        """Means over the first 1, 2, ... members."""
        return averages(self.members, self.reads(table))


@dataclass(frozen=True, eq=False)
class LastEnsemble(Shares):
    """Several ensembles, of which the last one predicts."""

    reads: Any
    ensembles: list[list[Says]]

    def staged(self, table: Table) -> Iterator[Floats]:
        """The mean of each ensemble."""
        X = self.reads(table)
        return (average(ensemble, X) for ensemble in self.ensembles)

    def last(self, table: Table) -> Floats:
        """The mean of the last ensemble."""
        return average(self.ensembles[-1], self.reads(table))


@dataclass(frozen=True, eq=False)
class RelationalShares(Shares):
    """Relational hypotheses h(x, y), mixed round by round."""

    relations: Any
    hypotheses: list[Any]
    alpha: float | None
    n_classes: int

    @property
    def coders(self) -> Sequence[Coder | None] | None:  # type: ignore[override]
        binning = getattr(self.relations, "binning", None)
        return None if binning is None else binning.coders

    def staged(self, table: Table) -> Iterator[Floats]:
        """H after each round."""
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
    """Whether shares estimate probabilities, and are not votes for the cheapest decision."""
    details: dict[str, Any] = field(default_factory=dict)
    """Fitted attributes of a single method, by name."""


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
        """Why there are not more rounds."""
        return self.learnt.stop_reason

    @property
    def train_cost(self) -> Floats:
        """Mean cost of the training rows after each round."""
        return self.learnt.train_cost

    @property
    def labels(self) -> Any:
        """New labels of the training rows, of MetaCost."""
        return self.learnt.details.get("labels")

    @property
    def importance(self) -> Any:
        """Importances of the training rows, of iterative weighting."""
        return self.learnt.details.get("importance")

    @property
    def estimates(self) -> bool:
        """Whether probabilities decide, and not votes for the cheapest decision."""
        return self.calibrator is not None or self.learnt.estimates

    def probabilities(self, shares: Floats) -> Floats:
        """The calibrated shares, or the shares themselves."""
        if self.calibrator is None:
            return shares
        probabilities: Floats = self.calibrator.probability(shares)
        return probabilities


def averages(members: Sequence[Says], X: Any) -> Iterator[Floats]:
    """Mean probabilities of the first 1, 2, ... members."""
    total: Floats | float = 0.0
    for t, one in enumerate(members, 1):
        total = total + one.probabilities(X)
        yield np.asarray(total / t)


def average(members: Sequence[Says], X: Any) -> Floats:
    """Mean probabilities of all members."""
    return last_of(averages(members, X))


def stochastic(accepted: Accepted, H: Floats) -> Floats:
    """Figure 4 of Abe et al.: uniform over the accepted labels of a row, or H if there are none."""
    n = accepted.sum(axis=1, keepdims=True)
    return np.where(n > 0, accepted / np.maximum(n, 1), H)


def mixed(H: Floats, accepted: Accepted, alpha: float | None, t: int) -> Floats:
    """H after round t, in which these labels were accepted."""
    a = step(alpha, t)
    return (1 - a) * H + a * stochastic(accepted, H)


def step(alpha: float | None, t: int) -> float:
    """The weight of the hypothesis of round t = 1, 2, ..."""
    return 1 / t if alpha is None else float(alpha)
