"""A stream of bytes whose beginning can be looked at before it is read."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

from costboost.app.reading.memory import MemoryBudget

LARGEST_READ = 1 << 22
"""Bytes read at once."""


def standard_input() -> Any:
    """Standard input without its buffer."""
    return getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)


class ByteStream:
    """A stream whose first bytes can be read without consuming them; pyarrow takes it as a file."""

    closed = False

    def __init__(self, raw: Any, before_read: Callable[[Any], None] | None = None) -> None:
        self._raw = raw
        self._before_read = before_read
        self._head = b""
        self.check: Callable[[bytes], None] | None = None
        """Is called with all bytes that are read, and may raise."""
        self.n_taken = 0
        """Bytes taken from the stream so far."""

    def peek(self, n: int) -> bytes:
        """The first n bytes, or all if there are fewer."""
        self._head += self._take(n - len(self._head))
        return self._head[:n]

    def read(self, n: int | None = -1) -> bytes:
        """The next n bytes; fewer only at the end."""
        n = sys.maxsize if n is None or n < 0 else n
        data, self._head = self._head[:n], self._head[n:]
        data = data + self._take(n - len(data)) if data else self._take(n)
        if self.check is not None:
            self.check(data)
        return data

    def read_all(self, budget: MemoryBudget) -> io.BytesIO:
        """All that is left, as a file; raise an InputError if it exceeds the budget."""
        held = io.BytesIO()
        while part := self.read(LARGEST_READ):
            budget.spend(len(part))
            held.write(part)
        held.seek(0)
        return held

    def _take(self, n: int) -> bytes:
        parts = []
        while n > 0:
            if self._before_read is not None:
                self._before_read(self._raw)
            part = bytes(self._raw.read(min(n, LARGEST_READ)))
            if not part:
                break
            parts.append(part)
            n -= len(part)
        data = b"".join(parts)
        self.n_taken += len(data)
        return data

    def close(self) -> None:
        """Close the file; standard input stays open."""
        self.closed = True
        if self._raw is not standard_input():
            self._raw.close()
