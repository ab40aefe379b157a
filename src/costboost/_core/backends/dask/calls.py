"""Calls of functions on a worker, and the log of those that made what it keeps.

A call applies a function to objects that the worker keeps, and to data that come with it; its
result is kept under a number, or returned.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, NamedTuple


class Ref(NamedTuple):
    """Stands for an object that a worker keeps."""

    number: int


class Call(NamedTuple):
    """A function, or the name of a method of the first argument, and its arguments."""

    function: Callable[..., Any] | str
    given: tuple[Any, ...]
    result: int | None = None
    """Number under which the result is kept; None if it is the answer, or nothing."""


class Failure(NamedTuple):
    """An exception that a call raised."""

    error: BaseException


class Log:
    """The calls that made what the shards keep for one purpose, by shard.

    ``base`` is the log of the objects that it is made of.
    """

    def __init__(self, n_shards: int, base: Log | None = None) -> None:
        self.base = base
        self.calls: list[list[Call]] = [[] for _ in range(n_shards)]
        self.generation = [0] * n_shards
        """How many workers each shard had lost when it was sent the last of these calls."""


def name_of(call: Call) -> str:
    """The name of what a call computes, for messages."""
    named = [one for one in (call.function, *call.given) if isinstance(one, str) or callable(one)]
    functions = [getattr(one, "__name__", str(one)) for one in named]
    return next((one for one in functions if not one.startswith("_")), "an answer")


def dumps(value: Any) -> bytes:
    """Pickle, with the functions that only cloudpickle can."""
    try:
        return pickle.dumps(value, protocol=5)
    except Exception:
        from distributed.protocol.pickle import dumps as dask_dumps

        data: bytes = dask_dumps(value)  # type: ignore[no-untyped-call]
        return data
