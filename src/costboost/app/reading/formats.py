"""Tables from files of any format, which is detected by content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from typing import Any

from costboost.app.reading.arrow import ArrowFile, ArrowStream
from costboost.app.reading.columns import KINDS, select_names
from costboost.app.reading.csv import Csv
from costboost.app.reading.detection import detect_format
from costboost.app.reading.errors import translated_errors
from costboost.app.reading.format import Format
from costboost.app.reading.json_lines import JsonLines
from costboost.app.reading.options import ReadOptions
from costboost.app.reading.parquet import Parquet
from costboost.app.reading.sources import Source

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
        Bytes that reading a compressed or binary file may take, as a number or as text such as
        ``"500M"``. The table itself is smaller.

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
