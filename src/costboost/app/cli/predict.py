"""``predict``: the lines of CSV or JSON that a file of predictions has."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from costboost.app.cli import progress, terminal
from costboost.app.cli.csv_text import cell, defused, joined, quoted_column, repeated
from costboost.app.cli.json_values import all_numbers, json_values
from costboost.app.cli.layouts import Layout
from costboost.app.cli.options import MOST_ROWS, check_cost_columns
from costboost.app.cli.output_files import open_output
from costboost.app.cli.predictors import MulticlassPredictor, Predictor, TwoClassPredictor
from costboost.app.cli.problems import UnseenCategories
from costboost.app.reading.columns import KINDS, n_bytes
from costboost.app.reading.errors import InputError
from costboost.app.reading.partitions import Part, Partitions, open_part
from costboost.app.reading.sources import Format, ReadOptions


@dataclass
class PredictionWriter:
    """Turns batches of a file into lines of predictions."""

    model: Any
    layout: Layout
    keep: Sequence[str] = ()
    """Columns of the file that are repeated before the predictions."""
    as_json: bool = False
    changed_costs: bool = False
    """Whether costs differ from those of training."""
    safe_csv: bool = False
    """Whether text that a spreadsheet would run as a formula gets an apostrophe before it."""
    acting: Any = None
    """Predictor of actions, if the model has some."""
    max_rows: int = MOST_ROWS
    """Rows that are predicted at most, of a file in which few bytes may be many rows."""
    n_rows: int = 0

    def __post_init__(self) -> None:
        self.unseen = UnseenCategories(self.model, self.layout)
        kind = MulticlassPredictor if self.layout.multiclass else TwoClassPredictor
        self._predict: Predictor = self.acting or kind(self.model, self.layout, self.changed_costs)
        self._label_cells = [cell(str(label), self.safe_csv) for label in self._predict.labels]
        self._number_columns: set[str] | None = None
        self._names = (*self.keep, *self._predict.head)
        clash = sorted(set(self.keep) & set(self._predict.head))
        if clash:
            raise InputError(f"column {clash[0]!r} cannot be kept: a prediction has that name")

    def head(self) -> bytes:
        """The line with the names of the columns."""
        if self.as_json:
            return b""
        return (",".join(cell(name, self.safe_csv) for name in self._names) + "\n").encode()

    def check(self, source: Format | Partitions) -> None:
        """Raise an InputError if the file lacks columns."""
        self.layout.check_columns(source.names, source.name)
        check_cost_columns(self.layout.cost_columns, source.names, source.name)
        if self.acting is not None:
            self.acting.check(source.names, source.name)
        if source.is_packed:
            self._check_rows(source.n_rows or 0, source.name)

    def _check_rows(self, n_rows: float, name: str) -> None:
        """Raise an InputError if there are more rows than may be predicted."""
        if n_rows > self.max_rows:
            raise InputError(
                f"{name} has more than {self.max_rows:,} rows; if you trust it, allow more",
                "max_rows",
                10 * self.max_rows,
            )

    def lines(self, source: Format | Partitions) -> Iterator[bytes]:
        """Lines of predictions, a batch of rows or a part of a table at a time."""
        import pyarrow as pa

        if isinstance(source, Partitions):
            yield from self._lines_of_parts(source)
            return
        batches = source.batches(self._types(), self.keep)
        parts: Iterable[list[Any]] = ([batch] for batch in batches)
        if self.acting is not None and self.acting.together:
            parts = filter(None, [list(kept_within_memory(batches, source))])
        for part in parts:
            table = pa.Table.from_batches(part)
            if source.is_packed:
                self._check_rows(self.n_rows + table.num_rows, source.name)
            rows = range(self.n_rows + 1, self.n_rows + table.num_rows + 1)
            yield self._lines(table, source.name, rows)
            self.n_rows += table.num_rows

    def _lines_of_parts(self, source: Partitions) -> Iterator[bytes]:
        """Lines of predictions that the workers of a cluster make."""
        writer, parts = source.sent_to_all(self), list(source.parts)
        alone = 1 if self.as_json and self.keep else 0  # columns of numbers are found in the first
        for some in (parts[:alone], parts[alone:]):
            given = predict_part, writer, self._number_columns
            for lines, n_rows, unseen, columns in source.collected_parts(some, *given):
                self._number_columns = columns
                self.n_rows += n_rows
                self.unseen.counts.update(unseen)
                self.unseen.n_rows += n_rows
                yield lines

    def _types(self) -> dict[str, Any]:
        types = self.layout.text_types()
        types.pop(self.layout.target, None)
        text = dict.fromkeys(self.keep, KINDS["category"].text_type())
        return text | ({} if self.acting is None else self.acting.types) | types

    def _lines(self, table: Any, name: str, rows: range) -> bytes:
        import pyarrow as pa

        X = self.layout.features(table, name)
        self.unseen.add(X)
        code, found = self._predict(table, X, name, rows)
        if self.as_json:
            labels = [self._predict.labels[k] for k in code.tolist()]
            return self._json_lines(table, [labels, *(values.tolist() for values in found)])
        kept = [repeated(table.column(column)).combine_chunks() for column in self.keep]
        kept = [defused(column) for column in kept] if self.safe_csv else kept
        labels = pa.array(self._label_cells).take(pa.array(code))
        numbers = [pa.array(values).cast(pa.string()) for values in found]
        return joined([*map(quoted_column, kept), labels, *numbers])

    def _json_lines(self, table: Any, found: list[list[Any]]) -> bytes:
        if self._number_columns is None:  # from the first batch, so that a column stays the same
            self._number_columns = self._find_number_columns(table)
        kept = [json_values(table.column(one), one in self._number_columns) for one in self.keep]
        rows = zip(*kept, *found, strict=True)
        return b"".join(
            json.dumps(dict(zip(self._names, row, strict=True))).encode() + b"\n" for row in rows
        )

    def _find_number_columns(self, table: Any) -> set[str]:
        """Kept columns that hold numbers: features by their kind, other text by its values."""
        kinds = {one.name: one.kind == "number" for one in self.layout.columns}
        kinds |= dict.fromkeys(self.layout.cost_columns, True)
        known = {name for name in self.keep if kinds.get(name)}
        others = [name for name in self.keep if name not in kinds]
        return known | {name for name in others if all_numbers(table.column(name))}


def kept_within_memory(batches: Iterator[Any], source: Format) -> Iterator[Any]:
    """Batches that stay in memory together; an InputError if a packed file takes too much."""
    budget = source.source.budget()
    for batch in batches:
        if source.is_packed:
            budget.spend(n_bytes(batch))
        yield batch


def predict_part(
    part: Part, options: ReadOptions, writer: PredictionWriter, number_columns: set[str] | None
) -> tuple[bytes, int, Counter[str], set[str] | None]:
    """Lines of predictions for a part of a table, and what the writer of all parts adds up."""
    own = replace(writer, n_rows=part.first)
    own._number_columns = number_columns
    with open_part(part, options) as source:
        lines = b"".join(own.lines(source))
    return lines, own.n_rows - part.first, own.unseen.counts, own._number_columns


def write_predictions(
    writer: PredictionWriter, source: Format | Partitions, out: str | None
) -> None:
    """Write the predictions of a file, and show the progress."""
    writer.check(source)
    grouped = () if writer.acting is None else writer.acting.types
    _note_unused(writer.layout, (*writer.keep, *grouped), source)
    silent = out is None and sys.stdout.isatty()
    with open_output(out) as write, progress.progress_bar("predicting", silent) as update:
        for lines in _with_head(writer, source):
            write(lines)
            if update is not None and source.share_read is not None:
                update(source.share_read)
    if out is not None:
        terminal.info(f"{writer.n_rows:,} predictions: {out}")


def _with_head(writer: PredictionWriter, source: Format | Partitions) -> Iterator[bytes]:
    """The head after the first batch was predicted, so that nothing is written if that fails."""
    lines = writer.lines(source)
    first = next(lines, b"")
    yield writer.head()
    yield first
    yield from lines


def _note_unused(layout: Layout, others: Sequence[str], source: Format | Partitions) -> None:
    used = {one.name for one in layout.columns} | {layout.target, *layout.cost_columns, *others}
    unused = [name for name in source.names if name not in used]
    if unused:
        listed = ", ".join(map(repr, unused[:5])) + (", ..." if len(unused) > 5 else "")
        number = terminal.plural(len(unused), "column")
        terminal.note(f"{number} that the model does not use: {listed}")
