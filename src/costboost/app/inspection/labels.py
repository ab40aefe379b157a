"""Labels of a target, read from a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Label
from costboost.app.inspection.categories import flat_dictionary
from costboost.app.reading.columns import as_text
from costboost.app.reading.errors import InputError

MAX_CLASSES = 50
"""Distinct values beyond which a column is not taken for a target, unless costs name them all."""
MAX_LABEL_LENGTH = 1000
"""Characters of a label."""


class Labels(NamedTuple):
    """The labels of a target column."""

    y: NDArray[Any]
    """Labels of the rows that have one: whole numbers, or text."""
    classes: list[Label]
    """The distinct labels, sorted."""
    labelled: NDArray[np.bool_]
    """Which rows have a label."""


def read_labels(column: Any, target: str) -> Labels:
    """The labels of a column of pyarrow; whole numbers stay numbers, all else becomes text."""
    from pyarrow import types

    labelled = column.is_valid().to_numpy()
    kept = column.filter(labelled)
    whole = types.is_integer(column.type)
    if types.is_floating(column.type):
        values = kept.to_numpy()
        labelled[labelled] = ~np.isnan(values)
        values = values[~np.isnan(values)]
        whole = bool(np.all(values == np.round(values)))
        y = values.astype(np.int64) if whole else values.astype(str)
    else:
        y = kept.to_numpy() if whole else _text_labels(kept, target)
    y = y.astype(np.int64) if whole else y
    classes: list[Label] = np.unique(y).tolist()
    if len(classes) <= MAX_CLASSES:
        _check_spelling(classes, target)
    if not classes:
        raise InputError(f"column {target!r} has no labels, only missing values")
    if len(classes) == 1:
        raise InputError(
            f"every row has {classes[0]!r} in column {target!r}: there is only one class"
        )
    return Labels(y, classes, labelled)


def _check_spelling(classes: Sequence[Label], target: str) -> None:
    """Raise an InputError if labels differ only in blanks or capitals."""
    first: dict[str, Label] = {}
    for label in classes:
        known = first.setdefault(" ".join(str(label).split()).casefold(), label)
        if known != label:
            raise InputError(
                f"column {target!r} has the labels {known!r} and {label!r}, which differ only in "
                "blanks or capitals: write them alike"
            )


def _text_labels(column: Any, target: str) -> NDArray[Any]:
    """Labels that are text; in memory each is as long as the longest."""
    from pyarrow import compute

    codes = flat_dictionary(as_text(column).dictionary_encode())
    longest = compute.max(compute.utf8_length(codes.dictionary)).as_py() or 0
    if longest > MAX_LABEL_LENGTH:
        raise InputError(
            f"column {target!r} has a value of {longest:,} characters, which is no class", "target"
        )
    found: NDArray[Any] = np.array(codes.dictionary.to_pylist(), dtype=str)
    return found[codes.indices.to_numpy()] if found.size else found
