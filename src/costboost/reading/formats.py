"""Tables from files of any format, detected by content; CSV and JSON lines."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from os import PathLike, fspath
from typing import Any

from costboost.reading.columnar import ArrowFile, ArrowStream, Parquet
from costboost.reading.columns import KINDS, feature_type, select_names
from costboost.reading.errors import InputError, one_line, translated_errors
from costboost.reading.sources import (
    CELL_BYTES,
    HEAD,
    Format,
    MemoryBudget,
    ReadOptions,
    Source,
    detect_format,
)

BLOCK_BYTES = 1 << 22
"""Bytes of text read at a time."""
MAX_NESTING = 100
"""Levels of JSON values; pyarrow runs out of stack and crashes far beyond them."""
MAX_UNMATCHED = 500
"""Brackets of a line without a counterpart: those in strings, and of a line that continues."""
NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}\n"))
SEPARATORS = ",;\t|"
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\r?\n')
"""A first line that gives the separator, as spreadsheets write it."""
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


def _spend_text(budget: MemoryBudget, data: bytes, n_columns: int) -> None:
    """Reserve memory for text and its values: a line of two bytes can be a row of many columns."""
    budget.spend(len(data) + data.count(b"\n") * n_columns * CELL_BYTES)


# ---- CSV -----------------------------------------------------------------------------------------


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
        Bytes that a compressed or binary file may take once it is decompressed, as a number or as
        text such as ``"500M"``.

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
