"""Row groups in the footer of a Parquet file.

They are read here because pyarrow ends the process if it is asked for an entry that is damaged
(``ParquetFile.metadata.row_group``); it checks by itself what it needs to read the rows.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from costboost.reading.errors import InputError

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
