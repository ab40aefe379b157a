"""Parts of a table in many files: a file, or some row groups of a Parquet file."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from costboost.app.reading.columns import as_text
from costboost.app.reading.errors import InputError
from costboost.app.reading.format import Format
from costboost.app.reading.formats import open_table
from costboost.app.reading.options import ReadOptions
from costboost.app.reading.parquet import Parquet
from costboost.app.reading.sources import is_url


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
        paths = [file for file in file_system.glob(path) if not file_system.isdir(file)]
    elif file_system.isdir(path):
        paths = [file for file in file_system.find(path) if not _hidden(file[len(path) :])]
    else:
        paths = [path]
    if not paths:
        raise InputError(f"{pattern} has no files: there is nothing to read")
    divided = [file for file in paths if "=" in os.path.basename(os.path.dirname(file))]
    if divided and not is_pattern:
        raise InputError(
            f"{pattern} has folders such as {os.path.basename(os.path.dirname(divided[0]))!r}, "
            "whose values are not in the files: write that column into the files"
        )
    paths.sort(key=_natural)
    return [file_system.unstrip_protocol(file) for file in paths] if is_url(pattern) else paths


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


def schema_of_part(
    part: Part, options: ReadOptions, types: Mapping[str, Any], names: Sequence[str]
) -> tuple[Any, int]:
    """The schema and the number of rows of a part."""
    table = read_part(part, options, types, names)
    return table.select(names).schema, table.num_rows


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
