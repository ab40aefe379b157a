"""Columns from which nothing can be learnt: empty, constant, names of rows, too many categories."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

MANY = 50
"""Values of which so many are different may be names of rows."""
ALMOST_ALL = 0.9
"""Share of rows with a different value from which on a column names rows."""
FEW_ROWS = 10
"""Rows of a category, on average, below which most categories are too rare to learn from."""
IDENTIFIER = re.compile(
    r"(?i:(^|[\W_])(id|uid|uuid|guid|key|number|nr|no|index)$)"
    r"|(?i:^(id|uid|uuid|guid)[\W_])"
    r"|[a-z](Id|ID|Key|Number|Nr|No|Index)$"
)
"""Names of columns that number or name their rows."""


def is_empty(values: Any) -> bool:
    """Whether every value is missing."""
    return bool(values.null_count == len(values))


def is_constant(values: Any) -> bool:
    """Whether every row has the same value, and none is missing."""
    return values.null_count == 0 and len(values.unique()) == 1


def names_rows(values: Any) -> bool:
    """Whether almost every row has a category of its own."""
    n_labels = _n_labels(values)
    return n_labels > MANY and n_labels > ALMOST_ALL * len(values)


def rare_categories(values: Any) -> int:
    """How many categories there are, if most have only a few rows; else 0."""
    n_labels = _n_labels(values)
    return n_labels if n_labels > MANY and n_labels * FEW_ROWS > len(values) else 0


def counts_up(values: Any) -> bool:
    """Whether these are whole numbers, each above the last."""
    x = values.to_numpy()
    return x.size > MANY and bool(np.all(x == np.round(x)) and np.all(np.diff(x) > 0))


def numbers_rows(name: str, values: Any) -> bool:
    """Whether almost every row has a whole number of its own, as identifiers do.

    Amounts may all be different, too: the name must be that of an identifier, or the numbers be
    hardly more than the rows, as when rows were numbered and then shuffled.
    """
    x = values.to_numpy()
    if x.size <= MANY or not np.all(x == np.round(x)):
        return False
    if np.unique(x).size <= ALMOST_ALL * x.size:
        return False
    return IDENTIFIER.search(name.strip()) is not None or np.ptp(x) < x.size / ALMOST_ALL


def _n_labels(values: Any) -> int:
    return len(values.drop_null().unique())
