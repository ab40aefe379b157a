"""JSON that is nested too deeply for pyarrow, which would run out of stack and crash."""

from __future__ import annotations

from costboost.cli.trouble import TroubleError

MOST_DEPTH = 100
"""Values within values; a table has none of them."""
MOST_OPEN = 500
"""Brackets of a line that match no other: those in texts, and of a line that goes on."""
OTHERS = bytes(set(range(256)) - set(b"[]{}\n"))


class Meter:
    """Is shown JSON lines, in parts of any size, and raises a TroubleError if they are too deep.

    Brackets that close each other are taken away, again and again; so many rounds are needed as
    values are nested. Brackets within texts may be left over, which does no harm if they are few.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._open = b""

    def __call__(self, data: bytes) -> None:
        left = self._open + data.translate(None, OTHERS)
        for _ in range(MOST_DEPTH):
            before, left = left, left.replace(b"{}", b"").replace(b"[]", b"")
            if left == before:
                break
        else:
            self._refuse()
        lines = left.split(b"\n")
        if max(map(len, lines)) > MOST_OPEN:
            self._refuse()
        self._open = lines[-1]

    def _refuse(self) -> None:
        raise TroubleError(f"{self._name} has JSON that is nested too deeply for a table")
