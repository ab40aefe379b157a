"""Tables and cost matrices from files of any format, detected by content."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf, nan
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np

from costboost.checks import Floats
from costboost.costs import check_matrix
from costboost.reading.columnar import ArrowFile, ArrowStream, Parquet
from costboost.reading.columns import KINDS, Label, select_names
from costboost.reading.errors import InputError, some, translated_errors, unknown
from costboost.reading.formats import Csv, Format, JsonLines, detect_separator
from costboost.reading.sources import HEAD, ReadOptions, Source, detect_format

FORMATS: dict[str, type[Format]] = {
    "csv": Csv,
    "json": JsonLines,
    "parquet": Parquet,
    "arrow": ArrowFile,
    "stream": ArrowStream,
}


@contextmanager
def open_source(path: str, options: ReadOptions | None = None) -> Iterator[Source]:
    """The decompressed bytes of a file; ``-`` is standard input."""
    source = Source(path, options or ReadOptions())
    try:
        yield source
    finally:
        source.close()


@contextmanager
def open_table(path: str, options: ReadOptions | None = None) -> Iterator[Format]:
    """A file whose columns are known and whose rows can be read at once or in batches."""
    with open_source(path, options) as source:
        with translated_errors(source.name):
            kind = detect_format(source)
        yield FORMATS[kind](source)


def read_table(
    path: str | PathLike[str],
    *,
    drop: str | Sequence[str] = (),
    categorical: str | Sequence[str] = (),
    encoding: str = "utf-8",
    separator: str = "",
    decimal: str = ".",
    max_memory: str | int = "2G",
) -> Any:
    """Read a table from a CSV, JSON lines, Parquet or Arrow file.

    The format is detected from the content, also below gzip, zstd or bz2 compression. Columns of
    CSV and JSON files get the type that fits all their values: numbers, dates and times, or text.
    Empty fields and the usual marks, such as ``NA`` and ``null``, are missing values. The command
    line reads its files this way. It needs pyarrow, which the extra ``cli`` installs.

    Parameters
    ----------
    path : str or path-like
        The file; ``"-"`` is standard input.
    drop : str or sequence of str, default=()
        Columns to leave out.
    categorical : str or sequence of str, default=()
        Columns of text files that stay text, such as postcodes, whatever they look like.
    encoding : str, default="utf-8"
        Encoding of text files.
    separator : str, default=""
        Separator of a CSV file, one character or ``"tab"``. By default the most frequent of
        comma, semicolon, tab and ``|`` in the first line.
    decimal : {".", ","}, default="."
        Decimal mark of a CSV file.
    max_memory : str or int, default="2G"
        Bytes that a compressed or binary file may take once it is decompressed, as a number or as
        text such as ``"500M"``.

    Returns
    -------
    pyarrow.Table
        The table. The classifiers take it as X; text columns are categories to them.

    Raises
    ------
    InputError
        If the file is damaged or not a table, or a column does not exist. It is a `ValueError`.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> from costboost.reading import read_table
    >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file:
    ...     _ = file.write(b"age;city;since;zip\\n31;Oslo;2024-05-01;00501\\n")
    ...     _ = file.write(b"NA;Rome;2024-06-12;10115\\n")
    ...     file.flush()
    ...     table = read_table(file.name, categorical="zip")
    >>> {field.name: str(field.type) for field in table.schema}
    {'age': 'int64', 'city': 'string', 'since': 'date32[day]', 'zip': 'string'}
    >>> table.column("age").to_pylist()
    [31, None]
    """
    options = ReadOptions(encoding, separator, decimal, max_memory)
    with open_table(fspath(path), options) as source:
        dropped, text = (
            select_names([names] if isinstance(names, str) else names, source.names, source.name)
            for names in (drop, categorical)
        )
        return source.table(dict.fromkeys(text, KINDS["category"].text_type()), dropped)


# ---- cost matrices: a row for each true class, a column for each prediction ----------------------


MAX_BYTES = 1 << 24
"""Text that is longer cannot be a cost matrix."""
SIDES = ("row", "column")


class Grid(NamedTuple):
    """The values of a file, and the names of their rows and columns if it has any."""

    values: list[list[Any]]
    rows: list[str] | None
    columns: list[str] | None


class CostMatrix(NamedTuple):
    """The costs of a file, in the order of the classes."""

    costs: Floats
    named: bool
    """Whether the file names the classes; otherwise its order is taken for theirs."""


def read_cost_matrix(
    path: str, classes: Sequence[Label], options: ReadOptions | None = None
) -> CostMatrix:
    """The costs of a file for these classes, by name if it has names, else in sorted order."""
    labels = [str(label) for label in classes]
    with open_source(path, options) as source, translated_errors(source.name):
        grid = _grid(source, len(labels))
    grid = _square(grid, len(labels), source.name)
    order = [
        _places(names, labels, side, source.name)
        for names, side in zip((grid.rows, grid.columns), SIDES, strict=True)
    ]
    values = [[grid.values[i][j] for j in order[1]] for i in order[0]]
    costs = np.array(
        [
            [_cost(one, labels[i], labels[j], source.name) for j, one in enumerate(line)]
            for i, line in enumerate(values)
        ]
    )
    try:
        return CostMatrix(check_matrix(costs, np.array(labels)), grid.columns is not None)
    except ValueError as error:
        raise InputError(f"{source.name}: {error}") from error


# ---- files of cost matrices ----------------------------------------------------------------------


def _grid(source: Source, n_classes: int) -> Grid:
    if source.bytes.peek(HEAD).lstrip()[:1] == b"[":
        return _of_json(_text(source), source.name)
    kind = detect_format(source)
    if kind == "csv":
        text = _text(source)
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=detect_separator(text))
        return _of_cells([line for line in lines if any(map(str.strip, line))], n_classes)
    if kind == "json":
        return _of_json(_text(source), source.name)
    return _of_records(FORMATS[kind](source).table({}).to_pylist())


def _text(source: Source) -> str:
    data = source.bytes.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InputError(f"{source.name} is far too long for a cost matrix")
    return data.decode(source.options.encoding).removeprefix("\ufeff")


def _of_json(text: str, name: str) -> Grid:
    """A list of lists, or an object of objects: truth, prediction, cost."""
    try:
        found = json.loads(text)
    except RecursionError as error:
        raise InputError(f"{name} has JSON that is nested too deeply") from error
    except ValueError:
        found = _json_lines(text, name)
    if isinstance(found, dict) and all(isinstance(one, dict) for one in found.values()):
        columns = list(dict.fromkeys(key for line in found.values() for key in line))
        values = [[line.get(key) for key in columns] for line in found.values()]
        return Grid(values, list(found), columns)
    if isinstance(found, dict):
        return _of_records([found])
    lines = found if isinstance(found, list) else []
    if lines and all(isinstance(line, dict) for line in lines):
        return _of_records(lines)
    if not lines or not all(isinstance(line, list) for line in lines):
        raise InputError(
            f'{name} must be a list of lists, or {{"truth": {{"prediction": cost, ...}}, ...}}'
        )
    return Grid(found, None, None)


def _json_lines(text: str, name: str) -> list[Any]:
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except RecursionError as error:
        raise InputError(f"{name} has JSON that is nested too deeply") from error
    except ValueError as error:
        raise InputError(f"{name} is no JSON: {error}") from error


def _of_records(lines: list[dict[str, Any]]) -> Grid:
    """Rows of a table: one column may name the truth, the others are predictions."""
    columns = list(dict.fromkeys(key for line in lines for key in line))
    names = [key for key in columns if any(isinstance(line.get(key), str) for line in lines)]
    rows = None
    if len(columns) == len(lines) + 1:
        names = names or columns[:1]
    if names:
        rows = [str(line.get(names[0])).strip() for line in lines]
        columns.remove(names[0])
    return Grid([[line.get(key) for key in columns] for line in lines], rows, columns)


def _of_cells(lines: list[list[str]], n_classes: int) -> Grid:
    """Cells of text; the first line, the first column, both or neither may be names."""
    lines = lines or [[""]]
    height, width = len(lines), max(map(len, lines))
    both = height == width == n_classes + 1
    head = both or height == width + 1 or not all(map(_is_number, lines[0][1:]))
    side = both or width == height + 1 or not all(_is_number(line[0]) for line in lines[1:])
    body = lines[1:] if head else lines
    columns = [cell.strip() for cell in lines[0][side:]] if head else None
    rows = [line[0].strip() for line in body] if side else None
    return Grid([line[side:] for line in body], rows, columns)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return not cell.strip()
    return True


# ---- rows and columns in the order of the classes ------------------------------------------------


def _square(grid: Grid, n_classes: int, name: str) -> Grid:
    """The grid with names on both sides or on neither, its shape checked."""
    rows = grid.columns if grid.rows is None else grid.rows
    columns = grid.rows if grid.columns is None else grid.columns
    widths = {len(line) for line in grid.values}
    named = rows is not None and columns is not None
    if named and widths == {len(columns or ())} and len(grid.values) == len(rows or ()):
        return Grid(grid.values, rows, columns)  # a class that is missing is then reported by name
    if len(grid.values) != n_classes or widths != {n_classes}:
        found = "lines of different lengths" if len(widths) > 1 else f"{max(widths or {0})} columns"
        raise InputError(
            f"{name} must have {n_classes} rows (the true class) and {n_classes} columns (the "
            f"prediction) of costs, but has {len(grid.values)} rows and {found}"
        )
    return Grid(grid.values, rows, columns)


def _places(names: list[str] | None, labels: list[str], side: str, where: str) -> list[int]:
    """The position of each class among the names."""
    if names is None:
        return list(range(len(labels)))
    for name in names:
        if name not in labels:
            raise unknown("class", name, labels, f" of the data, but {where} has a {side} for it")
        if names.count(name) > 1:
            raise InputError(f"{where} has several {side}s for class {name!r}")
    missing = [label for label in labels if label not in names]
    if missing:
        raise InputError(f"{where} has no {side} for class {some(missing)}")
    return [names.index(label) for label in labels]


def _cost(value: Any, true: str, predicted: str, where: str) -> float:
    try:
        cost = nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        cost = nan
    if 0 <= cost < inf:
        return cost
    shown = "missing" if value in (None, "") else f"{value!r}, not a number of at least 0"
    raise InputError(
        f"{where}: the cost of predicting {predicted!r} where {true!r} is true is {shown}"
    )
