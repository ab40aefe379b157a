"""Shards in this process, and how the driver speaks to all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from costboost.rows.shard import Shard
from costboost.vectors import RowVector, Vector, joined


class PerShard(NamedTuple):
    """An argument of a message that is another one for each shard."""

    parts: Sequence[Any]


class Shards(Protocol):
    """Where the rows are: in this process, or elsewhere."""

    n_shards: int

    def ask(self, message: str, *given: Any) -> list[Any]:
        """Send a message, the name of a method of `Shard`, to every shard; their answers.

        Of a vector, or a `PerShard`, each shard gets its part.
        """

    def vector(self, message: str, *given: Any) -> Vector:
        """The answers, one entry a row, as a vector."""


class LocalShards:
    """Shards in the memory of this process."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self._shards = list(shards)
        self.n_shards = len(self._shards)

    def ask(self, message: str, *given: Any) -> list[Any]:
        if self.n_shards == 1:
            one = (x.parts[0] if isinstance(x, (RowVector, PerShard)) else x for x in given)
            return [getattr(self._shards[0], message)(*one)]
        return [
            getattr(shard, message)(
                *(x.parts[k] if isinstance(x, (RowVector, PerShard)) else x for x in given)
            )
            for k, shard in enumerate(self._shards)
        ]

    def vector(self, message: str, *given: Any) -> Vector:
        return joined(self.ask(message, *given))
