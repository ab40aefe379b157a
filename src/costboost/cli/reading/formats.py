"""What a table is in any format, and the formats that are text: CSV and its kin, JSON lines."""

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

from costboost.cli.reading import nesting
from costboost.cli.reading.allowance import Allowance
from costboost.cli.reading.explaining import explained, unusable
from costboost.cli.reading.raw import HEAD, Raw
from costboost.cli.trouble import TroubleError

BLOCK = 1 << 22
"""Bytes of text read at a time, ..."""
BATCH = 1 << 16
"""... or rows where the format counts in rows."""
CELL = 8
"""Bytes that a value takes at least when it is read."""
MOST_COLUMNS = 100_000
SEPARATORS = ",;\t|"
SAID = re.compile(r'"?sep=(.)"?\r?\n')
"""A first line that tells spreadsheets the separator."""
MISSING = [
    "", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "NULL", "null",
    "None", "<NA>",
]  # fmt: skip
"""Text that stands for a missing value."""


class Format(ABC):
    """A file, opened: the names of its columns, and its rows at once or in batches."""

    is_text = False
    """Whether values are text that has to be read as something, and can be repeated as it is."""

    def __init__(self, raw: Raw, options: Mapping[str, str]) -> None:
        self.raw = raw
        self.options = options
        self.n_rows: float | None = None
        """Rows in the file, where they are known or can be guessed."""
        self.unreadable: dict[str, Any] = {}
        """Types of columns that are never decoded, such as lists, by name."""
        self._n_read = 0
        with explained(raw.name):
            self.names = self._names()
        if len(self.names) > MOST_COLUMNS:
            raise TroubleError(
                f"{raw.name} has {len(self.names):,} columns; at most {MOST_COLUMNS:,} are read"
            )
        twice = sorted(name for name, n in Counter(self.names).items() if n > 1)
        if twice:
            raise TroubleError(_twice(raw.name, twice[0], self.names))

    @abstractmethod
    def _names(self) -> list[str]: ...

    @abstractmethod
    def _table(self, types: Mapping[str, Any], without: Collection[str]) -> Any: ...

    @abstractmethod
    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]: ...

    def table(self, types: Mapping[str, Any], without: Collection[str] = ()) -> Any:
        """All rows, and all columns but some; text is read as the types given, or as what fits it.

        A column of values that no classifier takes is an error, unless it is left out.
        """
        self.check_readable([name for name in self.names if name not in set(without)])
        with explained(self.raw.name, self.names):
            known = set(self.names)
            table = self._table({n: type_ for n, type_ in types.items() if n in known}, without)
        if table.num_rows == 0:
            raise TroubleError(f"{self.raw.name} has a header, but no rows")
        return table

    def batches(self, types: Mapping[str, Any], repeated: Sequence[str] = ()) -> Iterator[Any]:
        """Some rows at a time, only the columns named; text is read as the types given.

        Columns that are to be ``repeated`` stay text if they are text that is read later as here.
        """
        import pyarrow as pa

        read_here = [pa.float64()] if self.options["decimal"] != "." else []
        stay = [name for name in repeated if self.is_text and types.get(name) not in read_here]
        as_it_is = dict.fromkeys(stay, pa.string())
        self.check_readable([*types, *stay])
        with explained(self.raw.name, self.names):
            for large in self._batches({**types, **as_it_is}):
                for begin in range(0, large.num_rows, BATCH):  # Ctrl-C waits for one at most
                    batch = large.slice(begin, BATCH)
                    self._n_read += batch.num_rows
                    yield batch

    def check_readable(self, names: Iterable[str]) -> None:
        """A TroubleError if one of the columns holds values that no classifier takes."""
        for name in names:
            if name in self.unreadable:
                raise unusable(name, self.unreadable[name])

    @property
    def share_read(self) -> float | None:
        """How much of the file has been read, from 0 to 1, if that can be told."""
        if self.n_rows:
            return min(1.0, self._n_read / self.n_rows)
        return self.raw.done / self.raw.size if self.raw.size else None


def _twice(file: str, name: str, names: list[str]) -> str:
    places = [str(k) for k, one in enumerate(names, 1) if one == name]
    which = f"the {', '.join(places)} of {len(names)}"
    if not name:
        return f"{file} has columns without a name ({which}); name them, or remove them"
    return f"{file} has several columns called {name!r} ({which}); rename them"


def _guessed_rows(raw: Raw, head: bytes) -> float | None:
    """How many lines a file of text has, from its beginning: the reader itself reads far ahead."""
    lines = head.count(b"\n")
    if raw.packed or raw.size is None or not lines:
        return None
    return raw.size / (head.rindex(b"\n") + 1) * lines


