"""Columns of a table as values of JSON: numbers stay numbers."""

from __future__ import annotations

import math
import re
from typing import Any

from costboost.reading.columns import as_text, is_text

NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
"""A number as JSON writes it; 00501 is none, but a name."""
_NUMBER = re.compile(NUMBER)
_WHOLE = re.compile(r"-?[0-9]+")


def all_numbers(column: Any) -> bool:
    """Whether every value of a column of text is a number, but for those that are missing."""
    from pyarrow import compute

    if not is_text(column.type) or column.null_count == len(column):
        return False
    return bool(compute.all(compute.match_substring_regex(as_text(column), NUMBER)).as_py())


def plain_values(column: Any, text_is_number: bool) -> list[Any]:
    """The values of a column; numbers that are not finite are missing, dates and times are text."""
    from pyarrow import types

    if is_text(column.type):
        values: list[Any] = as_text(column).to_pylist()
        return [_number(one) for one in values] if text_is_number else values
    if types.is_floating(column.type):
        return [_finite(one) for one in column.to_pylist()]
    plain = types.is_integer(column.type) or types.is_boolean(column.type)
    return list((column if plain else as_text(column)).to_pylist())


def _number(text: str | None) -> Any:
    """A number; text that is none stays as it is."""
    if text is None or not _NUMBER.match(text.strip()):
        return text
    return int(text) if _WHOLE.fullmatch(text.strip()) else _finite(float(text))


def _finite(value: float | None) -> float | int | None:
    """Whole numbers without a point, as they were probably written."""
    if value is None or not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
