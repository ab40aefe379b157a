"""Columns as values of JSON."""

from __future__ import annotations

import math
import re
from typing import Any

from costboost.app.reading.columns import as_text, is_text

JSON_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
"""A number as JSON writes it; 00501 is a name."""


def all_numbers(column: Any) -> bool:
    """Whether all values of a text column are numbers, except those that are missing."""
    from pyarrow import compute

    if not is_text(column.type) or column.null_count == len(column):
        return False
    return bool(compute.all(compute.match_substring_regex(as_text(column), JSON_NUMBER)).as_py())


def json_values(column: Any, text_is_number: bool) -> list[Any]:
    """The values of a column for JSON: dates and times are text, NaN and infinity are null."""
    from pyarrow import types

    if is_text(column.type):
        values: list[Any] = as_text(column).to_pylist()
        return [_parsed_number(value) for value in values] if text_is_number else values
    if types.is_floating(column.type):
        return [_finite(value) for value in column.to_pylist()]
    plain = types.is_integer(column.type) or types.is_boolean(column.type)
    return list((column if plain else as_text(column)).to_pylist())


def _parsed_number(text: str | None) -> Any:
    """The number that a text is; other text unchanged."""
    if text is None or not re.match(JSON_NUMBER, text.strip()):
        return text
    return int(text) if re.fullmatch(r"-?[0-9]+", text.strip()) else _finite(float(text))


def _finite(value: float | None) -> float | int | None:
    """A float without a fraction as an integer; None for NaN and infinity."""
    if value is None or not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
