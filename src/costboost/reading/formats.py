"""Formats of tables: what all have in common, CSV and JSON lines."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from costboost.reading.columns import feature_type, unusable
from costboost.reading.errors import InputError, one_line, translated_errors
from costboost.reading.sources import HEAD, MemoryBudget, Source

BLOCK_BYTES = 1 << 22
"""Bytes of text read at a time."""
BATCH_ROWS = 1 << 16
"""Rows of a batch."""
CELL_BYTES = 8
"""Bytes that a value takes at least once it is read."""
MAX_COLUMNS = 100_000
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

    def check_readable(self, names: Iterable[str]) -> None:
        """Raise an InputError if one of the columns holds values that no classifier takes."""
        for name in names:
            if name in self.unreadable:
                raise unusable(name, self.unreadable[name])

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
