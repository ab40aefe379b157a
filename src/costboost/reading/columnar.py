"""Binary formats: Parquet and Arrow. Their contents are validated before they are used."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from costboost.reading.arrow_messages import CheckedStream, check_file
from costboost.reading.columns import feature_type
from costboost.reading.formats import BATCH_ROWS, CELL_BYTES, Format


class Columnar(Format):
    """A file with a schema: columns that no classifier takes are not decoded."""

    def _column_names(self) -> list[str]:
        schema = self._open()
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
            budget.spend(max(batch.nbytes, batch.num_rows * batch.num_columns * CELL_BYTES))
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


class Parquet(Columnar):
    """A Parquet file."""

    def _open(self) -> Any:
        from pyarrow import parquet

        source = self.source.seekable()
        found = parquet.ParquetFile(self.source.arrow_file(source))
        names = _stored_as_dictionaries(found.metadata) & {
            field.name for field in found.schema_arrow if feature_type(field.type) == "text"
        }
        self._opened = parquet.ParquetFile(
            self.source.arrow_file(source), read_dictionary=sorted(names)
        )
        self.n_rows = self._opened.metadata.num_rows
        return self._opened.schema_arrow

    def _decoded(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        rows = self._opened.metadata.num_rows if all_kept else 0
        self.source.budget().spend(rows * max(1, len(names)) * CELL_BYTES)
        for batch in self._opened.iter_batches(batch_size=BATCH_ROWS, columns=names):
            yield batch.select(names)


def _stored_as_dictionaries(metadata: Any) -> set[str]:
    """Columns that are stored as dictionaries; read as such, they take no more memory."""
    found: set[str] = set()
    others: set[str] = set()
    for group in range(metadata.num_row_groups):
        for j in range(metadata.num_columns):
            column = metadata.row_group(group).column(j)
            simple = not any(one.startswith(("DELTA", "BYTE")) for one in column.encodings)
            (found if simple else others).add(column.path_in_schema)
    return found - others


class ArrowFile(Columnar):
    """An Arrow file, also called Feather."""

    def _open(self) -> Any:
        import pyarrow as pa

        self._file = self.source.seekable()
        return pa.ipc.open_file(self.source.arrow_file(self._file)).schema

    def _decoded(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        import pyarrow as pa

        check_file(self._file, self.source, all_kept)
        options = self._options(names)
        opened = pa.ipc.open_file(self.source.arrow_file(self._file), options=options)
        for k in range(opened.num_record_batches):
            yield opened.get_batch(k).select(names)


class ArrowStream(Columnar):
    """Arrow's stream format."""

    def _open(self) -> Any:
        import pyarrow as pa

        self._stream = CheckedStream(self.source)
        return pa.ipc.read_schema(pa.py_buffer(bytes(self._stream.schema)))

    def _decoded(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        import pyarrow as pa

        self._stream.all_kept = all_kept
        options = self._options(names)
        for batch in pa.ipc.open_stream(self.source.arrow_file(self._stream), options=options):
            yield batch.select(names)
