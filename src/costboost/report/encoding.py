"""Numbers as JSON inside a page."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

TYPES = (("u1", np.uint8), ("u2", np.uint16), ("u4", np.uint32))


def packed(values: NDArray[Any]) -> dict[str, str]:
    """An array as base64, little-endian: whole numbers in as few bytes as will do, else doubles."""
    numbers = np.ascontiguousarray(values, dtype="<f8")
    whole = bool(np.all(np.isfinite(numbers)) and np.all(numbers == np.floor(numbers)))
    if whole and numbers.size and numbers.min() >= 0:
        for name, kind in TYPES:
            if numbers.max() <= np.iinfo(kind).max:
                return {"type": name, "data": _base64(numbers.astype(f"<{name}"))}
    return {"type": "f8", "data": _base64(numbers)}


def _base64(array: NDArray[Any]) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")


def script_json(tree: dict[str, Any]) -> str:
    """JSON that can stand in a script element, whatever its texts are."""
    text = json.dumps(
        {k: packed(v) if isinstance(v, np.ndarray) else v for k, v in tree.items()},
        allow_nan=False,
        separators=(",", ":"),
    )
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
