"""Metadata of Parquet, in the compact protocol of Thrift."""

from __future__ import annotations

from typing import Any


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
