"""A record of arrays, which is what a trained ensemble is."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


class Arrays:
    """Base of ensembles: a record of arrays, which do not change once scores were computed."""

    __slots__ = ("_trees",)  # compiled for scores; not among the attributes, nor in a pickle

    def __getstate__(self: Any) -> dict[str, Any]:
        """The arrays by their names."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def tobytes(self) -> bytes:
        """All arrays as bytes: two ensembles are the same exactly if these are."""
        return b"".join(array.tobytes() for array in self.__getstate__().values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.tobytes() == other.tobytes()

    __hash__ = None  # type: ignore[assignment]
