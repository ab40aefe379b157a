"""The driver's side of a fit on a Dask cluster: actors that hold the rows, and their replacement.

Each worker holds its partitions in one actor. All that an actor knows follows from its partitions
and from the calls it was sent. The driver keeps these calls, so that when a worker dies, another
one is given the partitions, which Dask computes again, and the calls, and is then what the first
one was, bit for bit.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from threading import Lock, local
from typing import Any, NamedTuple

from costboost._core.backends.dask.actor import TABLE, THREADS, ShardActor
from costboost._core.backends.dask.calls import Call, Failure, Log, Ref, dumps, name_of
from costboost._core.backends.dask.channel import Channel, KeyPair
from costboost._core.backends.dask.waiting import POLL, ClusterError, Wait, awaited, workers_of

LOG = logging.getLogger(__name__)

DIRECT = "costboost.direct"
"""Option of Dask's configuration: whether the driver may connect to the workers itself."""
LOST_IN_A_ROW = 8
"""A shard whose worker is lost so often without a call answered probably does not fit anywhere."""


class Sent(NamedTuple):
    """Calls on their way to an actor."""

    generation: int
    """How many workers the shard had lost."""
    address: str
    what: str
    """What the worker was asked for, for messages."""
    way: Any
    """Where the answer comes: a channel, or a future of Dask; None if the worker is lost."""


class Member(NamedTuple):
    """The actor of a shard."""

    actor: Any
    address: str
    host: str = ""
    port: tuple[int, bytes] | None = None
    """Port and secret of direct connections; None if there are none."""


