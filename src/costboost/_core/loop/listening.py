"""Listeners, which are told of every round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[int, int], None]
"""Called with the number of rounds done and the number of rounds requested."""
LISTENER: ContextVar[Listener | None] = ContextVar("LISTENER", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call ``listener(round, n_rounds)`` after every round of any ensemble in this context."""
    before = LISTENER.set(listener)
    try:
        yield
    finally:
        LISTENER.reset(before)
