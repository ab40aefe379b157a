"""Reading tables: whatever the format, columns by name, at once or in batches."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager

from costboost.cli.reading.explaining import explained
from costboost.cli.reading.formats import FORMATS, Format
from costboost.cli.reading.raw import Raw, kind_of
from costboost.cli.trouble import TroubleError

__all__ = ["Format", "opened"]


@contextmanager
def opened(path: str, encoding: str = "utf-8", separator: str = "") -> Iterator[Format]:
    """A file, told by its content and not by its name; ``-`` is standard input."""
    try:
        encoding = codecs.lookup(encoding).name
    except LookupError as error:
        raise TroubleError(f"there is no encoding {encoding!r}; try latin-1 or utf-16") from error
    separator = "\t" if separator in ("tab", "\\t") else separator
    if len(separator) > 1:
        raise TroubleError(f"the separator must be one character or 'tab', got {separator!r}")
    with explained("standard input" if path == "-" else path):
        raw = Raw(path)
    try:
        with explained(raw.name):
            kind = kind_of(raw, encoding)
        yield FORMATS[kind](raw, {"encoding": encoding, "separator": separator})
    finally:
        raw.close()
