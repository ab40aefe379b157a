"""Any scikit-learn classifier as a weak learner, on raw rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from costboost._core.arithmetic import Floats
from costboost._core.cells import Outcome
from costboost._core.learners.hypothesis import Laid
from costboost._core.rules.record import Criterion
from costboost._core.tables import Table


class RawRows:
    """Rows as a table for the wrapped learner, with their labels (+1, -1) and weights."""

    draws = False

    def __init__(self, table: Table, label: Floats) -> None:
        self.table = table
        self.X = table.X
        self.label = label
        self.weight: Floats = np.empty(0)

    def begin_round(self, m: int) -> None:
        """Do nothing: no rows are drawn."""

    def set_row_weights(self, weight: Floats, cost: Floats | None = None) -> None:
        """Give every row its weight; costs are not used."""
        shares = weight / weight.max()
        self.weight = shares / shares.sum()

    def scores(self, hypothesis: Any) -> Floats:
        """The value of a hypothesis, found on these rows, for each of them."""
        return np.asarray(hypothesis.value[hypothesis.side])

    def leaves(self, hypothesis: Any) -> NDArray[np.intp]:
        """The leaf (0 or 1) of a hypothesis, found on these rows, for each of them."""
        return np.asarray(hypothesis.side)


class Vote:
    """The votes of a fitted classifier: two leaves, -1 and +1."""

    many_leaves = False
    solved: Floats | None = None
    pooled: Floats | None = None

    def __init__(self, estimator: Any, rows: RawRows) -> None:
        self.estimator = estimator
        self.side = self.leaves(rows)
        cell = 2 * (rows.label < 0) + self.side
        self.weight: Floats = np.asarray(np.bincount(cell, rows.weight, 4), dtype=np.float64)
        self.take_values(np.array([-1.0, 1.0]))

    def take_values(self, value: Floats) -> None:
        self.value = value
        self.outcome = Outcome(np.concatenate([value, -value]))

    def weigh_all_rows(self, rows: RawRows) -> None:
        pass

    def reweigh(self, rows: RawRows, factors: Floats) -> None:
        rows.set_row_weights(rows.weight * factors[2 * (rows.label < 0) + self.side])

    def scores(self, rows: RawRows) -> Floats:
        scores: Floats = self.value[self.leaves(rows)]
        return scores

    def leaves(self, rows: RawRows) -> NDArray[np.intp]:
        return np.asarray(self.estimator.predict(rows.X) > 0).astype(np.intp)


class WrappedLearner:
    """Fits clones of an estimator with the weights of the round.

    One that takes no weights is fitted to a sample of the rows instead, drawn by them.
    """

    def __init__(self, estimator: Any, random: np.random.RandomState, resample: bool) -> None:
        if not resample and not has_fit_parameter(estimator, "sample_weight"):
            raise ValueError(
                f"{type(estimator).__name__} does not take sample_weight in fit; boost it with "
                "resample=True, or take an estimator that does"
            )
        self.estimator = estimator
        self.random = random
        self.resample = resample

    def find(self, rows: RawRows, criterion: Criterion) -> Vote:
        estimator, drawn = self._prepared(rows)
        if drawn is None:
            return Vote(estimator.fit(rows.X, rows.label, sample_weight=rows.weight), rows)
        return Vote(estimator.fit(rows.table.take(drawn).X, rows.label[drawn]), rows)

    def recall(self, rows: RawRows, memory: Any, criterion: Criterion) -> Vote:
        self._prepared(rows)  # as if it had been fitted now
        return Vote(memory, rows)

    def model(self, rounds: Laid) -> Committee:
        hypotheses, steps = zip(*rounds, strict=True)
        values = [step * h.value for h, step in zip(hypotheses, steps, strict=True)]
        return Committee([h.estimator for h in hypotheses], np.array(values))

    def _prepared(self, rows: RawRows) -> tuple[Any, NDArray[np.intp] | None]:
        """A clone with its own random states, and the rows to fit it to, None for all."""
        estimator = clone(self.estimator)
        seed(estimator, self.random)
        return estimator, self._draw(rows) if self.resample else None

    def _draw(self, rows: RawRows) -> NDArray[np.intp]:
        """As many rows as there are, drawn by weight. If a class is not among them, its heaviest
        row replaces the last one drawn."""
        n = rows.label.size
        drawn = self.random.choice(n, size=n, p=rows.weight)
        for sign in (1.0, -1.0):
            if not np.any(rows.label[drawn] == sign):
                drawn[-1] = np.argmax(np.where(rows.label == sign, rows.weight, -1.0))
        return np.asarray(drawn)


def seed(estimator: Any, random: np.random.RandomState) -> None:
    """Give every random_state among the (nested) parameters its own number."""
    names = [n for n in sorted(estimator.get_params()) if n.split("__")[-1] == "random_state"]
    estimator.set_params(**{name: int(random.randint(2**31 - 1)) for name in names})


@dataclass(frozen=True, eq=False)
class Committee:
    """Fitted classifiers, and what each adds to the score when it predicts -1 or +1.

    ``constant`` is the score if there are none.
    """

    members: list[Any]
    values: Floats
    constant: float = 0.0

    def __len__(self) -> int:
        return len(self.members)

    def add_scores(self, X: Any, score: Floats, first: int = 0, last: int | None = None) -> None:
        """Add the predictions of the members first, ..., last - 1 to the scores."""
        score += self.constant
        for member, value in zip(self.members[first:last], self.values[first:last], strict=True):
            score += value[(member.predict(X) > 0).astype(np.intp)]

    def importances(self, steps: Floats, n_features: int) -> Floats:
        """The members' own importances, weighted by their steps."""
        total = np.zeros(n_features)
        for member, step in zip(self.members, np.abs(steps), strict=True):
            total += step * np.asarray(member.feature_importances_)
        return total / total.sum() if total.sum() > 0 else total
