"""Shards on the workers: the messages of a protocol, and vectors over their rows.

Messages that need no answer are sent together with the next one that does. Those that change a
shard, or make a vector, are kept in a log, for the worker that takes the place of a lost one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Vector
from costboost._core.backends.dask.calls import Call, Log, Ref
from costboost._core.backends.dask.placement import Place
from costboost._core.backends.dask.vectors import RemoteVector
from costboost._core.backends.order import NOTHING, Message, Part, messages_of
from costboost._core.backends.protocol import Backend, Histogram
from costboost._core.engine.binning import positives_first

if TYPE_CHECKING:
    from costboost._core.backends.dask.data import RemoteData

MOST_WAITING = 1000
"""Calls without an answer wait for one that has, but not more than so many."""


class RemoteShards:
    """Shards on the workers, which are sent the same messages.

    Parameters
    ----------
    data : RemoteData
        What the shards are opened with.
    places : sequence of Place
        The rows of the training in each shard.
    function : callable
        Opens the shard on a worker.
    given : sequence of tuples
        Its arguments for each shard.
    """

    _parts = NOTHING
    """What the shards hold."""

    def __init__(
        self,
        data: RemoteData,
        places: Sequence[Place],
        function: Callable[..., Any],
        given: Sequence[tuple[Any, ...]],
    ) -> None:
        self._data = data  # kept as long as shards may have to be opened
        self._cluster = cluster = data.table.cluster
        self._log = Log(cluster.n_shards, data.log)
        self._places = places
        self._unused: list[int] = []
        self._shard = Ref(cluster.new_number())
        number = self._shard.number
        self._waiting = {
            place.shard: [Call(function, own, number)]
            for place, own in zip(places, given, strict=True)
        }

    def send(self, message: Message, given: Sequence[Any]) -> Any:
        """Send a message; return its answer, if it has one."""
        self._parts = message.after(self._parts)
        name, answer = message.name, message.answer
        if answer.is_vector:
            return self.kept(name, (self._shard, *given))
        if not answer.is_awaited:
            return self._wait(name, (self._shard, *given), None)
        changes = message.changes != NOTHING
        return answer.combine(self._ask(name, (self._shard, *given), changes))

    # ---- vectors ---------------------------------------------------------------------------------

    def kept(self, function: Callable[..., Any] | str, given: Sequence[Any]) -> RemoteVector:
        """Apply a function on every shard; its results are the parts of a vector."""
        vector = RemoteVector(self, self._cluster.new_number())
        self._wait(function, given, vector.number)
        return vector

    def collected(self, function: Callable[..., Any] | str, given: Sequence[Any]) -> list[Any]:
        """Apply a function on every shard; return its results."""
        return self._ask(function, given, False)

    def forget(self, number: int) -> None:
        """Let the workers drop a vector, with the next messages."""
        self._unused.append(number)

    # ---- calls -----------------------------------------------------------------------------------

    def _wait(self, function: Any, given: Sequence[Any], result: int | None) -> None:
        self._drop_unused()
        call = Call(function, _sent(given), result)
        for calls in self._waiting.values():
            calls.append(call)
        if len(calls) >= MOST_WAITING:
            self.collected(len, ((),))

    def _ask(self, function: Any, given: Sequence[Any], changes: bool) -> list[Any]:
        self._drop_unused()
        call = Call(function, _sent(given))
        calls = {k: [*waiting, call] for k, waiting in self._waiting.items()}
        self._waiting = {k: [] for k in calls}
        n_calls = max(map(len, calls.values()))  # the same for all
        keep = n_calls if changes else n_calls - 1
        return self._cluster.ask(self._log, calls, keep)

    def _drop_unused(self) -> None:
        if self._unused:
            call = Call("forget", tuple(self._unused))
            self._unused = []
            for calls in self._waiting.values():
                calls.append(call)

    def __del__(self) -> None:
        self._cluster.drop([self._shard.number, *self._unused])


def _sent(given: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(Ref(one.number) if isinstance(one, RemoteVector) else one for one in given)


class RemoteRows(RemoteShards):
    """The rows of a training; their histogram is kept until a message changes its sums."""

    n_threads = 1
    trees = None
    _histogram: Histogram | None = None

    def send(self, message: Message, given: Sequence[Any]) -> Any:
        if message.name == "histogram":
            if self._histogram is None:
                self._histogram = super().send(message, given)
            return self._histogram
        ahead = Part.SUMS in self._parts and Part.DRAWN not in self._parts
        if message.ahead is None or not ahead or self._histogram is not None:
            answer = super().send(message, given)
            if message.changes & Part.SUMS:
                self._histogram = None
            return answer
        self._parts = message.after(self._parts)
        both = message, messages_of(Backend)[message.ahead]
        answers = self._ask(_together, (self._shard, message.name, given, message.ahead), False)
        answer, self._histogram = (
            one.answer.combine(parts)
            for one, parts in zip(both, zip(*answers, strict=True), strict=True)
        )
        return answer

    def spread(self, values: NDArray[Any]) -> Vector:
        ends = np.cumsum([place.n_rows for place in self._places])
        vector = RemoteVector(self, self._cluster.new_number())
        for place, part in zip(self._places, np.split(values, ends[:-1]), strict=True):
            self._waiting[place.shard].append(Call(np.asarray, (part,), vector.number))
        return vector

    def gather(self, vector: Vector) -> NDArray[Any]:
        return np.concatenate(self.collected(np.asarray, (vector,)))

    def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
        parts = (place.where for place in self._places)
        return np.concatenate([positives_first(values[one], positive[one]) for one in parts])

    def lanes(self, n: int) -> Sequence[Backend[Vector]]:
        """None: other threads of this process would only send their messages one by one."""
        return []


def _together(shard: Any, message: str, given: Sequence[Any], ahead: str) -> tuple[Any, Any]:
    """The answers to two messages, the second of which has no arguments."""
    return getattr(shard, message)(*given), getattr(shard, ahead)()


def _sending(message: Message) -> Callable[..., Any]:
    """The method that sends a message."""

    def send(self: RemoteShards, *given: Any) -> Any:
        return self.send(message, given)

    return send


@cache
def answering(shards: Any, protocol: type) -> Any:
    """A subclass of remote shards with a method for each message of a protocol."""
    methods = {name: _sending(message) for name, message in messages_of(protocol).items()}
    return type(shards.__name__, (shards,), methods)
