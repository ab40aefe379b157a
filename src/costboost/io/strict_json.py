"""JSON without duplicate keys, NaN or infinity."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isfinite
from typing import Any

Spend = Callable[[int], None]
"""Called with the memory in bytes that a part needs, before it is read."""
PER_BYTE = 32
"""Greatest memory per byte of JSON when it is read: ``[],`` is a list of 64 bytes."""


def write_json(value: Any) -> bytes:
    """The value as ASCII JSON; floats in the shortest form that reads back as an equal float."""
    return json.dumps(value, allow_nan=False).encode("ascii")


def read_json(data: bytes, spend: Spend) -> Any:
    """The value of JSON; ``spend`` is called with the memory in bytes that it needs."""
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
