"""Values as a tree of JSON with arrays beside it, and back.

Texts, finite numbers, true, false and null are themselves, lists are lists. Everything else is an
object whose ``type`` is the name of a kind; the kind says how such a value is taken apart into
parts, which are written in the same way, and how it is put together from them. A file can name
kinds, never classes: what is in no table is not made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from textwrap import shorten
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.files import npy
from costboost.files.fields import Fields

MOST_DEPTH = 32
"""Values within values; a search around an operating point around a classifier has 12."""


UNFIT = (ValueError, TypeError, ArithmeticError, AttributeError, LookupError)
"""What parts that make no sound value can end in; a ValueError if a check has found them."""


class NotPlainError(ValueError):
    """A value that a file cannot hold; the message says which and what it is."""


@dataclass(frozen=True)
class Kind:
    """A kind of value that a file can hold."""

    name: str
    """What files call it."""
    classes: tuple[type, ...]
    """Whose instances it is for; not those of subclasses."""
    take_apart: Callable[[Any], Mapping[str, Any]]
    put_together: Callable[[Fields], Any]
    """Raises a ValueError if the parts make no sound value."""
    dispensable: frozenset[str] = frozenset()
    """Parts that are left out where a file cannot hold them."""


@dataclass
class Writer:
    """Turns values into JSON and arrays."""

    kinds: Iterable[Kind]
    arrays: list[NDArray[Any]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """Dispensable parts that could not be held, each with what it was."""

    def __post_init__(self) -> None:
        self._kind_of = {cls: kind for kind in self.kinds for cls in kind.classes}

    def write(self, value: Any, where: str = "") -> Any:
        """The value as JSON, its arrays put beside."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float and isfinite(value):
            return value
        if type(value) is list:
            return [self.write(one, f"{where}[{k}]") for k, one in enumerate(value)]
        if type(value) is np.ndarray and npy.holds(value):
            self.arrays.append(value)
            return {"type": "array", "number": len(self.arrays) - 1}
        kind = self._kind_of.get(type(value))
        if kind is None:
            raise NotPlainError(f"{where or 'the model'} is a {type(value).__name__}")
        try:
            parts = kind.take_apart(value)
        except NotPlainError as error:
            raise NotPlainError(f"{where or 'the model'} {error}") from None
        written: dict[str, Any] = {"type": kind.name}
        for name, part in parts.items():
            path = f"{where}.{name}" if where else name
            if name in kind.dispensable:
                self._try(written, name, part, path)
            else:
                written[name] = self.write(part, path)
        return written

    def _try(self, written: dict[str, Any], name: str, part: Any, where: str) -> None:
        n_arrays = len(self.arrays)
        try:
            written[name] = self.write(part, where)
        except NotPlainError:
            del self.arrays[n_arrays:]
            self.left_out.append(f"{where}={shorten(repr(part), 60)}")


class Reader:
    """Turns JSON and arrays into values. Both are what somebody has put into a file."""

    def __init__(
        self, kinds: Iterable[Kind], arrays: Mapping[int, bytes], spend: Callable[[int], None]
    ) -> None:
        self._kinds = {kind.name: kind for kind in kinds}
        self._arrays = dict(arrays)
        self._spend = spend

    def read(self, tree: Any) -> Any:
        """The value; every array must be part of it, and only once."""
        value = self._read(tree, "", 0)
        if self._arrays:
            raise ValueError(f"array {min(self._arrays)} belongs to nothing")
        return value

    def _read(self, tree: Any, where: str, depth: int) -> Any:
        if depth > MOST_DEPTH:
            raise ValueError(f"{where} is nested too deeply")
        if isinstance(tree, list):
            return [self._read(one, f"{where}[{k}]", depth + 1) for k, one in enumerate(tree)]
        if not isinstance(tree, dict):
            return tree
        name = tree.get("type")
        if name == "array":
            return self._array(tree, where)
        if not isinstance(name, str) or name not in self._kinds:
            raise ValueError(
                f"{where or 'the model'} is of a type unknown to this costboost, {name!r:.60}"
            )
        parts = {
            key: self._read(part, f"{where}.{key}" if where else key, depth + 1)
            for key, part in tree.items()
            if key != "type"
        }
        fields = Fields(parts, self._spend)
        try:
            value = self._kinds[name].put_together(fields)
            fields.finish()
        except UNFIT as error:
            raise ValueError(f"{where or 'the model'} ({name}): {error}") from error
        return value

    def _array(self, tree: dict[str, Any], where: str) -> NDArray[Any]:
        number = tree.get("number")
        if len(tree) > 2 or type(number) is not int or number not in self._arrays:
            raise ValueError(f"{where} must be an array of its own, which it is not")
        try:
            return npy.read(self._arrays.pop(number))
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error
