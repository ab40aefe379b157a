"""Messages of Arrow are checked before pyarrow allocates the memory that they announce.

A compressed buffer begins with its length, and a message with that of its body. pyarrow allocates
both without a check; here they are added up first. Only these numbers are read from the metadata;
everything else is left to pyarrow's own checks and to `validate`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

from costboost.app.reading.errors import InputError
from costboost.app.reading.flatbuffers import FlatTable
from costboost.app.reading.sources import Source

# ---- messages of Arrow ---------------------------------------------------------------------------

CONTINUED = b"\xff\xff\xff\xff"
MAX_METADATA = 1 << 28
DICTIONARY, BATCH = 2, 3
"""Kinds of messages that have a body."""


class Message(NamedTuple):
    """The parts of a message's metadata that memory depends on."""

    n_body: int
    buffers: list[tuple[int, ...]]
    """Offset and length of each in the body."""
    compressed: bool
    is_delta: bool
    """Whether it stays in memory with others: a dictionary delta."""


def message_of(metadata: bytes) -> Message:
    """Parse the metadata of a message."""
    message = FlatTable(metadata)
    kind, header = message.number(1, "<B"), message.table(2)
    n_body = message.number(3, "<q")
    if n_body < 0:
        raise struct.error("a body of negative length")
    is_delta = kind == DICTIONARY and header is not None and bool(header.number(2, "<B"))
    if kind == DICTIONARY and header is not None:
        header = header.table(1)
    if kind not in (DICTIONARY, BATCH) or header is None:
        return Message(n_body, [], False, False)
    return Message(n_body, header.structs(2, "<qq"), header.table(3) is not None, is_delta)


def unpacked_size(message: Message, lengths: Iterator[bytes]) -> int:
    """Bytes of a decompressed body; ``lengths`` are the first 8 bytes of each buffer."""
    if not message.compressed:
        return message.n_body
    announced = [int(struct.unpack("<q", first)[0]) for first in lengths if len(first) == 8]
    return message.n_body + sum(max(0, n) for n in announced)


# ---- checked streams of Arrow --------------------------------------------------------------------


class CheckedStream:
    """An Arrow stream of which each message is checked before its body is read.

    pyarrow takes it as a file.
    """

    closed = False

    def __init__(self, source: Source) -> None:
        self._source, self._bytes = source, source.bytes
        self._kept = source.budget()
        self.all_kept = False
        """Whether all messages stay in memory, and not only the latest."""
        self.schema = self._next()
        """The first message."""
        self._ready = self.schema

    def read(self, n: int | None = -1) -> bytes:
        """The next n bytes; fewer only at the end."""
        parts, wanted = [], 2**62 if n is None or n < 0 else n
        while wanted > 0:
            if not self._ready:
                self._ready = self._next()
            if not self._ready:
                break
            part, self._ready = self._ready[:wanted], self._ready[wanted:]
            parts.append(bytes(part))
            wanted -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        """Mark the stream as closed."""
        self.closed = True

    def _next(self) -> memoryview:
        """The bytes of the next message; empty at the end."""
        head = self._bytes.read(4)
        if head == CONTINUED:
            head += self._bytes.read(4)
        n = struct.unpack("<i", head[-4:])[0] if len(head) in (4, 8) else 0
        if n == 0:
            return memoryview(head)
        if not 0 < n <= MAX_METADATA:
            raise InputError(f"{self._source.name} is damaged: a message has metadata of {n} bytes")
        metadata = self._bytes.read(n)
        try:
            message = message_of(metadata)
        except struct.error as error:
            raise _damaged(self._source.name, error) from error
        allowed = self._kept if self.all_kept or message.is_delta else self._source.budget()
        allowed.spend(message.n_body)
        body = self._bytes.read(message.n_body)
        first = (body[max(0, at) : max(0, at) + 8] for at, length in message.buffers if length > 0)
        allowed.spend(unpacked_size(message, first) - message.n_body)
        return memoryview(head + metadata + body)


# ---- checked files of Arrow ----------------------------------------------------------------------


def check_file(file: Any, source: Source, all_kept: bool) -> None:
    """Raise an InputError if the messages of a file announce more memory than is allowed.

    ``all_kept``: whether all messages stay in memory, and not only the latest.
    """
    total = source.budget()
    try:
        for block in _blocks(file):
            file.seek(block[0])
            metadata = file.read(block[1])
            start = 8 if metadata[:4] == CONTINUED else 4
            message = message_of(metadata[start:])
            size = unpacked_size(message, _first_bytes(file, message, block[0] + block[1]))
            (total if all_kept else source.budget()).spend(size)
    except (struct.error, OverflowError) as error:
        raise _damaged(source.name, error) from error


def _blocks(file: Any) -> Iterator[tuple[int, ...]]:
    """Offset, length of metadata and of the body of each message, from the footer."""
    size = file.seek(0, 2)
    file.seek(max(0, size - 10))
    n = struct.unpack_from("<i", file.read(10))[0]
    if not 0 < n <= min(size - 10, MAX_METADATA):
        raise struct.error("the footer does not fit the file")
    file.seek(size - 10 - n)
    footer = FlatTable(file.read(n))
    for offset, n_metadata, _, n_body in (
        *footer.structs(2, "<qiiq"),
        *footer.structs(3, "<qiiq"),
    ):
        if min(offset, n_metadata, n_body) < 0 or offset + n_metadata > size:
            raise struct.error("the footer names a message outside of the file")
        yield offset, n_metadata, n_body


def _first_bytes(file: Any, message: Message, body: int) -> Iterator[bytes]:
    """The first 8 bytes of each buffer, which are its length if it is compressed."""
    for at, length in message.buffers:
        if length > 0:
            file.seek(body + max(0, at))
            yield file.read(8)


def _damaged(name: str, error: Exception) -> InputError:
    return InputError(f"{name} cannot be read: its metadata are damaged ({error})")
