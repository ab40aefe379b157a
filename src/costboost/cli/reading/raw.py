"""Bytes of a file or of standard input, unpacked, with a look at what they are."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable
from typing import Any

from costboost.cli.ending import await_bytes
from costboost.cli.reading.allowance import Allowance
from costboost.cli.trouble import TroubleError
from costboost.files.disk import REASONS

STANDARD = "-"
HEAD = 1 << 18
"""Bytes that are looked at to tell what a file is."""
LONGEST_HEAD = 1 << 24
LARGEST = 1 << 22
"""Bytes that are asked for at once."""
PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}
FOREIGN = {
    b"PK\x03\x04": "a zip archive or a spreadsheet; save the table as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet; save the table as CSV",
    b"\xfd7zXZ": "packed with xz; unpack it, or pack it with gzip or zstd",
    b"SQLite format 3": "a database; export the table as CSV",
    b"%PDF": "a PDF",
}
WIDE = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


class Bytes:
    """A stream whose beginning can be looked at before it is read; pyarrow takes it as a file."""

    closed = False

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._head = b""
        self.meter: Callable[[bytes], None] | None = None
        """Is shown everything that is read, and may raise."""
        self.n_taken = 0
        """Bytes taken from the stream so far."""

    def peek(self, n: int) -> bytes:
        """The first n bytes, or all if there are fewer."""
        self._head += self._take(n - len(self._head))
        return self._head[:n]

    def read(self, n: int | None = -1) -> bytes:
        """The next n bytes; fewer only at the end."""
        n = sys.maxsize if n is None or n < 0 else n
        data, self._head = self._head[:n], self._head[n:]
        data = data + self._take(n - len(data)) if data else self._take(n)
        if self.meter is not None:
            self.meter(data)
        return data

    def read_all(self, allowance: Allowance) -> bytes:
        """All that is left, unless it is more than allowed."""
        parts = []
        while part := self.read(LARGEST):
            allowance.spend(len(part))
            parts.append(part)
        return b"".join(parts)

    def _take(self, n: int) -> bytes:
        parts = []
        while n > 0:
            await_bytes(self._raw)
            part = bytes(self._raw.read(min(n, LARGEST)))
            if not part:
                break
            parts.append(part)
            n -= len(part)
        data = b"".join(parts)
        self.n_taken += len(data)
        return data

    def close(self) -> None:
        """Nothing more will be read."""
        self.closed = True
        if self._raw is not _standard_input():
            self._raw.close()


class Raw:
    """A file as it lies on the disk, and the same unpacked."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "standard input" if path == STANDARD else path
        self._handle = _opened(path)
        self._outer = Bytes(self._handle)
        self._buffered: io.BufferedReader | None = None
        found = None if path == STANDARD else os.fstat(self._handle.fileno())
        self.size = found.st_size or None if found else None
        self._regular = found is not None and stat.S_ISREG(found.st_mode)
        codec = next((c for m, c in PACKED.items() if self._outer.peek(8).startswith(m)), None)
        self.packed = codec is not None
        self.bytes = self._outer if codec is None else Bytes(_unpacked(self._outer, codec))

    def seekable(self) -> Any:
        """The bytes in any order: the file itself; what comes packed or by a pipe, from memory.

        The file is read and not mapped: the pages of a file that is cut short meanwhile are gone.
        """
        if self._regular and not self.packed:
            self._buffered = io.BufferedReader(self._handle)
            return self._buffered
        return io.BytesIO(self.bytes.read_all(Allowance(self.name)))

    def as_file(self) -> Any:
        """The unpacked bytes, as pyarrow reads them."""
        return python_file(self.bytes)

    @property
    def done(self) -> int:
        """Bytes read so far, as they lie on the disk."""
        return self._outer.n_taken

    def head_line(self) -> bytes:
        """The beginning, with the whole first line in it."""
        n = HEAD
        head = self.bytes.peek(n)
        while len(head) == n and b"\n" not in head and n < LONGEST_HEAD:
            n *= 4
            head = self.bytes.peek(n)
        return head

    def close(self) -> None:
        if self._buffered is not None:
            self._buffered.close()
        self.bytes.close()
        if self.packed:
            self._outer.close()


def _opened(path: str) -> Any:
    if path == STANDARD:
        if sys.stdin.isatty():
            raise TroubleError("standard input is the keyboard; name a file, or pipe data in")
        return _standard_input()
    try:
        return open(path, "rb", buffering=0)
    except OSError as error:
        raise TroubleError(f"{path} cannot be read: {reason(error)}") from error


def _standard_input() -> Any:
    """Without a buffer, so that nothing waits in it unseen."""
    return getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)


def reason(error: OSError) -> str:
    """Why the system refuses."""
    if isinstance(error, IsADirectoryError):
        return "it is a folder, not a file"
    return REASONS.get(error.errno or 0, error.strerror or str(error))


def _unpacked(packed: Bytes, codec: str) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(python_file(packed), codec)


def python_file(read: Any) -> Any:
    """A Python file as pyarrow reads it."""
    import pyarrow as pa

    pa.enable_signal_handlers(False)  # they would keep Ctrl-C from `ending.await_bytes`
    return pa.PythonFile(read, mode="r")


def kind_of(raw: Raw, encoding: str) -> str:
    """What the bytes are: a name in `formats.FORMATS`."""
    head = raw.bytes.peek(HEAD)
    if not head.strip():
        raise TroubleError(f"{raw.name} is empty")
    for magic, what in FOREIGN.items():
        if head.startswith(magic):
            raise TroubleError(f"{raw.name} is {what}")
    for magic, kind in ((b"PAR1", "parquet"), (b"ARROW1", "arrow"), (b"\xff" * 4, "stream")):
        if head.startswith(magic):
            return kind
    if encoding == "utf-8":
        _check_text(head, raw.name)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start == b"[":
        raise TroubleError(f"{raw.name} is a JSON list; write one object on each line instead")
    return "json" if start == b"{" else "csv"


def _check_text(head: bytes, name: str) -> None:
    wide = WIDE.get(head[:2])
    if wide:
        raise TroubleError(f"{name} is not UTF-8 text; try --encoding {wide}")
    if b"\0" in head:
        raise TroubleError(f"{name} is neither text nor a table format that is read here")
