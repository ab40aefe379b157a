"""Columns of text: which of them hold categories, and which hardly do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from costboost.checks import quoted
from costboost.tables.categories import Labels, is_missing

NUMBERS = (int, float, Decimal, np.number, np.bool_)
MANY = 50
"""Distinct values of which almost as many as there are rows may be free text or identifiers."""
SHARE = 0.9
"""Distinct values for each row that is not missing, from which the column is taken for one."""
FEW = 20
"""Distinct values up to which text that looks like numbers is a code, such as 1, 2, 3."""


def holds_text(values: Sequence[Any], name: Any) -> bool:
    """Whether objects are text, as far as they are known. Text next to numbers is refused."""
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


def doubts(name: Any, column: Labels, max_codes: int) -> Iterator[str]:
    """What to warn of if a column of text is a category for no other reason than being text."""
    n_known, n_labels = int((column.codes >= 0).sum()), len(column.labels)
    if n_labels > FEW and _are_numbers(column.labels):
        yield (
            f"column {name!r} is text and therefore categorical, but all its values are numbers, "
            f"such as {quoted(column.labels[0])}; convert it to numbers if their order means "
            "something, or name it in categorical_features if it does not"
        )
    elif n_labels > MANY and n_labels > SHARE * n_known:
        yield (
            f"column {name!r} is text with {n_labels} distinct values in {n_known} rows, as free "
            "text and identifiers have, and as a category it says little of new rows; drop it or "
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
