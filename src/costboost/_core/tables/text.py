"""Text in columns of objects or of frames, which makes them categorical."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from costboost._core.checks import quoted, warn
from costboost._core.tables.labels import Labels, is_missing
from costboost._core.tables.table import Table

NUMBERS = (int, float, Decimal, np.number, np.bool_)


def holds_text(values: Sequence[Any], name: Any) -> bool:
    """Whether all objects are text or missing; text mixed with numbers raises ValueError."""
    kinds = set(map(type, values))
    if not any(issubclass(kind, str) for kind in kinds):
        return all(is_missing(value) for value in values)
    others = [v for v in values if not isinstance(v, str) and not is_missing(v)]
    number = next((value for value in others if isinstance(value, NUMBERS)), None)
    if number is not None:
        text = next(value for value in values if isinstance(value, str))
        raise ValueError(
            f"column {name!r} holds text and numbers, such as {quoted(text)} and {quoted(number)}; "
            "make all of it text to have categories (astype(str)), or all of it numbers, or name "
            "it in categorical_features, where each value is a category as it is"
        )
    return not others


MIN_DISTINCT = 50
"""Distinct values up to which a column is no identifier, and categories are not too many."""
IDENTIFIER_SHARE = 0.9
"""Ratio of distinct values to values above which a column is taken for an identifier."""
MAX_CODES = 20
"""Distinct values up to which text that can be read as numbers is taken for codes."""


def warn_of_text(table: Table, categorical_features: Any, max_codes: int) -> None:
    """Warn of text columns that look like numbers or identifiers, unless the user named them."""
    if not isinstance(categorical_features, str):
        return
    for j in range(table.n_features):
        if table.is_text(j):
            for doubt in _doubts(table.names[j], table.labels(j), max_codes):
                warn(doubt)


def _doubts(name: Any, column: Labels, max_codes: int) -> Iterator[str]:
    """Messages of warnings about a text column that is categorical by its type alone."""
    n_known, n_labels = column.n_known, len(column.labels)
    if n_labels > MAX_CODES and _are_numbers(column.labels):
        yield (
            f"column {name!r} is text and therefore categorical, but all its values are numbers, "
            f"such as {quoted(column.labels[0])}; convert it to numbers if their order means "
            "something, or name it in categorical_features if it does not"
        )
    elif almost_all_distinct(n_labels, n_known):
        yield (
            f"column {name!r} is text with {n_labels} distinct values in {n_known} rows, as free "
            "text and identifiers have; as a category it is of little use for new rows; drop it or "
            "encode it, or name it in categorical_features if it is one"
        )
    elif n_labels > max_codes:
        yield (
            f"column {name!r} is text with {n_labels} distinct values, of which the "
            f"{max_codes - 1} most frequent are categories and all others together one more "
            f"(max_bins={max_codes}); group them, encode them (TargetEncoder), or name the column "
            "in categorical_features if this is meant"
        )


def _are_numbers(labels: Iterable[str]) -> bool:
    try:
        for label in labels:
            float(label)
    except ValueError:
        return False
    return True


def almost_all_distinct(n_distinct: int, n_values: int) -> bool:
    """Whether so many values are distinct that they may be free text or identifiers of rows."""
    return n_distinct > MIN_DISTINCT and n_distinct > IDENTIFIER_SHARE * n_values
