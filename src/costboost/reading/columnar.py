"""Parquet and Arrow files, checked before pyarrow allocates the memory that they announce.

A compressed buffer begins with its length, and a message with that of its body. pyarrow allocates
both without a check; here they are added up first. Only these numbers are read from the metadata
(FlatBuffers); everything else is left to pyarrow's own checks and to `validate`.

Row groups in the footer of a Parquet file are read here because pyarrow ends the process if it is
asked for an entry that is damaged (``ParquetFile.metadata.row_group``); it checks by itself what it
needs to read the rows.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from costboost.reading.columns import feature_type
from costboost.reading.errors import InputError
from costboost.reading.sources import BATCH_ROWS, CELL_BYTES, Format, Source

SIMPLE_ENCODINGS = {0, 2, 3, 4, 8}
"""Numbers of the encodings of Parquet other than DELTA_... and BYTE_STREAM_SPLIT."""


class Compact:
    """Values in the compact protocol of Thrift, in which Parquet has its metadata.

    Structs are dicts by the numbers of their fields. Every value takes a byte at least.
    """

    MOST_NESTED = 32
    BOOLEANS, BYTE, DOUBLE, BINARY, LISTS, MAP, STRUCT = (1, 2), 3, 7, 8, (9, 10), 11, 12

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def read(self, kind: int, depth: int = 0) -> Any:
        """The next value, which is of this kind."""
        if depth > self.MOST_NESTED:
            raise ValueError("the metadata are nested too deeply")
        if kind in self.BOOLEANS or kind == self.BYTE:
            return self._bytes(1)[0]
        if kind in (4, 5, 6):
            return self._whole()
        if kind == self.DOUBLE:
            return self._bytes(8)
        if kind == self.BINARY:
            return self._bytes(self._unsigned())
        if kind in self.LISTS:
            return self._list(depth)
        if kind == self.STRUCT:
            return self._struct(depth)
        raise ValueError(f"the metadata have a value of kind {kind}")

    def _bytes(self, n: int) -> bytes:
        if n > len(self.data) - self.at:
            raise ValueError("the metadata are cut short")
        self.at += n
        return self.data[self.at - n : self.at]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._bytes(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError("the metadata have a number of more than 64 bits")

    def _whole(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)

    def _list(self, depth: int) -> list[Any]:
        head = self._bytes(1)[0]
        n = head >> 4 if head < 0xF0 else self._unsigned()
        return [self.read(head & 15, depth + 1) for _ in range(n)]

    def _struct(self, depth: int) -> dict[int, Any]:
        found: dict[int, Any] = {}
        field = 0
        while head := self._bytes(1)[0]:
            field = field + (head >> 4) if head >> 4 else self._whole()
            kind = head & 15
            found[field] = kind == 1 if kind in self.BOOLEANS else self.read(kind, depth + 1)
        return found


class RowGroup(NamedTuple):
    """A row group of a Parquet file: rows, bytes, and the encodings of its columns by name."""

    n_rows: int
    n_bytes: int
    encodings: list[tuple[str, set[int]]]


def row_groups_of(file: Any, name: str) -> list[RowGroup]:
    """The row groups of a Parquet file that pyarrow has opened."""
    end = file.seek(-8, 2)
    (length,) = struct.unpack("<I", file.read(4))
    file.seek(max(end - length, 0))
    try:
        groups = Compact(file.read(length)).read(Compact.STRUCT).get(4, [])
        return [_row_group(group) for group in groups]
    except (AttributeError, KeyError, TypeError, UnicodeError, ValueError) as error:
        message = f"{name} is damaged: its list of row groups cannot be read ({error})"
        raise InputError(message) from error
    finally:
        file.seek(0)


def _row_group(group: dict[int, Any]) -> RowGroup:
    """The numbers of the fields are those of Parquet's definition."""
    columns = [column[3] for column in group[1] if 3 in column]
    encodings = [(b".".join(one[3]).decode(), set(one[2])) for one in columns]
    return RowGroup(int(group[3]), int(group[2]), encodings)


# ---- messages and tables -------------------------------------------------------------------------

CONTINUED = b"\xff\xff\xff\xff"
MAX_METADATA = 1 << 28
DICTIONARY, BATCH = 2, 3
"""Kinds of messages that have a body."""


class FlatTable:
    """A FlatBuffers table; fields are accessed by number."""

    def __init__(self, data: bytes, at: int | None = None) -> None:
        self.data = data
        self.at = self._number("<I", 0) if at is None else at

    def number(self, field: int, form: str, default: int = 0) -> int:
        """A scalar field."""
        place = self._place(field)
        return default if place is None else self._number(form, place)

    def table(self, field: int) -> FlatTable | None:
        """A nested table, or None."""
        place = self._place(field)
        return None if place is None else FlatTable(self.data, place + self._number("<I", place))

    def structs(self, field: int, form: str) -> list[tuple[int, ...]]:
        """A vector of structs of numbers."""
        place = self._place(field)
        if place is None:
            return []
        start = place + self._number("<I", place)
        n, width = self._number("<I", start), struct.calcsize(form)
        body = self.data[start + 4 : start + 4 + n * width]
        if len(body) != n * width:
            raise struct.error("a vector goes beyond the end")
        return list(struct.iter_unpack(form, body))

    def _place(self, field: int) -> int | None:
        fields = self.at - self._number("<i", self.at)
        if 4 + 2 * field >= self._number("<H", fields):
            return None
        offset = self._number("<H", fields + 4 + 2 * field)
        return self.at + offset if offset else None

    def _number(self, form: str, at: int) -> int:
        if at < 0:
            raise struct.error("an offset leads before the beginning")
        return int(struct.unpack_from(form, self.data, at)[0])


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


