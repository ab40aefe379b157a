"""The rows of a training on the workers: messages and the vectors that answer them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.arithmetic import Vector
from costboost.backends.dask.calls import Call, Log, Ref
from costboost.backends.dask.cluster import Cluster
from costboost.backends.dask.placement import Place
from costboost.backends.dask.vectors import RemoteVector
from costboost.engine.binning import positives_first
from costboost.rows import Histogram, added, greatest

MOST_WAITING = 1000
"""Calls without an answer wait for one that has, but not more than so many."""
PURE = {"histogram", "count", "largest_weights", "sum_weights", "node_counts", "sums", "moments"}
PURE |= {"sum_losses", "sum_staged", "count_drawn", "total_weight", "rate_moments", "confusion"}
"""Messages that leave a shard as it is, so that a replacement need not be sent them."""
KEEPS_HISTOGRAM = PURE | {"propose", "accept", "linearise", "losses", "begin_tree"}
KEEPS_HISTOGRAM |= {"divide", "release", "end_tree", "set_weights", "set_likelihood"}
KEEPS_HISTOGRAM |= {"number_rows", "weigh_leaves"}
KEEPS_HISTOGRAM |= {"set_score_loss", "linearise_scores", "propose_class", "accept_scores"}
"""Messages after which the histogram is what it was."""


class RemoteShards:
    """Shards on the workers: messages that need no answer are sent together with the next other.

    Parameters
    ----------
    cluster : Cluster
    base : Log
        How the objects were made that the shards are opened with.
    places : sequence of Place
        The rows of the training in each shard.
    function : callable
        Opens the shard on a worker.
    given : sequence of tuples
        Its arguments for each shard.
    """

    alone = False
    only = None

    def __init__(
        self,
        cluster: Cluster,
        base: Log,
        places: Sequence[Place],
        function: Callable[..., Any],
        given: Sequence[tuple[Any, ...]],
    ) -> None:
        self._cluster = cluster
        self._log = Log(cluster.n_shards, base)
        self._places = places
        self._unused: list[int] = []
        self._histogram: Histogram | None = None
        self._shard = Ref(cluster.new_number())
        number = self._shard.number
        self._waiting = {
            place.shard: [Call(function, own, number)]
            for place, own in zip(places, given, strict=True)
        }

    # ---- messages --------------------------------------------------------------------------------

    def tell(self, message: str, *given: Any) -> None:
        if message not in KEEPS_HISTOGRAM:
            self._histogram = None
        self._wait(message, (self._shard, *given), None)

    def total(self, message: str, *given: Any) -> Any:
        if message == "histogram":
            if self._histogram is None:
                self._histogram = added(self._ask(message, (self._shard,), False))
            return self._histogram
        if message == "losses_and_histogram":
            losses, self._histogram = added(self._ask(message, (self._shard, *given), False))
            return losses, self._histogram
        return added(self.answers(message, *given))

    def largest(self, message: str, *given: Any) -> Any:
        return greatest(self.answers(message, *given))

    def answers(self, message: str, *given: Any) -> list[Any]:
        if message not in KEEPS_HISTOGRAM:
            self._histogram = None
        return self._ask(message, (self._shard, *given), message not in PURE)

    def vector(self, message: str, *given: Any) -> Vector:
        return self.kept(message, (self._shard, *given))

    def beside(self, n: int) -> list[RemoteShards]:
        """None: other threads of this process would only send their messages one by one."""
        return []

    # ---- vectors ---------------------------------------------------------------------------------

    def kept(self, function: Callable[..., Any] | str, given: Sequence[Any]) -> RemoteVector:
        """Apply a function on every shard; its results are the parts of a vector."""
        vector = RemoteVector(self, self._cluster.new_number())
        self._wait(function, given, vector.number)
        return vector

    def collected(self, function: Callable[..., Any] | str, given: Sequence[Any]) -> list[Any]:
        """Apply a function on every shard; return its results."""
        return self._ask(function, given, False)

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
