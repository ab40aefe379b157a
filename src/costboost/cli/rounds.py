"""How far a training is, for those who watch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from costboost.cli import telling


@contextmanager
def following(model: Any, y: Any, text: str) -> Iterator[None]:
    """A bar with the time left while the model is fitted."""
    with telling.working(text):
        yield
