"""Connections to Dask clusters, and direct ones between the driver and the workers."""

from __future__ import annotations

import hmac
import logging
import os
import pickle
import signal
import socket
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import accumulate
from multiprocessing import resource_tracker
from secrets import token_bytes
from threading import Thread
from typing import Any
from weakref import WeakMethod

import numpy as np

CONNECT_SECONDS = 10.0
"""How long to wait for the answer of a scheduler."""
CLOSE_SECONDS = 1.0
"""How long to wait for the end of clients and clusters."""
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


@contextmanager
def connected(scheduler: str | None = None, workers: int | None = None) -> Iterator[Any]:
    """Client of the scheduler at an address, or of a new cluster of processes on this machine.

    The processes have one thread each and end with the context. A scheduler that does not answer,
    or is lost, raises ConnectionError.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise ImportError('a cluster needs Dask: pip install "costboost[dask]"') from error
    if (scheduler is None) == (workers is None):
        raise ValueError("give the address of a scheduler or a number of workers, not both")
    if workers is not None and workers < 1:
        raise ValueError(f"the number of workers must be at least 1, got {workers}")
    with _quiet(), _cluster(distributed, workers) as cluster:
        address = scheduler if cluster is None else cluster.scheduler_address
        try:
            client = distributed.Client(address, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            raise ConnectionError(f"no Dask scheduler answers at {address}: {error}") from error
        try:
            yield client
        except (CancelledError, TimeoutError, distributed.comm.CommClosedError) as error:
            raise ConnectionError(f"the Dask scheduler at {address} is lost") from error
        finally:
            with suppress(Exception):
                client.close(timeout=CLOSE_SECONDS)


@contextmanager
def _quiet() -> Iterator[None]:
    """Log nothing about connections that are lost: an exception reports it."""
    loggers = [logging.getLogger(f"distributed.{name}") for name in ("client", "core", "batched")]
    levels = [one.level for one in loggers]
    for one in loggers:
        one.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for one, level in zip(loggers, levels, strict=True):
            one.setLevel(level)


@contextmanager
def _cluster(distributed: Any, workers: int | None) -> Iterator[Any]:
    """A cluster of processes on this machine; None if there are to be none."""
    if workers is None:
        yield None
        return
    cluster: Any = None
    try:
        with _started_without_interrupts():
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address=":0",
                silence_logs=logging.CRITICAL,
            )
        yield cluster
    except BaseException:
        if cluster is None:
            raise
        for nanny in cluster.workers.values():  # they would wait for the tasks that are running
            nanny.close_gracefully()
            with suppress(OSError, TypeError):
                os.kill(nanny.pid, KILL)
        raise
    finally:
        if cluster is not None:
            with suppress(Exception):
                cluster.close(timeout=CLOSE_SECONDS)


@contextmanager
def _started_without_interrupts() -> Iterator[None]:
    """Processes that are started in this context do not get the Ctrl-C of the terminal.

    They would print a traceback each; the process that started them ends them.
    """
    mask = getattr(signal, "pthread_sigmask", None)
    if mask is None:
        yield
        return
    _start_resource_tracker()
    mask(signal.SIG_BLOCK, [signal.SIGINT])  # inherited by threads and processes
    try:
        yield
    finally:
        mask(signal.SIG_UNBLOCK, [signal.SIGINT])


def _start_resource_tracker() -> None:
    """Start the process that frees the semaphores of a process which ends without doing so.

    It is started apart, as that would unblock signals, and without its warning: a command that was
    interrupted ends at once and leaves them to it.
    """
    known = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [known, "ignore:resource_tracker"]))
    try:
        resource_tracker.ensure_running()
    finally:
        del os.environ["PYTHONWARNINGS"]
        if known is not None:
            os.environ["PYTHONWARNINGS"] = known


# ---- direct connections --------------------------------------------------------------------------

# A call through Dask passes the scheduler and several event loops, which takes milliseconds; a
# round of boosting has a few calls, a tree some tens. A connection is opened only with the secret
# that the worker has returned through Dask. Where none can be opened, calls go through Dask.

SECRET = 32
LENGTH = struct.Struct("<Q")
PAUSE = 1.0
"""Seconds after which a server looks whether it is still needed."""
TO_CONNECT = 3.0
"""Seconds after which a connection counts as impossible."""
ALIGNED = 64
"""Arrays begin at multiples of so many bytes of an answer."""


class Server:
    """Answers messages on a port of its own, as long as the object that answers exists."""

    def __init__(self, host: str, answer: Callable[[bytes], Any]) -> None:
        """``answer`` is a bound method; what it returns is pickled."""
        self._answer = WeakMethod(answer)
        self._socket = socket.create_server((host, 0))
        self._socket.settimeout(PAUSE)
        self.port: int = self._socket.getsockname()[1]
        self.secret = token_bytes(SECRET)
        Thread(target=self._accept, name="costboost-server", daemon=True).start()

    def _accept(self) -> None:
        with self._socket:
            while self._answer() is not None:
                try:
                    connection, _ = self._socket.accept()
                except TimeoutError:
                    continue
                except OSError:
                    return
                Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.settimeout(TO_CONNECT)
                if not hmac.compare_digest(_received(connection, SECRET), self.secret):
                    return
                connection.settimeout(None)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                while True:
                    message = _read(connection)
                    answer = self._answer()
                    if answer is None:
                        return
                    parts = packed(answer(message))
                    del answer
                    for part in parts:
                        connection.sendall(part)
                    del part, parts
            except OSError:
                return


class Channel:
    """The driver's end of a connection."""

    def __init__(self, host: str, port: int, secret: bytes) -> None:
        self._socket = socket.create_connection((host, port), timeout=TO_CONNECT)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.sendall(secret)

    def send(self, message: bytes) -> None:
        """Send a message."""
        self._socket.settimeout(None)
        _write(self._socket, message)

    def receive(self, pause: float, waiting: Callable[[], Any]) -> Any:
        """The answer to the message; ``waiting`` is called after each pause without one."""
        self._socket.settimeout(pause)
        n_parts = LENGTH.unpack(self._read(LENGTH.size, waiting))[0]
        lengths = np.frombuffer(self._read(n_parts * LENGTH.size, waiting), dtype=np.int64)
        parts = memoryview(self._read(int(_padded(lengths).sum()), waiting))
        ends = accumulate(_padded(lengths).tolist(), initial=0)
        found = [parts[at : at + n] for at, n in zip(ends, lengths.tolist(), strict=False)]
        return pickle.loads(found[0], buffers=found[1:])

    def _read(self, size: int, waiting: Callable[[], Any]) -> Any:
        """So many bytes, in an array whose memory is aligned."""
        message = np.empty(size, dtype=np.uint8)
        view, have = message.data, 0
        while have < size:
            try:
                n = self._socket.recv_into(view[have:])
            except TimeoutError:
                waiting()
                continue
            if not n:
                raise ConnectionError("the connection was closed")
            have += n
        return message

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def packed(value: Any) -> list[Any]:
    """A pickle in several parts: lengths, the pickle without arrays, and the memory of arrays.

    Arrays are not copied. Parts that are followed by another one are padded.
    """
    buffers: list[pickle.PickleBuffer] = []
    main = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    parts: list[Any] = [main, *(buffer.raw() for buffer in buffers)]
    lengths = np.array([len(part) for part in parts], dtype=np.int64)
    head = LENGTH.pack(len(parts)) + lengths.tobytes()
    padding = (_padded(lengths) - lengths).tolist()
    return [head, *(one for pair in zip(parts, map(bytes, padding), strict=True) for one in pair)]


def _padded(lengths: Any) -> Any:
    return -(-lengths // ALIGNED) * ALIGNED


def _write(connection: socket.socket, message: bytes) -> None:
    connection.sendall(LENGTH.pack(len(message)) + message)


def _read(connection: socket.socket) -> bytes:
    return _received(connection, LENGTH.unpack(_received(connection, LENGTH.size))[0])


def _received(connection: socket.socket, size: int) -> bytes:
    message = bytearray(size)
    view, have = memoryview(message), 0
    while have < size:
        n = connection.recv_into(view[have:])
        if not n:
            raise ConnectionError("the connection was closed")
        have += n
    return bytes(message)
