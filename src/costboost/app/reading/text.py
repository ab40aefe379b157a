"""What text files of all formats need: blocks, estimates of rows, memory."""

from __future__ import annotations

from costboost.app.reading.memory import CELL_BYTES, MemoryBudget
from costboost.app.reading.sources import Source

BLOCK_BYTES = 1 << 22
"""Bytes of text read at a time."""


def estimated_rows(source: Source, head: bytes) -> float | None:
    """Lines of a text file, estimated from its beginning."""
    lines = head.count(b"\n")
    if source.compressed or source.size is None or not lines:
        return None
    return source.size / (head.rindex(b"\n") + 1) * lines


PARSED_BYTES = 4
"""Bytes that pyarrow keeps for a value beside its text until the type of its column is certain."""


def spend_text(budget: MemoryBudget, data: bytes, n_columns: int) -> None:
    """Reserve memory for text and its values: a line of two bytes can be a row of many columns.

    pyarrow keeps the text of a value beside the value, until all values of the column are read.
    """
    n_values = data.count(b"\n") * n_columns
    budget.spend(2 * len(data) + n_values * (CELL_BYTES + PARSED_BYTES))
