"""Messages to all shards, and how their answers become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost.engine.binning import positives_first
from costboost.vectors import LocalVector, Vector, joined, parts_of


class Shards(Protocol):
    """A set of shards, in this process or elsewhere.

    A message is the name of a method of `Shard` and its arguments. Of a vector each shard is given
    its part. What a method may be used for depends on its answer.
    """

    n_shards: int
    alone: bool
    """Whether there is one shard, and it is in this process."""
    only: Any
    """That shard; None if there are several."""

    def tell(self, message: str, *given: Any) -> None:
        """Send a message that has no answer."""

    def total(self, message: str, *given: Any) -> Any:
        """The sum of the answers: whole numbers, arrays of them, or tuples of such."""

    def largest(self, message: str, *given: Any) -> Any:
        """The greatest of the answers; of each entry, if they are tuples."""

    def answers(self, message: str, *given: Any) -> list[Any]:
        """The answer of each shard."""

    def vector(self, message: str, *given: Any) -> Vector:
        """The answers, with one entry for each row, as a vector."""

    def spread(self, values: NDArray[Any]) -> Vector:
        """A vector from the values of all rows, shard after shard."""

    def gather(self, vector: Vector) -> NDArray[Any]:
        """The values of a vector, shard after shard."""

    def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
        """Values in the order of a training's rows, shard after shard and positives first."""

    def beside(self, n: int) -> Sequence[Shards]:
        """The same shards for n threads, each with sums and trees of its own; none elsewhere.

        Scores, responses and rows drawn are those of these shards.
        """


def sender(shards: Shards, send: Callable[..., Any], message: str) -> Callable[..., Any]:
    """A function that sends one message by ``send``, which is `tell` or `total` of the shards.

    A single shard in this process is called directly: some messages are sent in every round.
    """
    return getattr(shards.only, message) if shards.alone else partial(send, message)


def added(answers: Sequence[Any]) -> Any:
    """The sum of the answers of all shards."""
    if len(answers) == 1:
        return answers[0]
    if isinstance(answers[0], tuple):
        return tuple(map(added, zip(*answers, strict=True)))
    if not isinstance(answers[0], np.ndarray):
        return sum(answers)
    total = answers[0] + answers[1]
    for one in answers[2:]:
        total += one
    return total


def greatest(answers: Sequence[Any]) -> Any:
    """The greatest answer of all shards."""
    if len(answers) == 1:
        return answers[0]
    if isinstance(answers[0], tuple):
        return tuple(map(max, zip(*answers, strict=True)))
    return max(answers)


class LocalShards:
    """Shards in the memory of this process."""

    def __init__(self, shards: Sequence[Any]) -> None:
        self._hold(list(shards))

    def _hold(self, shards: list[Any]) -> None:
        self._shards = shards
        self.n_shards = len(shards)
        self.alone = self.n_shards == 1
        self.only = shards[0] if self.alone else None
        self._beside: list[LocalShards] = []

    def answers(self, message: str, *given: Any) -> list[Any]:
        if self.alone:  # several times a round: hardly slower than a plain call
            return [getattr(self.only, message)(*given)]
        return [
            getattr(shard, message)(
                *(x.parts[k] if isinstance(x, LocalVector) else x for x in given)
            )
            for k, shard in enumerate(self._shards)
        ]

    def tell(self, message: str, *given: Any) -> None:
        if self.alone:
            getattr(self.only, message)(*given)
        else:
            self.answers(message, *given)

    def total(self, message: str, *given: Any) -> Any:
        if self.alone:
            return getattr(self.only, message)(*given)
        return added(self.answers(message, *given))

    def largest(self, message: str, *given: Any) -> Any:
        return greatest(self.answers(message, *given))

    def vector(self, message: str, *given: Any) -> Vector:
        return joined(self.answers(message, *given))

    def spread(self, values: NDArray[Any]) -> Vector:
        ends = np.cumsum([shard.n_rows for shard in self._shards])
        return joined(np.split(values, ends[:-1]))

    def gather(self, vector: Vector) -> NDArray[Any]:
        return np.concatenate(parts_of(vector))

    def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
        return positives_first(values, positive)

    def beside(self, n: int) -> Sequence[LocalShards]:
        while len(self._beside) < n:
            other = copy(self)
            other._hold([shard.beside() for shard in self._shards])
            self._beside.append(other)
        for other in self._beside[:n]:
            for own, shard in zip(other._shards, self._shards, strict=True):
                own.follow(shard)
        return self._beside[:n]
