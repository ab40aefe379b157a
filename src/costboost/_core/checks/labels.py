"""Labels given by users, one for each row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_labels(name: str, y: Any) -> NDArray[Any]:
    """Validate labels: one for each row, none of them missing."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(
            f"{name} must have one label for each row, got an array of shape {labels.shape}"
        )
    if labels.size == 0:
        raise ValueError(f"{name} is empty; there is nothing to measure")
    missing = labels.dtype == object and any(one is None or one != one for one in labels.tolist())
    if missing or (labels.dtype.kind == "f" and not np.all(np.isfinite(labels))):
        raise ValueError(f"{name} contains labels that are missing or infinite; drop those rows")
    return labels


def distinct(*ys: NDArray[Any]) -> NDArray[Any]:
    """Sorted distinct labels."""
    if len({y.dtype.kind in "US" for y in ys if y.dtype != object}) > 1:
        kinds = " and ".join(str(y.dtype) for y in ys)
        raise ValueError(f"labels must be of one kind, got arrays of {kinds}; convert one of them")
    try:
        return np.unique(np.concatenate([_candidates(y) for y in ys]))
    except TypeError as error:
        raise ValueError(f"labels that cannot be sorted: {error}") from error


def _candidates(y: NDArray[Any]) -> NDArray[Any]:
    """Smallest and largest label if there are no others, found without sorting; otherwise y."""
    if y.dtype.kind not in "biu":
        return y
    ends = np.array([y.min(), y.max()])
    return ends if np.all((y == ends[0]) | (y == ends[1])) else y


def of_one_type(y: NDArray[Any]) -> NDArray[Any]:
    """Labels of the type object as numbers or booleans, if all of them are.

    Columns of data frames have that type after missing labels were dropped.
    """
    if y.dtype != object:
        return y
    kinds = set(map(type, y.tolist()))
    flags = {kind for kind in kinds if issubclass(kind, (bool, np.bool_))}
    numbers = {kind for kind in kinds if issubclass(kind, (int, float, np.number))} - flags
    return np.array(y.tolist()) if kinds and kinds in (flags, numbers) else y
