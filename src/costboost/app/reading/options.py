"""Options of how files are read, checked when they are made."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from costboost.app.reading.errors import InputError
from costboost.app.reading.memory import parse_size

DECIMALS = (".", ",")


@dataclass(frozen=True)
class ReadOptions:
    """How files are read."""

    encoding: str = "utf-8"
    separator: str = ""
    """One character or "tab"; "" takes the most frequent one of the first line."""
    decimal: str = "."
    max_memory: str | int = "2G"
    """Bytes that a compressed or binary file may take once it is decompressed."""
    before_read: Callable[[Any], None] | None = None
    """Is called with the raw stream before bytes are read from it, and may wait or raise."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "encoding", _known_encoding(self.encoding))
        object.__setattr__(self, "max_memory", parse_size(self.max_memory))
        if self.separator in ("tab", "\\t"):
            object.__setattr__(self, "separator", "\t")
        if len(self.separator) > 1:
            raise InputError(
                f"the separator must be one character or 'tab', got {self.separator!r}"
            )
        if self.decimal not in DECIMALS:
            raise InputError(f"the decimal mark must be . or a comma, got {self.decimal!r}")


def _known_encoding(name: str) -> str:
    """The name that Python has for an encoding of text; codecs such as rot13 are none."""
    try:
        codec = codecs.lookup(name).name
        codecs.getincrementaldecoder(codec)()
        "a".encode(codec).decode(codec)
        return codec
    except (LookupError, ValueError) as error:
        raise InputError(f"there is no encoding {name!r}; try latin-1 or utf-16") from error
