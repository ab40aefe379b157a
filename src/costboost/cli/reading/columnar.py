"""Tables in binary formats: Parquet and Arrow. Nothing in them is used before it is validated."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from costboost.cli.reading import ipc
from costboost.cli.reading.allowance import Allowance
from costboost.cli.reading.explaining import takes
from costboost.cli.reading.formats import BATCH, CELL, Format
from costboost.cli.reading.raw import python_file


class Columnar(Format):
    """A file with a schema: columns that no classifier takes are not even decoded."""

    def _names(self) -> list[str]:
        schema = self._open()
        self.unreadable = {field.name: field.type for field in schema if not takes(field.type)}
        return list(schema.names)

    def _open(self) -> Any:
        """Open the file; its schema."""
        raise NotImplementedError

    def _decoded(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        """Batches of some columns; ``all_kept`` if all of them are to stay in memory."""
        raise NotImplementedError

    def _table(self, types: Mapping[str, Any], without: Collection[str]) -> Any:
        import pyarrow as pa

        names = [name for name in self.names if name not in without]
        total = Allowance(self.raw.name)
        batches = []
        for batch in self._validated(names, all_kept=True):
            total.spend(max(batch.nbytes, batch.num_rows * batch.num_columns * CELL))
            batches.append(batch)
        return pa.Table.from_batches(batches, None if batches else pa.schema([]))

    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]:
        yield from self._validated(list(types), all_kept=False)

    def _validated(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        for batch in self._decoded(names, all_kept):
            Allowance(self.raw.name).spend(batch.num_rows * batch.num_columns * CELL)
            batch.validate(full=True)
            yield batch

    def _options(self, names: list[str]) -> Any:
        """For Arrow: decode only some columns, and no value across the boundary of its type."""
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

        source = self.raw.seekable()
        found = parquet.ParquetFile(python_file(source))
        names = _repeated(found.metadata) & {
            field.name for field in found.schema_arrow if takes(field.type) == "text"
        }
        self._opened = parquet.ParquetFile(python_file(source), read_dictionary=sorted(names))
        self.n_rows = self._opened.metadata.num_rows
        return self._opened.schema_arrow

    def _decoded(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        rows = self._opened.metadata.num_rows if all_kept else 0
        Allowance(self.raw.name).spend(rows * max(1, len(names)) * CELL)
        for batch in self._opened.iter_batches(batch_size=BATCH, columns=names):
            yield batch.select(names)


def _repeated(metadata: Any) -> set[str]:
    """Columns whose values are written once; read as they are, they take no more memory."""
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

        self._source = self.raw.seekable()
        return pa.ipc.open_file(python_file(self._source)).schema

    def _decoded(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        import pyarrow as pa

        ipc.check_file(self._source, self.raw.name, all_kept)
        options = self._options(names)
        opened = pa.ipc.open_file(python_file(self._source), options=options)
        for k in range(opened.num_record_batches):
            yield opened.get_batch(k).select(names)


class ArrowStream(Columnar):
    """Arrow's stream format."""

    def _open(self) -> Any:
        import pyarrow as pa

        self._stream = ipc.CheckedStream(self.raw.bytes, self.raw.name)
        return pa.ipc.read_schema(pa.py_buffer(bytes(self._stream.schema)))

    def _decoded(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        import pyarrow as pa

        self._stream.all_kept = all_kept
        options = self._options(names)
        for batch in pa.ipc.open_stream(python_file(self._stream), options=options):
            yield batch.select(names)
