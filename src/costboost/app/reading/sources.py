"""Bytes of a file or of standard input, their format, and what open files of all formats have."""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from costboost.app.reading.columns import Column, to_features, unusable
from costboost.app.reading.errors import InputError, os_reason, translated_errors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STANDARD_INPUT = "-"
HEAD = 1 << 18
"""Bytes from which the format is detected."""
LONGEST_HEAD = 1 << 24
LARGEST_READ = 1 << 22
"""Bytes read at once."""
COMPRESSED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}
FOREIGN = {
    b"PK\x03\x04": "a zip archive or a spreadsheet; save the table as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet; save the table as CSV",
    b"\xfd7zXZ": "packed with xz; unpack it, or pack it with gzip or zstd",
    b"SQLite format 3": "a database; export the table as CSV",
    b"%PDF": "a PDF",
    **dict.fromkeys(
        [b"\x80\x03", b"\x80\x04\x95", b"\x80\x05\x95"],
        "a pickle, which could run any code when it is opened; save the table as CSV or Parquet",
    ),
}
MARKUP = (b"<!doctype", b"<html", b"<?xml")
BINARY = ((b"PAR1", "parquet"), (b"ARROW1", "arrow"), (b"\xff" * 4, "stream"))
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
DECIMALS = (".", ",")
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)


