"""Metadata of Arrow, as tables of FlatBuffers."""

from __future__ import annotations

import struct


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
