"""Files on disk or standard input, and their decompressed bytes."""

from __future__ import annotations

import io
import os
import stat
import sys
from typing import Any

from costboost.app.reading.byte_stream import ByteStream, standard_input
from costboost.app.reading.errors import InputError, os_reason, translated_errors
from costboost.app.reading.memory import MemoryBudget
from costboost.app.reading.options import ReadOptions

STANDARD_INPUT = "-"
HEAD = 1 << 18
"""Bytes from which the format is detected."""
LONGEST_HEAD = 1 << 24
COMPRESSED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}


class Source:
    """A file on disk or standard input, and its decompressed bytes."""

    def __init__(self, path: str, options: ReadOptions) -> None:
        self.options = options
        self.name = "standard input" if path == STANDARD_INPUT else path
        self._n_held = 0
        """Bytes of the file that are in memory as they are."""
        self._handle = _open(path)
        with translated_errors(self.name):
            self._detect_compression(path)

    def _detect_compression(self, path: str) -> None:
        options = self.options
        self._outer = ByteStream(self._handle, options.before_read)
        self._buffered: io.BufferedReader | None = None
        status = None
        if path != STANDARD_INPUT and not is_url(path):
            status = os.fstat(self._handle.fileno())
        self.size = status.st_size or None if status else getattr(self._handle, "size", None)
        self._regular = is_url(path) or (status is not None and stat.S_ISREG(status.st_mode))
        head = self._outer.peek(8)
        codec = next((codec for magic, codec in COMPRESSED.items() if head.startswith(magic)), None)
        self.compressed = codec is not None
        self.bytes = self._outer if codec is None else ByteStream(self._decompressed(codec))

    def budget(self) -> MemoryBudget:
        """The memory that the file, or one part of it, may take."""
        budget = MemoryBudget(self.name, int(self.options.max_memory))
        budget.spend(self._n_held)
        return budget

    def seekable(self) -> Any:
        """The bytes in any order: the file itself, or from memory if it is compressed or a pipe.

        The file is read and not mapped: the pages of a file that is truncated meanwhile are gone.
        """
        if self._regular and not self.compressed:
            self._buffered = io.BufferedReader(self._handle)
            return self._buffered
        held = self.bytes.read_all(self.budget())
        self._n_held = held.getbuffer().nbytes
        return held

    def arrow_file(self, file: Any = None) -> Any:
        """A Python file, by default the decompressed bytes, as pyarrow reads it."""
        import pyarrow as pa

        if self.options.before_read is not None:  # it handles signals, pyarrow must not
            pa.enable_signal_handlers(False)
        return pa.PythonFile(self.bytes if file is None else file, mode="r")

    @property
    def n_read(self) -> int:
        """Bytes of the file read so far, before decompression."""
        return self._outer.n_taken

    def first_line(self) -> bytes:
        """The first bytes, with the whole first line in them."""
        n = HEAD
        head = self.bytes.peek(n)
        while len(head) == n and b"\n" not in head and n < LONGEST_HEAD:
            n *= 4
            head = self.bytes.peek(n)
        return head

    def close(self) -> None:
        """Close the file."""
        if self._buffered is not None:
            self._buffered.close()
        self.bytes.close()
        if self.compressed:
            self._outer.close()

    def _decompressed(self, codec: str) -> Any:
        import pyarrow as pa

        return pa.CompressedInputStream(self.arrow_file(self._outer), codec)


def _open(path: str) -> Any:
    if path == STANDARD_INPUT:
        if sys.stdin.isatty():
            raise InputError("standard input is the keyboard; name a file, or pipe data in")
        return standard_input()
    try:
        return _open_url(path) if is_url(path) else open(path, "rb", buffering=0)
    except OSError as error:
        raise type(error)(f"{path} cannot be read: {os_reason(error)}") from error


def is_url(path: str) -> bool:
    """Whether a path is a URL, such as s3://bucket/rows.parquet."""
    return "://" in path


def _open_url(path: str) -> Any:
    import fsspec

    return fsspec.open(path, "rb").open()
