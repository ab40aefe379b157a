"""Numbers given by users: real, finite, not negative, one for each row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Floats
from costboost._core.checks.quoting import quoted

LARGEST = float(np.finfo(np.float64).max)


def real_numbers(values: Any) -> Floats:
    """Convert values to floats; complex numbers, dates, text and other objects raise ValueError."""
    found = np.asarray(values)
    if found.dtype.kind not in "biufO":
        raise ValueError(f"values of type {found.dtype} are not real numbers")
    try:
        return found.astype(np.float64, copy=False)
    except (TypeError, OverflowError) as error:
        raise ValueError(str(error)) from error


def check_numbers(name: str, values: Any) -> Floats:
    """Convert values to floats, in a new array."""
    try:
        return np.array(real_numbers(values))
    except ValueError as error:
        raise ValueError(f"{name} must be numbers: {error}") from error


def check_finite(name: str, values: Any) -> Floats:
    """Convert values to floats that are finite."""
    numbers = check_numbers(name, values)
    bad = ~np.isfinite(numbers)
    if bad.any():
        raise ValueError(f"{name} must be finite, got {numbers[bad].flat[0]:g}{_where(bad)}")
    return numbers


def check_not_negative(name: str, values: Any) -> Floats:
    """Convert values to floats that are finite and not below 0."""
    numbers = check_numbers(name, values)
    bad = ~np.isfinite(numbers) | (numbers < 0)
    if bad.any():
        first = numbers[bad].flat[0]
        raise ValueError(f"{name} must be finite and not negative, got {first:g}{_where(bad)}")
    return numbers


def _where(bad: NDArray[np.bool_]) -> str:
    """Position of the first bad value, for a message."""
    if bad.ndim == 0:
        return ""
    place = tuple(int(at[0]) for at in np.nonzero(bad))
    return f" in row {place[0]}" if len(place) == 1 else f" at {place}"


def check_weight(sample_weight: Any, n_rows: int, of: str = "rows") -> Floats:
    """Validate sample weights; None becomes a weight of 1 for each row."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = check_not_negative("sample_weight", sample_weight)
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one value for each of the {n_rows} {of}, got an array of "
            f"shape {weight.shape}"
        )
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; at least one row must count")
    with np.errstate(over="ignore"):
        if not np.isfinite(weight.sum()):
            raise ValueError("sample_weight adds up to more than a number can hold; scale it down")
    return weight


def check_scores(name: str, score: Any) -> Floats:
    """Validate scores: one finite number for each row."""
    values = check_numbers(name, score)
    if values.ndim != 1:
        raise ValueError(
            f"{name} must have one value for each row, got an array of shape {values.shape}; of "
            "the two columns of predict_proba, take that of the positive class"
        )
    bad = ~np.isfinite(values)
    if bad.any():
        raise ValueError(
            f"{name} must be finite, got {values[bad][0]}{_where(bad)}; drop such rows"
        )
    return values


def refuse_no_number(name: str, value: Any) -> None:
    """Raise ValueError if a number, or an array of numbers, is given as None or as text."""
    if value is None:
        raise ValueError(f"{name} must be a number, got None; leave it out for its default")
    found = np.asarray(value)
    texts = [found.flat[0]] if found.dtype.kind in "US" and found.size else []
    if found.dtype == object:
        texts = [one for one in found.flat if isinstance(one, (str, bytes))]
    if texts:
        raise ValueError(
            f"{name} must be a number or an array of numbers, got the text "
            f"{quoted(str(texts[0]))}; convert it with float() or astype(float)"
        )


def as_numbers(name: str, value: Any) -> Floats:
    """Convert a number or an array of numbers to floats."""
    try:
        return real_numbers(value)
    except ValueError as error:
        raise ValueError(
            f"{name} must be a number or an array of numbers, got {quoted(value)}: {error}"
        ) from error


def refuse_negative(name: str, values: Floats) -> None:
    """Raise ValueError if a value is below 0 or not finite."""
    for bad, what in ((np.isnan(values), "NaN"), (np.isinf(values), "infinity"), (values < 0, "")):
        if bad.any():
            row = int(np.flatnonzero(bad)[0]) if values.ndim else None
            found = what or f"{values.flat[row or 0]:g}"
            where = "" if row is None else f" in row {row}"
            raise ValueError(
                f"{name} must be finite and not negative, but it contains {found}{where}"
            )
