"""Which message to rows may follow which: each needs parts of what a shard holds, and changes some.

A message is declared by `message`, which states the parts that it needs, sets, ends and touches. A
message that changes no part may be repeated, and a shard that is made again need not be sent it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Flag, auto
from typing import Any, NamedTuple, TypeVar


class Part(Flag):
    """Part of what a shard holds."""

    NUMBERS = auto()
    DRAWN = auto()
    COPIES = auto()
    WEIGHTS = auto()
    SUMS = auto()
    LIKELIHOOD = auto()
    RESPONSES = auto()
    DIRECTION = auto()
    SCORE_LOSS = auto()
    TREE = auto()
    LEAVES = auto()


NOTHING = Part(0)

F = TypeVar("F", bound=Callable[..., Any])


class Message(NamedTuple):
    """What is declared of a message."""

    needs: Part
    """Parts that must be there."""
    sets: Part
    """Parts that are there afterwards."""
    ends: Part
    """Parts that are gone afterwards."""
    touches: Part
    """Parts whose contents change."""

    @property
    def changes(self) -> Part:
        """Parts that are not what they were before."""
        return self.sets | self.ends | self.touches


def message(
    *,
    needs: Part = NOTHING,
    sets: Part = NOTHING,
    ends: Part = NOTHING,
    touches: Part = NOTHING,
) -> Callable[[F], F]:
    """Declare a method of a protocol to be a message; the method itself stays as it is."""

    def declared(method: F) -> F:
        method.message = Message(needs, sets, ends, touches)  # type: ignore[attr-defined]
        return method

    return declared


def messages_of(protocol: type) -> Mapping[str, Message]:
    """The messages of a protocol, by name."""
    methods = {name: value for cls in protocol.__mro__ for name, value in vars(cls).items()}
    return {name: value.message for name, value in methods.items() if hasattr(value, "message")}
