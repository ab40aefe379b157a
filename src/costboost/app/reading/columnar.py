"""Files with a schema, whose contents are validated before they are used."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from costboost.app.reading.columns import feature_type, n_bytes
from costboost.app.reading.format import Format
from costboost.app.reading.memory import CELL_BYTES


class Columnar(Format):
    """A file with a schema: columns that no classifier takes are not decoded."""

    schema: Any
    """Types of the columns."""

    def _column_names(self) -> list[str]:
        self.schema = schema = self._open()
        self.unreadable = {
            field.name: field.type for field in schema if not feature_type(field.type)
        }
        return list(schema.names)

    def _open(self) -> Any:
        """Open the file and return its schema."""
        raise NotImplementedError

    def _decoded(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        """Batches of some columns; ``all_kept``: whether all batches stay in memory."""
        raise NotImplementedError

    def _table(self, types: Mapping[str, Any], without: Collection[str]) -> Any:
        import pyarrow as pa

        names = [name for name in self.names if name not in without]
        budget = self.source.budget()
        batches = []
        for batch in self._validated(names, all_kept=True):
            budget.spend(max(n_bytes(batch), batch.num_rows * batch.num_columns * CELL_BYTES))
            batches.append(batch)
        return pa.Table.from_batches(batches, None if batches else pa.schema([]))

    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]:
        yield from self._validated(list(types), all_kept=False)

    def _validated(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        for batch in self._decoded(names, all_kept):
            self.source.budget().spend(batch.num_rows * batch.num_columns * CELL_BYTES)
            batch.validate(full=True)
            yield batch

    def _options(self, names: list[str]) -> Any:
        """Options of Arrow that decode only some columns, with values aligned as their type."""
        import pyarrow as pa

        place = {name: k for k, name in enumerate(self.names)}
        return pa.ipc.IpcReadOptions(
            ensure_alignment=pa.ipc.Alignment.DataTypeSpecific,
            use_threads=False,
            included_fields=[place[name] for name in names],
        )
