"""Properties that are computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801, named like the decorator that it replaces
    """A property that is computed at its first use and then an attribute of the object.

    Unlike ``functools.cached_property`` of Python 3.11, it takes no lock: a child that is forked
    while another thread holds such a lock waits for it for ever. Two threads that use the property
    for the first time at once may both compute it; both get a correct value.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, of: None, owner: type) -> cached_property[T]: ...
    @overload
    def __get__(self, of: object, owner: type) -> T: ...
    def __get__(self, of: object | None, owner: type) -> cached_property[T] | T:
        if of is None:
            return self
        value = self.compute(of)
        of.__dict__[self.name] = value
        return value
