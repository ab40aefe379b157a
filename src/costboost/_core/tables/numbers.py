"""Objects as floats, unless their type is not numeric."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

import numpy as np

from costboost._core.tables.table import Array

DATES = ("m", "M")
"""Kinds of the NumPy dtypes of times and durations, which are not numeric features."""
NO_REALS = (complex, date, time, timedelta, np.complexfloating, np.datetime64, np.timedelta64)
"""Types that NumPy converts to floats but that are not numeric features."""


def not_numeric(name: Any, kind: Any) -> ValueError:
    """The error for a column that is neither numeric nor categorical."""
    return ValueError(
        f"column {name!r} is not numeric ({kind}), and no category; encode it, or make it a "
        "category: categorical_features='from_dtype' takes text and categorical types, a list "
        "takes the columns it names. At prediction, columns are what they were in training"
    )


def as_floats(values: Any, name: Any) -> Array:
    """Convert objects to floats; raise ValueError if they are not numbers."""
    if getattr(getattr(values, "dtype", None), "kind", "O") in DATES:
        raise not_numeric(name, values.dtype)
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, TypeError) and not any(isinstance(one, NO_REALS) for one in values):
            raise
        kinds = {type(value).__name__ for value in values if not isinstance(value, (int, float))}
        raise not_numeric(name, ", ".join(sorted(kinds))) from error


def check_no_infinity(values: Array) -> None:
    """Raise a ValueError if floats contain infinity."""
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError(
            "Input X contains infinity; replace it by a finite value, or by NaN if it stands for a "
            "missing one"
        )
