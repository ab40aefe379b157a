"""Tables from files of any format, detected by content: CSV, JSON lines, Parquet and Arrow.

Files of Parquet and Arrow are checked before pyarrow allocates the memory that they announce. A
compressed buffer begins with its length, and a message with that of its body. pyarrow allocates
both without a check; here they are added up first. Only these numbers are read from the metadata
(FlatBuffers); everything else is left to pyarrow's own checks and to `validate`.

Row groups in the footer of a Parquet file are read here because pyarrow ends the process if it is
asked for an entry that is damaged (``ParquetFile.metadata.row_group``); it checks by itself what it
needs to read the rows.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from os import PathLike, fspath
from typing import Any, NamedTuple

from costboost.app.reading.columns import KINDS, feature_type, select_names
from costboost.app.reading.errors import InputError, one_line, translated_errors
from costboost.app.reading.sources import (
    BATCH_ROWS,
    CELL_BYTES,
    HEAD,
    Format,
    MemoryBudget,
    ReadOptions,
    Source,
    detect_format,
    is_url,
)

# ---- metadata of Parquet -------------------------------------------------------------------------

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


# ---- messages of Arrow ---------------------------------------------------------------------------

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


# ---- Parquet and Arrow: contents are validated before they are used ------------------------------


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


PAGE_BYTES = 1 << 18
"""Bytes of a column that are read at a time; pyarrow would hold those of all row groups."""


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
        far = is_url(self.source.name)  # where many small requests take long
        self._opened = parquet.ParquetFile(
            self.source.arrow_file(source),
            read_dictionary=sorted(names),
            pre_buffer=far,
            buffer_size=0 if far else PAGE_BYTES,
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


# ---- text ----------------------------------------------------------------------------------------

BLOCK_BYTES = 1 << 22
"""Bytes of text read at a time."""
MISSING = [
    "", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "NULL", "null",
    "None", "<NA>",
]  # fmt: skip
"""Text that stands for a missing value."""


def _estimated_rows(source: Source, head: bytes) -> float | None:
    """Lines of a text file, estimated from its beginning."""
    lines = head.count(b"\n")
    if source.compressed or source.size is None or not lines:
        return None
    return source.size / (head.rindex(b"\n") + 1) * lines


PARSED_BYTES = 4
"""Bytes that pyarrow keeps for a value beside its text until the type of its column is certain."""


def _spend_text(budget: MemoryBudget, data: bytes, n_columns: int) -> None:
    """Reserve memory for text and its values: a line of two bytes can be a row of many columns.

    pyarrow keeps the text of a value beside the value, until all values of the column are read.
    """
    n_values = data.count(b"\n") * n_columns
    budget.spend(2 * len(data) + n_values * (CELL_BYTES + PARSED_BYTES))


# ---- CSV -----------------------------------------------------------------------------------------

SEPARATORS = ",;\t|"
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\r?\n')
"""A first line that gives the separator, as spreadsheets write it."""


class Csv(Format):
    """Lines of values with a separator; the first line has the names of the columns."""

    is_text = True

    def _column_names(self) -> list[str]:
        beginning = self.source.first_line()
        self.n_rows = _estimated_rows(self.source, beginning)
        head = codecs.getincrementaldecoder(self.options.encoding)().decode(beginning)
        head = head.removeprefix("\ufeff").lstrip("\r\n")
        given = SEPARATOR_LINE.match(head)
        self._n_skipped = int(given is not None)
        head = head[given.end() :] if given else head
        self.separator = self.options.separator or (given[1] if given else detect_separator(head))
        if self.separator == self.options.decimal:
            raise InputError(
                f"{self.name} has {self.separator!r} between values, which is the decimal mark, "
                "too",
                "separator",
            )
        return next(csv.reader(io.StringIO(head, newline=""), delimiter=self.separator), [])

    def _table(self, types: Mapping[str, Any], without: Collection[str]) -> Any:
        from pyarrow import csv as reader

        if self.source.compressed:
            budget = self.source.budget()
            self.source.bytes.check = lambda data: _spend_text(budget, data, len(self.names))
        names = [name for name in self.names if name not in without]
        options = self._arrow_options(column_types=dict(types), include_columns=names)
        table = reader.read_csv(self.source.arrow_file(), **options)
        for field in table.schema:
            if str(field.type) == "binary":
                raise UnicodeDecodeError("utf-8", b"", 0, 0, "")
        return table

    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]:
        from pyarrow import csv as reader

        options = self._arrow_options(include_columns=list(types), column_types=dict(types))
        yield from reader.open_csv(self.source.arrow_file(), **options)

    def _arrow_options(self, **convert_options: Any) -> dict[str, Any]:
        from pyarrow import csv as reader

        return {
            "read_options": reader.ReadOptions(  # one thread: errors then have line numbers
                use_threads=False,
                block_size=BLOCK_BYTES,
                encoding=self.options.encoding,
                skip_rows=self._n_skipped,
            ),
            "parse_options": reader.ParseOptions(delimiter=self.separator, newlines_in_values=True),
            "convert_options": reader.ConvertOptions(
                null_values=MISSING,
                strings_can_be_null=True,
                true_values=[],
                false_values=[],
                decimal_point=self.options.decimal,
                **convert_options,
            ),
        }


def detect_separator(head: str) -> str:
    """The separator that is most frequent in the first line."""
    first = head.split("\n", 1)[0]
    return max(SEPARATORS, key=first.count)


# ---- JSON lines ----------------------------------------------------------------------------------

MAX_NESTING = 100
"""Levels of JSON values; pyarrow runs out of stack and crashes far beyond them."""
MAX_UNMATCHED = 500
"""Brackets of a line without a counterpart: those in strings, and of a line that continues."""
NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}\n"))


class JsonLines(Format):
    """An object on each line."""

    def _column_names(self) -> list[str]:
        import pyarrow as pa
        from pyarrow import json as reader

        head = self.source.first_line()
        self.n_rows = _estimated_rows(self.source, head)
        if len(head) >= HEAD and b"\n" in head:
            head = head[: head.rindex(b"\n") + 1]
        NestingCheck(self.name)(head)
        _spend_text(self.source.budget(), head, _count_keys(head))
        try:
            self._schema = reader.read_json(io.BytesIO(head)).schema
        except pa.ArrowInvalid:
            _refuse_broken_line(self.name, head)
            raise
        self.unreadable = {one.name: one.type for one in self._schema if not feature_type(one.type)}
        return list(self._schema.names)

    def _table(self, types: Mapping[str, Any], without: Collection[str]) -> Any:
        from pyarrow import json as reader

        check_nesting, budget = NestingCheck(self.name), self.source.budget()

        def check(data: bytes) -> None:
            check_nesting(data)
            _spend_text(budget, data, len(self.names))

        self.source.bytes.check = check
        table = reader.read_json(
            self.source.arrow_file(), read_options=reader.ReadOptions(block_size=BLOCK_BYTES)
        )
        return table.select([name for name in table.column_names if name not in without])

    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import json as reader

        self.source.bytes.check = NestingCheck(self.name)
        fields = [(name, self._type(name, type_)) for name, type_ in types.items()]
        yield from reader.open_json(
            self.source.arrow_file(),
            read_options=reader.ReadOptions(block_size=BLOCK_BYTES),
            parse_options=reader.ParseOptions(
                explicit_schema=pa.schema(fields), unexpected_field_behavior="ignore"
            ),
        )

    def _type(self, name: str, requested: Any) -> Any:
        """The requested type, but the file's own where text is requested: it is converted later."""
        import pyarrow as pa

        found = self._schema.field(name).type
        return found if requested == pa.string() and not pa.types.is_null(found) else requested


