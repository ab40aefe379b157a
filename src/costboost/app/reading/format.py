"""Open files: the names of their columns, and their rows at once or in batches."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from costboost.app.reading.columns import Column, to_features, unusable
from costboost.app.reading.errors import InputError, translated_errors
from costboost.app.reading.sources import Source
from costboost.app.reading.table_source import TableSource

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH_ROWS = 1 << 16
"""Rows of a batch."""
MAX_COLUMNS = 100_000


class Format(TableSource):
    """An open file, of which a format implements the reading of names, tables and batches."""

    is_text = False
    """Whether values are text that has to be parsed, and can be repeated verbatim."""

    def __init__(self, source: Source) -> None:
        self.source, self.name, self.options = source, source.name, source.options
        self.n_rows: float | None = None
        """Rows of the file, exact or estimated; None if unknown."""
        self.unreadable: dict[str, Any] = {}
        """Types of the columns that are never decoded, such as lists, by name."""
        self._n_read = 0
        with translated_errors(self.name):
            self.names = self._column_names()
        if len(self.names) > MAX_COLUMNS:
            raise InputError(
                f"{self.name} has {len(self.names):,} columns; at most {MAX_COLUMNS:,} are read"
            )
        repeated = sorted(name for name, n in Counter(self.names).items() if n > 1)
        if repeated:
            raise InputError(_repeated_name(self.name, repeated[0], self.names))

    @abstractmethod
    def _column_names(self) -> list[str]: ...

    @abstractmethod
    def _table(self, types: Mapping[str, Any], without: Collection[str]) -> Any: ...

    @abstractmethod
    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]: ...

    def table(self, types: Mapping[str, Any], without: Collection[str] = ()) -> Any:
        """All rows, and all columns except those in ``without``.

        Text is parsed as the types given, by column, and otherwise as the type that fits all
        values. A column of values that no classifier takes is an error unless it is left out.
        """
        self.check_readable([name for name in self.names if name not in set(without)])
        with translated_errors(self.name, self.names):
            known = set(self.names)
            table = self._table({n: type_ for n, type_ in types.items() if n in known}, without)
        if table.num_rows == 0:
            raise InputError(f"{self.name} has a header, but no rows")
        return table

    def batches(self, types: Mapping[str, Any], verbatim: Sequence[str] = ()) -> Iterator[Any]:
        """Batches of rows with the columns named in ``types``; text is parsed as these types.

        Columns in ``verbatim`` stay text if the file is text and they are parsed the same later.
        """
        import pyarrow as pa

        parsed_here = [pa.float64()] if self.options.decimal != "." else []
        stay = [name for name in verbatim if self.is_text and types.get(name) not in parsed_here]
        self.check_readable([*types, *stay])
        with translated_errors(self.name, self.names):
            for large in self._batches({**types, **dict.fromkeys(stay, pa.string())}):
                for begin in range(0, large.num_rows, BATCH_ROWS):  # Ctrl-C waits for one at most
                    batch = large.slice(begin, BATCH_ROWS)
                    self._n_read += batch.num_rows
                    yield batch

    def inferred(
        self, types: Mapping[str, Any], without: Collection[str], needed: Collection[str]
    ) -> tuple[Any, Any]:
        table = self.table(types, without)
        return table, table.schema

    def features(
        self, columns: Sequence[Column], table: Any, schema: Any, rows: NDArray[np.intp]
    ) -> Any:
        return to_features(columns, table, self.name)

    def check_readable(self, names: Iterable[str]) -> None:
        """Raise an InputError if one of the columns holds values that no classifier takes."""
        for name in names:
            if name in self.unreadable:
                raise unusable(name, self.unreadable[name])

    @property
    def is_packed(self) -> bool:
        return self.source.compressed or not self.is_text

    @property
    def known_rows(self) -> float:
        return self.n_rows or 0

    @property
    def share_read(self) -> float | None:
        if self.n_rows:
            return min(1.0, self._n_read / self.n_rows)
        return self.source.n_read / self.source.size if self.source.size else None


def _repeated_name(file: str, name: str, names: list[str]) -> str:
    places = [str(k) for k, other in enumerate(names, 1) if other == name]
    which = f"the {', '.join(places)} of {len(names)}"
    if not name:
        return f"{file} has columns without a name ({which}); name them, or remove them"
    return f"{file} has several columns called {name!r} ({which}); rename them"
