"""Tables in the formats that are read: CSV and its kin, JSON lines, Parquet, Arrow."""

from __future__ import annotations

import codecs
import csv
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from costboost.cli.reading.explaining import explained
from costboost.cli.reading.raw import HEAD, Raw
from costboost.cli.trouble import TroubleError

BLOCK = 1 << 22
"""Bytes of text read at a time, ..."""
BATCH = 1 << 16
"""... or rows where the format counts in rows."""
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
        self._n_read = 0
        with explained(raw.name):
            self.names = self._names()
        twice = sorted({name for name in self.names if self.names.count(name) > 1})
        if twice:
            raise TroubleError(_twice(raw.name, twice[0], self.names))

    @abstractmethod
    def _names(self) -> list[str]: ...

    @abstractmethod
    def _table(self, types: Mapping[str, Any]) -> Any: ...

    @abstractmethod
    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]: ...

    def table(self, types: Mapping[str, Any]) -> Any:
        """All rows and columns; text is read as the types given, or else as those that fit it."""
        with explained(self.raw.name, self.names):
            table = self._table({n: type_ for n, type_ in types.items() if n in self.names})
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
        with explained(self.raw.name, self.names):
            for batch in self._batches({**types, **as_it_is}):
                self._n_read += batch.num_rows
                if batch.num_rows:
                    yield batch

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

    def _table(self, types: Mapping[str, Any]) -> Any:
        from pyarrow import csv as reader

        options = self._options(column_types=dict(types))
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
        self._schema = reader.read_json(io.BytesIO(head)).schema
        return list(self._schema.names)

    def _table(self, types: Mapping[str, Any]) -> Any:
        from pyarrow import json as reader

        return reader.read_json(
            self.raw.as_file(), read_options=reader.ReadOptions(block_size=BLOCK)
        )

    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import json as reader

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


class Parquet(Format):
    """A Parquet file."""

    def _names(self) -> list[str]:
        from pyarrow import parquet

        self._opened = parquet.ParquetFile(_seekable(self.raw))
        self.n_rows = self._opened.metadata.num_rows
        return list(self._opened.schema_arrow.names)

    def _table(self, types: Mapping[str, Any]) -> Any:
        return self._opened.read()

    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]:
        yield from self._opened.iter_batches(batch_size=BATCH, columns=list(types))


class ArrowFile(Format):
    """An Arrow file, also called Feather."""

    def _names(self) -> list[str]:
        import pyarrow as pa

        self._opened = pa.ipc.open_file(_seekable(self.raw))
        return list(self._opened.schema.names)

    def _table(self, types: Mapping[str, Any]) -> Any:
        return self._opened.read_all()

    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]:
        for k in range(self._opened.num_record_batches):
            yield self._opened.get_batch(k).select(list(types))


class ArrowStream(Format):
    """Arrow's stream format."""

    def _names(self) -> list[str]:
        import pyarrow as pa

        self._opened = pa.ipc.open_stream(self.raw.as_file())
        return list(self._opened.schema.names)

    def _table(self, types: Mapping[str, Any]) -> Any:
        return self._opened.read_all()

    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]:
        for batch in self._opened:
            yield batch.select(list(types))


def _seekable(raw: Raw) -> Any:
    """The file itself; what comes packed or by a pipe has to be in memory first."""
    import pyarrow as pa

    if raw.is_file:
        return pa.memory_map(raw.path)
    return pa.BufferReader(raw.bytes.read())


FORMATS: dict[str, type[Format]] = {
    "csv": Csv,
    "json": JsonLines,
    "parquet": Parquet,
    "arrow": ArrowFile,
    "stream": ArrowStream,
}
