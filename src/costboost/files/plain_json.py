"""JSON as strictly as the standard has it: no key twice, no number that is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isfinite
from typing import Any

PER_BYTE = 32
"""Memory that a byte of JSON can take at most when it is read: ``[],`` is a list of 64 bytes."""


def write(value: Any) -> bytes:
    """The value in ASCII; floats in the shortest form that reads back as the same float."""
    return json.dumps(value, allow_nan=False).encode("ascii")


def read(data: bytes, spend: Callable[[int], None]) -> Any:
    """The value; ``spend`` is told how much memory it will take."""
    spend(PER_BYTE * len(data))
    try:
        return json.loads(
            data.decode("ascii"),
            object_pairs_hook=_once,
            parse_constant=_no_number,
            parse_float=_finite,
        )
    except RecursionError as error:
        raise ValueError("has JSON that is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"has JSON that cannot be read: {error}") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"{text[:40]} is too large a number")
    return value
