"""Measurement of memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any


def peak(work: Callable[[], Any]) -> int:
    """Peak number of bytes in use while a function runs."""
    work()  # whatever is made once for good is there
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
