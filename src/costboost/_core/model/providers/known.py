"""Scores during training, those of some rows being already computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from costboost._core.arithmetic import Floats
from costboost._core.caching import cached_property
from costboost._core.model.providers.learners import Learners
from costboost._core.model.providers.provider import Provider
from costboost._core.tables import Table


class KnownScores(Provider):
    """What a scorer of early stopping is given as the provider after the first rounds.

    The ensemble is built only if the scorer uses it, for instance to predict other rows.
    """

    def __init__(self, empty: Learners, lay_out: Callable[[], Any], table: Table, score: Floats):
        self.learner, self.coders = empty.learner, empty.coders
        self.known_table = table
        self._empty, self._lay_out, self._score = empty, lay_out, score

    @cached_property
    def provider(self) -> Any:
        """The weak learners of the rounds."""
        return self._empty.of(self._lay_out())

    def scores(self, table: Table, n_jobs: int | None) -> Floats:
        """The score of each row; a copy of the known ones."""
        if table is self.known_table:
            return self._score.copy()
        return super().scores(table, n_jobs)

    def staged(
        self, table: Table, ends: Sequence[int] | None, n_jobs: int | None
    ) -> Iterator[Floats]:
        """The scores of rows in this process, from the weak learners."""
        scores: Iterator[Floats] = self.provider.staged(table, ends, n_jobs)
        return scores

    def __getattr__(self, name: str) -> Any:
        """What else the weak learners have."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.provider, name)

    def __reduce__(self) -> Any:
        return _itself, (self.provider,)


def _itself(provider: Provider) -> Provider:
    return provider
