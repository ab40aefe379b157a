"""Predictions of a file as lines of text, a batch of rows at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from costboost.cli.answering import answering
from costboost.cli.cost_options import check_cost_columns
from costboost.cli.json_values import all_numbers, plain_values
from costboost.cli.layout import Layout
from costboost.cli.unseen import Unseen
from costboost.reading.columns import Column, as_text
from costboost.reading.errors import InputError
from costboost.reading.formats import Format

SPECIAL = '[",\r\n]'
FORMULA = "^[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
"""Beginnings of text that spreadsheets may run as a formula, by OWASP's list."""
NUMBER = r"^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$"


@dataclass
class Scoring:
    """A model that is to score a file, whole or in parts."""

    model: Any
    layout: Layout
    keep: Sequence[str] = ()
    """Columns of the file that go before the predictions."""
    as_json: bool = False
    changed_costs: bool = False
    """Whether the costs are others than those of training."""
    safe_csv: bool = False
    """Whether text that a spreadsheet would take for a formula gets an apostrophe before it."""
    n_rows: int = 0

    def __post_init__(self) -> None:
        self.unseen = Unseen(self.model, self.layout)
        self._answer = answering(self.model, self.layout, self.changed_costs)
        self._quoted = [self._cell(str(label)) for label in self._answer.labels]
        self._numbers: set[str] | None = None
        self._names = (*self.keep, *self._answer.head)
        clash = sorted(set(self.keep) & set(self._answer.head))
        if clash:
            raise InputError(f"column {clash[0]!r} cannot be kept: a prediction has that name")

    def head(self) -> bytes:
        """The line that names the columns."""
        if self.as_json:
            return b""
        return (",".join(map(self._cell, self._names)) + "\n").encode()

    def _cell(self, text: str) -> str:
        harmful = self.safe_csv and re.match(FORMULA, text) and not re.match(NUMBER, text)
        return _quoted(f"'{text}" if harmful else text)

    def check(self, source: Format) -> None:
        """A InputError if the file lacks columns."""
        name = source.name
        self.layout.check_columns(source.names, name)
        check_cost_columns(self.layout.cost_columns, source.names, name)

    def lines(self, source: Format) -> Iterator[bytes]:
        """The predictions of a file, some rows at a time."""
        import pyarrow as pa

        name = source.name
        for batch in source.batches(self._types(), self.keep):
            table = pa.Table.from_batches([batch])
            rows = range(self.n_rows + 1, self.n_rows + table.num_rows + 1)
            yield self._lines(table, name, rows)
            self.n_rows += table.num_rows

    def _written_as_numbers(self, table: Any) -> set[str]:
        """Kept columns of text that hold numbers: as in training, or else as they look."""
        kinds = {one.name: one.kind == "number" for one in self.layout.columns}
        kinds |= dict.fromkeys(self.layout.cost_columns, True)
        known = {name for name in self.keep if kinds.get(name)}
        others = [name for name in self.keep if name not in kinds]
        return known | {name for name in others if all_numbers(table.column(name))}

    def _types(self) -> dict[str, Any]:
        types = self.layout.text_types()
        types.pop(self.layout.target, None)
        return types | {
            name: Column(name, "category").text_type() for name in self.keep if name not in types
        }

    def _lines(self, table: Any, name: str, rows: range) -> bytes:
        import pyarrow as pa

        X = self.layout.features(table, name)
        self.unseen.add(X)
        code, found = self._answer(table, X, name, rows)
        if self.as_json:
            labels = [self._answer.labels[k] for k in code.tolist()]
            return self._json(table, [labels, *(values.tolist() for values in found)])
        kept = [_repeated(table.column(column)).combine_chunks() for column in self.keep]
        said = pa.array(self._quoted).take(pa.array(code))
        numbers = [pa.array(values).cast(pa.string()) for values in found]
        kept = [_defused(column) for column in kept] if self.safe_csv else kept
        return _joined([*map(_escaped, kept), said, *numbers])

    def _json(self, table: Any, found: list[list[Any]]) -> bytes:
        if self._numbers is None:  # as the first rows have it, lest a column change on the way
            self._numbers = self._written_as_numbers(table)
        kept = [plain_values(table.column(one), one in self._numbers) for one in self.keep]
        rows = zip(*kept, *found, strict=True)
        return b"".join(
            json.dumps(dict(zip(self._names, row, strict=True))).encode() + b"\n" for row in rows
        )


def _repeated(column: Any) -> Any:
    """A column as text; whole numbers with all their digits, however many there are."""
    import pyarrow as pa
    from pyarrow import compute

    if not pa.types.is_floating(column.type):
        return as_text(column)
    exact = compute.less(compute.abs(column), 2.0**53)
    whole = compute.and_(compute.equal(column, compute.round(column)), exact).fill_null(False)
    digits = compute.if_else(whole, column, None).cast(pa.int64())
    return compute.coalesce(digits.cast(pa.string()), column.cast(pa.string()))


def _quoted(text: str) -> str:
    needs = any(character in text for character in '",\r\n')
    return '"' + text.replace('"', '""') + '"' if needs else text


def _defused(column: Any) -> Any:
    """Text, with an apostrophe before what a spreadsheet would take for a formula."""
    from pyarrow import compute

    column = column.fill_null("")
    harmful = compute.and_not(
        compute.match_substring_regex(column, FORMULA),
        compute.match_substring_regex(column, NUMBER),
    )
    return compute.if_else(harmful, compute.binary_join_element_wise("'", column, ""), column)


def _escaped(column: Any) -> Any:
    """Text with quotation marks around what needs them; missing values are empty."""
    from pyarrow import compute

    column = column.fill_null("")
    doubled = compute.replace_substring(column, '"', '""')
    quoted = compute.binary_join_element_wise('"', doubled, '"', "")
    return compute.if_else(compute.match_substring_regex(column, SPECIAL), quoted, column)


def _joined(columns: list[Any]) -> bytes:
    """Columns of text as the lines of a file."""
    import pyarrow as pa
    from pyarrow import compute

    lines = compute.binary_join_element_wise(*columns, ",")
    ended = compute.binary_join_element_wise(lines, "", "\n").cast(pa.large_string())
    _, _, text = ended.buffers()
    return bytes(text)