# ---- streams -------------------------------------------------------------------------------------


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


# ---- files ---------------------------------------------------------------------------------------


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


# ---- binary formats: Parquet and Arrow. Their contents are validated before they are used --------


class Columnar(Format):
    """A file with a schema: columns that no classifier takes are not decoded."""

    schema: Any
    """Types of the columns."""

    def _column_names(self) -> list[str]:
        self.schema = schema = self._open()
        self.unreadable = {
            field.name: field.type for field in schema if not feature_type(field.type)
        }
        return list(schema.names)

    def _open(self) -> Any:
        """Open the file and return its schema."""
        raise NotImplementedError

    def _decoded(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        """Batches of some columns; ``all_kept``: whether all batches stay in memory."""
        raise NotImplementedError

    def _table(self, types: Mapping[str, Any], without: Collection[str]) -> Any:
        import pyarrow as pa

        names = [name for name in self.names if name not in without]
        budget = self.source.budget()
        batches = []
        for batch in self._validated(names, all_kept=True):
            budget.spend(max(batch.nbytes, batch.num_rows * batch.num_columns * CELL_BYTES))
            batches.append(batch)
        return pa.Table.from_batches(batches, None if batches else pa.schema([]))

    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]:
        yield from self._validated(list(types), all_kept=False)

    def _validated(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        for batch in self._decoded(names, all_kept):
            self.source.budget().spend(batch.num_rows * batch.num_columns * CELL_BYTES)
            batch.validate(full=True)
            yield batch

    def _options(self, names: list[str]) -> Any:
        """Options of Arrow that decode only some columns, with values aligned as their type."""
        import pyarrow as pa

        place = {name: k for k, name in enumerate(self.names)}
        return pa.ipc.IpcReadOptions(
            ensure_alignment=pa.ipc.Alignment.DataTypeSpecific,
            use_threads=False,
            included_fields=[place[name] for name in names],
        )


class Parquet(Columnar):
    """A Parquet file, or some of its row groups."""

    row_groups: Sequence[int] | None = None
    """The row groups that are read; None for all."""

    def _open(self) -> Any:
        from pyarrow import parquet

        source = self.source.seekable()
        found = parquet.ParquetFile(self.source.arrow_file(source))
        self._groups = row_groups_of(source, self.source.name)
        names = _stored_as_dictionaries(self._groups) & {
            field.name for field in found.schema_arrow if feature_type(field.type) == "text"
        }
        self._opened = parquet.ParquetFile(
            self.source.arrow_file(source), read_dictionary=sorted(names)
        )
        self.n_rows = self._opened.metadata.num_rows
        return self._opened.schema_arrow

    def _decoded(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        rows = self._opened.metadata.num_rows if all_kept else 0
        if all_kept and self.row_groups is not None:
            rows = sum(self.group_sizes()[k][0] for k in self.row_groups)
        self.source.budget().spend(rows * max(1, len(names)) * CELL_BYTES)
        for batch in self._opened.iter_batches(
            batch_size=BATCH_ROWS, row_groups=self.row_groups, columns=names
        ):
            yield batch.select(names)

    def group_sizes(self) -> list[tuple[int, int]]:
        """Rows and bytes of each row group."""
        return [(group.n_rows, group.n_bytes) for group in self._groups]


def _stored_as_dictionaries(groups: list[RowGroup]) -> set[str]:
    """Columns that are stored as dictionaries; read as such, they take no more memory."""
    found: set[str] = set()
    others: set[str] = set()
    for group in groups:
        for name, encodings in group.encodings:
            (found if encodings <= SIMPLE_ENCODINGS else others).add(name)
    return found - others


class ArrowFile(Columnar):
    """An Arrow file, also called Feather."""

    def _open(self) -> Any:
        import pyarrow as pa

        self._file = self.source.seekable()
        return pa.ipc.open_file(self.source.arrow_file(self._file)).schema

    def _decoded(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        import pyarrow as pa

        check_file(self._file, self.source, all_kept)
        options = self._options(names)
        opened = pa.ipc.open_file(self.source.arrow_file(self._file), options=options)
        for k in range(opened.num_record_batches):
            yield opened.get_batch(k).select(names)


class ArrowStream(Columnar):
    """Arrow's stream format."""

    def _open(self) -> Any:
        import pyarrow as pa

        self._stream = CheckedStream(self.source)
        return pa.ipc.read_schema(pa.py_buffer(bytes(self._stream.schema)))

    def _decoded(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        import pyarrow as pa

        self._stream.all_kept = all_kept
        options = self._options(names)
        for batch in pa.ipc.open_stream(self.source.arrow_file(self._stream), options=options):
            yield batch.select(names)
