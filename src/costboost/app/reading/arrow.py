"""Arrow, as files or as streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from costboost.app.reading.arrow_messages import CheckedStream, check_file
from costboost.app.reading.columnar import Columnar


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
