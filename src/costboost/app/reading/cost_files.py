"""The content of a file of costs, whatever they are the costs of: JSON, or cells of a table."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from costboost.app.reading.csv import detect_separator
from costboost.app.reading.detection import detect_format
from costboost.app.reading.errors import InputError, translated_errors
from costboost.app.reading.formats import FORMATS, open_source
from costboost.app.reading.options import ReadOptions
from costboost.app.reading.sources import HEAD, Source

MAX_BYTES = 1 << 24
"""Text that is longer cannot be costs."""


class Cells(list[list[str]]):
    """Lines of a text file, each a list of cells."""


def read(path: str, options: ReadOptions | None, what: str) -> tuple[str, Any]:
    """The name of a file for messages, and a value of JSON, cells, or records of a binary table.

    ``what`` are the costs, for a message.
    """
    with open_source(path, options) as source, translated_errors(source.name):
        is_list = source.bytes.peek(HEAD).lstrip()[:1] == b"["
        kind = "json" if is_list else detect_format(source)
        if kind == "json":
            return source.name, _of_json(_text(source, what), source.name)
        if kind != "csv":
            return source.name, FORMATS[kind](source).table({}).to_pylist()
        text = _text(source, what)
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=detect_separator(text))
        return source.name, Cells(line for line in lines if any(map(str.strip, line)))


def _text(source: Source, what: str) -> str:
    data = source.bytes.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InputError(f"{source.name} is far too long for a {what}")
    return data.decode(source.options.encoding).removeprefix("\ufeff")


def _of_json(text: str, name: str) -> Any:
    try:
        return _values(text)
    except RecursionError as error:
        raise InputError(f"{name} has JSON that is nested too deeply") from error
    except ValueError as error:
        raise InputError(f"{name} is no JSON: {error}") from error


def _values(text: str) -> Any:
    """A value of JSON, or a list of the values on each line."""
    try:
        return json.loads(text)
    except ValueError as error:
        whole = error
    values: list[Any] = []
    for line in filter(str.strip, text.splitlines()):
        try:
            values.append(json.loads(line))
        except ValueError as error:
            raise (error if values else whole) from None
    return values
