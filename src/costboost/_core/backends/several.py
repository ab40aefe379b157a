"""Several shards of this process as one back end, made from the declarations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import LocalVector, Vector, joined, parts_of
from costboost._core.backends.data import HoldsPairs
from costboost._core.backends.order import NOTHING, Message, Part, messages_of
from costboost._core.backends.protocol import Backend
from costboost._core.backends.shard import PairShard, Shard
from costboost._core.engine.binning import positives_first


class Several:
    """Shards that are sent the same messages, with their parts of vectors."""

    def __init__(self, shards: Sequence[Any]) -> None:
        self._shards = list(shards)
        self._parts = NOTHING
        """What the shards hold."""


class SeveralShards(Several):
    """The rows of a training in several shards."""

    trees = None

    @property
    def n_threads(self) -> int:
        return int(max(shard.n_threads for shard in self._shards))

    def spread(self, values: NDArray[Any]) -> Vector:
        ends = np.cumsum([shard.n_rows for shard in self._shards])
        return joined(np.split(values, ends[:-1]))

    def gather(self, vector: Vector) -> NDArray[Any]:
        return np.concatenate(parts_of(vector))

    def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
        return positives_first(values, positive)

    def lanes(self, n: int) -> Sequence[SeveralShards]:
        lanes = zip(*(shard.lanes(n) for shard in self._shards), strict=True)
        several = [type(self)(shards) for shards in lanes]
        for lane in several:
            lane._parts = self._parts & (Part.NUMBERS | Part.DRAWN | Part.CLASS_RESPONSES)
        return several


def _sending(message: Message) -> Callable[..., Any]:
    """The method that sends a message to all shards."""
    answer, name = message.answer, message.name

    def send(self: Several, *given: Any) -> Any:
        self._parts = message.after(self._parts)
        answers = [
            getattr(shard, name)(*(x.parts[k] if isinstance(x, LocalVector) else x for x in given))
            for k, shard in enumerate(self._shards)
        ]
        return joined(answers) if answer.is_vector else answer.combine(answers)

    return send


@cache
def answering(several: Any, protocol: type) -> Any:
    """A subclass of shards with a method for each message of a protocol."""
    methods = {name: _sending(message) for name, message in messages_of(protocol).items()}
    return type(several.__name__, (several,), methods)


def several(shards: Sequence[Shard], kind: Any = SeveralShards) -> Backend[Vector]:
    """Shards as one back end, in which the values of a training are arranged by its kind."""
    return cast("Backend[Vector]", answering(kind, Backend)(shards))


def several_pairs(shards: Sequence[PairShard]) -> HoldsPairs:
    """Shards of pairs as one."""
    return cast(HoldsPairs, answering(Several, HoldsPairs)(shards))
