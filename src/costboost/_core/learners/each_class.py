"""A hypothesis for the score of each of several classes in every round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from costboost._core.arithmetic import Floats
from costboost._core.engine.class_trees import ScoreTrees
from costboost._core.learners.hypothesis import Hypothesis, Laid, RowLearner
from costboost._core.rows import Rows
from costboost._core.rules.record import Criterion


class ClassHypotheses:
    """The hypotheses of all classes in a round."""

    tree = None

    def __init__(self, members: list[Hypothesis], error: float) -> None:
        self.members = members
        self.error = error
        """Weight share of the pairs (row, class) whose score is moved the wrong way."""
        self.confusion: Floats | None = None
        """Weight share of each class of the training rows that is decided to be each, if known."""

    def scores(self, rows: Any) -> Floats:
        """Values of the hypotheses for every row, a column for each class."""
        return np.column_stack([one.scores(rows) for one in self.members])


class EachClassLearner:
    """Finds a hypothesis for the score of each class, all at the same scores.

    Parameters
    ----------
    learner : RowLearner
        Finds the hypothesis of one class, for its working response.
    n_classes : int
    """

    def __init__(self, learner: RowLearner, n_classes: int) -> None:
        self.learner = learner
        self.n_classes = n_classes
        self.needs = learner.needs

    def find(self, rows: Rows, criterion: Criterion) -> ClassHypotheses | None:
        return self._found(rows, criterion, [None] * self.n_classes)

    def recall(self, rows: Rows, memory: Sequence[Any], criterion: Criterion) -> Any:
        return self._found(rows, criterion, memory)

    def _found(
        self, rows: Rows, criterion: Criterion, memory: Sequence[Any]
    ) -> ClassHypotheses | None:
        """Hypotheses of all classes: those in ``memory``, or the best where that is None."""

        def find(own: Rows, k: int) -> tuple[Hypothesis, float, float] | None:
            by = criterion
            if criterion.smoothing or criterion.per_category:
                by = criterion.per_weight(criterion.smoothing, 1.0, own.response.total_weight)
            one = (
                self.learner.find(own, by)
                if memory[k] is None
                else self.learner.recall(own, memory[k], by)
            )
            if one is None:
                return None
            return one, *own.responses.classes[k].propose_class(own.scores(one))

        members, wrong, total = [], 0.0, 0.0
        for found in rows.each_class(find):
            if found is None:
                return None
            one, against, weight = found
            wrong, total = wrong + against, total + weight
            members.append(one)
        return ClassHypotheses(members, wrong / total)

    def memory(self, trees: ScoreTrees) -> list[list[Any]]:
        """The trees of each round of an ensemble, for `recall`."""
        n = self.n_classes
        return [[trees.tree(t + k) for k in range(n)] for t in range(0, len(trees), n)]

    def model(self, rounds: Laid) -> ScoreTrees:
        """The trees of all rounds, those of a round one behind the other."""
        every = [(one, step) for found, step in rounds for one in found.members]
        column = np.arange(len(every)) % self.n_classes
        return ScoreTrees.of(self.learner.model(every), column)
