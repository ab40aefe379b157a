"""Reading tables: whatever the format, columns by name, at once or in batches."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from costboost.cli.reading.columnar import ArrowFile, ArrowStream, Parquet
from costboost.cli.reading.explaining import explained
from costboost.cli.reading.formats import Csv, Format, JsonLines
from costboost.cli.reading.raw import Raw, kind_of
from costboost.cli.trouble import TroubleError

DECIMALS = (".", ",")
FORMATS: dict[str, type[Format]] = {
    "csv": Csv,
    "json": JsonLines,
    "parquet": Parquet,
    "arrow": ArrowFile,
    "stream": ArrowStream,
}

__all__ = ["Format", "opened", "raw_of", "table_of"]


@contextmanager
def opened(
    path: str, encoding: str = "utf-8", separator: str = "", decimal: str = "."
) -> Iterator[Format]:
    """A file, told by its content and not by its name; ``-`` is standard input."""
    encoding = known_encoding(encoding)
    separator = "\t" if separator in ("tab", "\\t") else separator
    if len(separator) > 1:
        raise TroubleError(f"the separator must be one character or 'tab', got {separator!r}")
    if decimal not in DECIMALS:
        raise TroubleError(f"--decimal must be . or a comma, got {decimal!r}")
    with raw_of(path, encoding) as raw:
        with explained(raw.name):
            kind = kind_of(raw, encoding)
        yield FORMATS[kind](raw, {"encoding": encoding, "separator": separator, "decimal": decimal})


@contextmanager
def raw_of(path: str, encoding: str = "utf-8") -> Iterator[Raw]:
    """The bytes of a file, unpacked."""
    known_encoding(encoding)
    name = "standard input" if path == "-" else path
    with explained(name):
        raw = Raw(path)
    try:
        yield raw
    finally:
        raw.close()


def table_of(raw: Raw, kind: str, encoding: str) -> Any:
    """All rows of a small file whose kind is known, as pyarrow has them."""
    return FORMATS[kind](raw, {"encoding": encoding, "separator": "", "decimal": "."}).table({})


def known_encoding(name: str) -> str:
    """An encoding of text as Python calls it; Python has others, such as rot13."""
    try:
        found = codecs.lookup(name).name
        codecs.getincrementaldecoder(found)()
        "a".encode(found).decode(found)
        return found
    except (LookupError, ValueError) as error:
        raise TroubleError(f"there is no encoding {name!r}; try latin-1 or utf-16") from error
