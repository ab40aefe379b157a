"""Several partitions as one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.tables import Coder, Labels, Table

CELLS_AT_A_TIME = 2**24
"""Values of several partitions that are joined at a time."""


class JoinedTable(Table):
    """The rows of several tables, one behind the other."""

    def __init__(self, parts: Sequence[Table]) -> None:
        self.parts = list(parts)
        self.names = parts[0].names
        self.n_features = parts[0].n_features
        self.ends = np.cumsum([part.n_rows for part in parts])
        self.n_rows = int(self.ends[-1])

    def column(self, j: int) -> NDArray[Any]:
        return np.concatenate([part.column(j) for part in self.parts])

    def labels(self, j: int) -> Labels:
        code_of: dict[Any, int] = {}
        codes = []
        for part in self.parts:
            column = part.labels(j)
            known = [code_of.setdefault(label, len(code_of)) for label in column.labels]
            codes.append(np.array([*known, -1], dtype=np.intp)[column.codes])
        return Labels(np.concatenate(codes), list(code_of))

    def is_categorical(self, j: int) -> bool:
        return self.parts[0].is_categorical(j)

    def is_text(self, j: int) -> bool:
        return all(part.is_text(j) for part in self.parts)

    def numbers(self, coders: Sequence[Coder | None]) -> Iterator[tuple[int, NDArray[Any]]]:
        width = max(1, CELLS_AT_A_TIME // self.n_rows)
        for blocks in zip(*(part.numbers(coders) for part in self.parts), strict=True):
            first, block = blocks[0]
            for begin in range(0, block.shape[1], width):
                columns = [one[:, begin : begin + width] for _, one in blocks]
                yield first + begin, np.concatenate(columns)

    def row_blocks(self, coders: Sequence[Coder | None]) -> Iterator[tuple[slice, NDArray[Any]]]:
        for part, end in zip(self.parts, self.ends.tolist(), strict=True):
            first = end - part.n_rows
            for rows, block in part.row_blocks(coders):
                yield slice(first + rows.start, first + rows.stop), block

    def refuse_missing(self, advice: str) -> None:
        for part in self.parts:
            part.refuse_missing(advice)

    def take(self, rows: Any) -> Table:
        """Select rows, whose numbers increase."""
        rows = np.asarray(rows)
        places = np.searchsorted(rows, self.ends)
        runs = np.split(rows, places[:-1])
        first = self.ends - [part.n_rows for part in self.parts]
        parts = [
            part.take(run - begin)
            for part, run, begin in zip(self.parts, runs, first, strict=True)
            if run.size
        ]
        if not parts:
            return self.parts[0].take(rows)
        return parts[0] if len(parts) == 1 else JoinedTable(parts)
