"""Warnings of categories that training had no rows of, which predictions take as missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Number
from typing import Any

import numpy as np

from costboost._core.checks import UnseenCategoryWarning, quoted, warn
from costboost._core.tables.labels import Coder, Labels
from costboost._core.tables.table import Table

RARE = 0.05
"""Share of the values of a column up to which new categories are what new rows have."""


def warn_of_unseen(table: Table, coders: Sequence[Coder | None]) -> None:
    """Warn of the columns many of whose values are categories that training had no rows of.

    Categories that share a code were rare in training, so that new ones are expected beside them;
    there the warning is of values of another type alone.
    """
    found = [
        text
        for j, coder in enumerate(coders)
        if coder is not None
        for text in _unseen(table.names[j], table.labels(j), coder)
    ]
    if found:
        warn("; ".join(found), UnseenCategoryWarning)


def _unseen(name: Any, column: Labels, coder: Coder) -> Iterator[str]:
    new = [label not in coder.code_of for label in column.labels]
    if not any(new) or not column.n_known:
        return
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels))
    n_new = int(counts[np.array(new)].sum())
    if n_new <= RARE * column.n_known:
        return
    first = next(
        label for label, is_new, n in zip(column.labels, new, counts, strict=True) if is_new and n
    )
    other = next((label for label in coder.code_of if _kind(label) != _kind(first)), None)
    if coder.shared and (other is None or any(_kind(x) == _kind(first) for x in coder.code_of)):
        return
    text = (
        f"column {name!r}: {n_new} of {column.n_known} values ({n_new / column.n_known:.1%}) are "
        f"categories that training had no rows of, such as {quoted(first)}"
    )
    if other is not None:
        text += f" ({_kind(first)}; in training {quoted(other)}, {_kind(other)})"
    yield f"{text}; they count as {'one of the rare ones' if coder.shared else 'missing'}"


def _kind(label: Any) -> str:
    if isinstance(label, str):
        return "text"
    return "a number" if isinstance(label, (Number, np.bool_)) else f"a {type(label).__name__}"
