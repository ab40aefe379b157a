"""CSV: lines of values with a separator."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from costboost.app.reading import text
from costboost.app.reading.errors import InputError
from costboost.app.reading.format import Format

MISSING = [
    "", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "NULL", "null",
    "None", "<NA>",
]  # fmt: skip
"""Text that stands for a missing value."""


SEPARATORS = ",;\t|"
SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\r?\n')
"""A first line that gives the separator, as spreadsheets write it."""


class Csv(Format):
    """Lines of values with a separator; the first line has the names of the columns."""

    is_text = True

    def _column_names(self) -> list[str]:
        beginning = self.source.first_line()
        self.n_rows = text.estimated_rows(self.source, beginning)
        head = codecs.getincrementaldecoder(self.options.encoding)().decode(beginning)
        head = head.removeprefix("\ufeff").lstrip("\r\n")
        given = SEPARATOR_LINE.match(head)
        self._n_skipped = int(given is not None)
        head = head[given.end() :] if given else head
        self.separator = self.options.separator or (given[1] if given else detect_separator(head))
        if self.separator == self.options.decimal:
            raise InputError(
                f"{self.name} has {self.separator!r} between values, which is the decimal mark, "
                "too",
                "separator",
            )
        return next(csv.reader(io.StringIO(head, newline=""), delimiter=self.separator), [])

    def _table(self, types: Mapping[str, Any], without: Collection[str]) -> Any:
        from pyarrow import csv as reader

        if self.source.compressed:
            budget = self.source.budget()
            self.source.bytes.check = lambda data: text.spend_text(budget, data, len(self.names))
        names = [name for name in self.names if name not in without]
        options = self._arrow_options(column_types=dict(types), include_columns=names)
        table = reader.read_csv(self.source.arrow_file(), **options)
        for field in table.schema:
            if str(field.type) == "binary":
                raise UnicodeDecodeError("utf-8", b"", 0, 0, "")
        return table

    def _batches(self, types: Mapping[str, Any]) -> Iterator[Any]:
        from pyarrow import csv as reader

        options = self._arrow_options(include_columns=list(types), column_types=dict(types))
        yield from reader.open_csv(self.source.arrow_file(), **options)

    def _arrow_options(self, **convert_options: Any) -> dict[str, Any]:
        from pyarrow import csv as reader

        return {
            "read_options": reader.ReadOptions(  # one thread: errors then have line numbers
                use_threads=False,
                block_size=text.BLOCK_BYTES,
                encoding=self.options.encoding,
                skip_rows=self._n_skipped,
            ),
            "parse_options": reader.ParseOptions(delimiter=self.separator, newlines_in_values=True),
            "convert_options": reader.ConvertOptions(
                null_values=MISSING,
                strings_can_be_null=True,
                true_values=[],
                false_values=[],
                decimal_point=self.options.decimal,
                **convert_options,
            ),
        }


def detect_separator(head: str) -> str:
    """The separator that is most frequent in the first line."""
    first = head.split("\n", 1)[0]
    return max(SEPARATORS, key=first.count)
