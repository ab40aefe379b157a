"""Any scikit-learn classifier as a weak learner, on raw rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from costboost.cells import Floats, Outcome


class RawRows:
    """Rows as the wrapped learner wants them, with their labels (+1, -1) and weights."""

    def __init__(self, X: Any, label: NDArray[np.int64]) -> None:
        self.X = X
        self.label = label
        self.weight: Floats = np.empty(0)

    def start(self, weight: Floats) -> None:
        """Set the initial weights."""
        self.weight = weight / weight.max()
        self.weight /= self.weight.sum()


class Vote:
    """Votes of a fitted classifier; its cells: positives right, wrong, negatives right, wrong."""

    outcome = Outcome(np.array([1.0, -1.0, 1.0, -1.0]))

    def __init__(self, estimator: Any, rows: RawRows) -> None:
        self.estimator = estimator
        self.cell = 2 * (rows.label < 0) + (self.scores(rows) != rows.label)
        self.weight = np.bincount(self.cell, weights=rows.weight, minlength=4)

    def reweigh(self, rows: RawRows, factors: Floats) -> None:
        rows.weight *= factors[self.cell]
        rows.weight /= rows.weight.sum()

    def training_votes(self, rows: RawRows) -> NDArray[np.int64]:
        """The votes on the rows it was trained on, without predicting again."""
        votes: NDArray[np.int64] = rows.label * (1 - 2 * (self.cell % 2))
        return votes

    def scores(self, rows: RawRows) -> NDArray[np.int64]:
        votes: NDArray[np.int64] = np.where(self.estimator.predict(rows.X) > 0, 1, -1)
        return votes


class WrappedLearner:
    """Fits clones of an estimator with the weights of the round."""

    def __init__(self, estimator: Any, random: np.random.RandomState) -> None:
        if not has_fit_parameter(estimator, "sample_weight"):
            raise ValueError(
                f"{type(estimator).__name__} does not take sample_weight in fit, so it cannot be "
                "boosted; take an estimator that does"
            )
        self.estimator = estimator
        self.random = random

    def find(self, rows: RawRows) -> Vote:
        estimator = clone(self.estimator)
        _seed(estimator, self.random)
        return Vote(estimator.fit(rows.X, rows.label, sample_weight=rows.weight), rows)

    def recall(self, rows: RawRows, memory: Any) -> Vote:
        _seed(clone(self.estimator), self.random)  # as if it had been fitted now
        return Vote(memory, rows)


def _seed(estimator: Any, random: np.random.RandomState) -> None:
    """Give every random_state among the (nested) parameters a number of its own."""
    names = [n for n in sorted(estimator.get_params()) if n.split("__")[-1] == "random_state"]
    estimator.set_params(**{name: int(random.randint(2**31 - 1)) for name in names})


@dataclass(frozen=True, eq=False)
class Committee:
    """Fitted classifiers and their steps; ``constant`` is the score where there are none."""

    members: list[Any]
    steps: Floats
    constant: float = 0.0

    def __len__(self) -> int:
        return len(self.members)

    def add_scores(self, X: Any, score: Floats, first: int = 0, last: int | None = None) -> None:
        """Add what the members first, ..., last - 1 say of the rows to the scores."""
        score += self.constant
        for member, step in zip(self.members[first:last], self.steps[first:last], strict=True):
            score += step * np.where(member.predict(X) > 0, 1, -1)

    def importances(self, steps: Floats, n_features: int) -> Floats:
        """The members' own importances, weighted by their steps."""
        total = np.zeros(n_features)
        for member, step in zip(self.members, np.abs(steps), strict=True):
            total += step * np.asarray(member.feature_importances_)
        return total / total.sum() if total.sum() > 0 else total
