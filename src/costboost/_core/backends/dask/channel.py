"""Direct connections between the driver of a fit and the workers of a Dask cluster.

A call through Dask passes the scheduler and several event loops, which takes milliseconds; a round
of boosting has a few calls, a tree some tens. Where no connection can be opened, calls go through
Dask.

Both ends agree on a secret by the method of Diffie and Hellman, in two messages through Dask, so
that the secret itself is never sent. When a connection is opened, each end proves that it knows
the secret: it returns a code of two random numbers, one of each end, that only the secret makes
(HMAC with SHA-256). Before that, a worker reads no more than the proof, for a few seconds, of a few
connections at a time. What is sent afterwards is not encrypted.
"""

from __future__ import annotations

import hmac
import pickle
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from itertools import accumulate
from secrets import randbits, token_bytes
from threading import BoundedSemaphore, Thread
from time import monotonic
from typing import Any
from weakref import WeakMethod

import numpy as np

# ---- the secret of a worker and the driver -------------------------------------------------------

PRIME = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74"
    "020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B302B0A6DF25F1437"
    "4FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED"
    "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF05"
    "98DA48361C55D39A69163FA8FD24CF5F83655D23DCA3AD961C62F356208552BB"
    "9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B"
    "E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF695581718"
    "3995497CEA956AE515D2261898FA051015728E5A8AACAA68FFFFFFFFFFFFFFFF",
    16,
)
"""Group 14 of RFC 3526, with 2,048 bits; its generator is 2."""
PRIVATE_BITS = 512


class KeyPair:
    """One end's keys for a secret that only the two ends know."""

    def __init__(self) -> None:
        self._private = randbits(PRIVATE_BITS) | 1
        self.public = pow(2, self._private, PRIME)

    def shared(self, public: int) -> bytes:
        """The secret with the end that has this public key."""
        if not 1 < public < PRIME - 1:
            raise ValueError("this is no public key")
        return sha256(pow(public, self._private, PRIME).to_bytes(PRIME.bit_length() // 8)).digest()


# ---- proofs that both ends know the secret -------------------------------------------------------

PROOF = 32
"""Bytes of random numbers and of codes."""
DIRECT_SECONDS = 3.0
"""Seconds after which a connection that is not open counts as impossible."""
WAITING = 16
"""Connections of a worker that are not proved yet; further ones are closed at once."""


def _code(secret: bytes, who: bytes, *numbers: bytes) -> bytes:
    return hmac.digest(secret, b"".join((who, *numbers)), "sha256")


def _admit(connection: socket.socket, secret: bytes) -> bool:
    """Whether the other end of a new connection knows the secret, which is proved to it then."""
    deadline = monotonic() + DIRECT_SECONDS
    connection.settimeout(DIRECT_SECONDS)
    own = token_bytes(PROOF)
    connection.sendall(own)
    proof = _received(connection, 2 * PROOF, deadline)
    other, code = proof[:PROOF], proof[PROOF:]
    if not hmac.compare_digest(code, _code(secret, b"driver", own, other)):
        return False
    connection.sendall(_code(secret, b"worker", own, other))
    connection.settimeout(None)
    return True


def _introduce(connection: socket.socket, secret: bytes) -> None:
    """Prove to a worker that this end knows the secret; an OSError if the worker does not."""
    deadline = monotonic() + DIRECT_SECONDS
    own, other = token_bytes(PROOF), _received(connection, PROOF, deadline)
    connection.sendall(own + _code(secret, b"driver", other, own))
    code = _received(connection, PROOF, deadline)
    if not hmac.compare_digest(code, _code(secret, b"worker", other, own)):
        raise ConnectionError("the other end of the connection does not know the secret")


# ---- both ends of a connection -------------------------------------------------------------------

LENGTH = struct.Struct("<Q")
PAUSE = 1.0
"""Seconds after which a server looks whether it is still needed."""
ALIGNED = 64
"""Arrays begin at multiples of so many bytes of an answer."""


class Server:
    """Answers messages on a port of its own, as long as the object that answers exists."""

    def __init__(self, host: str, answer: Callable[[bytes], Any], secret: bytes) -> None:
        """``answer`` is a bound method; what it returns is pickled."""
        self._answer = WeakMethod(answer)
        self._secret = secret
        self._waiting = BoundedSemaphore(WAITING)
        self._socket = socket.create_server((host, 0))
        self._socket.settimeout(PAUSE)
        self.port: int = self._socket.getsockname()[1]
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
                if self._waiting.acquire(blocking=False):
                    Thread(target=self._serve, args=(connection,), daemon=True).start()
                else:
                    connection.close()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            try:
                admitted = _admit(connection, self._secret)
            finally:
                self._waiting.release()
            if admitted:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._answer_all(connection)

    def _answer_all(self, connection: socket.socket) -> None:
        """Answer messages until the connection is closed, or the object that answers is gone."""
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


class Channel:
    """The driver's end of a connection."""

    def __init__(self, host: str, port: int, secret: bytes) -> None:
        self._socket = socket.create_connection((host, port), timeout=DIRECT_SECONDS)
        try:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _introduce(self._socket, secret)
        except BaseException:
            self._socket.close()
            raise

    def send(self, message: bytes, pause: float, waiting: Callable[[], Any]) -> None:
        """Send a message; ``waiting`` is called after each pause in which none of it could be."""
        self._socket.settimeout(pause)
        left = memoryview(LENGTH.pack(len(message)) + message)
        while left:
            try:
                left = left[self._socket.send(left) :]
            except TimeoutError:
                waiting()

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


def _read(connection: socket.socket) -> bytes:
    return _received(connection, LENGTH.unpack(_received(connection, LENGTH.size))[0])


def _received(connection: socket.socket, size: int, deadline: float | None = None) -> bytes:
    """So many bytes, all of them before the deadline."""
    message = bytearray(size)
    view, have = memoryview(message), 0
    while have < size:
        if deadline is not None:
            connection.settimeout(max(deadline - monotonic(), 1e-3))
        n = connection.recv_into(view[have:])
        if not n:
            raise ConnectionError("the connection was closed")
        have += n
    return bytes(message)
