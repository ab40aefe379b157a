"""Many files as one table, whose rows are read by the workers of a Dask cluster.

The files of a folder or of a pattern are read with the functions that read one file, so that types,
missing values and features are those of one file with the same rows. A part of the table is a file,
or some row groups of a Parquet file. Only what is asked for comes to the driver.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.backends.dask.connecting import connected
from costboost._core.backends.dask.waiting import ClusterError, check_timeouts, gathered
from costboost.app.reading.columns import Column, as_text, feature_type, to_features
from costboost.app.reading.errors import InputError
from costboost.app.reading.formats import open_table
from costboost.app.reading.parquet import Parquet
from costboost.app.reading.sources import STANDARD_INPUT, Format, ReadOptions, is_url

PART_BYTES = 2**27
"""Bytes that the row groups of a part have at most, if there are several."""
AHEAD = 2
"""Parts on the way for each worker while results are collected in order."""

# ---- clusters ------------------------------------------------------------------------------------


@contextmanager
def open_client(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """A client of a scheduler, or of new worker processes on this machine; None without either.

    Errors of the cluster become an InputError or a ConnectionError.
    """
    if scheduler is None and workers is None:
        yield None
        return
    with connected(scheduler, workers) as client:
        try:
            check_timeouts()
        except ValueError as error:
            raise InputError(str(error)) from error
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise InputError(
                f"the Dask scheduler at {scheduler} has no workers: start some, as by dask worker "
                f"{scheduler}"
            )
        from distributed import KilledWorker

        try:
            yield client
        except ClusterError as error:
            raise InputError(str(error)) from error
        except KilledWorker as error:
            raise InputError(
                "workers of the Dask cluster ended while they read the data, probably for lack of "
                "memory: use more or smaller files or row groups, or workers with more memory"
            ) from error


# ---- files ---------------------------------------------------------------------------------------


class Part(NamedTuple):
    """A file, or some row groups of a Parquet file."""

    path: str
    groups: tuple[int, ...] | None = None
    first: int = 0
    """Number of rows of the file before it."""
    n_rows: int | None = None
    """None until the file has been read."""


class Description(NamedTuple):
    """What is known of a file before its rows are read."""

    path: str
    names: list[str]
    schema: Any
    """Types of pyarrow in a Parquet file; None for other formats."""
    groups: list[tuple[int, int]] | None
    """Rows and bytes of each row group of a Parquet file; None for other formats."""


def find_files(pattern: str) -> list[str]:
    """The files of a pattern, of a folder and the folders in it, or the one file.

    They are in the order of their names, in which numbers are compared as numbers. Names that
    begin with a dot or an underscore are left out in folders.
    """
    from fsspec.core import url_to_fs

    file_system, path = url_to_fs(pattern)
    is_pattern = any(character in path for character in "*?[") and not file_system.exists(path)
    if is_pattern:
        found = [one for one in file_system.glob(path) if not file_system.isdir(one)]
    elif file_system.isdir(path):
        found = [one for one in file_system.find(path) if not _hidden(one[len(path) :])]
    else:
        found = [path]
    if not found:
        raise InputError(f"{pattern} has no files: there is nothing to read")
    divided = [one for one in found if "=" in os.path.basename(os.path.dirname(one))]
    if divided and not is_pattern:
        raise InputError(
            f"{pattern} has folders such as {os.path.basename(os.path.dirname(divided[0]))!r}, "
            "whose values are not in the files: write that column into the files"
        )
    found.sort(key=_natural)
    return [file_system.unstrip_protocol(one) for one in found] if is_url(pattern) else found


def _hidden(path: str) -> bool:
    return any(name[:1] in (".", "_") for name in path.split("/") if name)


def _natural(path: str) -> list[Any]:
    """The key by which part-2 comes before part-10."""
    return [(int(t), "") if t.isdigit() else (0, t) for t in re.split(r"(\d+)", path)]


def describe(path: str, options: ReadOptions) -> Description:
    """Names and types of the columns of a file, and its row groups."""
    with open_table(path, options) as source:
        if isinstance(source, Parquet):
            return Description(path, source.names, source.schema, source.group_sizes())
        return Description(path, source.names, None, None)


@contextmanager
def open_part(part: Part, options: ReadOptions) -> Iterator[Format]:
    """A part as a file whose rows can be read."""
    with open_table(part.path, options) as source:
        if isinstance(source, Parquet):
            source.row_groups = part.groups
        yield source


def read_part(
    part: Part, options: ReadOptions, types: Mapping[str, Any], names: Collection[str]
) -> Any:
    """Some columns of a part as a table of pyarrow; text is parsed as the given types."""
    with open_part(part, options) as source:
        return source.table(types, set(source.names) - set(names))


class Partitions:
    """The files of a pattern or folder, read by the workers of a cluster."""

    def __init__(self, client: Any, pattern: str, options: ReadOptions) -> None:
        if pattern == STANDARD_INPUT:
            raise InputError(
                "the workers of a cluster cannot read standard input: name a file, a folder or a "
                "pattern that all of them can reach"
            )
        self.client, self.name = client, pattern
        self.options = replace(options, before_read=None)
        (files,) = gathered(
            client, [client.submit(find_files, pattern, pure=False)], f"files of {pattern}"
        )
        found = list(self.collected(describe, ((path, self.options) for path in files)))
        self.names = found[0].names
        for one in found[1:]:
            _check_names(found[0], one)
        self._schemas = {one.path: one.schema for one in found}
        self.parts = self._divided(found)
        self._n_collected = 0

    def _divided(self, found: Sequence[Description]) -> list[Part]:
        """The parts: row groups are joined as long as they are small."""
        total = sum(n_bytes for one in found for _, n_bytes in one.groups or ())
        most = min(PART_BYTES, total / max(1, self.n_workers))
        parts = []
        for one in found:
            if one.groups is None:
                parts.append(Part(one.path))
                continue
            first = 0
            for groups in _joined_groups([n_bytes for _, n_bytes in one.groups], most):
                n_rows = sum(one.groups[k][0] for k in groups)
                parts.append(Part(one.path, tuple(groups), first, n_rows))
                first += n_rows
        return parts

    @property
    def n_workers(self) -> int:
        """Workers of the cluster."""
        return len(self.client.scheduler_info(n_workers=-1)["workers"])

    def collected(self, function: Callable[..., Any], given: Iterable[Any]) -> Iterator[Any]:
        """Results of a function on the workers for each tuple of arguments, in their order.

        A few calls for each worker are on their way at a time.
        """
        most = AHEAD * max(1, self.n_workers)
        waiting: deque[Any] = deque()
        for arguments in given:
            waiting.append(self.client.submit(function, *arguments, pure=False))
            if len(waiting) >= most:
                yield self._result(waiting.popleft())
        while waiting:
            yield self._result(waiting.popleft())

    def _result(self, future: Any) -> Any:
        return gathered(self.client, [future], f"rows of {self.name}")[0]

    def collected_parts(
        self, parts: Iterable[Part], function: Callable[..., Any], *given: Any
    ) -> Iterator[Any]:
        """Results of ``function(part, options, *given)`` for some parts, in order."""
        for result in self.collected(function, ((part, self.options, *given) for part in parts)):
            self._n_collected += 1
            yield result

    def sent_to_all(self, value: Any) -> Any:
        """A value that each worker is sent once, as an argument of `collected`."""
        return self.client.scatter(value, broadcast=True, hash=False)

    is_packed = True
    """Whether few bytes of the files may be many rows."""

    @property
    def n_rows(self) -> int:
        """Number of rows that are known before they are read: those of Parquet files."""
        return sum(part.n_rows or 0 for part in self.parts)

    @property
    def share_read(self) -> float:
        """The share of the parts whose results have been collected."""
        return min(1.0, self._n_collected / len(self.parts))

    # ---- rows in memory --------------------------------------------------------------------------

    def inferred(
        self, types: Mapping[str, Any], without: Collection[str], needed: Collection[str]
    ) -> tuple[Any, Any]:
        """The columns that are needed, in memory, and the schema of those that are not left out."""
        schema = self.infer_types(types, without)
        return self.table(_fields(schema, needed)), schema

    def features(
        self, columns: Sequence[Column], table: Any, schema: Any, rows: NDArray[np.intp]
    ) -> PartitionedFeatures:
        """The features of some rows, which stay on the workers."""
        names = {column.name for column in columns}
        return PartitionedFeatures(self, tuple(columns), _fields(schema, names), rows)

    def infer_types(self, types: Mapping[str, Any], without: Collection[str]) -> Any:
        """The schema of all rows, of the columns that are not left out.

        Text is parsed as the types given, and otherwise as the type that fits all its values.
        """
        import pyarrow as pa

        names = [name for name in self.names if name not in set(without)]
        unread = [part for part in self.parts if part.n_rows is None]
        calls = ((part, self.options, types, names) for part in unread)
        read = dict(zip(unread, self.collected(_schema_of_part, calls), strict=True))
        self._schemas |= {part.path: schema for part, (schema, _) in read.items()}
        counted = (one._replace(n_rows=read[one][1]) if one in read else one for one in self.parts)
        self.parts = [part for part in counted if part.n_rows]
        if not self.parts:
            raise InputError(f"{self.name} has no rows")
        schemas = [self._schemas[path] for path in dict.fromkeys(part.path for part in self.parts)]
        found = ((name, [schema.field(name).type for schema in schemas]) for name in names)
        return pa.schema([(name, _common_type(name, types)) for name, types in found])

    def table(self, schema: Any) -> Any:
        """Columns of all rows, in memory."""
        import pyarrow as pa

        return pa.concat_tables(self.collected_parts(self.parts, read_conformed, schema))


@contextmanager
def open_rows(path: str, options: ReadOptions, client: Any) -> Iterator[Format | Partitions]:
    """A file whose rows can be read here or, with a client, files that the workers read."""
    if client is not None:
        yield Partitions(client, path, options)
        return
    with open_table(path, options) as source:
        yield source


def _fields(schema: Any, names: Collection[str]) -> Any:
    """The fields of a schema with these names."""
    import pyarrow as pa

    return pa.schema([field for field in schema if field.name in names])


def _check_names(first: Description, other: Description) -> None:
    """Raise an InputError if two files have different columns."""
    for one, two in ((first, other), (other, first)):
        missing = [name for name in one.names if name not in two.names]
        if missing:
            raise InputError(f"{two.path} has no column {missing[0]!r}, which {one.path} has")


def _joined_groups(sizes: Sequence[int], most: float) -> Iterator[list[int]]:
    """Row groups one after the other in lists of at most so many bytes, or of one group."""
    group: list[int] = []
    for k in range(len(sizes)):
        if group and sum(sizes[i] for i in group) + sizes[k] > most:
            yield group
            group = []
        group.append(k)
    if group:
        yield group


def _schema_of_part(
    part: Part, options: ReadOptions, types: Mapping[str, Any], names: Sequence[str]
) -> tuple[Any, int]:
    """The schema and the number of rows of a part."""
    table = read_part(part, options, types, names)
    return table.select(names).schema, table.num_rows


def _common_type(name: str, types: Sequence[Any]) -> Any:
    """The type of pyarrow to which values of all of these types can be converted."""
    import pyarrow as pa

    known = list(dict.fromkeys(one for one in types if not pa.types.is_null(one)))
    if len(known) <= 1:
        return known[0] if known else pa.null()
    kinds = {feature_type(one) for one in known}
    if kinds == {"number"}:
        return pa.float64()
    zones = {getattr(one, "tz", None) for one in known}
    if kinds == {"time"} and not any(map(pa.types.is_time, known)) and len(zones) == 1:
        return pa.timestamp("ns", zones.pop())
    if "" in kinds or "boolean" in kinds:
        raise InputError(
            f"column {name!r} holds {known[0]} in some files and {known[1]} in others: write it "
            "with one type",
            "drop",
            name,
        )
    return pa.string()


def read_conformed(part: Part, options: ReadOptions, schema: Any) -> Any:
    """The columns of a schema, converted to its types."""
    import pyarrow as pa

    types = {field.name: field.type for field in schema}
    table = read_part(part, options, types, schema.names)
    columns = {}
    for field in schema:
        column = table.column(field.name)
        if column.type != field.type:
            column = as_text(column) if pa.types.is_string(field.type) else column.cast(field.type)
        columns[field.name] = column
    return pa.table(columns)


# ---- features ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PartitionedFeatures:
    """Features of rows in partitions, which stay on the workers."""

    partitions: Partitions
    columns: tuple[Column, ...]
    schema: Any
    """Types of the features as they are read."""
    rows: NDArray[np.intp]
    """Numbers of the rows, which increase; other rows are left out."""

    def take(self, rows: Any) -> PartitionedFeatures:
        """Some of the rows, by their numbers among these; the numbers must increase."""
        return replace(self, rows=self.rows[rows])

    @property
    def num_rows(self) -> int:
        """Number of rows."""
        return int(self.rows.size)

    def collection(self) -> Any:
        """The features as a Dask data frame."""
        import dask.dataframe as dd

        parts, masks = zip(*((part, mask) for part, mask, _ in self._parts()), strict=True)
        empty = to_features(self.columns, self.schema.empty_table(), "")
        return dd.from_map(  # type: ignore[no-untyped-call]
            read_frame,
            parts,
            masks,
            options=self.partitions.options,
            schema=self.schema,
            columns=self.columns,
            meta=_to_pandas(empty),
        )

    def in_memory(self) -> Any:
        """The features as a table of pyarrow."""
        import pyarrow as pa

        return pa.concat_tables(self.collected(_unchanged, None)).unify_dictionaries()

    def collected(
        self, function: Callable[..., Any], shared: Any, *divided: NDArray[Any] | Any
    ) -> list[Any]:
        """Results of ``function(features, shared, *divided)`` for each part, in order.

        ``shared`` is sent to each worker once. Of an array in ``divided``, which has a value for
        each row, a part is given its own values.
        """
        kept = self.partitions.sent_to_all(shared)
        calls = (
            (part, mask, self.partitions.options, self.schema, self.columns, function, kept, own)
            for part, mask, own in self._parts(*divided)
        )
        return list(self.partitions.collected(apply_to_features, calls))

    def _parts(self, *divided: Any) -> Iterator[tuple[Part, NDArray[np.uint8], list[Any]]]:
        """Parts with rows among these, which rows, and their values of the given arrays."""
        end = 0
        for part in self.partitions.parts:
            begin, end = end, end + int(part.n_rows or 0)
            first, last = np.searchsorted(self.rows, (begin, end))
            if first < last:
                mask = np.zeros(end - begin, dtype=bool)
                mask[self.rows[first:last] - begin] = True
                own = [one[first:last] if isinstance(one, np.ndarray) else one for one in divided]
                yield part, np.packbits(mask), own


def read_features(
    part: Part, mask: NDArray[np.uint8], options: ReadOptions, schema: Any, columns: Any
) -> Any:
    """Features of the rows of a part that the packed mask selects."""
    table = read_conformed(part, options, schema)
    which = np.unpackbits(mask, count=table.num_rows).astype(bool)
    table = table if which.all() else table.filter(which)
    return to_features(columns, table, part.path)


def read_frame(part: Part, mask: NDArray[np.uint8], **how: Any) -> Any:
    """Features of selected rows of a part, as a pandas data frame."""
    return _to_pandas(read_features(part, mask, **how))


def apply_to_features(
    part: Part,
    mask: NDArray[np.uint8],
    options: ReadOptions,
    schema: Any,
    columns: Any,
    function: Callable[..., Any],
    shared: Any,
    own: Sequence[Any],
) -> Any:
    """A function of the features of selected rows of a part."""
    return function(read_features(part, mask, options, schema, columns), shared, *own)


def _unchanged(X: Any, _: None) -> Any:
    return X


def _to_pandas(features: Any) -> Any:
    return features.unify_dictionaries().to_pandas()
