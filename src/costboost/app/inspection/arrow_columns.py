"""Columns of pyarrow from tables of any library."""

from __future__ import annotations

from collections import Counter
from typing import Any

from costboost._core.checks import refuse_unread
from costboost.app.reading.errors import one_line


def count_rows(table: Any) -> int:
    return int(table.num_rows if hasattr(table, "num_rows") else table.shape[0])


def arrow_columns(table: Any) -> dict[str, Any]:
    """The columns of a table as chunked arrays of pyarrow, by name."""
    refuse_unread("table", table)
    library = type(table).__module__.split(".")[0]
    if library == "pyarrow" and hasattr(table, "column_names"):
        names, values = table.column_names, table.columns
    elif library == "polars" and hasattr(table, "columns"):
        names, values = table.columns, [table.to_series(j) for j in range(table.width)]
    elif library == "pandas" and hasattr(table, "columns"):
        names, values = list(table.columns), [table.iloc[:, j] for j in range(table.shape[1])]
    else:
        raise ValueError(
            "table must be a pandas or polars DataFrame or a pyarrow Table, got "
            f"{type(table).__name__}"
        )
    if not names or count_rows(table) == 0:
        raise ValueError(f"the table has {count_rows(table)} rows and {len(names)} columns")
    repeated = [name for name, n in Counter(map(str, names)).items() if n > 1]
    if repeated:
        raise ValueError(f"the table has several columns called {repeated[0]!r}; rename them")
    return {str(n): arrow_column(f"column {n!r}", v) for n, v in zip(names, values, strict=True)}


def arrow_column(what: str, values: Any) -> Any:
    """Values of any library as a chunked array of pyarrow in which NaN is missing."""
    import pyarrow as pa
    from pyarrow import compute

    if hasattr(values, "to_arrow"):  # of polars
        values = values.to_arrow()
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        try:
            values = pa.array(values, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"{what} holds values of different types: {one_line(error)}"
            ) from error
    if isinstance(values, pa.Array):
        values = pa.chunked_array([values])
    if pa.types.is_floating(values.type):
        nan = compute.is_nan(values)
        values = compute.if_else(nan, pa.scalar(None, values.type), values)
    return values
