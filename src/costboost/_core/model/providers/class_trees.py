"""A score for each class, from trees each of which adds to that of one class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from costboost._core.arithmetic import Floats
from costboost._core.engine.class_trees import ScoreTrees
from costboost._core.model.providers.learners import Learners, SumOfLearners
from costboost._core.model.providers.provider import reading
from costboost._core.tables import Table
from costboost._core.threads.counts import threads


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassTrees(SumOfLearners):
    """Trees of all classes, in every round one for each; the scores of a row add up to 0."""

    ensemble: ScoreTrees
    n_scores: int

    def staged(
        self, table: Table, ends: Sequence[int] | None, n_jobs: int | None
    ) -> Iterator[Floats]:
        """The scores after the first n rounds, for every n in ``ends``; after all if None."""
        ensemble, table, coders = reading(self.ensemble, table, self.coders)
        n_threads = threads(n_jobs, table.n_rows * table.n_features)
        if ends is None:
            blocks = table.row_blocks(coders)
            yield centred(ensemble.class_scores(blocks, table.n_rows, self.n_scores, n_threads))
            return
        shape, trees = (self.n_scores, table.n_rows), [self.n_scores * end for end in ends]
        repeated = table.repeated_blocks(coders)
        yield from map(centred, ensemble.staged_class_scores(repeated, shape, n_threads, trees))

    def of_class(self, k: int) -> Learners:
        """The score of one class, before the mean over the classes is subtracted."""
        reached = None
        if self.background is not None:
            reached = self.background[self.ensemble.nodes_of_score(k)]
        return SumOfLearners(
            learner=self.learner,
            coders=self.coders,
            ensemble=self.ensemble.of_score(k),
            background=reached,
        )

    def importances(self, steps: Floats, n_features: int) -> Floats:
        """Share of each feature in the trees of all classes."""
        return super().importances(np.repeat(steps, self.n_scores), n_features)


def centred(score: Floats) -> Floats:
    """Scores (classes x rows) minus their mean over the classes."""
    total = score[0].copy()
    for of_class in score[1:]:
        total += of_class
    return np.asarray(score - total / len(score))
