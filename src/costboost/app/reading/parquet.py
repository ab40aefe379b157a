"""Parquet, whose metadata are checked before pyarrow reads rows.

Row groups in the footer of a file are read here because pyarrow ends the process if it is asked for
an entry that is damaged (``ParquetFile.metadata.row_group``); it checks by itself what it needs to
read the rows.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from costboost.app.reading.columnar import Columnar
from costboost.app.reading.columns import feature_type
from costboost.app.reading.errors import InputError
from costboost.app.reading.format import BATCH_ROWS
from costboost.app.reading.memory import CELL_BYTES
from costboost.app.reading.sources import is_url
from costboost.app.reading.thrift import Compact

# ---- metadata of Parquet -------------------------------------------------------------------------

SIMPLE_ENCODINGS = {0, 2, 3, 4, 8}
"""Numbers of the encodings of Parquet other than DELTA_... and BYTE_STREAM_SPLIT."""


class RowGroup(NamedTuple):
    """A row group of a Parquet file: rows, bytes, and the encodings of its columns by name."""

    n_rows: int
    n_bytes: int
    encodings: list[tuple[str, set[int]]]


def row_groups_of(file: Any, name: str) -> list[RowGroup]:
    """The row groups of a Parquet file that pyarrow has opened."""
    end = file.seek(-8, 2)
    (length,) = struct.unpack("<I", file.read(4))
    file.seek(max(end - length, 0))
    try:
        groups = Compact(file.read(length)).read(Compact.STRUCT).get(4, [])
        return [_row_group(group) for group in groups]
    except (AttributeError, KeyError, TypeError, UnicodeError, ValueError) as error:
        message = f"{name} is damaged: its list of row groups cannot be read ({error})"
        raise InputError(message) from error
    finally:
        file.seek(0)


def _row_group(group: dict[int, Any]) -> RowGroup:
    """The numbers of the fields are those of Parquet's definition."""
    columns = [column[3] for column in group[1] if 3 in column]
    encodings = [(b".".join(fields[3]).decode(), set(fields[2])) for fields in columns]
    return RowGroup(int(group[3]), int(group[2]), encodings)


# ---- Parquet and Arrow: contents are validated before they are used ------------------------------


PAGE_BYTES = 1 << 18
"""Bytes of a column that are read at a time; pyarrow would hold those of all row groups."""


class Parquet(Columnar):
    """A Parquet file, or some of its row groups."""

    row_groups: Sequence[int] | None = None
    """The row groups that are read; None for all."""

    def _open(self) -> Any:
        from pyarrow import parquet

        source = self.source.seekable()
        opened = parquet.ParquetFile(self.source.arrow_file(source))
        self._groups = row_groups_of(source, self.source.name)
        names = _stored_as_dictionaries(self._groups) & {
            field.name for field in opened.schema_arrow if feature_type(field.type) == "text"
        }
        far = is_url(self.source.name)  # where many small requests take long
        self._opened = parquet.ParquetFile(
            self.source.arrow_file(source),
            read_dictionary=sorted(names),
            pre_buffer=far,
            buffer_size=0 if far else PAGE_BYTES,
        )
        self.n_rows = self._opened.metadata.num_rows
        return self._opened.schema_arrow

    def _decoded(self, names: list[str], all_kept: bool) -> Iterator[Any]:
        rows = self._opened.metadata.num_rows if all_kept else 0
        if all_kept and self.row_groups is not None:
            rows = sum(self.group_sizes()[k][0] for k in self.row_groups)
        self.source.budget().spend(rows * max(1, len(names)) * CELL_BYTES)
        for batch in self._opened.iter_batches(
            batch_size=BATCH_ROWS, row_groups=self.row_groups, columns=names
        ):
            yield batch.select(names)

    def group_sizes(self) -> list[tuple[int, int]]:
        """Rows and bytes of each row group."""
        return [(group.n_rows, group.n_bytes) for group in self._groups]


def _stored_as_dictionaries(groups: list[RowGroup]) -> set[str]:
    """Columns that are stored as dictionaries; read as such, they take no more memory."""
    simple: set[str] = set()
    others: set[str] = set()
    for group in groups:
        for name, encodings in group.encodings:
            (simple if encodings <= SIMPLE_ENCODINGS else others).add(name)
    return simple - others
