"""Values as text of a CSV file, which a spreadsheet may open."""

from __future__ import annotations

from typing import Any

from costboost.app.reading.columns import as_text

SPECIAL = '[",\r\n]'
FORMULA = "^[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
"""Beginnings of text that spreadsheets may run as a formula, by OWASP's list."""
CSV_NUMBER = r"^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$"


def repeated(column: Any) -> Any:
    """A column as text; whole numbers with all their digits."""
    import pyarrow as pa
    from pyarrow import compute

    if not pa.types.is_floating(column.type):
        return as_text(column)
    exact = compute.less(compute.abs(column), 2.0**53)
    whole = compute.and_(compute.equal(column, compute.round(column)), exact).fill_null(False)
    digits = compute.if_else(whole, column, None).cast(pa.int64())
    return compute.coalesce(digits.cast(pa.string()), column.cast(pa.string()))


def _defused(column: Any) -> Any:
    """Text with an apostrophe before what a spreadsheet would run as a formula."""
    from pyarrow import compute

    column = column.fill_null("")
    harmful = compute.and_not(
        compute.match_substring_regex(column, FORMULA),
        compute.match_substring_regex(column, CSV_NUMBER),
    )
    return compute.if_else(harmful, compute.binary_join_element_wise("'", column, ""), column)


def cells(column: Any, safe: bool) -> Any:
    """Text in quotation marks where CSV needs them; missing values are empty.

    ``safe``: with an apostrophe before what a spreadsheet would run as a formula.
    """
    from pyarrow import compute

    column = _defused(column) if safe else column.fill_null("")
    doubled = compute.replace_substring(column, '"', '""')
    quoted = compute.binary_join_element_wise('"', doubled, '"', "")
    return compute.if_else(compute.match_substring_regex(column, SPECIAL), quoted, column)


def joined(columns: list[Any]) -> bytes:
    """Columns of text as the lines of a CSV file."""
    import pyarrow as pa
    from pyarrow import compute

    lines = compute.binary_join_element_wise(*columns, ",")
    ended = compute.binary_join_element_wise(lines, "", "\n").cast(pa.large_string())
    _, _, text = ended.buffers()
    return bytes(text)