@dataclass(frozen=True)
class ReadOptions:
    """How files are read."""

    encoding: str = "utf-8"
    separator: str = ""
    """One character or "tab"; "" takes the most frequent one of the first line."""
    decimal: str = "."
    max_memory: str | int = "2G"
    """Bytes that a compressed or binary file may take once it is decompressed."""
    before_read: Callable[[Any], None] | None = None
    """Is called with the raw stream before bytes are read from it, and may wait or raise."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "encoding", _known_encoding(self.encoding))
        object.__setattr__(self, "max_memory", parse_size(self.max_memory))
        if self.separator in ("tab", "\\t"):
            object.__setattr__(self, "separator", "\t")
        if len(self.separator) > 1:
            raise InputError(
                f"the separator must be one character or 'tab', got {self.separator!r}"
            )
        if self.decimal not in DECIMALS:
            raise InputError(f"the decimal mark must be . or a comma, got {self.decimal!r}")


def _known_encoding(name: str) -> str:
    """The name that Python has for an encoding of text; codecs such as rot13 are none."""
    try:
        found = codecs.lookup(name).name
        codecs.getincrementaldecoder(found)()
        "a".encode(found).decode(found)
        return found
    except (LookupError, ValueError) as error:
        raise InputError(f"there is no encoding {name!r}; try latin-1 or utf-16") from error


# ---- memory --------------------------------------------------------------------------------------


def parse_size(size: str | int) -> int:
    """Bytes from a number or from text such as 500M or 8G."""
    found = _SIZE.fullmatch(str(size).strip())
    n_bytes = int(float(found[1]) * UNITS[found[2].upper()]) if found else 0
    if n_bytes < 1:
        raise InputError(f"the memory limit must be a size such as 500M or 8G, got {size!r}")
    return n_bytes


def size_text(n_bytes: int) -> str:
    """Bytes as text such as 8G, with the largest unit that divides them."""
    unit = max((u for u in UNITS if n_bytes % UNITS[u] == 0), key=lambda u: UNITS[u])
    return f"{n_bytes // UNITS[unit]}{unit}"


HELD = 1.4
"""Bytes of a process for each byte that is counted: allocators round up, and keep what is freed."""


class MemoryBudget:
    """Memory that one file may take when it is decompressed: a guard against decompression bombs.

    Parameters
    ----------
    name : str
        The file, for the message.
    limit : int
        Bytes.
    """

    def __init__(self, name: str, limit: int) -> None:
        self.name, self.limit, self.left = name, limit, limit

    def spend(self, n_bytes: int) -> None:
        """Reserve bytes and what allocators add; raise an InputError if fewer are left."""
        self.left -= int(max(0, n_bytes) * HELD)
        if self.left < 0:
            raise InputError(
                f"{self.name} takes more than {size_text(self.limit)} of memory when it is "
                "unpacked; if you trust it, allow more",
                "max_memory",
                size_text(8 * self.limit),
            )


# ---- bytes ---------------------------------------------------------------------------------------


class ByteStream:
    """A stream whose first bytes can be read without consuming them; pyarrow takes it as a file."""

    closed = False

    def __init__(self, raw: Any, before_read: Callable[[Any], None] | None = None) -> None:
        self._raw = raw
        self._before_read = before_read
        self._head = b""
        self.check: Callable[[bytes], None] | None = None
        """Is called with all bytes that are read, and may raise."""
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
        if self.check is not None:
            self.check(data)
        return data

    def read_all(self, budget: MemoryBudget) -> io.BytesIO:
        """All that is left, as a file; raise an InputError if it exceeds the budget."""
        found = io.BytesIO()
        while part := self.read(LARGEST_READ):
            budget.spend(len(part))
            found.write(part)
        found.seek(0)
        return found

    def _take(self, n: int) -> bytes:
        parts = []
        while n > 0:
            if self._before_read is not None:
                self._before_read(self._raw)
            part = bytes(self._raw.read(min(n, LARGEST_READ)))
            if not part:
                break
            parts.append(part)
            n -= len(part)
        data = b"".join(parts)
        self.n_taken += len(data)
        return data

    def close(self) -> None:
        """Close the file; standard input stays open."""
        self.closed = True
        if self._raw is not _standard_input():
            self._raw.close()


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
        found = None
        if path != STANDARD_INPUT and not is_url(path):
            found = os.fstat(self._handle.fileno())
        self.size = found.st_size or None if found else getattr(self._handle, "size", None)
        self._regular = is_url(path) or (found is not None and stat.S_ISREG(found.st_mode))
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
        found = self.bytes.read_all(self.budget())
        self._n_held = found.getbuffer().nbytes
        return found

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
        return _standard_input()
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


def _standard_input() -> Any:
    """Standard input without its buffer."""
    return getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)


# ---- formats -------------------------------------------------------------------------------------


def detect_format(source: Source) -> str:
    """The format of the bytes: csv, json, parquet, arrow (a file) or stream (of Arrow)."""
    head = source.bytes.peek(HEAD)
    if not head.strip():
        raise InputError(f"{source.name} is empty")
    for magic, what in FOREIGN.items():
        if head.startswith(magic):
            raise InputError(f"{source.name} is {what}")
    for magic, kind in BINARY:
        if head.startswith(magic):
            return kind
    if source.options.encoding == "utf-8":
        _check_text(head, source.name)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:20]
    start = text[:1]
    if text.lower().startswith(MARKUP):
        raise InputError(f"{source.name} is a page of HTML or XML, not a table")
    if start == b"[":
        raise InputError(f"{source.name} is a JSON list; write one object on each line instead")
    return "json" if start == b"{" else "csv"


def _check_text(head: bytes, name: str) -> None:
    if head.startswith(UTF_16):
        raise InputError(f"{name} is not UTF-8 text", "encoding", "utf-16")
    if b"\0" in head:
        raise InputError(f"{name} is neither text nor a table format that is read here")


# ---- what all formats have in common -------------------------------------------------------------

BATCH_ROWS = 1 << 16
"""Rows of a batch."""
CELL_BYTES = 8
"""Bytes that a value takes at least once it is read."""
MAX_COLUMNS = 100_000


class Format(ABC):
    """An open file: the names of its columns, and its rows at once or in batches."""

    is_text = False
    """Whether values are text that has to be parsed, and can be repeated verbatim."""

    def __init__(self, source: Source) -> None:
        self.source, self.name, self.options = source, source.name, source.options
        self.n_rows: float | None = None
        """Rows of the file, exact or estimated; None if unknown."""
        self.unreadable: dict[str, Any] = {}
        """Types of the columns that are never decoded, such as lists, by name."""
        self._n_read = 0
        with translated_errors(self.name):
            self.names = self._column_names()
        if len(self.names) > MAX_COLUMNS:
            raise InputError(
                f"{self.name} has {len(self.names):,} columns; at most {MAX_COLUMNS:,} are read"
            )
        repeated = sorted(name for name, n in Counter(self.names).items() if n > 1)
        if repeated:
            raise InputError(_repeated_name(self.name, repeated[0], self.names))

    @abstractmethod
    def _column_names(self) -> list[str]: ...

    @abstractmethod
    def _table(self, types: Mapping[str, Any], without: Collection[str]) -> Any: ...

    @abstractmethod
    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]: ...

    def table(self, types: Mapping[str, Any], without: Collection[str] = ()) -> Any:
        """All rows, and all columns except those in ``without``.

        Text is parsed as the types given, by column, and otherwise as the type that fits all
        values. A column of values that no classifier takes is an error unless it is left out.
        """
        self.check_readable([name for name in self.names if name not in set(without)])
        with translated_errors(self.name, self.names):
            known = set(self.names)
            table = self._table({n: type_ for n, type_ in types.items() if n in known}, without)
        if table.num_rows == 0:
            raise InputError(f"{self.name} has a header, but no rows")
        return table

    def batches(self, types: Mapping[str, Any], verbatim: Sequence[str] = ()) -> Iterator[Any]:
        """Batches of rows with the columns named in ``types``; text is parsed as these types.

        Columns in ``verbatim`` stay text if the file is text and they are parsed the same later.
        """
        import pyarrow as pa

        parsed_here = [pa.float64()] if self.options.decimal != "." else []
        stay = [name for name in verbatim if self.is_text and types.get(name) not in parsed_here]
        self.check_readable([*types, *stay])
        with translated_errors(self.name, self.names):
            for large in self._batches({**types, **dict.fromkeys(stay, pa.string())}):
                for begin in range(0, large.num_rows, BATCH_ROWS):  # Ctrl-C waits for one at most
                    batch = large.slice(begin, BATCH_ROWS)
                    self._n_read += batch.num_rows
                    yield batch

    def inferred(
        self, types: Mapping[str, Any], without: Collection[str], needed: Collection[str]
    ) -> tuple[Any, Any]:
        """A table with at least the columns that are needed, and the schema of those not left out.

        Text is parsed as in `table`.
        """
        table = self.table(types, without)
        return table, table.schema

    def features(
        self, columns: Sequence[Column], table: Any, schema: Any, rows: NDArray[np.intp]
    ) -> Any:
        """The features of a table that `inferred` has read, of which ``rows`` are left."""
        return to_features(columns, table, self.name)

    def check_readable(self, names: Iterable[str]) -> None:
        """Raise an InputError if one of the columns holds values that no classifier takes."""
        for name in names:
            if name in self.unreadable:
                raise unusable(name, self.unreadable[name])

    @property
    def is_packed(self) -> bool:
        """Whether few bytes of the file may be many rows."""
        return self.source.compressed or not self.is_text

    @property
    def share_read(self) -> float | None:
        """The share of the file that has been read, from 0 to 1; None if unknown."""
        if self.n_rows:
            return min(1.0, self._n_read / self.n_rows)
        return self.source.n_read / self.source.size if self.source.size else None


def _repeated_name(file: str, name: str, names: list[str]) -> str:
    places = [str(k) for k, one in enumerate(names, 1) if one == name]
    which = f"the {', '.join(places)} of {len(names)}"
    if not name:
        return f"{file} has columns without a name ({which}); name them, or remove them"
    return f"{file} has several columns called {name!r} ({which}); rename them"
