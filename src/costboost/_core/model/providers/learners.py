"""Providers of one score, to which every weak learner adds its vote."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.engine.ensemble import Ensemble, RowBlocks
from costboost._core.engine.lines import Lines
from costboost._core.learners.wrapped import Committee
from costboost._core.model.providers.provider import Provider, reading
from costboost._core.tables import Coder, Table
from costboost._core.threads.counts import threads

STAGED_SCORES = 2**22
"""Scores of stages that are computed at a time: 32 MB."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Learners(Provider):
    """Weak learners, and how their votes become the score F."""

    learner: str
    """Name of the weak learner; "wrapped" for a scikit-learn classifier."""
    coders: Sequence[Coder | None]
    """The codes of each categorical feature; None for a number."""
    ensemble: Any
    combine: Callable[[Floats, float, Floats], Floats] | None = None
    """Function that updates the score with a learner's vote; None if votes are added."""
    background: NDArray[Any] | None = None
    """Training rows that reach each node of the trees, or the mean of the feature of each line:
    what explanations compare rows with. None if they need rows to compare with."""

    def staged(
        self, table: Table, ends: Sequence[int] | None, n_jobs: int | None
    ) -> Iterator[Floats]:
        """The score after the first n learners, for every n in ``ends``; after all if None."""
        n = max(1, len(self.ensemble))
        wanted = [n] if ends is None else list(ends)
        through = wanted if self.combine is None or ends is not None else list(range(1, n + 1))
        score = np.zeros(table.n_rows)
        for k, votes in enumerate(self._votes(table, [0, *through], n_jobs), 1):
            if votes is not None and self.combine is not None:
                score = self.combine(score, 1.0, votes)
            elif votes is not None:
                score = score + votes
            if k > len(through) - len(wanted):
                yield score

    def _votes(
        self, table: Table, ends: Sequence[int], n_jobs: int | None
    ) -> Iterator[Floats | None]:
        """Sum of the learners ends[k], ..., ends[k + 1] - 1 for every k; None if there are none."""
        raise NotImplementedError

    def of(self, ensemble: Any) -> Self:
        """The provider with another ensemble of the same kind."""
        return replace(self, ensemble=ensemble)

    def numbers(self, table: Table) -> Floats:
        """The table as numbers, categories by their codes, as the ensemble reads it."""
        blocks = [np.asarray(part, dtype=np.float64) for _, part in table.row_blocks(self.coders)]
        return np.concatenate(blocks)

    def importances(self, steps: Floats, n_features: int) -> Floats:
        """Share of each feature in the ensemble."""
        importances: Floats = self.ensemble.importances(steps, n_features)
        return importances


@dataclass(frozen=True, eq=False, kw_only=True)
class SumOfLearners(Learners):
    """Built-in weak learners: trees, or lines."""

    ensemble: Ensemble | Lines

    def _votes(
        self, table: Table, ends: Sequence[int], n_jobs: int | None
    ) -> Iterator[Floats | None]:
        """Votes as of `Learners`; rows are read once for several stages."""
        ensemble, table, coders = reading(self.ensemble, table, self.coders)
        at_a_time = max(1, STAGED_SCORES // max(table.n_rows, 1))
        blocks: Callable[[], RowBlocks] = partial(table.row_blocks, coders)
        if len(ends) - 1 > at_a_time:
            blocks = table.repeated_blocks(coders)
        n_threads = threads(n_jobs, table.n_rows * table.n_features)
        for first in range(0, len(ends) - 1, at_a_time):
            some = ends[first : first + at_a_time + 1]
            votes = np.zeros((len(some) - 1, table.n_rows))
            ensemble.add_stages(blocks(), votes, n_threads, some)
            for of_stage, (begin, end) in zip(votes, pairwise(some), strict=True):
                yield None if begin == end else of_stage


@dataclass(frozen=True, eq=False, kw_only=True)
class WrappedLearners(Learners):
    """Fitted classifiers of scikit-learn."""

    ensemble: Committee

    def _votes(
        self, table: Table, ends: Sequence[int], n_jobs: int | None
    ) -> Iterator[Floats | None]:
        """Votes as of `Learners`."""
        for begin, end in pairwise(ends):
            votes = np.zeros(table.n_rows)
            if begin < end:
                self.ensemble.add_scores(table.X, votes, begin, end)
            yield None if begin == end else votes

    def numbers(self, table: Table) -> Floats:
        """Zeros: what the classifiers read need not be numbers."""
        return np.zeros((table.n_rows, table.n_features))
