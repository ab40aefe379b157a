"""The driver's side of a fit on a Dask cluster: calls to the shards, and their answers.

Each worker holds its partitions in one actor. All that an actor knows follows from its partitions
and from the calls it was sent. The driver keeps these calls, so that when a worker dies, another
one is given the partitions, which Dask computes again, and the calls, and is then what the first
one was, bit for bit.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from itertools import count
from threading import local
from typing import Any, NamedTuple

from costboost._core.backends.dask.actor import TABLE, THREADS
from costboost._core.backends.dask.actors import Actors, Member
from costboost._core.backends.dask.calls import Call, Failure, Log, Ref, dumps, name_of
from costboost._core.backends.dask.channel import Channel
from costboost._core.backends.dask.losses import (
    LOST_IN_A_ROW,
    WorkerLostError,
    is_loss,
    too_many_losses,
)
from costboost._core.backends.dask.waiting import POLL, ClusterError, Wait, awaited

LOG = logging.getLogger(__name__)


class Sent(NamedTuple):
    """Calls on their way to an actor."""

    generation: int
    """How many workers the shard had lost."""
    address: str
    what: str
    """What the worker was asked for, for messages."""
    way: Any
    """Where the answer comes: a channel, or a future of Dask; None if the worker is lost."""


class Cluster:
    """Shards on the workers of a cluster, which are sent calls."""

    def __init__(self, client: Any, groups: Sequence[tuple[str, Sequence[Any]]]) -> None:
        """``groups`` are the address of a worker and the futures of partitions, for each shard."""
        self.client = client
        self.n_shards = len(groups)
        self.table = Ref(TABLE)
        self._numbers = count(THREADS + 1)
        self._unused: list[list[int]] = [[] for _ in groups]
        self._channels = local()
        self._actors = Actors(client, groups)

    def new_number(self) -> int:
        """A number for an object that the shards will keep."""
        return next(self._numbers)

    @staticmethod
    def jobs(n_jobs: int | None) -> Any:
        """Number of threads as an argument of calls: by default those of the worker."""
        return Ref(THREADS) if n_jobs is None or n_jobs < 0 else n_jobs

    def drop(self, numbers: Sequence[int]) -> None:
        """Let the shards forget objects, with the next calls."""
        for unused in self._unused:
            unused += numbers

    def ask(self, log: Log, calls: Mapping[int, Sequence[Call]], keep: int) -> list[Any]:
        """Send calls to shards, the same number to all; return the answers of the last ones.

        The first ``keep`` calls change what the shards keep, and are sent again to a replacement.
        """
        self._actors.check_open()
        before = {k: self._forgetting(k) for k in calls}
        every = {k: [*before[k], *own] for k, own in calls.items()}
        sent = {k: self._dispatch(log, k, own) for k, own in every.items()}
        answers = [self._answer(log, k, every[k], one) for k, one in sent.items()]
        for k in calls if keep else ():
            log.calls[k] += every[k][: len(before[k]) + keep]
        for answer in answers:
            if isinstance(answer, Failure):
                raise answer.error
        return answers

    def _forgetting(self, k: int) -> list[Call]:
        """The call by which a shard forgets unused objects, if there are any."""
        unused, self._unused[k] = self._unused[k], []
        return [Call("forget", tuple(unused))] if unused else []

    def _answer(self, log: Log, k: int, calls: Sequence[Call], sent: Sent) -> Any:
        """The answer of a shard, from a replacement if its worker is lost."""
        for _ in range(LOST_IN_A_ROW):
            try:
                return self._wait(sent)
            except WorkerLostError:
                self._actors.replace(k, sent.generation)
                sent = self._dispatch(log, k, calls)
        raise too_many_losses(k)

    def _dispatch(self, log: Log, k: int, calls: Sequence[Call]) -> Sent:
        """Send calls to a shard, after those that a replacement has not been sent yet."""
        with self._actors.locks[k]:
            generation = self._actors.generation[k]
            chain: list[Log] = []
            one: Log | None = log
            while one is not None:
                chain.append(one)
                one = one.base
            for one in reversed(chain):
                if one.generation[k] != generation and one.calls[k]:
                    try:
                        answer = self._wait(self._send(k, one.calls[k]))
                    except WorkerLostError:
                        return Sent(generation, "", "", None)
                    if isinstance(answer, Failure):
                        raise answer.error
                one.generation[k] = generation
            return self._send(k, calls)

    def _send(self, k: int, calls: Sequence[Call]) -> Sent:
        member = self._actors[k]
        message = dumps(list(calls))
        what = name_of(calls[-1])
        way: Any
        try:
            way = self._channel(k, member)
            if way is None:
                way = member.actor.run(message)
            else:
                way.send(message, POLL, self._actors.look(member.address, what))
        except (RuntimeError, OSError, WorkerLostError) as error:
            if isinstance(error, ClusterError):
                raise
            way = None  # RuntimeError: Dask already knows that it is lost
        return Sent(self._actors.generation[k], member.address, what, way)

    def _channel(self, k: int, member: Member) -> Channel | None:
        """The connection of this thread to a worker; None if it has none."""
        if member.port is None:
            return None
        own: dict[Any, Channel | None] = vars(self._channels).setdefault("by_shard", {})
        key = k, self._actors.generation[k]
        if key not in own:
            own[key] = self._opened_channel(member)
        return own[key]

    def _opened_channel(self, member: Member) -> Channel | None:
        """A new connection to a worker; None if its calls have to go through Dask."""
        assert member.port is not None
        try:
            channel = Channel(member.host, *member.port)
        except OSError as error:
            LOG.info("calls to worker %s go through Dask: %s", member.address, error)
            return None
        self._actors.opened.append(channel)
        return channel

    def _wait(self, sent: Sent) -> Any:
        """The answer to calls; `WorkerLostError` if the worker is gone."""
        if sent.way is None:
            raise WorkerLostError
        return self._actors.received(sent.way, sent.address, sent.what)

    # ---- tasks of Dask ---------------------------------------------------------------------------

    def partition(self, k: int, place: int) -> Any:
        """The future of a partition of a shard."""
        return self._actors.partition(k, place)

    def result(self, future: Any) -> Any:
        """The result of a task, which Dask computes again if its worker is lost."""
        watch = Wait(self.client, "a task that trains on some rows")

        def look() -> None:
            self._actors.check_open()
            watch.look()

        try:
            return awaited(future, look)
        except Exception as error:
            if is_loss(error):
                raise ClusterError(
                    "the workers that computed a task, or held partitions of X, were lost too "
                    "often; the rows of a sample may not fit into the memory of a worker: use "
                    "workers with more memory, or a smaller max_samples"
                ) from error
            raise
        finally:
            future.release()

    def close(self) -> None:
        """Free the actors and the partitions."""
        self._actors.close()
