"""Many files as one table, whose rows are read by the workers of a Dask cluster.

The files of a folder or of a pattern are read with the functions that read one file, so that types,
missing values and features are those of one file with the same rows. Only what is asked for comes
to the driver.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.backends.dask.waiting import gathered
from costboost.app.reading.columns import Column, feature_type
from costboost.app.reading.errors import InputError
from costboost.app.reading.formats import open_table
from costboost.app.reading.options import ReadOptions
from costboost.app.reading.partitioned_features import PartitionedFeatures
from costboost.app.reading.parts import (
    Description,
    Part,
    describe,
    find_files,
    read_conformed,
    schema_of_part,
)
from costboost.app.reading.sources import STANDARD_INPUT
from costboost.app.reading.table_source import TableSource

PART_BYTES = 2**27
"""Bytes that the row groups of a part have at most, if there are several."""
AHEAD = 2
"""Parts on the way for each worker while results are collected in order."""


class Partitions(TableSource):
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
        described = list(self.collected(describe, ((path, self.options) for path in files)))
        self.names = described[0].names
        for other in described[1:]:
            _check_names(described[0], other)
        self._schemas = {description.path: description.schema for description in described}
        self.parts = self._divided(described)
        self._n_collected = 0

    def _divided(self, described: Sequence[Description]) -> list[Part]:
        """The parts: row groups are joined as long as they are small."""
        total = sum(n_bytes for description in described for _, n_bytes in description.groups or ())
        most = min(PART_BYTES, total / max(1, self.n_workers))
        parts = []
        for description in described:
            if description.groups is None:
                parts.append(Part(description.path))
                continue
            first = 0
            for groups in _joined_groups([n_bytes for _, n_bytes in description.groups], most):
                n_rows = sum(description.groups[k][0] for k in groups)
                parts.append(Part(description.path, tuple(groups), first, n_rows))
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

    @property
    def is_packed(self) -> bool:
        return True

    @property
    def known_rows(self) -> float:
        return sum(part.n_rows or 0 for part in self.parts)

    @property
    def share_read(self) -> float:
        return min(1.0, self._n_collected / len(self.parts))

    def inferred(
        self, types: Mapping[str, Any], without: Collection[str], needed: Collection[str]
    ) -> tuple[Any, Any]:
        import pyarrow as pa

        schema = self._schema(types, without)
        tables = self.collected_parts(self.parts, read_conformed, _fields(schema, needed))
        return pa.concat_tables(tables), schema

    def features(
        self, columns: Sequence[Column], table: Any, schema: Any, rows: NDArray[np.intp]
    ) -> PartitionedFeatures:
        names = {column.name for column in columns}
        return PartitionedFeatures(self, tuple(columns), _fields(schema, names), rows)

    def _schema(self, types: Mapping[str, Any], without: Collection[str]) -> Any:
        """The schema of all rows, of the columns that are not left out.

        Text is parsed as the types given, and otherwise as the type that fits all its values.
        """
        import pyarrow as pa

        names = [name for name in self.names if name not in set(without)]
        unread = [part for part in self.parts if part.n_rows is None]
        calls = ((part, self.options, types, names) for part in unread)
        read = dict(zip(unread, self.collected(schema_of_part, calls), strict=True))
        self._schemas |= {part.path: schema for part, (schema, _) in read.items()}
        counted = (
            part._replace(n_rows=read[part][1]) if part in read else part for part in self.parts
        )
        self.parts = [part for part in counted if part.n_rows]
        if not self.parts:
            raise InputError(f"{self.name} has no rows")
        schemas = [self._schemas[path] for path in dict.fromkeys(part.path for part in self.parts)]
        described = ((name, [schema.field(name).type for schema in schemas]) for name in names)
        return pa.schema([(name, _common_type(name, types)) for name, types in described])


@contextmanager
def open_rows(path: str, options: ReadOptions, client: Any) -> Iterator[TableSource]:
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
    for here, there in ((first, other), (other, first)):
        missing = [name for name in here.names if name not in there.names]
        if missing:
            raise InputError(f"{there.path} has no column {missing[0]!r}, which {here.path} has")


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


def _common_type(name: str, types: Sequence[Any]) -> Any:
    """The type of pyarrow to which values of all of these types can be converted."""
    import pyarrow as pa

    known = list(dict.fromkeys(each for each in types if not pa.types.is_null(each)))
    if len(known) <= 1:
        return known[0] if known else pa.null()
    kinds = {feature_type(each) for each in known}
    if kinds == {"number"}:
        return pa.float64()
    zones = {getattr(each, "tz", None) for each in known}
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