class NestingCheck:
    """Raises an InputError if JSON lines, passed in parts of any size, are nested too deeply.

    Pairs of brackets are removed repeatedly; the number of passes is the depth of the nesting.
    Brackets within strings may remain, which is harmless if they are few.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._open = b""

    def __call__(self, data: bytes) -> None:
        left = self._open + data.translate(None, NO_BRACKETS)
        for _ in range(MAX_NESTING):
            before, left = left, left.replace(b"{}", b"").replace(b"[]", b"")
            if left == before:
                break
        else:
            self._refuse()
        lines = left.split(b"\n")
        if max(map(len, lines)) > MAX_UNMATCHED:
            self._refuse()
        self._open = lines[-1]

    def _refuse(self) -> None:
        raise InputError(f"{self._name} has JSON that is nested too deeply for a table")


def _refuse_broken_line(name: str, head: bytes) -> None:
    """Raise an InputError that names the first line that is no JSON."""
    for number, line in enumerate(head.splitlines(), 1):
        try:
            if line.strip():
                json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else one_line(error)
            raise InputError(
                f"{name}, line {number}: this is no JSON ({reason}); each line must be an object"
            ) from error


def _count_keys(head: bytes) -> int:
    """The number of columns of the first lines."""
    found: set[str] = set()
    for line in head.splitlines():
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            found |= set(row) if isinstance(row, dict) else set()
    return len(found)


# ---- files of any format -------------------------------------------------------------------------

FORMATS: dict[str, type[Format]] = {
    "csv": Csv,
    "json": JsonLines,
    "parquet": Parquet,
    "arrow": ArrowFile,
    "stream": ArrowStream,
}


@contextmanager
def open_source(path: str, options: ReadOptions | None = None) -> Iterator[Source]:
    """The decompressed bytes of a file; ``-`` is standard input."""
    source = Source(path, options or ReadOptions())
    try:
        yield source
    finally:
        source.close()


@contextmanager
def open_table(path: str, options: ReadOptions | None = None) -> Iterator[Format]:
    """A file whose columns are known and whose rows can be read at once or in batches."""
    with open_source(path, options) as source:
        with translated_errors(source.name):
            kind = detect_format(source)
        yield FORMATS[kind](source)


def read_table(
    path: str | PathLike[str],
    *,
    drop: str | Sequence[str] = (),
    categorical: str | Sequence[str] = (),
    encoding: str = "utf-8",
    separator: str = "",
    decimal: str = ".",
    max_memory: str | int = "2G",
) -> Any:
    """Read a table from a CSV, JSON lines, Parquet or Arrow file.

    The format is detected from the content, also below gzip, zstd or bz2 compression. Columns of
    CSV and JSON files get the type that fits all their values: numbers, dates and times, or text.
    Empty fields and the usual marks, such as ``NA`` and ``null``, are missing values. The command
    line reads its files this way. It needs pyarrow, which the extra ``cli`` installs.

    Parameters
    ----------
    path : str or path-like
        The file; ``"-"`` is standard input.
    drop : str or sequence of str, default=()
        Columns to leave out.
    categorical : str or sequence of str, default=()
        Columns of text files that stay text, such as postcodes, whatever they look like.
    encoding : str, default="utf-8"
        Encoding of text files.
    separator : str, default=""
        Separator of a CSV file, one character or ``"tab"``. By default the most frequent of
        comma, semicolon, tab and ``|`` in the first line.
    decimal : {".", ","}, default="."
        Decimal mark of a CSV file.
    max_memory : str or int, default="2G"
        Bytes that reading a compressed or binary file may take, as a number or as text such as
        ``"500M"``. The table itself is smaller.

    Returns
    -------
    pyarrow.Table
        The table. The classifiers take it as X; text columns are categories to them.

    Raises
    ------
    InputError
        If the file is damaged or not a table, or a column does not exist. It is a `ValueError`.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> from costboost.reading import read_table
    >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file:
    ...     _ = file.write(b"age;city;since;zip\\n31;Oslo;2024-05-01;00501\\n")
    ...     _ = file.write(b"NA;Rome;2024-06-12;10115\\n")
    ...     file.flush()
    ...     table = read_table(file.name, categorical="zip")
    >>> {field.name: str(field.type) for field in table.schema}
    {'age': 'int64', 'city': 'string', 'since': 'date32[day]', 'zip': 'string'}
    >>> table.column("age").to_pylist()
    [31, None]
    """
    options = ReadOptions(encoding, separator, decimal, max_memory)
    with open_table(fspath(path), options) as source:
        dropped, text = (
            select_names([names] if isinstance(names, str) else names, source.names, source.name)
            for names in (drop, categorical)
        )
        return source.table(dict.fromkeys(text, KINDS["category"].text_type()), dropped)
