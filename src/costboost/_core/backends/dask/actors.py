"""The actors that hold the shards, one on each worker: made, connected, and replaced."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any, NamedTuple

from costboost._core.backends.dask.actor import ShardActor
from costboost._core.backends.dask.channel import Channel, KeyPair
from costboost._core.backends.dask.losses import (
    LOST_IN_A_ROW,
    WorkerLostError,
    is_loss,
    too_many_losses,
)
from costboost._core.backends.dask.waiting import POLL, ClusterError, Wait, awaited, workers_of

LOG = logging.getLogger(__name__)

DIRECT = "costboost.direct"
"""Option of Dask's configuration: whether the driver may connect to the workers itself."""


class Member(NamedTuple):
    """The actor of a shard."""

    actor: Any
    address: str
    host: str = ""
    port: tuple[int, bytes] | None = None
    """Port and secret of direct connections; None if there are none."""


class Actors:
    """Actors with the partitions of a collection; lost ones are made again on other workers."""

    def __init__(self, client: Any, groups: Sequence[tuple[str, Sequence[Any]]]) -> None:
        """``groups`` are the address of a worker and the futures of partitions, for each shard."""
        self.client = client
        self.locks = [Lock() for _ in groups]
        """Held while an actor is sent calls, or replaced."""
        self.generation = [0] * len(groups)
        """How many workers each shard has lost."""
        self._parts = [list(parts) for _, parts in groups]
        self._members: list[Any] = [None] * len(groups)
        self.opened: list[Channel] = []
        """Connections to them."""
        self._closed = False
        self._futures: list[Any] = []
        try:
            self._start([address for address, _ in groups])
        except BaseException:
            self.close()
            raise

    def __getitem__(self, k: int) -> Member:
        """The actor of a shard."""
        member: Member = self._members[k]
        return member

    def partition(self, k: int, place: int) -> Any:
        """The future of a partition of a shard."""
        return self._parts[k][place]

    def check_open(self) -> None:
        """Raise a `ClusterError` if the fit was stopped."""
        if self._closed:
            raise ClusterError("the fit on the cluster was stopped")

    # ---- waiting for one worker ------------------------------------------------------------------

    def look(self, address: str, what: str) -> Callable[[], None]:
        """What is done again and again while a worker has not answered."""
        watch: list[Wait] = []

        def look() -> None:
            self.check_open()
            watch[:] = watch or [Wait(self.client, what, address)]
            if address not in watch[0].look():
                raise WorkerLostError

        return look

    def received(self, way: Any, address: str, what: str) -> Any:
        """What comes from a worker by a channel or a future; `WorkerLostError` if it is gone."""
        look = self.look(address, what)
        try:
            return way.receive(POLL, look) if isinstance(way, Channel) else awaited(way, look)
        except ClusterError:
            raise
        except (OSError, RuntimeError, KeyError, ValueError) as error:
            self.check_open()  # its connections are closed as well
            raise WorkerLostError from error

    # ---- making them -----------------------------------------------------------------------------

    def _start(self, addresses: Sequence[str]) -> None:
        """Create the actors, all at the same time."""
        threads = workers_of(self.client)
        submitted = [
            self._submit(k, address, threads.get(address, 1)) for k, address in enumerate(addresses)
        ]
        for k, (future, address) in enumerate(zip(submitted, addresses, strict=True)):
            actor = self._created(future, address)
            if actor is None:
                self.replace(k, 0)
            else:
                self._members[k] = self._connected(actor, address)

    def _submit(self, k: int, address: str, n_threads: int) -> Any:
        self.check_open()
        given = n_threads, *self._parts[k]
        future = self.client.submit(ShardActor, *given, actor=True, workers=[address], pure=False)
        self._futures.append(future)
        return future

    def _created(self, future: Any, address: str) -> Any:
        """The actor of a future, or None if its worker is lost before it exists."""
        try:
            return awaited(future, self.look(address, "a worker to take its partitions of X"))
        except WorkerLostError:
            future.release()
            return None
        except Exception as error:
            future.release()
            if is_loss(error):
                return None
            raise

    def replace(self, k: int, generation: int) -> None:
        """Give the partitions of a shard to another worker, unless another thread has."""
        with self.locks[k]:
            if self.generation[k] != generation:
                return
            lost = self._members[k].address if self._members[k] else None
            self.check_open()
            LOG.warning("shard %d has lost its worker %s: its rows are read again", k, lost or "")
            watch, attempts = Wait(self.client, "a worker"), 0
            while True:
                workers = workers_of(self.client)
                workers.pop(lost or "", None)
                watch.expect_workers(workers)
                if not workers:
                    self.client.sync(_pause)
                    self.check_open()
                    continue
                attempts += 1
                if attempts > LOST_IN_A_ROW:
                    raise too_many_losses(k)
                self._revive(k)
                used = [one.address for one in self._members if one]
                address = min(workers, key=lambda one: (used.count(one), one))
                future = self._submit(k, address, workers[address])
                actor = self._created(future, address)
                if actor is not None:
                    break
            self._members[k] = self._connected(actor, address)
            self.generation[k] += 1
            LOG.info("shard %d is on worker %s", k, address)

    def _revive(self, k: int) -> None:
        """Have the partitions of a shard computed again if workers died over them."""
        failed = [part for part in self._parts[k] if part.status == "error"]
        for part in failed:
            error = part.exception()
            if not is_loss(error):
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
            port, public = self.received(listening, address, "a direct connection")
            secret = keys.shared(public)
            Channel(host, port, secret).close()
        except (OSError, WorkerLostError) as error:
            LOG.info("calls to worker %s go through Dask: %s", address, error)
            return Member(actor, address)
        return Member(actor, address, host, (port, secret))

    def close(self) -> None:
        """Free the actors and the partitions."""
        self._closed = True
        for channel in self.opened:
            with suppress(OSError):
                channel.close()
        futures, self._futures = self._futures, []  # after `_closed`: no more are added
        if futures and self.client.status == "running":
            with suppress(OSError, TimeoutError):  # proxies of actors are in cycles of references
                self.client.cancel(futures, asynchronous=False, force=True)
        self._members = [None] * len(self._members)
        self._parts = []


async def _pause() -> None:
    import asyncio

    await asyncio.sleep(POLL)
