"""Where the rows of a table come from: the interface of files of all formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from costboost.app.reading.columns import Column
from costboost.app.reading.options import ReadOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class TableSource(ABC):
    """A table whose columns are known and whose rows can be read."""

    name: str
    """Its name in messages."""
    names: list[str]
    """The names of the columns."""
    options: ReadOptions

    @property
    @abstractmethod
    def is_packed(self) -> bool:
        """Whether few bytes may be many rows."""

    @property
    @abstractmethod
    def known_rows(self) -> float:
        """Rows that are known, or estimated, before any is read."""

    @property
    @abstractmethod
    def share_read(self) -> float | None:
        """The share of the rows that has been read, from 0 to 1; None if unknown."""

    @abstractmethod
    def inferred(
        self, types: Mapping[str, Any], without: Collection[str], needed: Collection[str]
    ) -> tuple[Any, Any]:
        """A table with at least the columns that are needed, and the schema of those not left out.

        Text is parsed as the types given, by column, and otherwise as the type that fits all
        values.
        """

    @abstractmethod
    def features(
        self, columns: Sequence[Column], table: Any, schema: Any, rows: NDArray[np.intp]
    ) -> Any:
        """The features of a table that `inferred` has read, of which ``rows`` are left."""
