"""Base of the fitted models of several classes: probabilities to decisions of least cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from costboost.costs import check_matrices, expected, least_expected
from costboost.engine._kernels import TIE
from costboost.fingerprints import Fingerprint
from costboost.model.binary import FittedModel
from costboost.model.prevalence import population_shares, reweighted_shares
from costboost.tables import Table
from costboost.vectors import Floats

Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False, kw_only=True)
class SeveralModel(FittedModel):
    """A model of several classes: scores and probabilities of each, and a cost matrix."""

    classes: NDArray[Any]
    n_features_in: int
    feature_names_in: NDArray[Any] | None = None
    learner: str
    matrix: Floats
    by_cost: bool
    """Whether decisions compare probabilities with costs; otherwise the largest score wins."""
    changeable: bool
    """Whether predictions accept other costs, because training did not use them."""
    sampling: Floats | None = None
    """Share of the rows of each class that the training data kept of the population."""
    prevalence: Floats | None = None
    """Shares of the classes that probabilities refer to; None for those of the population."""
    fingerprint: Fingerprint | None = None

    @property
    def n_iter(self) -> int:
        """Number of rounds, or the largest number of learners of a class."""
        raise NotImplementedError

    @property
    def feature_importances(self) -> Floats:
        """Share of each feature in the ensembles."""
        raise NotImplementedError

    @property
    def decides_by_cost(self) -> bool:
        """Whether predictions accept other costs than those of training."""
        return self.changeable

    @property
    def class_prior(self) -> Floats:
        """Share of each class that probabilities refer to."""
        if self.prevalence is not None:
            return self.prevalence
        return population_shares(self.training_shares, self.sampling)

    @property
    def training_shares(self) -> Floats:
        """Weighted share of each class in the training rows."""
        raise NotImplementedError

    def at_prevalence(self, shares: Floats) -> Self:
        """The model with probabilities and decisions for the given shares of the classes."""
        return replace(self, prevalence=shares)

    # ---- scores and probabilities ----------------------------------------------------------------

    def scores(self, table: Table, n_jobs: int | None) -> Floats:
        """The score F of each class, a column for each."""
        raise NotImplementedError

    def probabilities(self, table: Table, n_jobs: int | None) -> Floats:
        """Probability of each class; the sum over classes is 1."""
        raise NotImplementedError

    def stages(self, table: Table, n_jobs: int | None) -> Iterator[tuple[Floats, Floats]]:
        """Scores and probabilities after each round."""
        raise NotImplementedError

    def _referred(self, shares: Floats) -> Floats:
        """Probabilities with a sum of 1, under the shares of the classes they refer to."""
        shares = normalised(shares)
        if self.prevalence is None and self.sampling is None:
            return shares
        return reweighted_shares(shares, self.class_prior / self.training_shares)

    # ---- decisions -------------------------------------------------------------------------------

    def values(self, score: Floats, probability: Floats, matrix: Floats) -> Floats:
        """Minus the expected cost of each class, or its score; the largest is that of `codes`."""
        value = -expected(probability, matrix) if self.by_cost else score
        return with_winner(value, self.codes(score, probability, matrix))

    def matrix_for(self, name: str, given: Any, n_rows: int) -> Floats:
        """Cost matrix of the decision: the given one, or that of training."""
        if given is None:
            return self.matrix
        if not self.changeable:
            raise ValueError(
                f"{name} cannot be given other costs after training: it was trained for fixed "
                "costs, or ignores them. Take CostBoostClassifier, AdaMECClassifier, or "
                "calibration='platt'."
            )
        return check_matrices(given, self.classes, n_rows)

    def codes(self, score: Floats, probability: Floats, matrix: Floats) -> Codes:
        """The class of least expected cost, or of the largest score."""
        return least_expected(probability, matrix) if self.by_cost else greatest(score)

    def predicted(
        self, table: Table, matrix: Floats, n_jobs: int | None, probability: Floats | None = None
    ) -> Codes:
        """The class code of each row; probabilities are computed only if they decide."""
        if not self.by_cost:
            return greatest(self.scores(table, n_jobs))
        if probability is None:
            probability = self.probabilities(table, n_jobs)
        return least_expected(probability, matrix)

    def decision_values(self, table: Table, matrix: Floats, n_jobs: int | None) -> Floats:
        """The decision function: minus the expected cost of each class, or its score."""
        none = np.empty(0)
        if self.by_cost:
            return self.values(none, self.probabilities(table, n_jobs), matrix)
        return self.values(self.scores(table, n_jobs), none, matrix)


def greatest(score: Floats) -> Codes:
    """The class with the largest score; of equal ones, the first."""
    size = np.abs(score).max(axis=1, keepdims=True)
    codes: Codes = (score >= score.max(axis=1, keepdims=True) - TIE * size).argmax(axis=1)
    return codes


def with_winner(value: Floats, chosen: Codes) -> Floats:
    """Values whose first maximum is that of the chosen class.

    Values change only where rounding errors put a class with an equal value above it.
    """
    first, top = value.argmax(axis=1), value.max(axis=1)
    lifted, rows = value.copy(), np.arange(len(value))
    lifted[rows, chosen] = np.where(first == chosen, top, np.nextafter(top, np.inf))
    return lifted


def normalised(probability: Floats) -> Floats:
    """Probabilities divided by their sum; uniform where every class has probability 0."""
    total = probability.sum(axis=1, keepdims=True)
    k = probability.shape[1]
    return np.where(total > 0, probability / np.where(total > 0, total, 1), 1 / k)
