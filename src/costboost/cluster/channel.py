"""Direct connections between the driver and the workers, with far less delay than Dask's own.

A call through Dask passes the scheduler and several event loops, which takes milliseconds; a round
of boosting has a few calls, a tree some tens. A connection is opened only with the secret that the
worker has returned through Dask. Where none can be opened, calls go through Dask.
"""

from __future__ import annotations

import hmac
import socket
import struct
from collections.abc import Callable
from secrets import token_bytes
from threading import Thread
from typing import Any
from weakref import WeakMethod

SECRET = 32
LENGTH = struct.Struct("<Q")
PAUSE = 1.0
"""Seconds after which a server looks whether it is still needed."""
TO_CONNECT = 3.0
"""Seconds after which a connection counts as impossible."""


class Server:
    """Answers messages on a port of its own, as long as the object that answers exists."""

    def __init__(self, host: str, answer: Callable[[bytes], bytes]) -> None:
        """``answer`` is a bound method."""
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
                    _write(connection, answer(message))
                    del answer
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

    def receive(self, pause: float, waiting: Callable[[], Any]) -> bytes:
        """The answer to the message; ``waiting`` is called after each pause without one."""
        self._socket.settimeout(pause)
        parts = bytearray()
        wanted = LENGTH.size
        while len(parts) < wanted:
            try:
                part = self._socket.recv(min(wanted - len(parts), 2**20))
            except TimeoutError:
                waiting()
                continue
            if not part:
                raise ConnectionError("the connection was closed")
            parts += part
            if len(parts) == wanted == LENGTH.size:
                wanted += LENGTH.unpack(parts)[0]
        return bytes(parts[LENGTH.size :])

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


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
