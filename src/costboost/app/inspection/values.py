"""Findings on the values of a column: identifiers, text that is misread, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from costboost._core.tables import IDENTIFIER_SHARE, MAX_CODES, MIN_DISTINCT, almost_all_distinct
from costboost.app.reading.columns import as_text
from costboost.app.reading.errors import COMMA, one_line

# ---- findings on the values of a column ----------------------------------------------------------

MIN_CATEGORY_ROWS = 10
"""Rows per category, on average, below which most categories are too rare to learn from."""
MAX_TEXT_VALUES = 10_000
"""Distinct values of a text column that are examined."""
TEXT_SHARE = 0.8
"""Share of the values that must have a form."""
IDENTIFIER_NAME = re.compile(
    r"(?i:(^|[\W_])(id|uid|uuid|guid|key|number|nr|no|index)$)"
    r"|(?i:^(id|uid|uuid|guid)[\W_])"
    r"|[a-z](Id|ID|Key|Number|Nr|No|Index)$"
)
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
NEAR = "so that one is near another"
ISO_DATE = re.compile(r"\s*\d{4}-\d{2}-\d{2}([T\s].*)?")
"""Dates as text that files may hold; in a frame they have to be converted."""
FORMS = {
    "dates_as_text": (
        re.compile(r"\s*\d{1,4}([./-])\d{1,2}\1\d{1,4}(\s.*)?"),
        "dates",
        f"write them as 2024-12-31 in a file, or as numbers, such as days since a date, {NEAR}",
    ),
    "decimal_comma": (
        COMMA,
        "numbers with a decimal comma",
        f"convert them to numbers, {NEAR}",
    ),
    "numbers_as_text": (
        re.compile(r"\s*[+-]?[$€£]?\s?[+-]?\d[\d.,' ]*\s?[%$€£]?\s*"),
        "numbers with a unit, or with marks between thousands",
        f"write them as 1234.5, {NEAR}",
    ),
}
"""Code of the finding -> form, description and advice; the first that fits is reported."""


@dataclass(frozen=True)
class Finding:
    """Something that is probably wrong, and what to do about it.

    Parameters
    ----------
    code : str
        What was found, one of the codes listed at `inspect_table` and `inspect_costs`.
    message : str
        A sentence that names the column and the evidence.
    advice : str
        What to do.
    column : str or None, default=None
        The column, if it is about one.
    """

    code: str
    message: str
    advice: str
    column: str | None = None

    def __str__(self) -> str:
        return f"{self.message}; {self.advice}" if self.advice else self.message


def n_distinct(values: Any) -> int:
    """The number of distinct values; missing values do not count."""
    return len(values.drop_null().unique())


def value_findings(name: str, kind: str, values: Any, distinct: int) -> Iterator[Finding]:
    """Findings on a feature of a kind that depend on its values alone.

    ``values`` are those of a feature, that is float64 or a dictionary of text.
    """
    if values.null_count == len(values):
        yield Finding("empty", f"column {name!r} is empty", "nothing can be learnt from it", name)
    elif values.null_count == 0 and distinct == 1:
        message = f"column {name!r} is the same in every row"
        yield Finding("constant", message, "nothing can be learnt from it", name)
    elif kind == "category":
        yield from category_findings(name, len(values), distinct)
    elif kind == "number":
        yield from number_findings(name, values.to_numpy())


# ---- categories and text -------------------------------------------------------------------------


def category_findings(name: str, n_rows: int, distinct: int) -> Iterator[Finding]:
    """Findings on the number of categories."""
    if almost_all_distinct(distinct, n_rows):
        yield Finding(
            "identifier",
            f"column {name!r} has almost as many values as there are rows, as names and "
            "identifiers of rows have",
            "consider dropping it",
            name,
        )
    elif distinct > MIN_DISTINCT and distinct * MIN_CATEGORY_ROWS > n_rows:
        yield Finding(
            "rare_categories",
            f"column {name!r} has {distinct:,} categories in {n_rows:,} rows: most are too rare "
            "to learn from",
            "group them, or consider dropping it",
            name,
        )


def text_findings(name: str, values: Any) -> Iterator[Finding]:
    """Findings on text that probably stands for numbers or dates."""
    distinct = as_text(values.unique())[:MAX_TEXT_VALUES].to_pylist()
    texts = [text for text in distinct if text]
    if len(texts) <= MAX_CODES:
        return
    others = [text for text in texts if not NUMBER.fullmatch(text)]
    if not others:
        message = f"column {name!r} is text, but all its values are numbers ({_quoted(texts)})"
        advice = "convert them to numbers if their order means something"
        yield Finding("numbers_as_text", message, advice, name)
        return
    if len(others) <= (1 - TEXT_SHARE) * len(texts):
        yield Finding(
            "missing_codes",
            f"column {name!r} is text because it has numbers and {_quoted(others)}",
            "if that stands for a missing value, leave it empty; if the numbers are names, the "
            "column is categorical",
            name,
        )
        return
    for code, (form, what, advice) in FORMS.items():
        if all(ISO_DATE.fullmatch(text) for text in others):
            advice = f"write them as numbers, such as days since a date, {NEAR}"
        if sum(form.fullmatch(text) is not None for text in others) > TEXT_SHARE * len(texts):
            yield Finding(
                code,
                f"column {name!r} is text that looks like {what} ({_quoted(others)}), and every "
                "value is a category",
                advice,
                name,
            )
            return


def _quoted(texts: list[str]) -> str:
    return ", ".join(repr(one_line(text, 30)) for text in texts[:2])


# ---- numbers -------------------------------------------------------------------------------------


def number_findings(name: str, x: Any) -> Iterator[Finding]:
    """Findings on numbers that identify their rows."""
    if are_long_numbers(x):
        what = "has whole numbers of 16 digits or more, as identifiers do, which features round"
    elif increases(x):
        what = "increases from row to row, as row numbers do"
    elif numbers_identify_rows(name, x):
        what = "has a different whole number in almost every row, as identifiers do"
    else:
        return
    yield Finding("identifier", f"column {name!r} {what}", "consider dropping it", name)


def are_long_numbers(x: Any) -> bool:
    """Whether all values have so many digits that floats do not hold each whole number."""
    size = np.abs(x)
    return x.size > 0 and bool(size.min() >= 2.0**53 and size.max() < 2.0**64)


def increases(x: Any) -> bool:
    """Whether the values are whole numbers, each greater than the one before."""
    return x.size > MIN_DISTINCT and bool(np.all(x == np.round(x)) and np.all(np.diff(x) > 0))


def numbers_identify_rows(name: str, x: Any) -> bool:
    """Whether almost every row has a whole number of its own, as identifiers do.

    Amounts may all be distinct, too: either the name is that of an identifier, or the range of the
    numbers hardly exceeds the number of rows, as when numbered rows were shuffled.
    """
    if x.size <= MIN_DISTINCT or not np.all(x == np.round(x)):
        return False
    if np.unique(x).size <= IDENTIFIER_SHARE * x.size:
        return False
    named = IDENTIFIER_NAME.search(name.strip()) is not None
    return named or bool(np.ptp(x) < x.size / IDENTIFIER_SHARE)
