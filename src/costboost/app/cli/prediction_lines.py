"""The lines of CSV or JSON that a file of predictions has."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from costboost.app.cli.csv_text import cells, joined, repeated
from costboost.app.cli.json_values import all_numbers, json_values
from costboost.app.cli.predictors import Predictor
from costboost.app.cli.unseen import UnseenCategories
from costboost.app.reading import labelled
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError
from costboost.app.reading.format import Format
from costboost.app.reading.labelled import RowsRead
from costboost.app.reading.options import ReadOptions
from costboost.app.reading.partitions import Partitions
from costboost.app.reading.parts import Part, open_part
from costboost.app.reading.table_source import TableSource


@dataclass
class PredictionLines:
    """Turns the rows of a file into lines of predictions."""

    predictor: Predictor
    layout: DataLayout
    unseen: UnseenCategories
    keep: Sequence[str]
    """Columns of the file that are repeated before the predictions."""
    as_json: bool
    safe_csv: bool
    """Whether text that a spreadsheet would run as a formula gets an apostrophe before it."""
    max_rows: int
    """Rows that are predicted at most, of a file in which few bytes may be many rows."""
    n_rows: int = 0
    number_columns: set[str] | None = None
    """Kept columns that hold numbers, for JSON; None until the first rows are read."""

    def __post_init__(self) -> None:
        self._names = (*self.keep, *self.predictor.head)
        clash = sorted(set(self.keep) & set(self.predictor.head))
        if clash:
            raise InputError(f"column {clash[0]!r} cannot be kept: a prediction has that name")

    def head(self) -> bytes:
        """The line with the names of the columns."""
        import pyarrow as pa

        if self.as_json:
            return b""
        return joined([cells(pa.array([name]), self.safe_csv) for name in self._names])

    def check(self, source: TableSource) -> None:
        """Raise an InputError if the file lacks columns."""
        labelled.check(source, self.layout)
        self.predictor.check(source.names, source.name)
        if source.is_packed:
            self._check_rows(source.known_rows, source.name)

    def of(self, source: TableSource) -> Iterator[bytes]:
        """Lines of predictions, a batch of rows or a part of a table at a time."""
        if isinstance(source, Partitions):
            yield from self._of_parts(source)
            return
        assert isinstance(source, Format)
        for rows in labelled.read(
            source,
            self.layout,
            types=self.predictor.types,
            verbatim=self.keep,
            together=self.predictor.together,
            n_before=self.n_rows,
        ):
            n_rows = self.n_rows + rows.table.num_rows
            if source.is_packed:
                self._check_rows(n_rows, source.name)
            yield self._of_rows(rows)
            self.n_rows = n_rows

    def _of_parts(self, source: Partitions) -> Iterator[bytes]:
        """Lines of predictions that the workers of a cluster make."""
        everywhere, parts = source.sent_to_all(self), list(source.parts)
        alone = 1 if self.as_json and self.keep else 0  # columns of numbers are found in the first
        for some in (parts[:alone], parts[alone:]):
            shared = predict_part, everywhere, self.number_columns
            for text, n_rows, unseen, self.number_columns in source.collected_parts(some, *shared):
                self.n_rows += n_rows
                self.unseen.counts.update(unseen)
                self.unseen.n_rows += n_rows
                yield text

    def _of_rows(self, rows: RowsRead) -> bytes:
        import pyarrow as pa

        self.unseen.add(rows.X)
        code, numbers = self.predictor(rows)
        if self.as_json:
            labels = [self.predictor.labels[k] for k in code.tolist()]
            return self._json_lines(rows.table, [labels, *(each.tolist() for each in numbers)])
        kept = [repeated(rows.table.column(name)).combine_chunks() for name in self.keep]
        labels = pa.array(list(map(str, self.predictor.labels))).take(pa.array(code))
        texts = [pa.array(each).cast(pa.string()) for each in numbers]
        return joined([*(cells(column, self.safe_csv) for column in (*kept, labels)), *texts])

    def _json_lines(self, table: Any, predicted: list[list[Any]]) -> bytes:
        if self.number_columns is None:  # from the first batch, so that a column stays the same
            self.number_columns = self._find_number_columns(table)
        kept = [json_values(table.column(k), k in self.number_columns) for k in self.keep]
        rows = zip(*kept, *predicted, strict=True)
        return b"".join(
            json.dumps(dict(zip(self._names, row, strict=True))).encode() + b"\n" for row in rows
        )

    def _find_number_columns(self, table: Any) -> set[str]:
        """Kept columns that hold numbers: features by their kind, other text by its values."""
        kinds = {column.name: column.kind == "number" for column in self.layout.columns}
        kinds |= dict.fromkeys(self.layout.cost_columns, True)
        known = {name for name in self.keep if kinds.get(name)}
        others = [name for name in self.keep if name not in kinds]
        return known | {name for name in others if all_numbers(table.column(name))}

    def _check_rows(self, n_rows: float, name: str) -> None:
        """Raise an InputError if there are more rows than may be predicted."""
        if n_rows > self.max_rows:
            raise InputError(
                f"{name} has more than {self.max_rows:,} rows; if you trust it, allow more",
                "max_rows",
                10 * self.max_rows,
            )


def predict_part(
    part: Part, options: ReadOptions, lines: PredictionLines, number_columns: set[str] | None
) -> tuple[bytes, int, Counter[str], set[str] | None]:
    """Lines of predictions for a part of a table, and what the lines of all parts add up."""
    unseen = UnseenCategories(lines.unseen.model, lines.layout)
    of_part = replace(lines, unseen=unseen, n_rows=part.first, number_columns=number_columns)
    with open_part(part, options) as source:
        text = b"".join(of_part.of(source))
    return text, of_part.n_rows - part.first, unseen.counts, of_part.number_columns
