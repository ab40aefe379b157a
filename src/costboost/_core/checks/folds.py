"""Groups or folds given by users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from costboost._core.checks.quoting import some

Fold = TypeVar("Fold")


def check_group_labels(groups: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Validate labels of groups; the groups in sorted order, and the number of that of each row."""
    values = np.asarray(groups)
    if values.shape != (n_rows,):
        raise ValueError(
            f"groups must have one label for each of the {n_rows} rows, got an array of shape "
            f"{values.shape}"
        )
    missing = values != values
    if values.dtype == object:
        missing = missing | np.array([one is None for one in values.tolist()], dtype=bool)
    if np.any(missing):
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(f"groups has no label in row {row}; drop such rows, or give them one")
    try:
        labels, codes = np.unique(values, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"groups must be labels that can be sorted: {error}") from error
    return labels, codes.astype(np.intp)


def group_codes(groups: Any, n_rows: int) -> NDArray[np.intp] | None:
    """Number of the group of each row, if no split may separate groups; None without groups."""
    if groups is None:
        return None
    labels, codes = check_group_labels(groups, n_rows)
    if labels.size < 2:
        raise ValueError(
            f"groups has one group only, {some(labels)}: no rows are left to train on if it is "
            "held out; leave groups out"
        )
    return codes


def refuse_divided_groups(
    stated: str, splits: Sequence[tuple[Any, Any]], groups: NDArray[np.intp] | None
) -> None:
    """Raise a ValueError if a group is in both parts of a split; ``stated`` is the argument."""
    if groups is None:
        return
    for kept, held in splits:
        both = np.intersect1d(groups[kept], groups[held])
        if both.size:
            raise ValueError(
                f"{stated} puts rows of {both.size} of the {groups.max() + 1} groups into both "
                "parts; take StratifiedGroupKFold or another splitter that uses groups, or leave "
                "groups out"
            )


def check_folds(stated: str, n_rows: int, make: Callable[[], list[Fold]]) -> list[Fold]:
    """Call ``make()`` and raise a ValueError that quotes the argument ``stated`` if it fails."""
    try:
        folds = make()
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"{stated} cannot be used for these {n_rows} rows: {str(error).rstrip('.')}; give a "
            "splitter, or pairs of row numbers to train on and to hold out. If there are groups, "
            "list(splitter.split(X, y, groups)) makes the pairs"
        ) from error
    if not folds:
        raise ValueError(
            f"{stated} has no folds; an iterator can be used once only: give a list of pairs"
        )
    return folds
