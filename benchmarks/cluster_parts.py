"""Parts of a round on a cluster, each measured by itself: computation, messages, the driver.

The clocks of processes of one machine are the same, so that what workers note can be compared
with what the driver notes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter, thread_time
from typing import Any

import numpy as np

Times = list[tuple[float, float, int]]
"""When messages came and were answered, and the bytes of the answers."""
CALLS = 100
WARM_CALLS = 40


# ---- on the workers ------------------------------------------------------------------------------


_times: Times = []


def note_times() -> None:
    """Let a worker note when it is sent messages by the driver, and when it has an answer."""
    from costboost._core.backends.dask import channel
    from costboost._core.backends.dask.actor import ShardActor

    run, packed = ShardActor.run, channel.packed

    def noting(self: Any, calls: bytes) -> Any:
        begin = perf_counter()
        answer = run(self, calls)
        _times.append((begin, perf_counter(), 0))
        return answer

    def measuring(value: Any) -> list[Any]:
        parts = packed(value)
        begin, end, _ = _times[-1]
        _times[-1] = begin, end, sum(map(len, parts))
        return parts

    ShardActor.run = noting  # type: ignore[method-assign]
    channel.packed = measuring


def noted_times() -> Times:
    """What the worker has noted since the last time."""
    found = _times[:]
    _times.clear()
    return found


def answer_of(sizes: Sequence[int], seconds: float) -> tuple[Any, ...]:
    """Compute for a while, and answer arrays of so many whole numbers of 8 bytes."""
    begin = thread_time()
    answer = tuple(np.ones(n, dtype=np.int64) for n in sizes)
    while thread_time() - begin < seconds:
        pass
    return answer


# ---- exchanges without training ------------------------------------------------------------------


def exchange_seconds(
    client: Any, lazy: Any, sizes: Sequence[int], computing: float, kept: int
) -> float:
    """Mean seconds from a message to all workers until their answers are added up.

    Answers are arrays of ``sizes`` bytes. The workers compute before they answer, as a process that
    has waited wakes up later; this time is not part of the result. So many sums are kept, as those
    of the nodes of a tree are: each needs memory of its own.
    """
    from costboost._core.backends.combining import added
    from costboost._core.backends.dask.calls import Call, Log
    from costboost._core.backends.dask.table import open_table

    table, _ = open_table(client, "fit", lazy)
    cluster = table.cluster
    call = Call(answer_of, ([n // 8 for n in sizes], computing))
    calls, taken = {k: [call] for k in range(cluster.n_shards)}, []
    sums: deque[Any] = deque(maxlen=kept)
    a_core = max(1.0, cluster.n_shards / (os.cpu_count() or 1))
    try:
        for _ in range(WARM_CALLS + CALLS):
            begin = perf_counter()
            sums.append(added(cluster.ask(Log(cluster.n_shards), calls, 0)))
            taken.append(perf_counter() - begin - computing * a_core)
    finally:
        cluster.close()
    return float(np.mean(taken[WARM_CALLS:]))


# ---- rounds --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Observed:
    """Means over the rounds of a fit, the first of which is left out."""

    seconds: float
    """Of a round."""
    computing: float
    """Seconds of the worker that took longest, added up over the exchanges."""
    exchanges: float
    n_bytes: float
    """Bytes of the answers of one worker, in a round."""
    own: float
    """Seconds in which the driver does not wait for answers."""


@contextmanager
def _noted_exchanges() -> Iterator[list[tuple[float, float]]]:
    from costboost._core.backends.dask.cluster import Cluster

    found: list[tuple[float, float]] = []
    ask = Cluster.ask

    def noting(self: Any, *given: Any) -> list[Any]:
        begin = perf_counter()
        answers = ask(self, *given)
        found.append((begin, perf_counter()))
        return answers

    Cluster.ask = noting  # type: ignore[method-assign]
    try:
        yield found
    finally:
        Cluster.ask = ask  # type: ignore[method-assign]


def observe(client: Any, model: Any, lazy: tuple[Any, Any]) -> Observed:
    """Fit a model on workers that note their times."""
    from costboost._core.loop import listening

    ends: list[float] = []
    client.run(noted_times)
    with _noted_exchanges() as asked, listening(lambda *_: ends.append(perf_counter())):
        model.fit(*lazy)
    first, last, rounds = ends[0], ends[-1], len(ends) - 1
    waits = [(a, b) for a, b in asked if first <= a and b <= last]
    workers = [
        [(b - a, size) for a, b, size in times if first <= a and b <= last]
        for times in client.run(noted_times).values()
    ]
    assert all(len(times) == len(waits) for times in workers), "a message has been lost"
    slowest = sum(max(took for took, _ in one) for one in zip(*workers, strict=True))
    waiting = sum(b - a for a, b in waits)
    sent = sum(size for _, size in workers[0])
    means = [last - first, slowest, len(waits), sent, last - first - waiting]
    return Observed(*(value / rounds for value in means))
