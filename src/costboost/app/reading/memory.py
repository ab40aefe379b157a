"""Memory that files may take: sizes such as 8G, and budgets of which reading spends."""

from __future__ import annotations

import re

from costboost.app.reading.errors import InputError

UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
CELL_BYTES = 8
"""Bytes that a value takes at least once it is read."""


def parse_size(size: str | int) -> int:
    """Bytes from a number or from text such as 500M or 8G."""
    text = _SIZE.fullmatch(str(size).strip())
    n_bytes = int(float(text[1]) * UNITS[text[2].upper()]) if text else 0
    if n_bytes < 1:
        raise InputError(f"the memory limit must be a size such as 500M or 8G, got {size!r}")
    return n_bytes


def size_text(n_bytes: int) -> str:
    """Bytes as text such as 8G, with the largest unit that divides them."""
    unit = max((u for u in UNITS if n_bytes % UNITS[u] == 0), key=lambda u: UNITS[u])
    return f"{n_bytes // UNITS[unit]}{unit}"


HELD = 1.4
"""Bytes of a process for each byte that is counted: allocators round up, and keep what is freed."""


class MemoryBudget:
    """Memory that one file may take when it is decompressed: a guard against decompression bombs.

    Parameters
    ----------
    name : str
        The file, for the message.
    limit : int
        Bytes.
    """

    def __init__(self, name: str, limit: int) -> None:
        self.name, self.limit, self.left = name, limit, limit

    def spend(self, n_bytes: int) -> None:
        """Reserve bytes and what allocators add; raise an InputError if fewer are left."""
        self.left -= int(max(0, n_bytes) * HELD)
        if self.left < 0:
            raise InputError(
                f"{self.name} takes more than {size_text(self.limit)} of memory when it is "
                "unpacked; if you trust it, allow more",
                "max_memory",
                size_text(8 * self.limit),
            )