class Csv(Format):
    """Lines of values with a separator; the first names the columns."""

    is_text = True

    def _names(self) -> list[str]:
        beginning = self.raw.head_line()
        self.n_rows = _guessed_rows(self.raw, beginning)
        head = codecs.getincrementaldecoder(self.options["encoding"])().decode(beginning)
        head = head.removeprefix("\ufeff").lstrip("\r\n")
        told = SAID.match(head)
        self._n_skipped = int(told is not None)
        head = head[told.end() :] if told else head
        self.separator = self.options["separator"] or (told[1] if told else separator_of(head))
        if self.separator == self.options["decimal"]:
            raise TroubleError(
                f"{self.raw.name} has {self.separator!r} between values, and --decimal takes it "
                "for a part of numbers: name the separator with --separator"
            )
        return next(csv.reader(io.StringIO(head, newline=""), delimiter=self.separator), [])

    def _table(self, types: Mapping[str, Any], without: Collection[str]) -> Any:
        from pyarrow import csv as reader

        if self.raw.packed:
            allowance = Allowance(self.raw.name)
            self.raw.bytes.meter = lambda data: _check_cells(allowance, data, len(self.names))
        names = [name for name in self.names if name not in without]
        options = self._options(column_types=dict(types), include_columns=names)
        table = reader.read_csv(self.raw.as_file(), **options)
        for field in table.schema:
            if str(field.type) == "binary":
                raise UnicodeDecodeError("utf-8", b"", 0, 0, "")
        return table

    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]:
        from pyarrow import csv as reader

        options = self._options(include_columns=list(types), column_types=dict(types))
        yield from reader.open_csv(self.raw.as_file(), **options)

    def _options(self, **converting: Any) -> dict[str, Any]:
        from pyarrow import csv as reader

        return {
            "read_options": reader.ReadOptions(  # one thread: errors then have line numbers
                use_threads=False,
                block_size=BLOCK,
                encoding=self.options["encoding"],
                skip_rows=self._n_skipped,
            ),
            "parse_options": reader.ParseOptions(delimiter=self.separator, newlines_in_values=True),
            "convert_options": reader.ConvertOptions(
                null_values=MISSING,
                strings_can_be_null=True,
                true_values=[],
                false_values=[],
                decimal_point=self.options["decimal"],
                **converting,
            ),
        }


def separator_of(head: str) -> str:
    """The separator that the first line has most of."""
    first = head.split("\n", 1)[0]
    return max(SEPARATORS, key=first.count)


class JsonLines(Format):
    """An object on each line."""

    def _names(self) -> list[str]:
        from pyarrow import json as reader

        head = self.raw.head_line()
        self.n_rows = _guessed_rows(self.raw, head)
        if len(head) >= HEAD and b"\n" in head:
            head = head[: head.rindex(b"\n") + 1]
        nesting.Meter(self.raw.name)(head)
        _check_cells(Allowance(self.raw.name), head, _keys(head))
        self._schema = reader.read_json(io.BytesIO(head)).schema
        return list(self._schema.names)

    def _table(self, types: Mapping[str, Any], without: Collection[str]) -> Any:
        from pyarrow import json as reader

        check, allowance = nesting.Meter(self.raw.name), Allowance(self.raw.name)

        def meter(data: bytes) -> None:
            check(data)
            _check_cells(allowance, data, len(self.names))

        self.raw.bytes.meter = meter
        table = reader.read_json(
            self.raw.as_file(), read_options=reader.ReadOptions(block_size=BLOCK)
        )
        return table.select([name for name in table.column_names if name not in without])

    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import json as reader

        self.raw.bytes.meter = nesting.Meter(self.raw.name)
        fields = [(name, self._type(name, wanted)) for name, wanted in types.items()]
        yield from reader.open_json(
            self.raw.as_file(),
            read_options=reader.ReadOptions(block_size=BLOCK),
            parse_options=reader.ParseOptions(
                explicit_schema=pa.schema(fields), unexpected_field_behavior="ignore"
            ),
        )

    def _type(self, name: str, wanted: Any) -> Any:
        """As wanted, unless that is text and the file has something else, which is text later."""
        import pyarrow as pa

        found = self._schema.field(name).type
        return found if wanted == pa.string() and not pa.types.is_null(found) else wanted


def _check_cells(allowance: Allowance, data: bytes, n_columns: int) -> None:
    """Spend the text and its values: a line of two characters can be a row of many columns."""
    allowance.spend(len(data) + data.count(b"\n") * n_columns * CELL)


def _keys(head: bytes) -> int:
    """How many columns the first lines have."""
    found: set[str] = set()
    for line in head.splitlines():
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            found |= set(row) if isinstance(row, dict) else set()
    return len(found)
