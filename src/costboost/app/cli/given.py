"""What a user typed: the value of each option of a command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from costboost._core.caching import cached_property
from costboost.app.cli import streams
from costboost.app.cli.cost_texts import CostTexts
from costboost.app.cli.names import COMPARED
from costboost.app.reading.options import ReadOptions


class Given(Mapping[str, Any]):
    """The value of each option of a command, by name; an attribute for each."""

    def __init__(self, values: Mapping[str, Any], max_memory: str | int) -> None:
        self._values, self._max_memory = values, max_memory

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"the command has no option {name!r}") from None

    @cached_property
    def costs(self) -> CostTexts:
        """The costs, read once: the file of --costs in place of options, means of ranges."""
        return CostTexts.of(self)

    @cached_property
    def reading(self) -> ReadOptions:
        """How files are read; a signal interrupts the wait for input."""
        names = ("encoding", "separator", "decimal")
        return ReadOptions(
            **{name: self[name] for name in names if name in self},
            max_memory=self._max_memory,
            before_read=streams.wait_for_input,
        )

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms that are named, or else those that are compared."""
        return (self.algorithm,) if isinstance(self.algorithm, str) else self.algorithm or COMPARED

    @property
    def on_cluster(self) -> bool:
        """Whether the workers of a Dask cluster read DATA."""
        return self.get("scheduler") is not None or self.get("workers") is not None
