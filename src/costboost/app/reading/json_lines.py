"""JSON lines: an object on each line."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any

from costboost.app.reading import text
from costboost.app.reading.columns import feature_type
from costboost.app.reading.errors import InputError, one_line
from costboost.app.reading.format import Format
from costboost.app.reading.sources import HEAD

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
        self.n_rows = text.estimated_rows(self.source, head)
        if len(head) >= HEAD and b"\n" in head:
            head = head[: head.rindex(b"\n") + 1]
        NestingCheck(self.name)(head)
        text.spend_text(self.source.budget(), head, _count_keys(head))
        try:
            self._schema = reader.read_json(io.BytesIO(head)).schema
        except pa.ArrowInvalid:
            _refuse_broken_line(self.name, head)
            raise
        types = {field.name: field.type for field in self._schema}
        self.unreadable = {name: kind for name, kind in types.items() if not feature_type(kind)}
        return list(self._schema.names)

    def _table(self, types: Mapping[str, Any], without: Collection[str]) -> Any:
        from pyarrow import json as reader

        check_nesting, budget = NestingCheck(self.name), self.source.budget()

        def check(data: bytes) -> None:
            check_nesting(data)
            text.spend_text(budget, data, len(self.names))

        self.source.bytes.check = check
        table = reader.read_json(
            self.source.arrow_file(), read_options=reader.ReadOptions(block_size=text.BLOCK_BYTES)
        )
        return table.select([name for name in table.column_names if name not in without])

    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import json as reader

        self.source.bytes.check = NestingCheck(self.name)
        fields = [(name, self._type(name, type_)) for name, type_ in types.items()]
        yield from reader.open_json(
            self.source.arrow_file(),
            read_options=reader.ReadOptions(block_size=text.BLOCK_BYTES),
            parse_options=reader.ParseOptions(
                explicit_schema=pa.schema(fields), unexpected_field_behavior="ignore"
            ),
        )

    def _type(self, name: str, requested: Any) -> Any:
        """The requested type, but the file's own where text is requested: it is converted later."""
        import pyarrow as pa

        stored = self._schema.field(name).type
        return stored if requested == pa.string() and not pa.types.is_null(stored) else requested


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
    keys: set[str] = set()
    for line in head.splitlines():
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            keys |= set(row) if isinstance(row, dict) else set()
    return len(keys)
