"""Vectors whose parts are on the workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from costboost._core.arithmetic import RowVector

if TYPE_CHECKING:
    from costboost._core.backends.dask.rows import RemoteShards


class RemoteVector(RowVector):
    """A vector whose parts are on the workers."""

    __slots__ = ("number", "owner")

    def __init__(self, shards: RemoteShards, number: int) -> None:
        self.owner = shards
        self.number = number

    def apply(self, function: Callable[..., Any], given: Sequence[Any]) -> RemoteVector:
        return self.owner.kept(function, given)

    def collect(self, function: Callable[..., Any], given: Sequence[Any]) -> list[Any]:
        return self.owner.collected(function, given)

    def __del__(self) -> None:
        self.owner.forget(self.number)
