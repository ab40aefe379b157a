"""What the user says of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

from costboost.reading.sources import ReadOptions


@dataclass(frozen=True)
class Chosen:
    """A record whose fields are options of commands."""

    @classmethod
    def among(cls, options: Mapping[str, Any], **more: Any) -> Self:
        """From the options of a command, by name; what was not given has its default."""
        names = [one.name for one in fields(cls)]
        given = {name: options[name] for name in names if options.get(name) is not None}
        return cls(**given | more)


@dataclass(frozen=True)
class Wishes(Chosen):
    """Which column has the classes, what mistakes cost, and how the file is to be read."""

    target: str
    positive: str | None = None
    fn_cost: str = "1"
    fp_cost: str = "1"
    cost_matrix: str | None = None
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    costs_are_features: bool = False
    reading: ReadOptions = field(default_factory=ReadOptions)
    several: bool = False
    """Whether the algorithm is one for several classes, also if there are two."""
