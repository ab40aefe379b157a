"""The fitted model of several classes: one binary model for each class against the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from costboost.model.binary import BinaryModel
from costboost.model.constraints import Constraints
from costboost.model.scores import SeveralModel
from costboost.rules import Rule
from costboost.tables import Coder, Table
from costboost.vectors import Floats

SEE_ESTIMATORS = "each class has its own; see estimators_"


@dataclass(frozen=True, eq=False, kw_only=True)
class OneVsRestModel(SeveralModel):
    """A binary model for each class against the rest, and the cost matrix of decisions."""

    members: tuple[BinaryModel, ...]
    """A binary model for each class, whose labels are True for the class and False otherwise."""
    random_states: tuple[int, ...]
    """The ``random_state`` of each member."""
    stop_reason: str = SEE_ESTIMATORS

    def with_rule(self, rule: Rule) -> Self:
        """The model with the rule of its members, after it was unpickled."""
        return replace(self, members=tuple(one.with_rule(rule) for one in self.members))

    @property
    def n_iter(self) -> int:
        """Largest number of learners of a member."""
        return max(one.n_iter for one in self.members)

    @property
    def coders(self) -> Sequence[Coder | None]:  # type: ignore[override]
        return self.members[0].coders

    @property
    def constraints(self) -> Constraints:
        """The constraints of training, the same for all members."""
        return self.members[0].constraints

    @property
    def training_shares(self) -> Floats:
        return np.array([one.prior for one in self.members])

    # ---- scores and probabilities ----------------------------------------------------------------

    def scores(self, table: Table, n_jobs: int | None) -> Floats:
        """The score F of each class, in units of half the log-odds."""
        return np.column_stack(
            [_half_log_odds(one, one.scores(table, n_jobs)) for one in self.members]
        )

    def probabilities(self, table: Table, n_jobs: int | None) -> Floats:
        """Probability of each class; the sum over classes is 1."""
        return self._referred(
            np.column_stack([one.probability(one.scores(table, n_jobs)) for one in self.members])
        )

    def stages(self, table: Table, n_jobs: int | None) -> Iterator[tuple[Floats, Floats]]:
        """Scores and probabilities after each round.

        Members that stopped early keep their last values.
        """
        stages = [one.stages(table, n_jobs) for one in self.members]
        scores: list[Any] = [None] * len(stages)
        shares: list[Any] = [None] * len(stages)
        while True:
            moved = False
            for c, (one, stage) in enumerate(zip(self.members, stages, strict=True)):
                for raw, score, votes, n_added in stage:
                    scores[c] = _half_log_odds(one, raw)
                    shares[c] = one.probability(score, votes, n_added)
                    moved = True
                    break
            if not moved:
                return
            yield np.column_stack(scores), self._referred(np.column_stack(shares))

    @property
    def feature_importances(self) -> Floats:
        """Mean share of each feature over the members that have learners."""
        members = [one for one in self.members if one.n_iter] or self.members
        return np.asarray(np.mean([one.feature_importances for one in members], axis=0))


def _half_log_odds(one: BinaryModel, score: Floats) -> Floats:
    """Scores in units of half the log-odds, also for rules whose unit is 1 / cost."""
    return np.asarray(score * (one.decision.slope / 2))