class Cluster:
    """Actors with the partitions of a collection."""

    def __init__(self, client: Any, groups: Sequence[tuple[str, Sequence[Any]]]) -> None:
        """``groups`` are the address of a worker and the futures of partitions, for each shard."""
        self.client = client
        self.n_shards = len(groups)
        self.table = Ref(TABLE)
        self._numbers = count(THREADS + 1)
        self._unused: list[list[int]] = [[] for _ in groups]
        self._parts = [list(parts) for _, parts in groups]
        self._locks = [Lock() for _ in groups]
        self._members: list[Any] = [None] * self.n_shards
        self._channels = local()
        self._opened: list[Channel] = []
        self._generation = [0] * self.n_shards
        self._closed = False
        self._futures: list[Any] = []
        try:
            self._start([address for address, _ in groups])
        except BaseException:
            self.close()
            raise

    # ---- calls -----------------------------------------------------------------------------------

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
        self._check_open()
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
                self._replace(k, sent.generation)
                sent = self._dispatch(log, k, calls)
        raise _too_many_losses(k)

    def _dispatch(self, log: Log, k: int, calls: Sequence[Call]) -> Sent:
        """Send calls to a shard, after those that a replacement has not been sent yet."""
        with self._locks[k]:
            generation = self._generation[k]
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
        member = self._members[k]
        message = dumps(list(calls))
        what = name_of(calls[-1])
        way: Any
        try:
            way = self._channel(k, member)
            if way is None:
                way = member.actor.run(message)
            else:
                way.send(message, POLL, self._look(member.address, what))
        except (RuntimeError, OSError, WorkerLostError) as error:
            if isinstance(error, ClusterError):
                raise
            way = None  # RuntimeError: Dask already knows that it is lost
        return Sent(self._generation[k], member.address, what, way)

    def _channel(self, k: int, member: Member) -> Channel | None:
        """The connection of this thread to a worker; None if it has none."""
        if member.port is None:
            return None
        own: dict[Any, Channel | None] = vars(self._channels).setdefault("by_shard", {})
        key = k, self._generation[k]
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
        self._opened.append(channel)
        return channel

    def _look(self, address: str, what: str) -> Callable[[], None]:
        """What is done again and again while a worker has not answered."""
        watch: list[Wait] = []

        def look() -> None:
            self._check_open()
            watch[:] = watch or [Wait(self.client, what, address)]
            if address not in watch[0].look():
                raise WorkerLostError

        return look

    def _wait(self, sent: Sent) -> Any:
        """The answer to calls; `WorkerLostError` if the worker is gone."""
        if sent.way is None:
            raise WorkerLostError
        look = self._look(sent.address, sent.what)
        try:
            if isinstance(sent.way, Channel):
                return sent.way.receive(POLL, look)
            return awaited(sent.way, look)
        except ClusterError:
            raise
        except (OSError, RuntimeError, KeyError, ValueError) as error:
            self._check_open()  # its connections are closed as well
            raise WorkerLostError from error

    def _check_open(self) -> None:
        if self._closed:
            raise ClusterError("the fit on the cluster was stopped")

    # ---- tasks of Dask ---------------------------------------------------------------------------

    def partition(self, k: int, place: int) -> Any:
        """The future of a partition of a shard."""
        return self._parts[k][place]

    def result(self, future: Any) -> Any:
        """The result of a task, which Dask computes again if its worker is lost."""
        watch = Wait(self.client, "a task that trains on some rows")

        def look() -> None:
            self._check_open()
            watch.look()

        try:
            return awaited(future, look)
        except Exception as error:
            if _is_loss(error):
                raise ClusterError(
                    "the workers that computed a task, or held partitions of X, were lost too "
                    "often; the rows of a sample may not fit into the memory of a worker: use "
                    "workers with more memory, or a smaller max_samples"
                ) from error
            raise
        finally:
            future.release()

    # ---- workers ---------------------------------------------------------------------------------

    def _start(self, addresses: Sequence[str]) -> None:
        """Create the actors, all at the same time."""
        threads = workers_of(self.client)
        submitted = [
            self._submit(k, address, threads.get(address, 1)) for k, address in enumerate(addresses)
        ]
        for k, (future, address) in enumerate(zip(submitted, addresses, strict=True)):
            actor = self._created(future, address)
            if actor is None:
                self._replace(k, 0)
            else:
                self._members[k] = self._connected(actor, address)

    def _submit(self, k: int, address: str, n_threads: int) -> Any:
        self._check_open()
        given = n_threads, *self._parts[k]
        future = self.client.submit(ShardActor, *given, actor=True, workers=[address], pure=False)
        self._futures.append(future)
        return future

    def _created(self, future: Any, address: str) -> Any:
        """The actor of a future, or None if its worker is lost before it exists."""
        try:
            return awaited(future, self._look(address, "a worker to take its partitions of X"))
        except WorkerLostError:
            future.release()
            return None
        except Exception as error:
            future.release()
            if _is_loss(error):
                return None
            raise

    def _replace(self, k: int, generation: int) -> None:
        """Give the partitions of a shard to another worker, unless another thread has."""
        with self._locks[k]:
            if self._generation[k] != generation:
                return
            lost = self._members[k].address if self._members[k] else None
            self._check_open()
            LOG.warning("shard %d has lost its worker %s: its rows are read again", k, lost or "")
            watch, attempts = Wait(self.client, "a worker"), 0
            while True:
                workers = workers_of(self.client)
                workers.pop(lost or "", None)
                watch.expect_workers(workers)
                if not workers:
                    self.client.sync(_pause)
                    self._check_open()
                    continue
                attempts += 1
                if attempts > LOST_IN_A_ROW:
                    raise _too_many_losses(k)
                self._revive(k)
                used = [one.address for one in self._members if one]
                address = min(workers, key=lambda one: (used.count(one), one))
                future = self._submit(k, address, workers[address])
                actor = self._created(future, address)
                if actor is not None:
                    break
            self._members[k] = self._connected(actor, address)
            self._generation[k] += 1
            LOG.info("shard %d is on worker %s", k, address)

    def _revive(self, k: int) -> None:
        """Have the partitions of a shard computed again if workers died over them."""
        failed = [part for part in self._parts[k] if part.status == "error"]
        for part in failed:
            error = part.exception()
            if not _is_loss(error):
                raise error
        if failed:
            LOG.info("%d partitions of shard %d are computed again", len(failed), k)
            self.client.retry(failed)
        if any(part.status == "cancelled" for part in self._parts[k]):
            raise ClusterError(
                "partitions of X were lost with their worker, and Dask cannot compute them again; "
                "give X as a collection that is read from files or computed, not as scattered data"
            )

    def _connected(self, actor: Any, address: str) -> Member:
        """The actor with a port for direct connections, if there can be one."""
        from dask import config

        protocol, _, place = address.partition("://")
        host = place.rpartition(":")[0].strip("[]")
        if protocol == "inproc":  # a worker in a thread of this process
            protocol, host = "tcp", "127.0.0.1"
        direct = config.get(DIRECT, True)
        if protocol != "tcp" or not host or not direct:
            return Member(actor, address)
        keys = KeyPair()
        try:
            listening = actor.listen(host, keys.public)
            port, public = self._wait(Sent(0, address, "a direct connection", listening))
            secret = keys.shared(public)
            Channel(host, port, secret).close()
        except (OSError, WorkerLostError) as error:
            LOG.info("calls to worker %s go through Dask: %s", address, error)
            return Member(actor, address)
        return Member(actor, address, host, (port, secret))

    def close(self) -> None:
        """Free the actors and the partitions."""
        self._closed = True
        for channel in self._opened:
            with suppress(OSError):
                channel.close()
        futures, self._futures = self._futures, []  # after `_closed`: no more are added
        if futures and self.client.status == "running":
            with suppress(OSError, TimeoutError):  # proxies of actors are in cycles of references
                self.client.cancel(futures, asynchronous=False, force=True)
        self._members = [None] * self.n_shards
        self._parts = []


class WorkerLostError(Exception):
    """The worker of a shard is gone."""


async def _pause() -> None:
    import asyncio

    await asyncio.sleep(POLL)


def _too_many_losses(k: int) -> ClusterError:
    return ClusterError(
        f"the worker that held shard {k} was lost {LOST_IN_A_ROW} times without getting past the "
        "same step; its rows may not fit into the memory of a worker: use more or smaller "
        "partitions, or workers with more memory"
    )


def _is_loss(error: BaseException) -> bool:
    """Whether an error of a task means that workers died, and not that the task is wrong."""
    return type(error).__name__ in {"KilledWorker", "CancelledError", "FutureCancelledError"}
