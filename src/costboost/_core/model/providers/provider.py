"""The contract of providers: scores of rows, wherever the rows are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from costboost._core.arithmetic import Floats
from costboost._core.engine.features import renumbered, tested_features
from costboost._core.tables import Coder, Table


class Provider:
    """Scores of rows, from everything that was learnt or from the first parts of it."""

    coders: Sequence[Coder | None] | None
    """How each column is read; None if a scikit-learn classifier reads it."""
    known_table: Table | None = None
    """During training, a table whose scores are already computed."""

    def scores(self, table: Table, n_jobs: int | None) -> Floats:
        """The score of each row, or a column for each score."""
        (scores,) = self.scores_after(table, None, n_jobs)
        return scores

    def scores_after(
        self, table: Table, ends: Sequence[int] | None, n_jobs: int | None
    ) -> Iterator[Floats]:
        """The scores after the first n rounds, for every n in ``ends``; after all if it is None."""
        staged = table.staged(_scored, self, ends, table.jobs(n_jobs))
        return map(np.ascontiguousarray, map(attrgetter("T"), staged))

    def staged(
        self, table: Table, ends: Sequence[int] | None, n_jobs: int | None
    ) -> Iterator[Floats]:
        """Scores as of `scores_after`, of rows in this process, which are along the last axis."""
        raise NotImplementedError


def _scored(
    table: Table, provider: Provider, ends: Sequence[int] | None, n_jobs: int | None
) -> Iterator[Floats]:
    return provider.staged(table, ends, n_jobs)


def reading(
    ensemble: Any, table: Table, coders: Sequence[Coder | None]
) -> tuple[Any, Table, Sequence[Coder | None]]:
    """An ensemble, and the table and coders that it reads.

    Of features that are computed when they are needed, these are the ones that it tests.
    """
    if not table.computed:
        return ensemble, table, coders
    features = tested_features(ensemble)
    selected = table.select(features)
    return renumbered(ensemble, features), selected, [None] * features.size
