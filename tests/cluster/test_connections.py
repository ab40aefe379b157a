"""Direct connections open only for an end that knows the secret, which is never sent."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest

from costboost._core.backends.dask import channel as direct
from costboost._core.backends.dask.channel import PRIME, PROOF, Channel, KeyPair, Server

HOST = "127.0.0.1"


class Echo:
    """Answers a message with itself."""

    def answer(self, message: bytes) -> bytes:
        return message


def asked(channel: Channel, message: bytes) -> Any:
    channel.send(message, 0.1, lambda: None)
    return channel.receive(0.1, lambda: None)


@pytest.fixture
def ends() -> tuple[Echo, KeyPair, KeyPair]:
    return Echo(), KeyPair(), KeyPair()


def test_both_ends_find_the_same_secret_and_no_other_does() -> None:
    one, two, other = KeyPair(), KeyPair(), KeyPair()
    secret = one.shared(two.public)
    assert secret == two.shared(one.public)
    assert secret not in {one.shared(other.public), other.shared(two.public)}


@pytest.mark.parametrize("public", [0, 1, PRIME - 1, PRIME, PRIME + 2, -5])
def test_public_keys_with_known_secrets_are_refused(public: int) -> None:
    with pytest.raises(ValueError, match="no public key"):
        KeyPair().shared(public)


def test_messages_of_any_size_are_answered(ends: Any) -> None:
    echo, worker, driver = ends
    server = Server(HOST, echo.answer, worker.shared(driver.public))
    with closing(Channel(HOST, server.port, driver.shared(worker.public))) as channel:
        for message in (b"", b"one", bytes(3_000_000)):
            assert asked(channel, message) == message


@contextmanager
def tapped(port: int) -> Iterator[tuple[int, bytearray]]:
    """A port that passes everything on, in both directions, and what has passed it."""
    heard = bytearray()

    def pass_on(source: socket.socket, target: socket.socket) -> None:
        while data := source.recv(2**16):
            heard.extend(data)
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)

    with socket.create_server((HOST, 0)) as listening:

        def accept() -> None:
            with listening.accept()[0] as near, socket.create_connection((HOST, port)) as far:
                back = Thread(target=pass_on, args=(far, near))
                back.start()
                pass_on(near, far)
                back.join()

        passing = Thread(target=accept)
        passing.start()
        yield listening.getsockname()[1], heard
        passing.join()


def test_the_secret_is_not_on_the_wire_and_a_proof_is_worth_nothing_later(ends: Any) -> None:
    echo, worker, driver = ends
    secret = driver.shared(worker.public)
    server = Server(HOST, echo.answer, secret)
    with tapped(server.port) as (port, heard), closing(Channel(HOST, port, secret)) as channel:
        assert asked(channel, b"message") == b"message"
    assert b"message" in heard
    assert secret not in heard
    proof = bytes(heard[PROOF : 3 * PROOF])
    with socket.create_connection((HOST, server.port), timeout=5) as again:
        assert len(again.recv(PROOF)) == PROOF
        again.sendall(proof)
        assert again.recv(1) == b""  # closed: the random number is another one


def test_other_secrets_are_refused_by_either_end(ends: Any) -> None:
    echo, worker, driver = ends
    server = Server(HOST, echo.answer, worker.shared(driver.public))
    with pytest.raises(OSError, match=r"closed|reset"):
        Channel(HOST, server.port, KeyPair().shared(worker.public))

    def pretend() -> None:
        with listening.accept()[0] as connection:
            connection.sendall(bytes(PROOF))
            connection.recv(2 * PROOF)
            connection.sendall(bytes(PROOF))

    with socket.create_server((HOST, 0)) as listening:
        pretending = Thread(target=pretend)
        pretending.start()
        with pytest.raises(ConnectionError, match="does not know the secret"):
            Channel(HOST, listening.getsockname()[1], driver.shared(worker.public))
        pretending.join()


def test_a_code_is_not_reflected(ends: Any) -> None:
    """What one end proves cannot be returned as the proof of the other."""
    secret = ends[1].shared(ends[2].public)
    numbers = b"a" * PROOF, b"b" * PROOF
    driver, worker = (direct._code(secret, who, *numbers) for who in (b"driver", b"worker"))
    assert driver != worker


def test_connections_without_a_proof_are_few_and_short(
    ends: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(direct, "DIRECT_SECONDS", 1.0)
    echo, worker, driver = ends
    secret = worker.shared(driver.public)
    server = Server(HOST, echo.answer, secret)
    begin = monotonic()
    silent = [socket.create_connection((HOST, server.port), timeout=10) for _ in range(40)]
    greeted = [one.recv(PROOF) for one in silent]
    assert sum(map(bool, greeted)) == direct.WAITING
    open_ones = [one for one, greeting in zip(silent, greeted, strict=True) if greeting]
    while monotonic() - begin < 0.9:  # a byte now and then does not lengthen the time
        open_ones[0].send(b"x")
        sleep(0.1)
    assert open_ones[0].recv(1) == b""
    assert [one.recv(1) for one in open_ones[1:]] == [b""] * (direct.WAITING - 1)
    with closing(Channel(HOST, server.port, secret)) as channel:
        assert asked(channel, b"now") == b"now"
    for one in silent:
        one.close()
