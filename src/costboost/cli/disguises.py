"""Text that was probably meant to be numbers or dates."""

from __future__ import annotations

import re
from typing import Any

from costboost.cli.columns import as_text
from costboost.cli.reading.explaining import COMMA, one_line

MOST_VALUES = 10_000
"""Different values of a column that are looked at."""
FEWEST = 20
"""Different values below which a column is one of categories, whatever they look like."""
SHARE = 0.8
"""Of the values; so many must look alike."""
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
FORMS = {
    "dates": re.compile(r"\s*\d{1,4}([./-])\d{1,2}\1\d{1,4}(\s.*)?"),
    "numbers with a decimal comma": COMMA,
    "numbers with a unit, or with marks between thousands": re.compile(
        r"\s*[+-]?[$€£]?\s?[+-]?\d[\d.,' ]*\s?[%$€£]?\s*"
    ),
}
"""The first that fits is told."""
DO = {
    "dates": "write them as 2024-12-31, so that one day is near another",
    "numbers with a decimal comma": "--decimal , takes them as numbers",
}
USUAL = "write them as 1234.5, so that one is near another"


def disguise(name: str, column: Any) -> str | None:
    """What to tell of a column of text, if most of its values look like something else."""
    values = _different(column)
    if len(values) < FEWEST:
        return None
    others = [value for value in values if not NUMBER.fullmatch(value)]
    if len(others) <= (1 - SHARE) * len(values):
        return (
            f"column {name!r} is text, for it has numbers and {_shown(others)}: if that stands for "
            "a missing value, leave it empty; if the numbers are names, --categorical "
            f"{name!r} says so"
        )
    for what, form in FORMS.items():
        if sum(form.fullmatch(value) is not None for value in others) > SHARE * len(values):
            return (
                f"column {name!r} is text that looks like {what} ({_shown(others)}), and every "
                f"value is a category: {DO.get(what, USUAL)}"
            )
    return None


def _different(column: Any) -> list[str]:
    return [value for value in as_text(column.unique())[:MOST_VALUES].to_pylist() if value]


def _shown(values: list[str]) -> str:
    return ", ".join(repr(one_line(value, 30)) for value in values[:2])
