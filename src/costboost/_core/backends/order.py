"""Which message to rows may follow which: each needs parts of what a shard holds, and changes some.

A message is declared by `message`, which states the parts that it needs, sets, ends and touches. A
message that changes no part may be repeated, and a shard that is made again need not be sent it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Flag, auto
from functools import cache
from typing import Any, NamedTuple, TypeVar

from costboost._core.backends.combining import Answer


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
    CLASS_RESPONSES = auto()
    LOSSES = auto()
    TREE = auto()
    LEAVES = auto()


NAMES = {
    Part.NUMBERS: "the numbers of the rows",
    Part.DRAWN: "rows that are drawn",
    Part.WEIGHTS: "weights of the rows",
    Part.SUMS: "weights in quanta, or targets",
    Part.LIKELIHOOD: "a likelihood",
    Part.RESPONSES: "working responses",
    Part.DIRECTION: "a direction",
    Part.SCORE_LOSS: "a loss of the scores",
    Part.CLASS_RESPONSES: "working responses of the classes",
    Part.LOSSES: "the losses of the rows",
    Part.TREE: "an open tree",
    Part.LEAVES: "the leaves of the rows",
}
"""What messages need, in words."""


class OrderError(RuntimeError):
    """A message was sent before what it needs."""


NOTHING = Part(0)

F = TypeVar("F", bound=Callable[..., Any])


class Changes(NamedTuple):
    """What a message needs and does."""

    needs: Part
    """Parts that must be there."""
    sets: Part
    """Parts that are there afterwards."""
    ends: Part
    """Parts that are gone afterwards."""
    touches: Part
    """Parts whose contents change."""
    ahead: str | None
    """A message that will probably follow, and may be answered with this one."""


class Message:
    """A message as it is declared."""

    def __init__(self, method: Callable[..., Any], siblings: Mapping[str, Part]) -> None:
        self.name = method.__name__
        self.siblings = siblings
        """What each message of the protocol sets."""
        order: Changes = method.changes  # type: ignore[attr-defined]
        self.order = order
        self.ahead = order.ahead
        self.answer = Answer(method)

    @property
    def changes(self) -> Part:
        """Parts of a shard that are then not what they were before."""
        return self.order.sets | self.order.ends | self.order.touches

    def after(self, parts: Part) -> Part:
        """The parts that a shard holds after the message, if it holds these; or an `OrderError`."""
        if self.order.needs & ~parts:
            raise self.too_early(next(iter(self.order.needs & ~parts)))
        return (parts | self.order.sets) & ~self.order.ends

    def too_early(self, part: Part) -> OrderError:
        """The error if a shard does not hold a part."""
        before = [name for name, sets in self.siblings.items() if part in sets]
        return OrderError(
            f"{self.name!r} needs {NAMES[part]}: send {' or '.join(map(repr, before))} first"
        )


def message(
    *,
    needs: Part = NOTHING,
    sets: Part = NOTHING,
    ends: Part = NOTHING,
    touches: Part = NOTHING,
    ahead: str | None = None,
) -> Callable[[F], F]:
    """Declare a method of a protocol to be a message; the method itself stays as it is."""

    def declared(method: F) -> F:
        method.changes = Changes(needs, sets, ends, touches, ahead)  # type: ignore[attr-defined]
        return method

    return declared


@cache
def messages_of(protocol: type) -> Mapping[str, Message]:
    """The messages of a protocol, by name."""
    methods = {name: value for cls in protocol.__mro__ for name, value in vars(cls).items()}
    declared = {name: value for name, value in methods.items() if hasattr(value, "changes")}
    sets = {name: method.changes.sets for name, method in declared.items()}
    return {name: Message(method, sets) for name, method in declared.items()}
